"""Who encoded: what our files say of encodings that another tool made, or that were made as another tool makes them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from unveil.files.encoded import ORIGIN, UNVEIL

#: Tools whose encodings are of one kind each: those of two of them have nothing in common.
ORIGINS: Final[Mapping[str, str]] = {
    UNVEIL: "Unveil itself, with any schema",
    "clkhash": "clkhash, and anonlink and CODI, which use it; also unveil encode --clkhash-schema",
    "primat": "PRIMAT",
    "ul-mds": "the pprl packages of Leipzig's medical data science group",
    "pprl-services": "the pprl-services of Leipzig's database group",
}
#: The metadata of our file that names the format in which the encodings came, and the order of bits that it has.
FORMAT: Final = "origin_format"
BIT_ORDER: Final = "origin_bit_order"

__all__ = ["BIT_ORDER", "FORMAT", "ORIGIN", "ORIGINS", "UNVEIL"]
