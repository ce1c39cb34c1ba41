"""JSON of others is read within limits, and its mistakes are named."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import unveil.interop.json_text as reader
from unveil.errors import InputError
from unveil.interop.json_text import DEEPEST, NotJson, parsed_json, read_json

values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)


@given(values)
def test_whatever_python_writes_is_read(value: object) -> None:
    """As long as it is no deeper than any format."""
    assert value == parsed_json(json.dumps(value))


@pytest.mark.parametrize("depth", [DEEPEST + 1, 1_000_000])
@pytest.mark.parametrize("pair", [("[", "]"), ('{"a":', "}")])
def test_depth_is_bounded(depth: int, pair: tuple[str, str]) -> None:
    """A file of a million brackets must end in a sentence, not in a crash."""
    with pytest.raises(NotJson, match=f"deeper than {DEEPEST} levels"):
        parsed_json(pair[0] * depth + "1" + pair[1] * depth)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"clks": [', "is not JSON"),
        ("NaN", "NaN"),
        ('{"clks": [], "clks": []}', "same key twice"),
        ("1" * 10_000, "too long"),
    ],
)
def test_odd_json_is_refused_with_a_reason(text: str, said: str) -> None:
    """Each of these is read in one way by one program and in another by the next."""
    with pytest.raises(NotJson, match=said):
        parsed_json(text)


def test_a_file_that_is_too_large_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its objects would take many times its size."""
    monkeypatch.setattr(reader, "LONGEST", 10)
    path = tmp_path / "clks.json"
    path.write_text('{"clks": []}')
    with pytest.raises(InputError, match="is larger than"):
        read_json(path)


def test_text_that_is_not_utf8_is_refused(tmp_path: Path) -> None:
    """As a file would be that is no text at all."""
    path = tmp_path / "clks.json"
    path.write_bytes(b'{"clks": ["\xff"]}')
    with pytest.raises(InputError, match="is not UTF-8 text"):
        read_json(path)
