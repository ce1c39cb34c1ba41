"""Spark finds what the other engines find, also where a worker dies. `make test-spark` installs what this needs."""

from __future__ import annotations

import os
import signal
import threading
import time
from pathlib import Path
from unittest.mock import patch

import numpy as np
import pytest
from filter_fixture import exact, filters, listed, numbers

from unveil.engines import choose, problem
from unveil.engines.cpu.engine import CpuEngine
from unveil.engines.spark import engine as module
from unveil.engines.spark.plan import key_plan
from unveil.linkage.bits import Bits
from unveil.linkage.blocking import Blocks
from unveil.linkage.engine import Encoded, Engine, Neighbours, comparing
from unveil.linkage.pairs import Pairs

_MISSING = problem("spark")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(_MISSING is not None, reason=f"{_MISSING.message if _MISSING else ''}; make test-spark"),
    # Spark leaves sockets open and warns of versions of pandas, of which nothing is used here.
    pytest.mark.filterwarnings("default"),
]
KEYS = 3


@pytest.fixture(scope="module")
def spark() -> Engine:
    """Two tasks at a time on this machine."""
    return choose("spark", threads=2)


def registers(n: int, k: int, values: int, seed: int = 5) -> tuple[Bits, Bits, Blocks]:
    """Filters, and blocks of which the first of each key holds most records; some keys are omitted."""
    rng = np.random.default_rng(seed)
    codes = [np.minimum(rng.geometric(0.3, (size, KEYS)) - 2, values) for size in (n, k)]
    return filters(n, 256, kin=n // 3), filters(k, 256, seed=2, kin=n // 3), Blocks(codes[0], codes[1], 0)


def test_blocks_are_those_of_the_cpu_engine_though_large_ones_are_cut(spark: Engine) -> None:
    """Bit for bit, each pair once and as many compared; tasks so small that most blocks are skewed."""
    a, b, blocks = registers(900, 800, 40)
    counted: tuple[list[int], list[int]] = ([], [])
    expected = Pairs.concatenate(CpuEngine(2).block_pairs(a, b, blocks, floor=0.5, progress=counted[0].append))

    def small(left: np.ndarray, right: np.ndarray) -> object:
        return key_plan(left, right, rows=100, pairs=4000)

    assert key_plan(blocks.left[:, 0], blocks.right[:, 0], rows=100, pairs=4000).tasks > 20
    with patch.object(module, "key_plan", small):
        found = Pairs.concatenate(spark.block_pairs(a, b, blocks, floor=0.5, progress=counted[1].append))
    assert len(expected) > 1000
    assert listed(expected) == listed(found)
    assert counted[0][-1] == counted[1][-1]


def test_all_pairs_are_those_of_plain_loops(spark: Engine) -> None:
    """In one tile; what tiles cover is a property of the plan."""
    a, b = filters(60, 100, kin=20), filters(50, 100, seed=2, kin=20)
    pairs = spark.all_pairs(a, b, floor=0.5, measure="jaccard")
    x, y = numbers(a), numbers(b)
    every = [(i, j, exact(x[i], y[j], 100, "jaccard")) for i in range(60) for j in range(50)]
    assert [row for row in every if row[2] >= 0.5] == listed(Pairs.concatenate(pairs))


def test_a_unit_compares_alike_with_spark(spark: Engine) -> None:
    """Candidates, what is kept of full blocks, how many were compared, and how alike strangers are."""
    a, b, blocks = registers(300, 280, 6)
    sides = []
    for bits, codes in ((a, blocks.left), (b, blocks.right)):
        keys = np.zeros((len(bits), KEYS, 16), np.uint8)
        keys[:, :, 1] = codes + 1
        sides.append(Encoded(bits, keys))
    one, other = (
        comparing(engine, floor=0.3, max_block=10**6, neighbours=Neighbours(5, 0))(*sides)
        for engine in (CpuEngine(1), spark)
    )
    assert listed(one.pairs) == listed(other.pairs)
    assert (one.compared, one.skipped_blocks) == (other.compared, other.skipped_blocks)
    assert one.tail is not None
    assert other.tail is not None
    assert one.tail.at_home.tolist() == other.tail.at_home.tolist()


def test_nothing_of_nobody(spark: Engine) -> None:
    """No job is run for it."""
    a, b, blocks = registers(5, 0, 3)
    assert [] == list(spark.block_pairs(a, b, blocks, floor=0.5))
    assert [] == list(spark.all_pairs(a, b, floor=0.5))


def test_a_worker_that_is_killed_is_survived(spark: Engine) -> None:
    """Spark does its task again; nothing is lost or twice."""
    a, b, blocks = registers(6000, 5000, 30, seed=8)
    expected = listed(Pairs.concatenate(CpuEngine(2).block_pairs(a, b, blocks, floor=0.6)))
    killed: list[int] = []
    done = threading.Event()
    watch = threading.Thread(target=_kill_a_worker, args=(killed, done))
    with patch.object(module, "key_plan", lambda left, right: key_plan(left, right, rows=500, pairs=250_000)):
        watch.start()
        try:
            found = listed(Pairs.concatenate(spark.block_pairs(a, b, blocks, floor=0.6)))
        finally:
            done.set()
            watch.join()
    assert killed
    assert expected == found


def _kill_a_worker(killed: list[int], done: threading.Event) -> None:
    """Kill one Python process that Spark started under this one, while it has begun to compute."""
    while not done.is_set() and not killed:
        for worker in _workers(os.getpid()):
            if _processor_time(worker) > 0.2:
                os.kill(worker, signal.SIGKILL)
                killed.append(worker)
                return
        time.sleep(0.02)


def _workers(ancestor: int) -> list[int]:
    """Children of Spark's Python daemon, which descends from this process."""
    parents: dict[int, int] = {}
    for path in Path("/proc").iterdir():
        if path.name.isdigit():
            try:
                parents[int(path.name)] = int((path / "stat").read_text().rpartition(")")[2].split()[1])
            except OSError:
                continue
    found = []
    for process, parent in parents.items():
        if _is_daemon(process) and _is_daemon(parent) and ancestor in _ancestors(process, parents):
            found.append(process)
    return found


def _is_daemon(process: int) -> bool:
    try:
        return b"pyspark.daemon" in (Path("/proc") / str(process) / "cmdline").read_bytes()
    except OSError:
        return False


def _ancestors(process: int, parents: dict[int, int]) -> set[int]:
    found = set()
    while process in parents:
        process = parents[process]
        found.add(process)
    return found


def _processor_time(process: int) -> float:
    try:
        fields = (Path("/proc") / str(process) / "stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
