"""What a defect looks like: no traceback, no value."""

from __future__ import annotations

import pytest
from command_line import unveil

from unveil import schema


def test_a_defect_names_places_and_no_value(monkeypatch: pytest.MonkeyPatch) -> None:
    """The text of an exception may quote a record; where it happened is enough to find the defect."""

    def broken(name: str = "person") -> str:
        raise ValueError(f"Wilhelmine {name}")

    monkeypatch.setattr(schema, "built_in_text", broken)
    done = unveil("schema", "show")
    assert 1 == done.returncode
    assert "a defect of Unveil: ValueError at " in done.stderr
    assert "schema:" in done.stderr
    assert not {"Wilhelmine", "Traceback"} & set(done.stderr.replace(":", " ").split())
