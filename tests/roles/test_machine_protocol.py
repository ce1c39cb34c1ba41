"""Every role is a whole machine: whoever drives one asks for no class and for no method that may be missing."""

from __future__ import annotations

import inspect
from pathlib import Path

import pytest

import unveil
from unveil.protocol.machine import Machine
from unveil.roles.attribute_unit.machine import AttributeUnit
from unveil.roles.owner.machine import Owner
from unveil.roles.record_unit.machine import RecordUnit
from unveil.roles.review_unit.machine import ReviewUnit

METHODS = {name: member for name, member in vars(Machine).items() if inspect.isfunction(member) and name[0] != "_"}


@pytest.mark.parametrize("role", [Owner, RecordUnit, AttributeUnit, ReviewUnit])
def test_every_role_has_every_method_of_a_machine(role: type) -> None:
    """With the same parameters; mypy says so too, where it is told that a role is driven as a machine."""
    assert {"admit", "apply", "decide", "work", "finish_work", "unfinished", "kept_at_closing"} <= set(METHODS)
    for name, expected in METHODS.items():
        found = inspect.signature(getattr(role, name))
        assert list(inspect.signature(expected).parameters) == list(found.parameters), name


@pytest.mark.parametrize("question", ["getattr(self.machine", "getattr(machine", "isinstance(machine", "match machine"])
def test_nobody_asks_a_machine_what_it_is(question: str) -> None:
    """A role that lacks a method would be passed over in silence, and a new one would be forgotten."""
    sources = Path(unveil.__file__).parent.rglob("*.py")
    assert [] == [str(path) for path in sources if question in path.read_text(encoding="utf-8")]
