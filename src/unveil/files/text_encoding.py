"""
In which encoding a text is written: by its byte order mark, by its zeros, or by which reading makes letters of it.

UTF-8 cannot be mistaken: text of another encoding is hardly ever valid in it. Code pages of one byte for each letter
can, so the one is taken in which most bytes beyond ASCII are letters that people's names have.
"""

from __future__ import annotations

import codecs
import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

UTF8: Final = "utf-8"

_MARKS: Final = (
    (codecs.BOM_UTF8, UTF8),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
#: Of four bytes of Latin text, which are zero.
_BY_ZEROS: Final = {"x0x0": "utf-16-le", "0x0x": "utf-16-be", "x000": "utf-32-le", "000x": "utf-32-be"}
_BEYOND: Final = re.compile(rb"[\x80-\xff]")
#: What UTF-8 writes for a letter beyond ASCII; in a code page such bytes seldom stand beside each other.
_MULTIBYTE: Final = re.compile(rb"[\xc2-\xf4][\x80-\xbf]{1,3}")
_LEAST_LETTERS: Final = 0.7
_LOOKED_AT: Final = 1 << 24  # bytes in which letters are counted

_WEST: Final = "äöüÄÖÜßéèêëàáâãåæçñòóôõøùúûìíîïýÿœšžÉÈÊÀÁÂÅÆÇÑÓÔØÚÍÎŒŠŽ"
_EAST: Final = "ąćęłńóśźżĄĆĘŁŃÓŚŹŻčďěňřšťůžýáéíúČĎĚŇŘŠŤŮŽÝÁÉÍÚőűŐŰăâîșțşţđĐäöüÄÖÜß"
#: Signs that stand in addresses and between names in some exports.
_SIGNS: Final = "°´`’‘–§\u00a0"
#: Code pages in the order in which they are preferred where they make as many letters.
_PAGES: Final = (
    ("cp1252", _WEST + _SIGNS, "Windows-1252"),
    ("cp1250", _EAST, "Windows-1250"),
    ("cp850", _WEST, "code page 850 (DOS)"),
    ("mac_roman", _WEST, "Mac Roman"),
)


@dataclass(frozen=True, slots=True)
class FoundEncoding:
    """The codec that a text is read with; `said` tells people its name where they should know, None for UTF-8."""

    codec: str
    said: str | None = None


def found_encoding(chunks: Iterable[bytes]) -> FoundEncoding:
    """The encoding of the text in these chunks; UTF-8, in which reading then fails, if no other makes sense of it."""
    decoder = codecs.getincrementaldecoder(UTF8)("strict")
    is_first, is_utf8 = True, True
    letters: Counter[bytes] = Counter()
    multibyte, seen = 0, 0
    for chunk in chunks:
        if is_first and (certain := _by_beginning(chunk)):
            return certain
        is_first = False
        if is_utf8:
            try:
                decoder.decode(chunk)
            except UnicodeDecodeError:
                is_utf8 = False
        if not chunk.isascii() and seen < _LOOKED_AT:
            seen += len(chunk)
            letters.update(_BEYOND.findall(chunk))
            multibyte += sum(len(found) for found in _MULTIBYTE.findall(chunk))
    # Where most bytes are as UTF-8 has them it is UTF-8, broken off or damaged, and reading will say in which row.
    if is_utf8 or 2 * multibyte > letters.total():
        return FoundEncoding(UTF8)
    return _code_page(letters)


def is_utf8_beyond_ascii(chunks: Iterable[bytes]) -> bool:
    """Whether this is UTF-8 with letters beyond ASCII: whoever reads it in a code page spoils them."""
    decoder, is_ascii = codecs.getincrementaldecoder(UTF8)("strict"), True
    try:
        for chunk in chunks:
            decoder.decode(chunk)
            is_ascii = is_ascii and chunk.isascii()
        decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        return False
    return not is_ascii


def _by_beginning(head: bytes) -> FoundEncoding | None:
    """By its mark; without one, by its zeros: Latin text has them at every second or three of four places."""
    for mark, codec in _MARKS:
        if head.startswith(mark):
            return FoundEncoding(codec, None if codec == UTF8 else codec.upper()[:6])
    head = head[:4096]
    zeros = "".join("0" if 2 * head[place::4].count(0) > len(head[place::4]) else "x" for place in range(4))
    by_zeros = _BY_ZEROS.get(zeros)
    return FoundEncoding(by_zeros, by_zeros.upper()[:6]) if by_zeros else None


def _code_page(letters: Counter[bytes]) -> FoundEncoding:
    shares = []
    for codec, usual, said in _PAGES:
        known = sum(times for byte, times in letters.items() if byte.decode(codec, "replace") in usual)
        shares.append((known / letters.total(), codec, said))
    share, codec, said = max(shares, key=lambda one: one[0])  # the first of equals
    return FoundEncoding(codec, said) if share >= _LEAST_LETTERS else FoundEncoding(UTF8)
