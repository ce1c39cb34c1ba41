"""
What a unit warns of: signs that the owners' data do not fit together.

A unit sees no value, so it cannot say which owner writes what. It can say which key, attribute or filters look wrong.
Each warning has one sentence, made here for everybody who is shown it: what was seen, what the cause probably is, and
what to do.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Final


class WarningKind(StrEnum):
    """What a warning is about."""

    KEY_HARDLY_AGREES = "key_hardly_agrees"  #: a blocking key that pairs taken for one person hardly ever share
    KEY_NOT_SHARED = "key_not_shared"  #: a blocking key of which no value occurs at both owners
    ATTRIBUTE_HARDLY_AGREES = "attribute_hardly_agrees"  #: one that pairs taken for one person hardly ever share
    FILL_FAR_OFF = "fill_far_off"  #: filters of an owner that are nearly empty or too full
    FILLS_DIFFER = "fills_differ"  #: filters of an owner that are much emptier than the other's
    NOBODY_SHARED = "nobody_shared"  #: as many pairs are as alike within each register as across


@dataclass(frozen=True, slots=True)
class DataWarning:
    """
    One warning: `subject` is the name of a key, an attribute or an owner, or "registers" for both.

    `figures` are left out where private.
    """

    kind: WarningKind
    subject: str
    figures: Mapping[str, float] = field(default_factory=dict)

    @property
    def sentence(self) -> str:
        """What was seen, what the cause probably is, and what to do."""
        return _SENTENCES[self.kind](self)

    def without_figures(self) -> DataWarning:
        """The same for those who may know no more than that it is so."""
        return DataWarning(self.kind, self.subject)

    def about(self, names: Mapping[str, str]) -> DataWarning:
        """The same with another name for its subject, where there is one: a file for an owner."""
        return DataWarning(self.kind, names.get(self.subject, self.subject), self.figures)

    def as_json(self) -> dict[str, Any]:
        """The same as JSON can hold it."""
        return {
            "kind": self.kind.value,
            "subject": self.subject,
            "figures": dict(self.figures),
            "sentence": self.sentence,
        }


_MEND: Final = (
    "run unveil schema check --data at each owner, compare what it says, and bring both to one form before encoding"
)


def _out_of(warning: DataWarning, agreeing: str) -> str:
    """How many of how many pairs agree, in brackets; empty where that is not known, or of no pairs."""
    figures = warning.figures
    if not figures.get("pairs") or agreeing not in figures:
        return ""
    return f" ({figures[agreeing]:,.0f} of {figures['pairs']:,.0f})"


def _key_hardly_agrees(warning: DataWarning) -> str:
    return (
        f"blocking key {warning.subject} hardly ever agrees in pairs that are taken for the same person"
        f"{_out_of(warning, 'agreeing')}: probably one owner writes a part of it in another form; {_MEND}, or use a "
        "transform that ignores the form, such as year_of"
    )


def _key_not_shared(warning: DataWarning) -> str:
    return (
        f"no value of blocking key {warning.subject} occurs at both owners, though each has many records with it: "
        f"probably one owner writes a part of it in another form, or nobody can be in both registers; {_MEND}"
    )


def _attribute_hardly_agrees(warning: DataWarning) -> str:
    ignored = " and counts only for what it tells in these pairs" if warning.figures.get("heard") == 0 else ""
    return (
        f"attribute {warning.subject} is hardly ever equal in pairs that are taken for the same person"
        f"{_out_of(warning, 'equal')}{ignored}: probably one owner writes it in another form; {_MEND}"
    )


def _fill_far_off(warning: DataWarning) -> str:
    fill = warning.figures.get("fill")
    of = "" if fill is None else f" ({fill:.2f} of their bits are set)"
    return (
        f"the record filters of {warning.subject} are far from 40 % full{of}: nearly empty ones give single q-grams "
        "away, and full ones make strangers look alike; unveil schema check --data says which h of layer R would fit"
    )


def _fills_differ(warning: DataWarning) -> str:
    fill, other = warning.figures.get("fill"), warning.figures.get("other")
    of = "" if fill is None or other is None else f" ({fill:.2f} and {other:.2f} of their bits are set)"
    return (
        f"the record filters of {warning.subject} are much emptier than the other owner's{of}: probably an attribute "
        f"is missing there, or its values are shorter or written in another form; {_MEND}"
    )


def _nobody_shared(warning: DataWarning) -> str:
    return (
        f"nobody seems to be in both {warning.subject}: within each as many pairs are as alike as across, so nothing "
        f"was linked; if people are shared, the owners probably write values in different forms: {_MEND}"
    )


_SENTENCES: Final[Mapping[WarningKind, Callable[[DataWarning], str]]] = {
    WarningKind.KEY_HARDLY_AGREES: _key_hardly_agrees,
    WarningKind.KEY_NOT_SHARED: _key_not_shared,
    WarningKind.ATTRIBUTE_HARDLY_AGREES: _attribute_hardly_agrees,
    WarningKind.FILL_FAR_OFF: _fill_far_off,
    WarningKind.FILLS_DIFFER: _fills_differ,
    WarningKind.NOBODY_SHARED: _nobody_shared,
}
