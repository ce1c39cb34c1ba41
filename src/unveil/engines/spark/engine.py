"""
The Spark engine: what is compared is cut into tasks of bounded size, and a cluster compares them.

The driver decides which rows meet in which task (`plan`) and writes them to Parquet (`tables`); tasks are cogroups of
both sides, each compared by the processor's kernels on one thread; what they find comes back in Parquet. A task that is
lost with its machine is done again by Spark. Lists of pairs, where there is little to compute, stay on the driver.
"""

from __future__ import annotations

import atexit
import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from unveil.engines.cpu.engine import CpuEngine, cores
from unveil.engines.cpu.layout import dense_codes
from unveil.engines.measure import check_alike
from unveil.engines.spark.plan import TaskPlan, all_pairs_plan, key_plan
from unveil.errors import EngineError
from unveil.linkage.bits import Bits
from unveil.linkage.blocking import Blocks
from unveil.linkage.engine import Measure, Progress
from unveil.linkage.pairs import Pairs, Rows

if TYPE_CHECKING:
    import pyarrow as pa

#: A folder that every machine of a cluster sees under the same name.
SCRATCH: Final = "UNVEIL_SPARK_SCRATCH"
_UNDER_SUBMIT: Final = "PYSPARK_GATEWAY_PORT"  # stands in the environment of what spark-submit starts
_TRIES: Final = 4  # of a task, also where there is one machine
_MOST_PARTITIONS: Final = 200


def problem() -> EngineError | None:
    """Why this engine cannot work here; None if it can."""
    try:
        import pyspark  # noqa: F401 - only to see whether it is there
    except ImportError:
        return EngineError("the Spark engine needs pyspark", hint="install it with: pip install unveil[spark]")
    if _UNDER_SUBMIT not in os.environ and _java() is None:
        return EngineError(
            "the Spark engine needs Java, and none was found",
            hint="install Java 17 or newer, or set JAVA_HOME to where it is",
        )
    return None


def _java() -> str | None:
    home = os.environ.get("JAVA_HOME")
    return shutil.which("java", path=str(Path(home) / "bin")) if home else shutil.which("java")


class SparkEngine:
    """Compares as jobs of the cluster of `spark-submit`, or of this machine's processors if there is none."""

    name = "spark"

    def __init__(self, threads: int | None = None, *, scratch: Path | None = None) -> None:
        self.threads = threads or cores()
        self._driver = CpuEngine(self.threads)
        shared = os.environ.get(SCRATCH)
        self._scratch = scratch or (Path(shared) if shared else None)
        if _UNDER_SUBMIT in os.environ and self._scratch is None:
            raise EngineError(
                "a cluster needs a folder that all of its machines see", hint=f"name it by the variable {SCRATCH}"
            )

    def similarities(
        self, a: Bits, b: Bits, left: Rows, right: Rows, *, measure: Measure = "dice"
    ) -> NDArray[np.float64]:
        """Similarity of each given pair of rows, found by the driver."""
        return self._driver.similarities(a, b, left, right, measure=measure)

    def all_pairs(
        self, a: Bits, b: Bits, *, floor: float, measure: Measure = "dice", progress: Progress | None = None
    ) -> Iterator[Pairs]:
        """Every pair at or above the floor, tile by tile."""
        check_alike(a, b)
        none = Blocks(np.empty((len(a), 0), np.int64), np.empty((len(b), 0), np.int64), 0)
        yield from self._compared(a, b, none, [all_pairs_plan(len(a), len(b))], floor, measure, progress)

    def block_pairs(
        self,
        a: Bits,
        b: Bits,
        blocks: Blocks,
        *,
        floor: float,
        measure: Measure = "dice",
        progress: Progress | None = None,
    ) -> Iterator[Pairs]:
        """Every candidate pair of the blocks at or above the floor, once: a job for each key."""
        check_alike(a, b)
        left, right, _ = dense_codes(blocks)
        plans = (key_plan(left[:, key], right[:, key]) for key in range(left.shape[1]))
        yield from self._compared(a, b, Blocks(left, right, 0), plans, floor, measure, progress)

    def _compared(
        self,
        a: Bits,
        b: Bits,
        blocks: Blocks,
        plans: Iterator[TaskPlan] | list[TaskPlan],
        floor: float,
        measure: Measure,
        progress: Progress | None,
    ) -> Iterator[Pairs]:
        done = 0
        for key, plan in enumerate(plans):
            if not plan.tasks:
                continue
            keys = slice(0, min(key + 1, blocks.left.shape[1]))
            codes = blocks.left[:, keys].astype(np.int32), blocks.right[:, keys].astype(np.int32)
            for pairs, compared in self._job(plan, (a, b), codes, task_of(floor, measure, a.m)):
                done += compared
                if progress is not None and compared:
                    progress(done)
                if len(pairs):
                    yield pairs

    def _job(
        self,
        plan: TaskPlan,
        sides: tuple[Bits, Bits],
        codes: tuple[NDArray[np.int32], NDArray[np.int32]],
        task: Callable[[pa.Table, pa.Table], pa.Table],
    ) -> Iterator[tuple[Pairs, int]]:
        """Run the tasks of a plan. Filters stand in a folder of this user's alone, which is gone afterwards."""
        from unveil.engines.spark.tables import FOUND, read_found, write_given

        with tempfile.TemporaryDirectory(prefix="unveil-spark-", dir=self._scratch) as name:
            folder = Path(name)
            for side, assigned, bits, own in zip("ab", (plan.left, plan.right), sides, codes, strict=True):
                write_given(folder / side, assigned, bits, own)
            spark = self._session()
            spark.conf.set("spark.sql.shuffle.partitions", str(min(plan.tasks, _MOST_PARTITIONS)))
            left, right = (spark.read.parquet(str(folder / side)).groupBy("task") for side in "ab")
            found = left.cogroup(right).applyInArrow(task, FOUND)
            found.write.parquet(str(folder / "found"))
            yield from read_found(folder / "found")

    def _session(self) -> Any:
        """The session of spark-submit's cluster, or one within this machine that talks to nobody."""
        from pyspark.sql import SparkSession

        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
        builder = SparkSession.builder.appName("unveil")
        if _UNDER_SUBMIT not in os.environ:
            os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
            builder = builder.master(f"local[{self.threads},{_TRIES}]")
            for setting, value in {**_WITHIN_THIS_MACHINE, "spark.local.dir": _own_folder()}.items():
                builder = builder.config(setting, value)
        session = builder.getOrCreate()
        session.sparkContext.setLogLevel("ERROR")
        return session


@cache
def _own_folder() -> str:
    """Where what is shuffled stands: nobody else's to read, and gone when this process ends."""
    folder = tempfile.mkdtemp(prefix="unveil-spark-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


_WITHIN_THIS_MACHINE: Final = {
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.host": "127.0.0.1",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
}


def task_of(floor: float, measure: Measure, m: int) -> Callable[[pa.Table, pa.Table], pa.Table]:
    """What a task does with its rows of either side, wherever it runs."""

    def compare(left: pa.Table, right: pa.Table) -> pa.Table:
        # Imported by the machine that compares, which may be another one.
        from unveil.engines.cpu.engine import CpuEngine
        from unveil.engines.spark.tables import given, result
        from unveil.linkage.blocking import Blocks
        from unveil.linkage.pairs import Pairs

        (rows, a, codes), (others, b, theirs) = given(left, m), given(right, m)
        engine, compared = CpuEngine(1), [0]
        if codes.shape[1]:
            blocks, last = Blocks(codes, theirs, 0), codes.shape[1] - 1
            found = engine.key_pairs(a, b, blocks, last, floor=floor, measure=measure, progress=compared.append)
        else:
            found = engine.all_pairs(a, b, floor=floor, measure=measure, progress=compared.append)
        pairs = Pairs.concatenate(found)
        return result(rows, others, pairs, compared[-1])

    return compare
