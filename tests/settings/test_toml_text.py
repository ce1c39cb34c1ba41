"""TOML that is written means what was written."""

from __future__ import annotations

import datetime as dt
import tomllib
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from unveil.settings.toml_text import document

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
PLAIN = (
    st.booleans()
    | st.integers()
    | st.floats(allow_nan=False)
    | TEXT
    | st.dates()
    | st.datetimes()
    | st.times()
)  # fmt: skip
VALUES = st.recursive(PLAIN, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3))


@settings(max_examples=300, deadline=None)
@given(st.dictionaries(TEXT, VALUES, max_size=4))
def test_what_is_written_is_read_back(data: dict[str, Any]) -> None:
    """Whatever TOML can hold: odd keys, empty tables, tables in lists in tables, control characters."""
    assert data == tomllib.loads(document(data))


def test_tables_stand_under_headings() -> None:
    """The file is read by people, too."""
    data = {"a": 1, "t": {"u": {"v": True}}, "l": [{"x": 1.5}, {"x": []}]}
    assert "a = 1\n\n[t]\n\n[t.u]\nv = true\n\n[[l]]\nx = 1.5\n\n[[l]]\nx = []\n" == document(data)


def test_a_number_too_long_for_decimals_is_still_written() -> None:
    """A file may hold one in hexadecimal, and reading it must end in an explanation, not in a crash."""
    data = {"n": 16**5000, "negative": -(2**70)}
    assert data == tomllib.loads(document(data))


def test_what_toml_cannot_hold_is_a_mistake_of_ours() -> None:
    """Better than a file that nobody can read."""
    with pytest.raises(TypeError, match="NoneType"):
        document({"a": None})
    with pytest.raises(TypeError, match="timedelta"):
        document({"a": dt.timedelta(1)})
