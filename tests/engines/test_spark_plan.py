"""Every candidate pair is in one task, and no task is larger than is said, however skewed the blocks are."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import unveil.engines
from unveil.engines.spark.engine import SCRATCH, SparkEngine, problem
from unveil.engines.spark.plan import TaskPlan, all_pairs_plan, key_plan
from unveil.errors import EngineError

codes = st.lists(st.integers(-1, 4), max_size=40).map(lambda side: np.array(side, np.int64))


def by_task(plan: TaskPlan) -> dict[int, tuple[list[int], list[int]]]:
    """Rows of either side in each task."""
    found: dict[int, tuple[list[int], list[int]]] = {}
    for side, assigned in enumerate((plan.left, plan.right)):
        for task, row in zip(assigned.task.tolist(), assigned.row.tolist(), strict=True):
            found.setdefault(task, ([], []))[side].append(row)
    return found


@given(codes, codes, st.integers(1, 9), st.integers(1, 30))
def test_each_pair_of_a_block_is_in_one_task_and_no_task_is_large(
    left: np.ndarray, right: np.ndarray, rows: int, pairs: int
) -> None:
    """Large blocks are cut into tiles; small ones stand together, which at most doubles what a task holds."""
    plan = key_plan(left, right, rows=rows, pairs=pairs)
    seen: Counter[tuple[int, int]] = Counter()
    for some, others in by_task(plan).values():
        together = [(i, j) for i in some for j in others if left[i] == right[j]]
        seen.update(together)
        assert len(some) <= 2 * rows
        assert len(others) <= 2 * rows
        assert len(together) <= 2 * pairs
    expected = {(i, j) for i in range(len(left)) for j in range(len(right)) if left[i] == right[j] >= 0}
    assert dict.fromkeys(expected, 1) == seen
    assert set(by_task(plan)) <= set(range(plan.tasks))


@given(st.integers(0, 25), st.integers(0, 25), st.integers(1, 9))
def test_tiles_cover_all_pairs_once(left: int, right: int, rows: int) -> None:
    """Whatever the sides leave over at the last tile."""
    seen: Counter[tuple[int, int]] = Counter()
    for some, others in by_task(all_pairs_plan(left, right, rows=rows)).values():
        seen.update((i, j) for i in some for j in others)
        assert max(len(some), len(others)) <= rows
    assert {(i, j): 1 for i in range(left) for j in range(right)} == seen


def test_without_pyspark_it_is_said_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """And never is another engine taken in silence."""
    monkeypatch.setitem(__import__("sys").modules, "pyspark", None)
    found = problem()
    assert found is not None
    assert ("the Spark engine needs pyspark", "install it with: pip install unveil[spark]") == (
        found.message, found.hint,
    )  # fmt: skip
    with pytest.raises(EngineError, match="needs pyspark"):
        unveil.engines.choose("spark")


def test_without_java_it_is_said_what_is_missing(monkeypatch: pytest.MonkeyPatch, tmp_path: object) -> None:
    """Java comes from the system; a folder that holds none is none."""
    monkeypatch.setitem(__import__("sys").modules, "pyspark", __import__("types").ModuleType("pyspark"))
    for name, value in (("JAVA_HOME", str(tmp_path)), ("PATH", str(tmp_path))):
        monkeypatch.setenv(name, value)
    monkeypatch.delenv("PYSPARK_GATEWAY_PORT", raising=False)
    found = problem()
    assert found is not None
    assert "needs Java" in found.message
    assert "JAVA_HOME" in str(found.hint)


def test_a_cluster_needs_a_folder_that_its_machines_share(monkeypatch: pytest.MonkeyPatch) -> None:
    """Otherwise its tasks would look for their rows on machines that have none of them."""
    monkeypatch.setenv("PYSPARK_GATEWAY_PORT", "1")
    monkeypatch.delenv(SCRATCH, raising=False)
    with pytest.raises(EngineError, match="a folder that all of its machines see") as told:
        SparkEngine()
    assert SCRATCH in str(told.value.hint)
