"""What waits for a person's approval, in words."""

from __future__ import annotations

from collections.abc import Iterator

from unveil.cli.owner.lines import count
from unveil.protocol.roles import ATTRIBUTE_UNIT, REVIEW_UNIT
from unveil.runtime.owner.waiting import WaitingLayer, WaitingWishes

_ASKED = (
    (str(ATTRIBUTE_UNIT), "pair", "encoded attributes"),
    (str(REVIEW_UNIT), "review", "values in plain text"),
)


def approval_lines(waiting: WaitingWishes) -> Iterator[str]:
    """What is asked for, unit by unit."""
    for unit, what, form in _ASKED:
        each = waiting.layers[unit]
        if each.wishes:
            yield f"{form} for the {unit}: {count(each.wishes, what)}, {count(each.records, 'record')} of ours"
            yield from _attributes(each)
    yield "caps and smallest_k of the policy apply when the wishes are answered"


def _attributes(each: WaitingLayer) -> Iterator[str]:
    width = max(len(name) for name in each.attributes)
    for name, number in each.attributes.items():
        if number.asked:
            yield f"  {name:<{width}}  asked for {number.asked:>7,}, may go {number.may_go:>7,}"
    if each.without_consent:
        refused = count(each.without_consent, "is", "are")
        yield f"  {refused} refused whatever you say: no consent to this layer"
