"""The review unit's server side: what reviewers ask for must not keep others waiting."""

from __future__ import annotations

import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from pathlib import Path
from typing import Any

import pytest

from unveil.linkage.shown import SHOWN
from unveil.projects.project import Party, Project
from unveil.protocol.codec import encode
from unveil.protocol.messages import AttributeValues, ReviewTask
from unveil.protocol.roles import ATTRIBUTE_UNIT, Role, owner
from unveil.roles.chance import SeededChance
from unveil.roles.review_unit.display import cells
from unveil.roles.review_unit.machine import ReviewUnit
from unveil.runtime import reviews as review
from unveil.runtime.host import Host
from unveil.runtime.reviews import ReviewUnitService
from unveil.runtime.worker import Worker
from unveil.schema import built_in
from unveil.schema.presets import with_preset
from unveil.storage.database import Database
from unveil.transport.logs import logger
from unveil.transport.port import Caller

OWNERS = (owner("a"), owner("b"))
TASK = bytes(range(16))
ANN, BOB = Caller("reviewer", "a" * 16), Caller("reviewer", "b" * 16)


@pytest.fixture
def unit(tmp_path: Path) -> Iterator[ReviewUnitService]:
    """A review unit in which one task waits for a reviewer."""
    parties = tuple(Party(role="owner", name=one.name, public_key=f"sha256:{one.name * 42}A") for one in OWNERS)
    schema = with_preset(built_in(), "unveil", budget=10)
    project = Project(name="p", parties=parties, schema=schema)
    with Database.open(tmp_path / "log.sqlite", role="review unit") as database:
        host = Host(
            lambda: ReviewUnit(schema, OWNERS, chance=SeededChance(1, "review unit")),
            database.project("p"),
            clock=time.time,
        )
        width = len(schema.names)
        host.take(ATTRIBUTE_UNIT, "task", encode(ReviewTask(width, TASK, bytes([SHOWN] * width), bytes(width))))
        for party, value in zip(OWNERS, ("meier", "maier"), strict=True):
            host.take(party, "values", encode(AttributeValues(TASK, ({"last_name": value},))))
        with (tmp_path / "log").open("w", encoding="utf-8") as log:
            yield ReviewUnitService(Role.REVIEW_UNIT, {"p": Worker(project, host, logger(log))}, database)


@pytest.mark.parametrize("asked", ["tasks", "opening"])
def test_nobody_waits_while_a_pair_is_masked(
    unit: ReviewUnitService, asked: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Masking takes time that grows with what owners sent; other owners' messages must get in meanwhile."""
    heard: list[bool] = []

    def masking(*arguments: Any) -> Any:
        other = pool.submit(unit.workers["p"].host.look, lambda machine: machine.open_tasks)
        heard.append(not wait([other], timeout=20).not_done)
        return cells(*arguments)

    monkeypatch.setattr(review, "cells", masking)
    with ThreadPoolExecutor(1) as pool:
        shown = (
            unit.tasks("p", ANN)[0] if asked == "tasks" else unit.open_cell("p", ANN, TASK.hex(), "last_name", "full")
        )
    assert (TASK.hex(), [True]) == (shown["task"], heard)
