"""What would leave an owner, layer by layer, before anything does."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from unveil.cli.owner.exposure import blocking_groups, repeats, share, unique_records
from unveil.cli.owner.lines import caps, count, percent
from unveil.errors import SettingError
from unveil.protocol.messages import HASH, ID, LONGEST_VALUE, filter_bytes
from unveil.roles.owner.ledger import ATTRIBUTE_LAYER, RECORD_LAYER, REVIEW_LAYER
from unveil.roles.owner.lengths import short_enough
from unveil.roles.record_unit.wishes import batch_size, with_decoys
from unveil.runtime.owner.folder import OwnerFolder
from unveil.schema import ProtocolSettings


def report(folder: OwnerFolder) -> dict[str, Any]:
    """Everything that `unveil owner check` tells, as JSON can hold it."""
    project = folder.member.project
    limit = project.limits.records_per_owner
    if len(folder.records) > limit:
        raise SettingError(
            f"{len(folder.records):,} records, but the project takes {limit:,} of each owner",
            hint="the limit stands in the project file, which all parties share",
        )
    names = project.linkage.names
    alone = unique_records(folder.records, names)
    return {
        "project": project.name,
        "owner": folder.config.name,
        "fingerprint": folder.encoder.fingerprint().hex(),
        "record_unit": _record_unit(folder),
        "attribute_unit": _attribute_unit(folder),
        "review_unit": _review_unit(folder),
        "attributes": repeats(folder.records, names),
        "unique_records": alone,
        "unique_share": share(alone, len(folder.records)),
    }


def _record_unit(folder: OwnerFolder) -> dict[str, Any]:
    schema = folder.member.project.linkage
    keys = [key.name for key in schema.blocking]
    each = ID + filter_bytes(folder.encoder.m) + HASH * len(keys)
    return {
        "records": len(folder.records),
        "bits": folder.encoder.m,
        "encoding": schema.layer_r.encoding,
        "hardening": [step.method for step in schema.layer_r.hardening],
        "bytes": each * len(folder.records),
        "blocking_keys": blocking_groups(folder.encoder.blocking_keys(folder.records), keys),
    }


def _attribute_unit(folder: OwnerFolder) -> dict[str, Any]:
    schema, policy = folder.member.project.linkage, folder.policy
    return {
        "asks": schema.protocol.layers >= ATTRIBUTE_LAYER,
        "pairs_asked": _pairs_asked(schema.protocol),
        "most_pairs_asked": _most_pairs(schema.protocol),
        "records": _allowed(folder, ATTRIBUTE_LAYER),
        "attributes": [name for name in schema.names if name not in policy.never_encoded],
        "never_encoded": [name for name in schema.names if name in policy.never_encoded],
        "bits": schema.layer_a.m,
        "answered": policy.response_rate_a,
        "approval": policy.needs_approval(ATTRIBUTE_LAYER),
        "caps": caps(policy.caps, ATTRIBUTE_LAYER),
    }


def _review_unit(folder: OwnerFolder) -> dict[str, Any]:
    schema, policy = folder.member.project.linkage, folder.policy
    never = policy.never | policy.never_encoded
    long = (~short_enough(folder.records, schema.names)).sum(axis=0).tolist()
    return {
        "asks": schema.protocol.layers >= REVIEW_LAYER,
        "labels_asked": schema.protocol.review.budget,
        "reviews_asked": _most_reviews(schema.protocol),
        "records": _allowed(folder, REVIEW_LAYER),
        "attributes": [name for name in schema.names if name not in never],
        "never_shown": [name for name in schema.names if name in never],
        "too_long": {name: number for name, number in zip(schema.names, long, strict=True) if number},
        "smallest_k": policy.smallest_k,
        "answered": policy.response_rate_c,
        "approval": policy.needs_approval(REVIEW_LAYER),
        "caps": caps(policy.caps, REVIEW_LAYER),
    }


def _most_reviews(protocol: ProtocolSettings) -> int:
    """
    Reviews that the protocol can ask for at most, whatever is refused.

    A refused review costs no label, so others take its place: rounds · iterations times, budget / batches at once. No
    pair is reviewed twice.
    """
    review = protocol.review
    if not review.budget:
        return 0
    most = len(protocol.batches) * review.rounds * max(1, review.budget // review.batches)
    return min(most, _most_pairs(protocol))


def _pairs_asked(protocol: ProtocolSettings) -> int:
    """Pairs that the protocol asks about when nothing is refused."""
    return sum(with_decoys(size, protocol.decoys) for size in protocol.batches)


def _most_pairs(protocol: ProtocolSettings) -> int:
    """Pairs that it can ask about at most: what is refused makes later batches larger."""
    most = [batch_size(size, 0.0) if earlier else size for earlier, size in enumerate(protocol.batches)]
    return sum(with_decoys(size, protocol.decoys) for size in most)


def _allowed(folder: OwnerFolder, layer: int) -> int:
    """How many records may go as far as that layer."""
    layers = folder.policy.layers
    return len(folder.records) if layers is None else int(np.count_nonzero(layers >= layer))


def lines(told: dict[str, Any]) -> Iterator[str]:
    """The same for people."""
    upload, pairs, reviews = told["record_unit"], told["attribute_unit"], told["review_unit"]
    records = upload["records"]
    yield f"project {told['project']}, owner {told['owner']}: {count(records, 'record')}; this command sends nothing"
    yield f"fingerprint  {told['fingerprint']} (the other owner's must be the same)"
    yield ""
    yield f"to the record unit, layer {RECORD_LAYER}, with unveil owner upload"
    yield f"  {count(records, 'record')}, each as {_encoded(upload)} under a random handle; {_size(upload['bytes'])}"
    for key in upload["blocking_keys"]:
        yield f"  hashed blocking key {key['key']}: {_groups(key)}"
    yield ""
    yield f"to the attribute unit, layer {ATTRIBUTE_LAYER}, at most, with unveil owner run"
    yield from _pairs(pairs, records)
    yield ""
    yield f"to the review unit, layer {REVIEW_LAYER}, at most, with unveil owner run"
    yield from _reviews(reviews, records)
    yield ""
    yield "how often values repeat"
    width = max(len(row["attribute"]) for row in told["attributes"])
    for row in told["attributes"]:
        yield (
            f"  {row['attribute']:<{width}}  {row['distinct']:>9,} distinct  {row['missing']:>9,} missing  "
            f"{row['most_frequent']:>9,} hold the most frequent ({percent(row['most_frequent_share'])})"
        )
    alone = count(told["unique_records"], "record is", "records are")
    yield f"  {alone} unique in all attributes together ({percent(told['unique_share'])})"


def _pairs(told: dict[str, Any], records: int) -> Iterator[str]:
    if not told["asks"]:
        yield "  nothing: this project compares records as a whole only"
        return
    planned, most = count(told["pairs_asked"], "pair"), count(told["most_pairs_asked"], "pair")
    yield f"  the protocol asks about {planned}, and about up to {most} if either owner refuses much"
    yield "  if a unit breaks it, the caps still hold: caps.project.pairs bounds what the unit ever gets"
    yield f"  records that may be asked about: {told['records']:,} of {records:,}"
    yield f"  for each pair, filters of {told['bits']} bits under a key of its own: {', '.join(told['attributes'])}"
    yield from _limits(told, {"never encoded": ", ".join(told["never_encoded"]) or "none"})


def _reviews(told: dict[str, Any], records: int) -> Iterator[str]:
    if not told["asks"]:
        yield "  nothing: this project has no review"
        return
    labels, most = count(told["labels_asked"], "label"), count(told["reviews_asked"], "review")
    yield f"  the protocol asks for {labels} in at most {most}: a refused one costs no label, and another follows"
    yield "  if a unit breaks it, the caps still hold: caps.project.values bounds what reviewers ever get"
    yield f"  records that may be shown: {told['records']:,} of {records:,}"
    yield f"  for each review, values in plain text, masked for reviewers: {', '.join(told['attributes'])}"
    k = told["smallest_k"]
    shared = f"by {k} of our records at least" if k > 1 else "no lower bound (smallest_k = 1)"
    more = {"never shown": ", ".join(told["never_shown"]) or "none", "combination shared": shared}
    if told["too_long"]:
        long = ", ".join(f"{name} of {count(number, 'record')}" for name, number in told["too_long"].items())
        more[f"withheld, since longer than {LONGEST_VALUE} characters"] = long
    yield from _limits(told, more)


def _limits(told: dict[str, Any], more: dict[str, str]) -> Iterator[str]:
    for word, what in more.items():
        yield f"  {word}: {what}"
    yield f"  wishes answered: {percent(told['answered'])}"
    yield f"  a person's approval: {'needed' if told['approval'] else 'not needed'}"
    set_caps = [f"{words} {limit:,}" for words, limit in told["caps"].items() if limit is not None]
    yield f"  caps: {'; '.join(set_caps) or 'none'}"


def _encoded(told: dict[str, Any]) -> str:
    steps = "".join(f", then {step}" for step in told["hardening"])
    return f"a {told['encoding'].upper()} filter of {told['bits']} bits{steps}"


def _groups(key: dict[str, Any]) -> str:
    largest = ", ".join(f"{size:,}" for size in key["largest"]) or "none"
    return f"{count(key['groups'], 'group')}, the largest {largest}; {count(key['without'], 'record')} without"


def _size(size: int) -> str:
    return f"{size / 1e6:,.1f} MB in all" if size >= 1e5 else f"{size:,} bytes in all"  # noqa: PLR2004 - a tenth of a MB
