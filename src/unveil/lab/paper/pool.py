"""
Studies spread over processes, each of which takes a whole one at a time.

Every worker hangs on a pipe of its own: a worker that dies is noticed at once, and a worker whose experiment dies finds
its pipe broken and ends. Interrupts are for the experiment alone; it ends its workers.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

from unveil.errors import UnveilError
from unveil.lab.paper.journal import Result
from unveil.lab.paper.tasks import StudyTasks
from unveil.lab.paper.work import Bench

OnStart = Callable[[int, StudyTasks], None]
OnResult = Callable[[int, Result], None]

_THREADS = ("NUMBA_NUM_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS")
_PATIENCE = 5  # seconds that a worker gets to end


@dataclass(frozen=True, slots=True)
class Failure:
    """What went wrong in a worker, in words that hold no value of a record."""

    message: str
    hint: str | None = None


def run_batches(
    bench: Bench, batches: Sequence[StudyTasks], *, jobs: int, on_start: OnStart, on_result: OnResult
) -> None:
    """Do all batches with that many processes; with one, in this process. Results come one by one, in any order."""
    jobs = min(jobs, len(batches))
    if jobs <= 1:
        for batch in batches:
            on_start(0, batch)
            for result in bench.results(batch):
                on_result(0, result)
        return
    with _workers(bench, jobs) as workers:
        _share_out(workers, list(batches), on_start, on_result)


def _share_out(
    workers: dict[Connection, BaseProcess], waiting: list[StudyTasks], on_start: OnStart, on_result: OnResult
) -> None:
    number = {pipe: index for index, pipe in enumerate(workers)}
    busy: set[Connection] = set()

    def next_batch(pipe: Connection) -> None:
        busy.discard(pipe)
        if waiting:
            batch = waiting.pop(0)
            try:
                pipe.send(batch)
            except OSError:
                raise _died() from None
            busy.add(pipe)
            on_start(number[pipe], batch)

    for pipe in workers:
        next_batch(pipe)
    while busy:
        for ready in wait(list(busy)):
            assert isinstance(ready, Connection)
            try:
                message = ready.recv()
            except (EOFError, OSError):
                raise _died() from None
            if isinstance(message, Failure):
                raise UnveilError(message.message, hint=message.hint)
            if message is None:
                next_batch(ready)
            else:
                on_result(number[ready], message)


def _died() -> UnveilError:
    hint = "it may have run out of memory: try --jobs 1; finished runs are kept"
    return UnveilError("a worker process ended unexpectedly", hint=hint)


@contextmanager
def _workers(bench: Bench, jobs: int) -> Iterator[dict[Connection, BaseProcess]]:
    # Not fork: compiled kernels keep threads, and a forked copy of a process with threads may lock up.
    context: Any = multiprocessing.get_context("spawn")
    workers: dict[Connection, BaseProcess] = {}
    try:
        with _few_threads(bench.threads), _deaf_children():
            for _ in range(jobs):
                ours, theirs = context.Pipe()
                process = context.Process(target=_serve, args=(theirs, bench), daemon=True)
                process.start()
                theirs.close()
                workers[ours] = process
        yield workers
    finally:
        for pipe, process in workers.items():
            pipe.close()
            process.terminate()
        for process in workers.values():
            process.join(_PATIENCE)
            if process.is_alive():
                process.kill()
                process.join()


@contextmanager
def _few_threads(threads: int | None) -> Iterator[None]:
    """Processes started meanwhile take so many threads each: libraries ask the environment as they are loaded."""
    before = {name: os.environ.get(name) for name in _THREADS}
    os.environ.update(dict.fromkeys(_THREADS, str(threads or os.cpu_count() or 1)))
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


@contextmanager
def _deaf_children() -> Iterator[None]:
    """Processes started meanwhile ignore interrupts from their first moment: one that is importing would complain."""
    if threading.current_thread() is not threading.main_thread():  # elsewhere signals cannot be set, nor do they arrive
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _serve(pipe: Connection, bench: Bench) -> None:
    """A worker: takes batches and sends a result for each task, then None; a Failure if something went wrong."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        while True:
            batch = pipe.recv()
            for result in bench.results(batch):
                pipe.send(result)
            pipe.send(None)
    except (EOFError, BrokenPipeError, ConnectionResetError):
        return  # the experiment is over
    except UnveilError as error:
        _tell(pipe, Failure(error.message, error.hint))
    except Exception as error:  # noqa: BLE001 - whatever it is must be told, and without its values
        place = traceback.extract_tb(error.__traceback__)[-1]
        where = f"{Path(place.filename).name}, line {place.lineno}"
        _tell(pipe, Failure(f"a worker failed with {type(error).__name__} in {where}", "finished runs are kept"))


def _tell(pipe: Connection, failure: Failure) -> None:
    with suppress(OSError):  # nobody may be there any more to hear it
        pipe.send(failure)
