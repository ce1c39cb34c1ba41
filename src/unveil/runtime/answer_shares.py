"""Which share of the pairs that they were asked about the owners answered, as the attribute unit counts it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from unveil.roles.attribute_unit.machine import AttributeUnit


@dataclass(frozen=True, slots=True)
class SharesAnswered:
    """By owner, the share that it answered and did not refuse; nothing before a batch is through."""

    answered: Mapping[str, float]


def answer_shares(machine: AttributeUnit) -> SharesAnswered:
    """The shares by what the machine has taken."""
    granted, asked = machine.answers.granted, machine.answers.asked
    return SharesAnswered({str(owner): count / asked for owner, count in granted.items()} if asked else {})
