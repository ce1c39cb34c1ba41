"""What the console says, in the visitor's language: sentences with their numbers, names of attributes and of units."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from unveil.protocol.stages import Awaited, StageStatus
from unveil.web.languages import Language


@dataclass(frozen=True, slots=True)
class Texts:
    """One language's words."""

    language: Language

    def say(self, key: str, *values: object) -> str:
        """The sentence of that key, with these values in its blanks; whole numbers as the language writes them."""
        return self.language.say(key).format(*(self.number(one) if isinstance(one, int) else one for one in values))

    def number(self, count: int) -> str:
        """A whole number, its thousands apart."""
        return f"{count:,}".replace(",", self.language.say("figures.thousands"))

    def share(self, part: float) -> str:
        """A share in percent, with one digit after the point."""
        return self.decimal(100 * part, 1) + self.language.say("figures.percent")

    def decimal(self, value: float, digits: int) -> str:
        """A number with that many digits after the point."""
        return f"{value:.{digits}f}".replace(".", self.language.say("figures.point"))

    def attribute(self, name: str) -> str:
        """An attribute as people call it."""
        known: Mapping[str, str] = self.language.sentences["attributes"]
        return known.get(name, name.replace("_", " "))

    def attributes(self, names: Iterable[str]) -> str:
        """Several of them."""
        return ", ".join(map(self.attribute, names))

    def unit(self, name: str) -> str:
        """A unit."""
        return self.language.say(f"units.{name}")

    def stage(self, stage: StageStatus | None) -> str:
        """Where the linkage stands and whom it waits for."""
        if stage is None:
            return self.say("stage.unknown")
        at = self.say(f"stage.{stage.kind.value}")
        if stage.awaited is Awaited.NOBODY:
            return f"{at}."
        whom = self.say("stage.waits", self.say(f"awaited.{stage.awaited.value}"))
        if not stage.has_figures or stage.counted is None:
            return f"{at}; {whom}."
        of = self.say("stage.of", stage.done, stage.of, self.say(f"counted.{stage.counted.value}"))
        return f"{at}; {whom}, {of}."
