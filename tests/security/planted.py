"""
Planted values and keys, and the search for them in whatever form they turn up.

Every value of every record gets a mark that no other text holds and a code that tells owner, person and attribute. So
one search for the mark stands for a search for all values, and what is found can be traced.
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path
from urllib.parse import quote, quote_plus

from unveil.lab.synthetic import Registers
from unveil.records import Column, Records

#: Upper and lower case, an accent and a blank: each encoding changes one of them.
MARK = "Qzxé jVk"
FOLDED = "qzxe jvk"  # as the encoder's normalisation leaves it
_LETTERS = "bcdfghklmnprstvw"
_CODE = re.compile(f"{MARK}([{_LETTERS}]{{4}}[xy])".encode())
SIDES = {"a": "x", "b": "y"}
ID = 7  # the number of the record's id among its attributes


def code(owner: str, person: int, attribute: int) -> str:
    """Five letters: which person, which attribute (7: the id), whose record."""
    number = person * 8 + attribute
    letters = "".join(_LETTERS[number >> shift & 15] for shift in (12, 8, 4, 0))
    return letters + SIDES[owner]


def persons(population: Registers) -> dict[str, list[int]]:
    """For each owner the number of the person behind each record; the same in both for shared people."""
    shared = {right: left for left, right in population.truth.tolist()}
    others = [shared.get(row, len(population.a) + row) for row in range(len(population.b))]
    return {"a": list(range(len(population.a))), "b": others}


def plant(population: Registers) -> Registers:
    """The same people with the mark and a code behind every value and every id."""
    numbers = persons(population)
    a = _planted(population.a, "a", numbers["a"])
    return replace(population, a=a, b=_planted(population.b, "b", numbers["b"]))


def _planted(records: Records, owner: str, numbers: list[int]) -> Records:
    columns = {}
    for attribute, (name, column) in enumerate(records.columns.items()):
        values = zip(column.values(), numbers, strict=True)
        columns[name] = Column.of(value and value + MARK + code(owner, one, attribute) for value, one in values)
    ids = [f"{one}{MARK}{code(owner, number, ID)}" for one, number in zip(records.ids, numbers, strict=True)]
    return Records(ids, columns)


def codes_in(data: bytes) -> set[str]:
    """The codes of all values that stand in these bytes as they are."""
    return {found.decode() for found in _CODE.findall(data)}


@cache
def marks() -> Mapping[str, bytes]:
    """The mark in every encoding that is looked for, by the name of the encoding."""
    found: dict[str, bytes] = {}
    texts = {"": MARK, "upper case ": MARK.upper(), "folded ": MARK.casefold(), "normalised ": FOLDED}
    for name, text in texts.items():
        found |= {f"{name}{how}": needle for how, needle in of_text(text).items()}
    return found


def of_text(text: str) -> dict[str, bytes]:
    """A text in every encoding."""
    found = {
        "URL-escaped": quote(text).encode(),
        "form-escaped": quote_plus(text).encode(),
        "JSON-escaped": json.dumps(text)[1:-1].encode(),
    }
    for codec in ("utf-8", "latin-1", "utf-16-le", "utf-16-be"):
        found |= {f"{codec} {how}": needle for how, needle in of_bytes(text.encode(codec)).items()}
    return found


def of_bytes(data: bytes) -> dict[str, bytes]:
    """Bytes as they are, in hexadecimal and in base64, wherever they may begin in it."""
    found = {"raw": data, "hex": data.hex().encode(), "HEX": data.hex().upper().encode()}
    for before in range(3):
        letters = base64.b64encode(bytes(before) + data)
        sure = letters[-(-before * 8 // 6) : (before + len(data)) * 8 // 6]  # those that no neighbour changes
        found[f"base64 at {before}"] = sure
        found[f"base64url at {before}"] = sure.translate(bytes.maketrans(b"+/", b"-_"))
    return found


def encodings_found(data: bytes, needles: Mapping[str, bytes]) -> list[str]:
    """Which of the needles stand in these bytes."""
    return [name for name, needle in needles.items() if needle in data]


def found_in_files(folder: Path, needles: Mapping[str, bytes], *, but: Iterable[Path] = ()) -> list[str]:
    """Every file under a folder in which a needle stands, or whose name holds one."""
    left_out = set(but)
    found = []
    for path in sorted(folder.rglob("*")):
        if not path.is_file() or path in left_out:
            continue
        text = path.read_bytes() + str(path.relative_to(folder)).encode()
        found += [f"{path.relative_to(folder)}: {how}" for how in encodings_found(text, needles)]
    return found
