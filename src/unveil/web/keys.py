"""
The single keys of the reviewers' page, which everybody may choose anew or switch off.

Who steers a computer by voice, or whose keyboard is another, needs that. The choice is a cookie of that browser and
holds nothing else: one letter for each act, or `-` for none at all.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Self

#: What can be done by a single key, in the order in which a choice is written.
ACTS: Final = ("match", "non_match", "unsure", "skip", "ask", "undo", "hand_in")
USUAL: Final = "mnskauh"
OFF: Final = "-"


@dataclass(frozen=True, slots=True)
class ChosenKeys:
    """A choice as it is written: letters in the order of `ACTS`, or OFF."""

    written: str = USUAL

    @property
    def off(self) -> bool:
        """Whether single keys do nothing."""
        return self.written == OFF

    @property
    def of(self) -> Mapping[str, str]:
        """The letter of each act; the usual ones where they are off."""
        return dict(zip(ACTS, USUAL if self.off else self.written, strict=True))

    @classmethod
    def read(cls, written: str | None) -> Self:
        """The choice in a cookie; the usual one if it is none."""
        return cls(written) if written is not None and _is_choice(written) else cls()

    @classmethod
    def chosen(cls, form: Mapping[str, str]) -> Self | None:
        """The choice in a form; None if two acts have one key, or one has no letter of a to z."""
        written = OFF if form.get("off") else "".join(form.get(act, "").strip().lower() for act in ACTS)
        return cls(written) if _is_choice(written) else None


def _is_choice(written: str) -> bool:
    letters = len(written) == len(set(written)) == len(ACTS) and written.isascii() and written.isalpha()
    return written == OFF or (letters and written.islower())
