"""The part of the page that shows how the layers worked together in this run."""

from __future__ import annotations

from unveil.charts.document import section
from unveil.charts.figures import count, counted, share, size
from unveil.charts.layers import DrawnParty, Passage, layer_diagram
from unveil.charts.markup import Markup
from unveil.charts.svg import figure
from unveil.one_place.figures import CountedFigures
from unveil.one_place.report import words


def cooperation(run: CountedFigures) -> Markup:
    """The drawing of owners and units with the counts that flowed between them."""
    units = (_record_unit(run), _attribute_unit(run), _review_unit(run))
    passages = (
        Passage(
            f"{counted(run.reviewed_pairs, 'uncertain pair')} opened",
            f"decisions on {counted(run.reviewed_pairs, 'pair')} reported back",
        ),
        Passage(
            f"{counted(run.clerical_labels, 'pair')} still uncertain",
            f"{counted(run.clerical_labels, 'label')} given",
        ),
    )
    caption = _caption(run)
    picture = figure(
        "layers",
        "Owners, record unit, attribute unit and review unit",
        f"{caption} " + " ".join(f"The {unit.name.lower()} saw {unit.saw}, never {unit.never}." for unit in units),
        lambda width: layer_diagram(
            width, owners=_owners(run), units=units, passages=passages, returned="the links, to every owner"
        ),
        caption,
    )
    return section("layers-heading", "How the layers worked together", picture)


def _caption(run: CountedFigures) -> str:
    if not run.reviewed_pairs:
        return "Only the record unit was used: nothing but one filter per record left the owners."
    share_ = share(run.reviewed_pairs, run.candidate_pairs)
    sentence = (
        f"Disclosure goes down and labels come up: of {counted(run.candidate_pairs, 'compared pair')}, {share_} "
        "were opened attribute by attribute"
    )
    if run.clerical_labels:
        sentence += f", and {share(run.clerical_labels, run.candidate_pairs)} reached a person"
    return f"{sentence}. The bar in each box is the share of the compared pairs that came so far."


def _part(run: CountedFigures, pairs: int) -> float | None:
    return pairs / run.candidate_pairs if pairs and run.candidate_pairs else None


def _reached(run: CountedFigures, pairs: int) -> str:
    return f"{counted(pairs, 'pair')}, {share(pairs, run.candidate_pairs)}" if pairs else ""


def _sent(run: CountedFigures, what: str, recipient: str) -> str:
    """What the owners sent to a unit, with its size where the traffic was counted."""
    number = words.traffic(run.flows, "owner", recipient)
    return f"{what} ({size(number)})" if number else what


def _owners(run: CountedFigures) -> DrawnParty:
    left, right = run.records
    return DrawnParty(
        "Owners",
        saw="only their own records, and which of these were asked about",
        never="a record of the other owner, a similarity, or why a pair was asked about",
        reached=f"{count(left)} and {count(right)} records",
        may="whether to grant or to refuse each request",
    )


def _record_unit(run: CountedFigures) -> DrawnParty:
    return DrawnParty(
        "Record unit",
        saw="one filter per record, how similar two of them are, and the labels reported back"
        if run.reviewed_pairs
        else "one filter per record, and how similar two of them are",
        never="a single attribute, a character of text, the owners' key",
        reached=f"{counted(run.candidate_pairs, 'pair')} compared",
        part=_part(run, run.candidate_pairs),
        received=_sent(run, f"{counted(sum(run.records), 'record filter')}", "record unit"),
        style=0,
    )


def _attribute_unit(run: CountedFigures) -> DrawnParty:
    pairs = run.reviewed_pairs
    used = pairs > 0
    return DrawnParty(
        "Attribute unit",
        saw=f"how similar each attribute of {counted(pairs, 'pair')} is, under a key made for that pair alone"
        if used
        else "nothing: not used in this run",
        never="a character of text, a record filter, the owners' key",
        reached=_reached(run, pairs),
        part=_part(run, pairs),
        received=_sent(run, f"attribute filters of {counted(pairs, 'pair')}", "attribute unit"),
        style=1,
        used=used,
    )


def _review_unit(run: CountedFigures) -> DrawnParty:
    labels = run.clerical_labels
    shown, _ = words.values_shown(run)
    used = labels > 0
    values = counted(shown, "value") if run.disclosures else "values"
    return DrawnParty(
        "Review unit",
        saw=f"{values} of {counted(labels, 'pair')}, masked where they agree, and ticks and crosses"
        if used
        else "nothing: not used in this run",
        never="equal or dissimilar values, any other record, any filter",
        reached=_reached(run, labels),
        part=_part(run, labels),
        received=_sent(run, values, "review unit"),
        style=2,
        used=used,
    )
