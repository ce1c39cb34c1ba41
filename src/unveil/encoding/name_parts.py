"""
Parts of names that one register has and another leaves out: titles, particles, further given names, spelt-out umlauts.

Each function takes a name as a person wrote it and leaves it alone where nothing else would remain.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Final

_BLANKS: Final = re.compile(r"[\s,.]+")
_WORDS: Final = re.compile(r"[\s,.\-‐‑–]+")
_GIVEN: Final = re.compile(r"[\s,;/+&\-‐‑–]+")
#: Everything behind these is another name.
_BORN: Final = re.compile(r"[\s,(]+(?:geb|geborene?r?|née|nee|born|roz)\b.*\Z", re.IGNORECASE | re.DOTALL)
_SPELT_OUT: Final = re.compile(r"([aou])e", re.IGNORECASE)

_ADDRESS: Final = """
dr drs prof professor professorin priv doz pd med dent vet phil rer nat oec pol jur theol ing dipl mag lic habil hc msc
bsc mba phd md ma ba herr herrn frau fraeulein fräulein mr mrs ms miss mister sir dame madame mme mlle monsieur messrs
señor señora senor senora sra srta don doña sig sigra signor signora dott dottssa dhr mevr mw hr fr jr sr jun sen junior
senior ii iii iv rev
"""
_BETWEEN: Final = """
von vom van der den dem des de del della dello di da do dos das du la le les lo los las zu zum zur ten ter te el al af
av und y e auf aus im op v d z freiherr freifrau freiin graf gräfin graefin baron baronin ritter edler
"""
_STREET_PARTS: Final = re.compile(r"[\s,.\-]+")
_GERMAN: Final = re.compile(r"(?:strasse|straße)\Z", re.IGNORECASE)
_KINDS: Final = {
    "street": "st", "avenue": "ave", "av": "ave", "road": "rd", "drive": "dr", "lane": "ln", "court": "ct",
    "place": "pl", "platz": "pl", "boulevard": "blvd", "square": "sq", "highway": "hwy", "apartment": "apt",
    "north": "n", "south": "s", "east": "e", "west": "w",
}  # fmt: skip
_TITLES: Final = frozenset(_ADDRESS.split())
_PARTICLES: Final = frozenset(_BETWEEN.split())


def without_titles(name: str) -> str:
    """The name without titles, forms of address, and whatever follows a word for born."""
    cut = _BORN.sub("", name)
    return _without(cut if cut.strip(" ,.") else name, _BLANKS, _TITLES)


def without_particles(name: str) -> str:
    """The family name without particles and titles of nobility."""
    return _without(name, _WORDS, _PARTICLES)


def first_given_name(names: str) -> str:
    """The first of several given names; an initial only where there is nothing longer."""
    parts = [part for part in _GIVEN.split(names) if part.strip(".")]
    if len(parts) < 2:  # noqa: PLR2004 - one name
        return names
    return next((part for part in parts if len(part.strip(".")) > 1), parts[0])


def plain_umlauts(name: str) -> str:
    """The name with a, o and u in the place of ae, oe and ue, as which some registers write ä, ö and ü and some not."""
    return _SPELT_OUT.sub(r"\1", name)


def plain_street(street: str) -> str:
    """The street with one short word for each kind, and without signs between its parts."""
    words = [word for word in _STREET_PARTS.split(street) if word]
    return " ".join(_KINDS.get(word.casefold(), _GERMAN.sub("str", word)) for word in words)


def _without(name: str, apart: re.Pattern[str], words: Collection[str]) -> str:
    parts = [part for part in apart.split(name) if part]
    kept = [part for part in parts if part.casefold() not in words]
    return " ".join(kept) if kept and len(kept) < len(parts) else name
