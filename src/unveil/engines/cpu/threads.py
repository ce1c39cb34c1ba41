"""Tasks on threads: each fills a buffer of its own; what is found streams out as soon as it is there."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from itertools import islice
from typing import Final

import numpy as np

from unveil.engines.cpu.layout import RIGHT_STEP, tasks
from unveil.engines.cpu.pieces import compare_pieces
from unveil.engines.cpu.work import COMPARED, FIELDS, FOUND, FRESH, FULL, PIECE, Buffers, Int32s, Int64s, Ordered, Rule
from unveil.linkage.engine import Progress
from unveil.linkage.pairs import Pairs

#: Pairs that a task may find before it hands them over and goes on.
HITS: Final = 1 << 18


@dataclass(frozen=True, slots=True)
class Job:
    """Pieces to compare, their work, and by which rule; `need` is the table that the rule points to."""

    left: Ordered
    right: Ordered
    rule: Rule
    need: Int32s
    pieces: Int32s
    work: int


@dataclass(slots=True)
class Task:
    """A range of a job's pieces and how far it has come."""

    job: Job
    last: int
    state: Int64s
    reported: int = 0

    @classmethod
    def of(cls, job: Job, first: int, last: int) -> Task:
        """The task, not yet begun."""
        state = np.zeros(FIELDS, np.int64)
        state[PIECE], state[FRESH] = first, 1
        return cls(job, last, state)

    def run(self, buffer: int) -> Pairs:
        """Compare until the pieces are done or so many pairs are found; these."""
        job = self.job
        buffers = Buffers.of(job.rule, buffer)
        marks = np.empty(RIGHT_STEP, np.uint8)
        left, right, by, at = (tuple(part) for part in (job.left.side, job.right.side, job.rule, buffers.room))
        compare_pieces(left, right, by, job.pieces, self.last, self.state, marks, at)
        return buffers.hits(int(self.state[FOUND]))

    def compared(self) -> int:
        """Candidates compared since this was asked last."""
        new = int(self.state[COMPARED]) - self.reported
        self.reported += new
        return new

    @property
    def unfinished(self) -> bool:
        """Whether the buffer was full before the pieces were done."""
        return bool(self.state[FULL])


def stream(jobs: Iterable[Job], *, threads: int, buffer: int, progress: Progress | None) -> Iterator[Pairs]:
    """
    The pairs of all jobs, as they are found.

    At most two tasks for each thread are begun and not yet taken, so memory holds that many buffers, whatever the jobs
    find: a reader who is slow makes the threads wait.
    """
    done = 0
    for pairs, task in _run(_tasks(jobs, threads), threads, buffer):
        done += task.compared()
        if progress is not None:
            progress(done)
        if len(pairs):
            yield pairs


def _tasks(jobs: Iterable[Job], threads: int) -> Iterator[Task]:
    for job in jobs:
        for first, last in tasks(job.pieces, job.work, threads):
            yield Task.of(job, first, last)


def _run(waiting: Iterator[Task], threads: int, buffer: int) -> Iterator[tuple[Pairs, Task]]:
    """Run tasks, each again until it is finished."""
    if threads == 1:
        for task in waiting:
            yield task.run(buffer), task
            while task.unfinished:
                yield task.run(buffer), task
        return
    pool = ThreadPoolExecutor(threads)
    try:
        running: dict[Future[Pairs], Task] = {}
        for task in islice(waiting, 2 * threads):
            running[pool.submit(task.run, buffer)] = task
        while running:
            for future in wait(running, return_when=FIRST_COMPLETED).done:
                task = running.pop(future)
                yield future.result(), task
                again = task if task.unfinished else next(waiting, None)
                if again is not None:
                    running[pool.submit(again.run, buffer)] = again
    finally:
        pool.shutdown(cancel_futures=True)
