"""What the attribute unit takes and sends has an end, and it knows when it is at work."""

from __future__ import annotations

from typing import Any

import pytest
from asked_attribute_unit import DOUBTING, TWO_LAYERS, announced, answer, asking, refusal, split
from small_project import OWNERS, A, B, make_attribute_unit, refuses, sent, with_protocol

from unveil.protocol.machine import receive
from unveil.protocol.messages import Labels
from unveil.protocol.roles import RECORD_UNIT
from unveil.roles.attribute_unit import wishes as attribute_wishes


def test_no_more_batches_are_taken_than_the_schema_has() -> None:
    """An empty one is finished at once: without an end to them, a record unit could fill the log with nothing."""
    unit = make_attribute_unit(TWO_LAYERS)
    for _ in TWO_LAYERS.protocol.batches:
        assert [Labels(b"", b"", b"")] == sent(receive(unit, announced([])), RECORD_UNIT)
    refuses(unit, announced([]), "more batches than the schema has")


def test_a_review_of_many_pairs_is_asked_for_in_wishes_that_owners_take(monkeypatch: pytest.MonkeyPatch) -> None:
    """An owner refuses a longer wish as a whole, and the unit would wait for its values for ever."""
    schema = with_protocol(DOUBTING, review_budget=5, review_batches=1)
    _, task, _ = asking(schema)
    monkeypatch.setattr(attribute_wishes, "MOST_WISHES", 2)
    _, same, out = asking(schema)
    assert task == same
    for party in OWNERS:
        wishes: list[Any] = sent(out, party)
        assert [2, 2, 1] == [len(wish) for wish in wishes]
        assert sorted(split(task.task_ids)) == sorted(one for wish in wishes for one in split(wish.task_ids))


def test_a_unit_is_at_work_until_the_batch_is_reported() -> None:
    """Closing its project meanwhile would leave the record unit waiting for ever."""
    unit = make_attribute_unit(TWO_LAYERS)
    assert "" == unit.unfinished()
    receive(unit, announced([1]))
    receive(unit, answer(A, [1]))
    assert "the attribute unit is at work" in unit.unfinished()
    receive(unit, refusal(B, [1]))
    assert "" == unit.unfinished()
