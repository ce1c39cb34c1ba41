"""Whole runs on generated people: what does not fit together is warned of, by name, and nothing else is."""

from __future__ import annotations

import time
from functools import cache
from unittest.mock import MagicMock

import pytest

from unveil.engines import choose
from unveil.lab.evaluation.result import RunResult
from unveil.lab.simulation.run import simulate
from unveil.lab.simulation.study import Study
from unveil.lab.simulation.world import SimulationSettings, World
from unveil.lab.synthetic import Registers, generate
from unveil.lab.worlds import draw_design, make_world
from unveil.one_place.stopwatch import Stopwatch
from unveil.protocol.data_warnings import DataWarning, WarningKind
from unveil.protocol.roles import Role
from unveil.records import Column, Records
from unveil.runtime.units import AttributeUnitService, RecordUnitService
from unveil.schema import Schema, built_in
from unveil.schema.presets import with_preset
from unveil.transport.port import Caller
from unveil.transport.status import AttributeUnitStatus, RecordUnitStatus

SCHEMA = built_in()
PLAIN = built_in("paper")  # hardened filters are half full whatever is in them, and say nothing about it
YEAR_KEYS = {"first_name+year_of_birth", "last_name+year_of_birth"}
KEY, ATTRIBUTE = WarningKind.KEY_HARDLY_AGREES, WarningKind.ATTRIBUTE_HARDLY_AGREES
MOVED = 819  # a world in which nothing but a move makes pairs uncertain


@cache
def people() -> Registers:
    return generate(records=1500, overlap=0.3, errors=1, seed=5)


def two_digit_years(records: Records) -> Records:
    years = Column.of([year[2:] for year in records.columns["year_of_birth"].values()])
    return Records(records.ids, {**records.columns, "year_of_birth": years})


def simulated(
    registers: Registers, *, preset: str = "unveil", layers: int = 3, schema: Schema = SCHEMA
) -> tuple[RunResult, World]:
    chosen = with_preset(schema, preset, layers=layers)
    study = Study("people", chosen, registers.a, registers.b, registers.truth, choose())
    watch = Stopwatch.start(time.perf_counter)
    settings = SimulationSettings(error=0.1, near_copies=0.75)
    return simulate(study, chosen, settings, watch, preset=preset)


def run(registers: Registers, *, preset: str = "unveil", layers: int = 3, schema: Schema = SCHEMA) -> RunResult:
    return simulated(registers, preset=preset, layers=layers, schema=schema)[0]


def subjects(result: RunResult) -> set[tuple[WarningKind, str]]:
    return {(warning.kind, warning.subject) for warning in result.warnings}


@pytest.mark.parametrize("preset", ["unveil", "paper"])
def test_nothing_is_warned_of_where_the_owners_write_alike(preset: str) -> None:
    """A warning that comes every time is read by nobody."""
    assert () == run(people(), preset=preset).warnings


def owners_see(world: World) -> set[tuple[WarningKind, str]]:
    """What both units' statuses tell owner a; figures are none of its business."""
    found: list[DataWarning] = []
    units = (
        (RecordUnitService(Role.RECORD_UNIT, {}, MagicMock()), world.record_unit),
        (AttributeUnitService(Role.ATTRIBUTE_UNIT, {}, MagicMock()), world.attribute_unit),
    )
    for unit, machine in units:
        status = unit.machine_status(machine, Caller("owner", "a"))
        assert isinstance(status, RecordUnitStatus | AttributeUnitStatus)
        found += status.warnings or ()
    assert all(not warning.figures for warning in found)
    return {(warning.kind, warning.subject) for warning in found}


@pytest.mark.parametrize("preset", ["unveil", "paper"])
def test_keys_and_attribute_that_one_owner_writes_otherwise_are_named_and_no_others(preset: str) -> None:
    """Two-digit years at one owner: the keys with the year never agree, and the soundex key says who is who."""
    found = people()
    result, world = simulated(Registers(found.a, two_digit_years(found.b), found.truth), preset=preset)
    assert subjects(result) == owners_see(world)
    keys = {(KEY, key) for key in YEAR_KEYS}
    assert keys | {(ATTRIBUTE, "year_of_birth")} == subjects(result)
    figures = {warning.subject: warning.figures for warning in result.warnings}
    assert {0} == {figures[key]["agreeing"] for key in YEAR_KEYS}
    assert all(figures[key]["pairs"] >= 20 for key in YEAR_KEYS)
    assert [warning.as_json() for warning in result.warnings] == result.summary()["warnings"]
    assert "warnings" == list(result.summary())[-1]


def test_keys_are_warned_of_where_nothing_is_opened() -> None:
    """The record unit needs nobody else to see it."""
    found = people()
    result = run(Registers(found.a, two_digit_years(found.b), found.truth), layers=1)
    assert {(KEY, key) for key in YEAR_KEYS} == subjects(result)


def test_filters_with_far_too_many_hash_positions_are_warned_of_at_both_owners() -> None:
    """Such filters are nearly full, and make strangers look alike."""
    full = PLAIN.model_copy(update={"layer_r": PLAIN.layer_r.model_copy(update={"h": 40})})
    result = run(people(), schema=full)
    assert {(WarningKind.FILL_FAR_OFF, owner) for owner in ("owner a", "owner b")} == subjects(result)
    assert all(0.6 < warning.figures["fill"] < 1 for warning in result.warnings)


def test_an_owner_that_lacks_attributes_has_filters_much_emptier_than_the_other() -> None:
    """Its columns are empty, and no record looks wrong by itself."""
    found = people()
    empty = Column.of([""] * len(found.b))
    lacking = dict.fromkeys(("city", "place_of_birth", "middle_name"), empty)
    b = Records(found.b.ids, {**found.b.columns, **lacking})
    result = run(Registers(found.a, b, found.truth), layers=1, schema=PLAIN)
    assert {(WarningKind.FILLS_DIFFER, "owner b")} == subjects(result)


def test_people_who_moved_are_no_other_form_of_an_address() -> None:
    """All opened matches have moved there, but kin among the opened pairs live at the same address: it is one form."""
    world = make_world(draw_design(MOVED, largest=1500))
    schema = with_preset(world.schema, "unveil")
    assert set() == subjects(run(Registers(world.a, world.b, world.truth), schema=schema))
