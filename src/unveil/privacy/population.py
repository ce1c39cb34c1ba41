"""
A reference population, in which the records that agree with what is known of one can be counted.

For each attribute the rows of a value are found by its code, so that what agrees on one attribute is one array of marks
and a count is the intersection of a few of them. A missing reference value agrees with everything: the record may be
the one meant.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby

import numpy as np
from numpy.typing import NDArray

from unveil.records import Column, Records

Marks = NDArray[np.bool_]
Pattern = tuple[str | None, ...]


class ReferencePopulation:
    """Records of one or several owners to count in. Only an owner can build the one of its own records."""

    def __init__(self, attributes: Sequence[str], *references: Records) -> None:
        self.attributes = tuple(attributes)
        self.size = sum(len(records) for records in references)
        self._answers = {
            name: _Answers(_joined([records.columns[name] for records in references])) for name in self.attributes
        }

    def __len__(self) -> int:
        return self.size

    def __repr__(self) -> str:
        return f"ReferencePopulation(<{self.size} records of {', '.join(self.attributes)}>)"

    def count(self, known: Mapping[str, str]) -> int:
        """Return how many records agree on every value in `known`; all of them when nothing is known."""
        return self._intersect(self._answers[name].equal(value) for name, value in known.items() if value)

    def count_seen(
        self,
        values: Mapping[str, str],
        opened: Mapping[str, Sequence[bool]],
        *,
        length_hidden: bool = False,
    ) -> int:
        """
        Return how many records agree with what can be seen of each value: its opened characters and its length.

        A character that is not opened is a wildcard; with `length_hidden` a run of them stands for a run of any length.
        """
        return self._intersect(
            self._answers[name].like(_pattern(values[name], marks), length_hidden=length_hidden)
            for name, marks in opened.items()
            if values[name]
        )

    def _intersect(self, agreeing: Iterable[Marks]) -> int:
        both: Marks | None = None
        for marks in agreeing:
            both = marks if both is None else both & marks
        return self.size if both is None else int(np.count_nonzero(both))


class _Answers:
    """One attribute of the population: which rows hold a value, or a value like it."""

    def __init__(self, column: Column) -> None:
        self._column = column
        self._code = {value: code for code, value in enumerate(column.distinct)}
        self._missing = column.missing()
        self._order = np.argsort(column.codes, kind="stable")
        self._starts = np.concatenate([[0], np.cumsum(column.counts())])
        self._by_length: dict[int, tuple[NDArray[np.int64], NDArray[np.uint32]]] = {}
        self._seen: dict[tuple[Pattern, bool], NDArray[np.int64]] = {}

    def equal(self, value: str) -> Marks:
        marks = self._missing.copy()
        code = self._code.get(value)
        if code is not None:
            marks[self._rows(code)] = True
        return marks

    def like(self, pattern: Pattern, *, length_hidden: bool) -> Marks:
        marks = self._missing.copy()
        for code in self._codes_like(pattern, length_hidden=length_hidden).tolist():
            marks[self._rows(code)] = True
        return marks

    def _rows(self, code: int) -> NDArray[np.int64]:
        return self._order[self._starts[code] : self._starts[code + 1]]

    def _codes_like(self, pattern: Pattern, *, length_hidden: bool) -> NDArray[np.int64]:
        """Codes of the distinct values that fit. The same few patterns return for pair after pair, so they are kept."""
        key = (pattern, length_hidden)
        if key not in self._seen:
            self._seen[key] = self._any_length(pattern) if length_hidden else self._same_length(pattern)
        return self._seen[key]

    def _same_length(self, pattern: Pattern) -> NDArray[np.int64]:
        if not self._by_length:
            self._by_length = _letters_by_length(self._column.distinct)
        if len(pattern) not in self._by_length:
            return np.empty(0, dtype=np.int64)
        codes, letters = self._by_length[len(pattern)]
        opened = [place for place, letter in enumerate(pattern) if letter is not None]
        wanted = np.array([ord(letter) for letter in pattern if letter is not None], dtype=np.uint32)
        return codes[(letters[:, opened] == wanted).all(axis=1)]

    def _any_length(self, pattern: Pattern) -> NDArray[np.int64]:
        parts = []
        for is_hidden, run in groupby(pattern, key=lambda letter: letter is None):
            parts.append(".+" if is_hidden else re.escape("".join(letter for letter in run if letter is not None)))
        fits = re.compile("".join(parts), re.DOTALL).fullmatch
        return np.array([code for code, value in enumerate(self._column.distinct) if fits(value)], dtype=np.int64)


def _pattern(value: str, opened: Sequence[bool]) -> Pattern:
    """The value's characters where they are opened, None elsewhere."""
    if len(value) != len(opened):
        raise ValueError(f"{len(opened)} marks for a value of another length")
    return tuple(letter if is_open else None for letter, is_open in zip(value, opened, strict=True))


def _letters_by_length(distinct: Sequence[str]) -> dict[int, tuple[NDArray[np.int64], NDArray[np.uint32]]]:
    """For each length: the codes of the values that long, and their characters as a matrix."""
    codes: dict[int, list[int]] = {}
    for code, value in enumerate(distinct):
        codes.setdefault(len(value), []).append(code)
    return {
        length: (
            np.array(members, dtype=np.int64),
            np.array([[ord(letter) for letter in distinct[code]] for code in members], dtype=np.uint32),
        )
        for length, members in codes.items()
        if length
    }


def _joined(columns: Sequence[Column]) -> Column:
    """Several owners' columns below each other."""
    if len(columns) == 1:
        return columns[0]
    return Column.of(value for column in columns for value in column.values())
