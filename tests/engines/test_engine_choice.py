from __future__ import annotations

import sys

import pytest

import unveil.engines
from unveil.engines import choose, problem
from unveil.errors import EngineError


def test_auto_takes_the_fastest_engine_that_there_is(monkeypatch: pytest.MonkeyPatch) -> None:
    """GPU before CPU before reference."""
    missing = {"gpu"}
    monkeypatch.setattr(unveil.engines, "problem", lambda name: EngineError(name) if name in missing else None)
    assert "cpu" == choose("auto").name
    missing.add("cpu")
    assert "reference" == choose("auto").name


def test_a_named_engine_that_is_missing_is_an_error_with_a_hint(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever asked for the GPU must not get another engine in silence."""
    monkeypatch.setitem(sys.modules, "unveil.engines.gpu.engine", None)
    with pytest.raises(EngineError) as error:
        choose("gpu")
    assert "gpu" in error.value.message
    assert "auto" in str(error.value.hint)


def test_reference_and_cpu_work_wherever_the_package_is_installed() -> None:
    """Their libraries are dependencies of the package itself."""
    assert (None, None) == (problem("reference"), problem("cpu"))


def test_threads_can_be_chosen_and_none_is_refused() -> None:
    """A shared machine may not want all its cores used."""
    assert 1 == getattr(choose("cpu", threads=1), "threads", None)
    with pytest.raises(EngineError, match="at least one thread"):
        choose("cpu", threads=0)
