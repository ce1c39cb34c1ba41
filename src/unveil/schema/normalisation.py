"""
Steps that bring a value into the form that is compared: one table row for each.

The functions stand in `encoding.normalise`, bound by the step's name.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Final, Literal

from unveil.settings.choices import Choice, OneOf

AsciiEffect = Literal["nothing", "trims", "lowers", "keeps digits", "keeps letters", "anything"]


@dataclass(frozen=True, slots=True, kw_only=True)
class NormalisationStep(Choice):
    """
    A step, as a row of STEPS.

    Plain ASCII is normalised by compiled code where there is much of it. That code knows these effects by name; values
    with a step that does anything else go the general way, through the step's function.
    """

    on_ascii: AsciiEffect


#: Every step. Adding one is a row here and a function in `encoding.normalise`.
STEPS: Final[dict[str, NormalisationStep]] = {
    "transliterate": NormalisationStep(
        sentence="letters as their countries' registers write them in ASCII, such as ue for ü", on_ascii="nothing"
    ),
    "strip-accents": NormalisationStep(sentence="letters without their accents", on_ascii="nothing"),
    "lowercase": NormalisationStep(sentence="small letters", on_ascii="lowers"),
    "trim": NormalisationStep(sentence="no blanks at either end", on_ascii="trims"),
    "digits-only": NormalisationStep(sentence="digits alone", on_ascii="keeps digits"),
    "letters-only": NormalisationStep(sentence="letters alone", on_ascii="keeps letters"),
    "no-titles": NormalisationStep(
        sentence="names without titles, forms of address, and what follows geb. or née", on_ascii="anything"
    ),
    "no-particles": NormalisationStep(
        sentence="family names without particles such as von, van der and de la, if something else is left",
        on_ascii="anything",
    ),
    "first-name": NormalisationStep(sentence="the first of several given names", on_ascii="anything"),
    "plain-street": NormalisationStep(
        sentence="streets with str, st, ave and rd for Straße, Street, Avenue and Road", on_ascii="anything"
    ),
    "plain-umlauts": NormalisationStep(
        sentence="a, o, u for ae, oe, ue: after transliterate, Müller, Mueller and Muller are one name",
        on_ascii="anything",
    ),
}

#: The name of a step.
Normalisation = Annotated[str, OneOf(STEPS)]


def leaves_nothing(steps: tuple[str, ...]) -> tuple[str, ...]:
    """The steps that together leave nothing of any value, in the order of the table; empty if something is left."""
    keeping = tuple(name for name, step in STEPS.items() if step.on_ascii.startswith("keeps") and name in steps)
    return keeping if len({STEPS[name].on_ascii for name in keeping}) > 1 else ()
