"""Logs hold ids and counts."""

from __future__ import annotations

import io
import json
import logging
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unveil.transport.logs import KEYS, configure, logger, only_ids_and_counts

SECRET = "Wilhelmine"


@pytest.fixture
def quiet_root() -> Iterator[None]:
    root = logging.getLogger()
    handlers, level = root.handlers, root.level
    yield
    root.handlers, root.level = handlers, level


anything = (
    st.none() | st.binary() | st.text() | st.integers() | st.lists(st.text()) | st.dictionaries(st.text(), st.text())
)


@given(st.dictionaries(st.sampled_from(sorted(KEYS)) | st.text(), anything | st.binary().map(bytearray)))
def test_only_listed_keys_with_numbers_and_short_texts_are_logged(fields: dict[str, object]) -> None:
    """Whatever a caller passes by mistake: bytes, rows, exceptions."""
    kept = only_ids_and_counts(None, "", dict(fields))
    assert KEYS >= set(kept)
    assert all(value is None or isinstance(value, int | float | str) for value in kept.values())
    assert all(len(value) <= 128 for value in kept.values() if isinstance(value, str))


def test_a_line_is_json_with_level_and_time(quiet_root: None) -> None:
    """Machines read it."""
    del quiet_root
    stream = io.StringIO()
    configure(stream).warning("refused", status=403, values={"name": SECRET}, bytes=SECRET.encode())
    line = json.loads(stream.getvalue())
    assert {"event": "refused", "status": 403, "level": "warning"} == {k: v for k, v in line.items() if k != "time"}
    assert "time" in line


def test_of_what_libraries_log_only_the_place_is_kept(quiet_root: None) -> None:
    """Their texts quote what they were working on."""
    del quiet_root
    stream = io.StringIO()
    configure(stream)
    try:
        int(SECRET)
    except ValueError:
        logging.getLogger("uvicorn.error").exception("failed on %s", SECRET)
    logging.getLogger("asyncio").warning(f"task {SECRET}")  # noqa: G004 - as libraries do
    logging.getLogger("uvicorn.access").info(SECRET)
    lines = [json.loads(line) for line in stream.getvalue().splitlines()]
    assert SECRET not in stream.getvalue()
    assert [("uvicorn.error", "ValueError"), ("asyncio", None)] == [(line["logger"], line["error"]) for line in lines]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
def test_a_log_that_cannot_be_written_stops_nothing() -> None:
    """The disk that is full may be the one that the log goes to; the work is not to end with it."""
    full = Path("/dev/full").open("w", encoding="utf-8")  # noqa: SIM115 - closing it fails too
    with pytest.raises(OSError, match="No space"):
        print("a line", file=full, flush=True)
    logger(full).error("a line")
    logger(full).info("a line")
    with suppress(OSError):
        full.close()
