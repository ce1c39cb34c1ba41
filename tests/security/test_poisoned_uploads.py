"""A poisoned owner, through the real record unit: kept out with a reason, and the honest pairs are as they were."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from unittest import mock

import numpy as np
import pytest
from numpy.typing import NDArray

from unveil.cli.owner.status_lines import unit_line
from unveil.engines import choose
from unveil.errors import RemoteProtocolError
from unveil.lab.evaluation.quality import quality, truth_flags
from unveil.lab.simulation.study import Study
from unveil.lab.simulation.world import SimulationSettings, World
from unveil.lab.synthetic import generate
from unveil.linkage.bits import Bits
from unveil.protocol.flows import Envelope
from unveil.protocol.machine import do_due_work
from unveil.protocol.messages import RecordEncodings
from unveil.protocol.roles import RECORD_UNIT, Role
from unveil.roles.record_unit.intake import KeptOut
from unveil.runtime.owner.status import UnitAnswer
from unveil.runtime.units import RecordUnitService
from unveil.schema import built_in
from unveil.schema.presets import with_preset
from unveil.transport.port import OPERATOR, Caller
from unveil.transport.status import RecordUnitStatus

N = 800
SCHEMA = with_preset(built_in(), "unveil", budget=20)
Poison = Callable[[RecordEncodings], RecordEncodings]


@cache
def people() -> Study:
    found = generate(records=N, overlap=0.4, errors=1, seed=6)
    return Study("people", SCHEMA, found.a, found.b, found.truth, choose())


def run(poison: Poison | None = None) -> World:
    """A linkage in which owner b changes its upload."""
    world = Poisoned(people(), SCHEMA, SimulationSettings(seed=2))
    if poison is not None:
        owner, honest = world.owners[1], world.owners[1]._parts
        owner._parts = lambda: map(poison, honest())  # type: ignore[method-assign]
        owner._links = mock.Mock(begun=False)  # it knows itself that the table is longer than its records
    world.run()
    return world


class Poisoned(World):
    """A world that knows the truth about honest pairs, wherever they stand among the candidates."""

    def note_quality(self, reviewed_pairs: int, clerical_labels: int) -> None:
        """Not while it runs."""

    def truth_of(self, task_id: bytes) -> bool:
        at, pairs = self.position_of(task_id), self.record_unit.candidates.pairs
        kept = self.record_unit.intake.uploads[self.owners[1].address].rows
        assert kept is not None
        return (int(pairs.left[at]), int(kept[pairs.right[at]])) in set(map(tuple, self.study.truth.tolist()))


def f1(world: World) -> float:
    """F1 of the pairs of honest records: those of owner b that were there before the poison."""
    unit, study = world.record_unit, people()
    assert unit.comparison is not None
    kept = unit.intake.uploads[world.owners[1].address].rows
    assert kept is not None
    pairs = unit.comparison.pairs
    right = kept[pairs.right].astype(np.int32)
    honest = right < N
    true = truth_flags(pairs.left, right, study.truth) & honest
    return quality(unit.matches() & honest, true, len(study.truth)).f1


@cache
def clean() -> float:
    return f1(run())


def extended(part: RecordEncodings, words: NDArray[np.uint64], rows: NDArray[np.int64]) -> RecordEncodings:
    """The upload with filters appended, under the blocking keys of these records."""
    keys = np.frombuffer(part.blocking, np.uint8).reshape(N, -1)[rows].tobytes()
    handles = np.random.default_rng(3).bytes(16 * len(words))
    return replace(
        part,
        handles=part.handles + handles,
        filters=part.filters + words.astype("<u8").tobytes(),
        blocking=part.blocking + keys,
    )


def filters(part: RecordEncodings) -> NDArray[np.uint64]:
    return Bits.from_bytes(part.filters, part.m).words


def _ones(part: RecordEncodings) -> RecordEncodings:
    words = np.full((N // 2, part.m // 64), np.uint64(2**64 - 1))
    return extended(part, words, np.arange(N // 2))


def _zeros(part: RecordEncodings) -> RecordEncodings:
    return extended(part, np.zeros((N // 2, part.m // 64), np.uint64), np.arange(N // 2))


def _duplicates(part: RecordEncodings) -> RecordEncodings:
    return extended(part, np.repeat(filters(part)[:1], N // 2, axis=0), np.zeros(N // 2, np.int64))


def _unions(part: RecordEncodings) -> RecordEncodings:
    words, rows = filters(part), np.random.default_rng(4).integers(0, N, (2, N // 2))
    return extended(part, words[rows[0]] | words[rows[1]], rows[0])


POISONS: dict[str, tuple[Poison, str]] = {
    "all ones": (_ones, "all ones or nearly so"),
    "all zeros": (_zeros, "all zeros"),
    "duplicates": (_duplicates, "the same filter, or nearly so, too often"),
    "unions": (_unions, "far more ones than the other records"),
}


@pytest.mark.parametrize("kind", POISONS)
def test_poison_is_kept_out_and_honest_pairs_are_as_they_were(kind: str) -> None:
    """Half as many poisoned records as honest ones: their F1 moves by a hundredth at most."""
    poison, _ = POISONS[kind]
    world = run(poison)
    kept_out = [world.record_unit.intake.kept_out[owner.address] for owner in world.owners]
    assert 0.95 * N / 2 < sum(kept_out[1].reasons.values()) < 1.02 * N / 2 + 1
    assert KeptOut({}) == kept_out[0]
    assert abs(f1(world) - clean()) <= 0.01
    assert N == len(world.owners[0].link_ids)


def _status(world: World, caller: Caller) -> RecordUnitStatus:
    """What the unit's service tells this caller."""
    service = RecordUnitService(Role.RECORD_UNIT, {}, None)  # type: ignore[arg-type]
    return service.machine_status(world.record_unit, caller)


def _kept_out(world: World, caller: Caller) -> dict[str, dict[str, int]]:
    """By owner and reason, how many records were kept out, as this caller sees it."""
    uploads = _status(world, caller).uploads or {}
    return {owner: dict(upload.kept_out or {}) for owner, upload in uploads.items()}


@pytest.mark.parametrize("kind", POISONS)
def test_the_owner_is_told_why_and_the_other_owner_is_not(kind: str) -> None:
    """`unveil owner status` prints what the unit says under this name."""
    world = run(POISONS[kind][0])
    mine = _kept_out(world, Caller("owner", "b"))
    assert ["owner b"] == list(mine)
    assert POISONS[kind][1] in ", ".join(mine["owner b"])
    assert {"owner a": {}} == _kept_out(world, Caller("owner", "a"))
    assert {"owner a", "owner b"} == set(_kept_out(world, Caller(OPERATOR)))
    line = unit_line(UnitAnswer(_status(world, Caller("owner", "b"))))
    assert "kept out: " in line
    assert POISONS[kind][1] in line


@pytest.mark.parametrize("whole", ["mostly poison", "handles twice"])
def test_an_upload_that_is_mostly_poison_is_kept_out_as_a_whole_and_may_be_sent_again(whole: str) -> None:
    """Nothing is compared with it; an honest upload afterwards gives the honest result."""
    world = _agreed()
    owner, unit = world.owners[1], world.record_unit
    (honest,) = owner._parts()
    if whole == "mostly poison":
        bad = extended(honest, np.full((N + 1, honest.m // 64), np.uint64(2**64 - 1)), np.arange(N + 1) % N)
    else:
        bad = replace(honest, handles=honest.handles[:16] * 2 + honest.handles[32:])
    _upload(world, bad)
    aside = unit.intake.kept_out[owner.address].set_aside
    assert aside is not None
    assert ("implausible" in aside.why) == (whole == "mostly poison")
    assert not unit.intake.complete
    assert unit.decide(0.0) is None
    _upload(world, honest)
    _upload(world, next(iter(world.owners[0]._parts())), sender=0)
    assert unit.intake.complete
    assert abs(f1(world) - f1_of_layer_one()) < 1e-12


@cache
def f1_of_layer_one() -> float:
    world = _agreed()
    for sender, owner in enumerate(world.owners):
        _upload(world, next(iter(owner._parts())), sender=sender)
    return f1(world)


def _agreed() -> World:
    """A world in which both owners were told that they may upload."""
    world = World(people(), SCHEMA, SimulationSettings(seed=2))
    for owner in world.owners:
        while (step := owner.decide(0.0)) is not None:
            owner.apply(step.decision)
            for envelope in step.messages:
                world.record_unit.apply(world.record_unit.admit(envelope))
    step = world.record_unit.decide(0.0)
    assert step is not None
    world.record_unit.apply(step.decision)
    return world


def _upload(world: World, part: RecordEncodings, sender: int = 1) -> None:
    unit = world.record_unit
    unit.apply(unit.admit(Envelope(world.owners[sender].address, RECORD_UNIT, part)))
    step = unit.intake.decide()
    assert step is not None
    unit.apply(step.decision)
    do_due_work(unit)


def _refusal(world: World, part: RecordEncodings) -> str:
    with pytest.raises(RemoteProtocolError) as caught:
        world.record_unit.admit(Envelope(world.owners[1].address, RECORD_UNIT, part))
    return caught.value.message


def test_filters_of_the_wrong_length_are_refused() -> None:
    """With the length that the schema makes, so that the owner knows what to mend."""
    world = _agreed()
    (honest,) = world.owners[1]._parts()
    for words in (1, 8, 16, 512):
        wrong = replace(honest, m=64 * words, filters=bytes(8 * words * N))
        assert "the schema makes 2048" in _refusal(world, wrong)


def test_a_flood_beyond_the_limit_of_records_is_refused() -> None:
    """In one part and in many; what came before the limit is not compared until the upload is complete."""
    world = _agreed()
    world.record_unit.intake._most_records = N + 10
    (honest,) = world.owners[1]._parts()
    flood = extended(honest, filters(honest)[:11], np.arange(11))
    assert f"more than {N + 10} records" in _refusal(world, flood)
    unit, sender = world.record_unit, world.owners[1].address
    first = replace(honest, parts=3)
    unit.apply(unit.admit(Envelope(sender, RECORD_UNIT, first)))
    assert f"more than {N + 10} records" in _refusal(world, replace(first, part=1))
    assert unit.intake.decide() is None
    assert not unit.intake.complete


def test_an_owner_that_is_not_in_the_project_uploads_nothing() -> None:
    """Nor does one upload in another's name: the name comes from the certificate."""
    world = _agreed()
    (honest,) = world.owners[1]._parts()
    stranger = replace(world.owners[1].address, name="c")
    with pytest.raises(RemoteProtocolError, match="not an owner of this project"):
        world.record_unit.admit(Envelope(stranger, RECORD_UNIT, honest))
