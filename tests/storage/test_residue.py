"""What erasures leave in the files goes soon, without holding up work."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Literal

import pytest

from unveil.errors import StorageError
from unveil.storage.backend import Transaction
from unveil.storage.log.residue import Residue


class Files:
    """A database whose files take a second to be cleaned; `meanwhile` happens during that."""

    kind: Literal["sqlite"] = "sqlite"
    place = "here"

    def __init__(self) -> None:
        self.now = 0.0
        self.scrubbed = 0
        self.succeeds = True
        self.meanwhile: Callable[[], object] = lambda: None

    def scrub(self, *, thorough: bool = False, patient: bool = True) -> bool:
        del thorough, patient
        self.scrubbed += 1
        self.now += 1.0
        self.meanwhile()
        return self.succeeds

    @contextmanager
    def write(self) -> Iterator[Transaction]:
        raise NotImplementedError
        yield

    read = write

    def size(self) -> int:
        """Nothing is kept."""
        return 0

    def close(self) -> None:
        raise NotImplementedError


@pytest.fixture
def files() -> Files:
    return Files()


@pytest.fixture
def residue(files: Files) -> Residue:
    return Residue(files, clock=lambda: files.now)


def test_deliveries_are_cleaned_up_after_for_a_hundredth_of_the_time(files: Files, residue: Residue) -> None:
    """Hundreds may come in a second; work must not wait for each."""
    for _ in range(10_000):
        residue.leave()
        files.now += 0.1
    assert 10 == files.scrubbed  # in 1010 seconds


def test_an_erasure_does_not_wait(files: Files, residue: Residue) -> None:
    """What a reviewer saw is gone when the verdict is acknowledged."""
    residue.leave()
    residue.remove()
    assert (2, False) == (files.scrubbed, residue.left)


def test_where_nothing_is_left_nothing_is_done(files: Files, residue: Residue) -> None:
    """Couriers look into empty outboxes many times a second."""
    residue.retry()
    assert (0, False) == (files.scrubbed, residue.left)


def test_what_is_erased_while_files_are_cleaned_is_not_forgotten(files: Files, residue: Residue) -> None:
    """Another thread's delivery may come too late for the cleaning that is at work."""
    residue.leave()
    files.meanwhile = residue.leave
    residue.remove()
    assert (2, True) == (files.scrubbed, residue.left)


def test_threads_do_not_clean_one_after_the_other(files: Files, residue: Residue) -> None:
    """All of them would find that it is time."""
    others = [threading.Thread(target=residue.leave) for _ in range(4)]

    def join() -> None:
        for thread in others:
            thread.start()
        for thread in others:
            thread.join()

    files.meanwhile = join
    residue.leave()
    assert (1, True) == (files.scrubbed, residue.left)


@pytest.mark.parametrize("failure", [None, StorageError("gone")])
def test_what_could_not_be_removed_is_still_left(files: Files, residue: Residue, failure: StorageError | None) -> None:
    """A reader is in the way, or the database is away."""

    def fail() -> None:
        if failure is not None:
            raise failure

    files.meanwhile, files.succeeds = fail, False
    residue.leave()
    assert (1, True) == (files.scrubbed, residue.left)
    files.meanwhile, files.succeeds = lambda: None, True
    files.now += 100.0
    residue.retry()
    assert (2, False) == (files.scrubbed, residue.left)
