"""Runs in which something is wrong with the data or with the reviewer: they end, and say what was wrong."""

from __future__ import annotations

import time
from functools import cache

import numpy as np
import pytest

from unveil.engines import choose
from unveil.errors import SettingError
from unveil.lab.evaluation.result import RunResult
from unveil.lab.simulation.run import simulate
from unveil.lab.simulation.study import Study
from unveil.lab.simulation.world import SimulationSettings, World
from unveil.lab.synthetic import Registers, generate
from unveil.one_place.stopwatch import Stopwatch
from unveil.records import Column, Records
from unveil.schema import built_in
from unveil.schema.presets import with_preset

SCHEMA = built_in()
UNKNOWN = 120


@cache
def people() -> Registers:
    return generate(records=1500, overlap=0.3, errors=1, seed=5)


def with_unknown(records: Records, count: int) -> Records:
    """The records, after as many of whom nobody knew the name."""
    columns = {}
    for name in SCHEMA.names:
        filler = "UNKNOWN" if name in ("first_name", "last_name") else ""
        columns[name] = Column.of([filler] * count + list(records.columns[name].values()))
    return Records([*(f"x{row}" for row in range(count)), *records.ids], columns)


def run(study: Study, *, budget: int = 100, error: float = 0.2, full: bool = False, seed: int = 1) -> RunResult:
    schema = with_preset(study.schema, "unveil", budget=budget)
    watch = Stopwatch.start(time.perf_counter)
    settings = SimulationSettings(seed=seed, error=error)
    return simulate(study, schema, settings, watch, preset="unveil", full=full)[0]


def study_of(found: Registers) -> Study:
    return Study("people", SCHEMA, found.a, found.b, found.truth, choose())


def test_records_that_screening_keeps_out_spoil_neither_the_run_nor_its_figures() -> None:
    """Pairs of the study and of the record unit are not the same then: positions of one mean nothing to the other."""
    found = people()
    plain = run(study_of(found))
    odd = Registers(with_unknown(found.a, UNKNOWN), with_unknown(found.b, UNKNOWN), found.truth + UNKNOWN)
    result = run(study_of(odd), full=True)
    assert {"owner a": UNKNOWN, "owner b": UNKNOWN} == {
        owner: sum(reasons.values()) for owner, reasons in result.kept_out.items()
    }
    assert plain.final_f1 == pytest.approx(result.final_f1, abs=0.01)
    assert result.kapr["held"] < 0.2
    assert result.kept_out == result.summary()["kept_out"]


def test_an_upload_that_is_set_aside_ends_the_run_with_the_reason() -> None:
    """Whoever simulates is told what the owner would be told, instead of that nobody has anything to send."""
    found = people()
    twice = np.tile(np.arange(len(found.b)), 2)
    copies = Records(
        [f"b{row}" for row in range(len(twice))],
        {name: Column(column.distinct, column.codes[twice]) for name, column in found.b.columns.items()},
    )
    study = study_of(Registers(found.a, copies, found.truth))
    with pytest.raises(SettingError, match=r"set the whole upload of owner b aside: .*resemble"):
        World(study, with_preset(SCHEMA, "unveil"), SimulationSettings()).run()
    World(study, with_preset(SCHEMA, "unveil", budget=0), SimulationSettings(near_copies=1.0)).run()


@pytest.mark.parametrize("error", [0.4, 0.5, 0.9])
def test_reviewers_who_err_or_cheat_cost_next_to_nothing(error: float) -> None:
    """Labels worse than chance are noticed, reported and not used."""
    study = study_of(people())
    without = run(study, budget=0)
    result = run(study, budget=200, error=error)
    assert result.final_f1 >= without.final_f1 - 0.005
    assert error == pytest.approx(result.reviewer_error, abs=0.2)
    assert result.summary()["reviewer_error"] == result.reviewer_error
    assert (error > 0.6) <= result.labels_unused
