"""What would leave an owner, in words."""

from __future__ import annotations

from collections.abc import Iterator

from unveil.cli.owner.lines import count, percent
from unveil.protocol.messages import LONGEST_VALUE
from unveil.roles.owner.ledger import ATTRIBUTE_LAYER, RECORD_LAYER, REVIEW_LAYER
from unveil.runtime.owner.check import AttributeUnitCheck, CheckReport, RecordUnitCheck, ReviewUnitCheck
from unveil.runtime.owner.column_check import ColumnCheck
from unveil.runtime.owner.exposure import BlockingGroups

_LARGE = 1e5  # bytes from which on sizes are told in MB


def check_lines(report: CheckReport) -> Iterator[str]:
    """What would leave, layer by layer, and how often values repeat."""
    upload = report.record_unit
    records = count(upload.records, "record")
    yield f"project {report.project}, owner {report.owner}: {records}; this command sends nothing"
    yield f"fingerprint  {report.fingerprint} (the other owner's must be the same)"
    yield ""
    yield from _columns(report.columns)
    yield from (f"  note: {one}" for one in report.notes)
    yield from (f"  warning: {one}" for one in report.warnings)
    yield ""
    yield f"to the record unit, layer {RECORD_LAYER}, with unveil owner upload"
    yield f"  {records}, each as {_encoded(upload)} under a random handle; {_size(upload.bytes)}"
    for key in upload.blocking_keys:
        yield f"  hashed blocking key {key.key}: {_groups(key)}"
    yield ""
    yield f"to the attribute unit, layer {ATTRIBUTE_LAYER}, at most, with unveil owner run"
    yield from _pairs(report.attribute_unit, upload.records)
    yield ""
    yield f"to the review unit, layer {REVIEW_LAYER}, at most, with unveil owner run"
    yield from _reviews(report.review_unit, upload.records)
    yield ""
    yield from _repeats(report)


def _columns(columns: tuple[ColumnCheck, ...]) -> Iterator[str]:
    yield "attributes and the columns that they are read from; 9999 and Aaaa say how most values are written"
    widths = [max(len(text) for text in texts) for texts in zip(*map(_column, columns), strict=True)]
    for one in columns:
        yield "  " + "  ".join(f"{text:<{width}}" for text, width in zip(_column(one), widths, strict=True)).rstrip()
        for doubt in one.doubts:
            yield f"    {'confirmed, although' if one.confirmed else 'to be confirmed:'} {doubt.sentence}"


def _column(one: ColumnCheck) -> tuple[str, ...]:
    look = one.look
    return (
        one.attribute,
        f"<- {one.column}",
        f"{look.format} ({percent(look.format_share)})" if look.format else "no values",
        f"{look.shortest} to {look.longest} characters",
        f"{percent(look.missing)} missing",
        f"{look.distinct:,} distinct",
    )


def _pairs(check: AttributeUnitCheck, records: int) -> Iterator[str]:
    if not check.asks:
        yield "  nothing: this project compares records as a whole only"
        return
    planned, most = count(check.pairs_asked, "pair"), count(check.most_pairs_asked, "pair")
    yield f"  the protocol asks about {planned}, and about up to {most} if either owner refuses much"
    if check.strangers_asked:
        strangers = count(check.strangers_asked, "pair")
        yield f"  of them up to {strangers} are of strangers, so that a wish does not tell who has a partner"
    yield "  no more is answered, whatever a unit asks; caps.project.pairs of a policy can only narrow it"
    yield f"  records that may be asked about: {check.records:,} of {records:,}"
    yield f"  for each pair, filters of {check.bits} bits under a key of its own: {', '.join(check.attributes)}"
    yield from _limits(check, {"never encoded": ", ".join(check.never_encoded) or "none"})


def _reviews(check: ReviewUnitCheck, records: int) -> Iterator[str]:
    if not check.asks:
        yield "  nothing: this project has no review"
        return
    labels, most = count(check.labels_asked, "label"), count(check.reviews_asked, "review")
    yield f"  the protocol asks for {labels} in at most {most}: a refused one costs no label, and another follows"
    yield "  no more is answered, whatever a unit asks; caps.project.values of a policy can only narrow it"
    yield f"  records that may be shown: {check.records:,} of {records:,}"
    yield f"  for each review, values in plain text, masked for reviewers: {', '.join(check.attributes)}"
    k = check.smallest_k
    shared = f"by {k} of our records at least" if k > 1 else "no lower bound (smallest_k = 1)"
    more = {"never shown": ", ".join(check.never_shown) or "none", "combination shared": shared}
    if check.too_long:
        long = ", ".join(f"{name} of {count(number, 'record')}" for name, number in check.too_long.items())
        more[f"withheld, since longer than {LONGEST_VALUE} characters"] = long
    yield from _limits(check, more)


def _limits(check: AttributeUnitCheck | ReviewUnitCheck, more: dict[str, str]) -> Iterator[str]:
    for name, what in more.items():
        yield f"  {name}: {what}"
    yield f"  records for which wishes are answered: {percent(check.answered)}"
    yield f"  a person's approval: {'needed' if check.approval else 'not needed'}"
    caps = [f"{name} {limit:,}" for name, limit in check.caps.items() if limit is not None]
    yield f"  caps: {'; '.join(caps) or 'none'}"


def _repeats(report: CheckReport) -> Iterator[str]:
    yield "how often values repeat"
    width = max(len(row.attribute) for row in report.attributes)
    for row in report.attributes:
        yield (
            f"  {row.attribute:<{width}}  {row.distinct:>9,} distinct  {row.missing:>9,} missing  "
            f"{row.most_frequent:>9,} hold the most frequent ({percent(row.most_frequent_share)})"
        )
    alone = count(report.unique_records, "record is", "records are")
    yield f"  {alone} unique in all attributes together ({percent(report.unique_share)})"


def _encoded(check: RecordUnitCheck) -> str:
    steps = "".join(f", then {step}" for step in check.hardening)
    return f"a {check.encoding.upper()} filter of {check.bits} bits{steps}"


def _groups(key: BlockingGroups) -> str:
    largest = ", ".join(f"{size:,}" for size in key.largest) or "none"
    return f"{count(key.groups, 'group')}, the largest {largest}; {count(key.without, 'record')} without"


def _size(size: int) -> str:
    return f"{size / 1e6:,.1f} MB in all" if size >= _LARGE else f"{size:,} bytes in all"
