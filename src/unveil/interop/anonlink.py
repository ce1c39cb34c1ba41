"""
What anonlink answers, about rows that count from 0.

Groups of records of the same person are `[[[party, row], …], …]`, similarity scores
`[[[party, row], [party, row], score], …]`; its service puts them in an object, under `groups` or `similarity_scores`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from unveil.errors import InputError, SettingError
from unveil.interop.json_text import read_json
from unveil.interop.links import ForeignLinks, LinkedSide, groups_of
from unveil.interop.result_columns import numbers_in

_PAIR = 2


def read_groups(path: Path, sides: tuple[LinkedSide, LinkedSide]) -> ForeignLinks:
    """Every pair of records of both parties that stand in one group."""
    left, right = [], []
    lonely = 0
    for place, group in enumerate(_listed(path, "groups"), 1):
        if not isinstance(group, list):
            raise InputError(path, "holds a group that is not a list of records", row=place)
        members: tuple[list[str], list[str]] = ([], [])
        for member in group:
            party, one = _record(path, member, sides, place)
            members[party].append(one)
        lonely += not (members[0] and members[1])
        for one in members[0]:
            left += [one] * len(members[1])
            right += members[1]
    said = (f"{lonely} groups hold records of one party alone, and make no links",) if lonely else ()
    return ForeignLinks(left, right, notes=said)


def groups_json(links: ForeignLinks, sides: tuple[LinkedSide, LinkedSide]) -> Iterator[str]:
    """The groups that links make: whoever is linked with the same record is in the same group."""
    groups = groups_of(links.rows(sides))
    yield json.dumps([[[party, row] for party in (0, 1) for row in group[party]] for group in groups])


def read_scores(path: Path, sides: tuple[LinkedSide, LinkedSide]) -> ForeignLinks:
    """Pairs of records of both parties with their similarity."""
    ids: tuple[list[str], list[str]] = ([], [])
    scores: list[float | None] = []
    for place, entry in enumerate(_listed(path, "similarity_scores"), 1):
        if not isinstance(entry, list) or len(entry) != 3:  # noqa: PLR2004 - two records and their similarity
            raise InputError(path, "holds something else than two records and a score", row=place)
        found = dict(_record(path, member, sides, place) for member in entry[:2])
        if len(found) != _PAIR:
            raise InputError(path, "compares two records of one party", row=place)
        ids[0].append(found[0])
        ids[1].append(found[1])
        scores.append(entry[2] if type(entry[2]) in {int, float} else None)
    return ForeignLinks(*ids, similarity=numbers_in(path, "score", scores))


def scores_json(links: ForeignLinks, sides: tuple[LinkedSide, LinkedSide]) -> Iterator[str]:
    """Links with their similarities."""
    if links.similarity is None:
        raise SettingError("these links have no similarity", hint="convert them to anonlink-groups")
    rows = zip(*links.rows(sides), links.similarity, strict=True)
    yield json.dumps([[[0, left], [1, right], score] for left, right, score in rows])


def _listed(path: Path, key: str) -> list[Any]:
    found = read_json(path)
    listed = found.get(key) if isinstance(found, dict) else found
    if not isinstance(listed, list):
        raise InputError(path, f"is no file of anonlink's {key}", hint=f'it must hold a list, or {{"{key}": […]}}')
    return listed


def _record(path: Path, member: Any, sides: tuple[LinkedSide, LinkedSide], place: int) -> tuple[int, str]:
    """The party of a record, and its id."""
    if not isinstance(member, list) or len(member) != _PAIR or type(member[0]) is not int:
        raise InputError(path, "holds something else than [party, row]", row=place)
    party = member[0]
    if party not in {0, 1}:
        hint = "links are between two files: run anonlink on these two alone"
        raise InputError(path, f"has records of party {party}, and parties 0 and 1 are read", row=place, hint=hint)
    return party, sides[party].id_at(path, member[1], place)
