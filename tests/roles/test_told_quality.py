"""What owners are told of the links: about right, and nothing of it tells whether one person is among them."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest
from asked_attribute_unit import announced, answer, refusal
from encoded_uploads import agreed, asking, upload
from hypothesis import given
from hypothesis import strategies as st
from small_project import OWNERS, SCHEMA, A, B, make_attribute_unit, make_record_unit, refuses, sent, with_protocol

from unveil.joining.join_part import JoinPart, joined
from unveil.joining.terms import JOINING, NOBODY, JoinTerms
from unveil.joining.terms import OWNERS as EACH_OWNER
from unveil.lab.evaluation.guessing import advantage
from unveil.linkage.estimate import Estimate
from unveil.protocol.flows import Envelope
from unveil.protocol.machine import receive
from unveil.protocol.messages import JoinTable, LinkQuality, LinkTable, OwnersAnswers
from unveil.protocol.roles import ATTRIBUTE_UNIT, RECORD_UNIT
from unveil.roles.owner.links import told_estimate
from unveil.roles.record_unit.told_quality import FEWEST, OFF_BY, told_quality
from unveil.safety.coins import SecretCoins

TIMES = 4000
NUMBERS = ((0.93, 0.955, 0.97), (0.85, 0.9, 0.94), (0.9, 0.927, 0.95))


def estimate_of(numbers: npt.ArrayLike, *, trusted: bool = True) -> Estimate:
    precision, recall, f1 = ((low, point, high) for low, point, high in np.asarray(numbers).reshape(3, 3).tolist())
    return Estimate(precision, recall, f1, trusted)


ESTIMATE = estimate_of(NUMBERS)


def often(links: int, estimate: Estimate) -> np.ndarray:
    """What is told of the same links, over and over: the count, then nine figures; each with fresh coins."""
    coins, rows = SecretCoins(), []
    for _ in range(TIMES):
        told = told_quality(links, estimate, coins)
        rows.append([told.links, *np.frombuffer(told.figures, "<f8")])
    return np.array(rows)


def test_what_is_told_is_about_right() -> None:
    """The count is within what it is said to be off by nine times in ten, and no figure leans to one side."""
    told = often(5000, ESTIMATE)
    within = float((np.abs(told[:, 0] - 5000) <= OFF_BY).mean())
    assert 0.9 < within < 0.97
    assert told.mean(axis=0)[[0, 2, 5, 8]] == pytest.approx([5000, 0.955, 0.9, 0.927], rel=0.002)
    low, high = told[:, 4] <= 0.9, told[:, 6] >= 0.9
    assert (low & high).mean() > 0.97, "the interval of recall holds what was estimated"


def test_one_person_more_shows_in_nothing_that_is_told() -> None:
    """Whoever knows everything but whether one pair is linked, and that it moves each figure by a whole link."""
    links = FEWEST + 200
    there = estimate_of(np.minimum(np.array(NUMBERS) + 1 / links, 1.0))
    told = np.concatenate([often(links, ESTIMATE), often(links + 1, there)])
    member = np.repeat([False, True], TIMES)
    found = [advantage(told[:, column], member) for column in range(told.shape[1])]
    shifts = told[member].mean(axis=0) - told[~member].mean(axis=0)
    together = advantage(told @ (shifts / told.std(axis=0) ** 2), member)
    print(f"AUC by column {np.round(found, 3)}, together {together:.3f}")  # noqa: T201
    assert max(found) <= 0.55
    assert together <= 0.56


def test_of_few_links_no_figure_is_told() -> None:
    """One link is much of few, and of them any figure would be noise."""
    told = told_quality(20, ESTIMATE, SecretCoins())
    assert (b"", 0) == (told.figures, told.trusted)
    assert told_estimate(told) is None
    assert told_quality(50_000, None, SecretCoins()).figures == b""
    assert [told_quality(0, None, SecretCoins()).links >= 0 for _ in range(50)] == [True] * 50


shares = st.floats(0, 1)


@given(st.lists(shares, min_size=9, max_size=9), st.booleans())
def test_whatever_was_estimated_an_owner_can_read_what_it_is_told(numbers: list[float], trusted: bool) -> None:  # noqa: FBT001
    """An owner refuses figures that are no shares or out of order; the unit's word must never be refused."""
    rows = [sorted(numbers[start : start + 3]) for start in (0, 3, 6)]
    read = told_estimate(told_quality(2 * FEWEST, estimate_of(rows, trusted=trusted), SecretCoins()))
    assert read is not None
    assert trusted == read.trusted


# To whom


@pytest.mark.parametrize("quality", [EACH_OWNER, JOINING, NOBODY])
def test_the_project_file_says_who_is_told(quality: str) -> None:
    """Owners and whoever joins; whoever joins alone; or nobody, and then what is sealed is as long as ever."""
    terms = JoinTerms(quality=quality)
    unit = agreed(make_record_unit(with_protocol(SCHEMA, layers=1), joining=terms, assessed=True))
    receive(unit, upload(A))
    out = receive(unit, upload(B, first=100))
    told = {party: [one for one in sent(out, party) if isinstance(one, LinkQuality)] for party in OWNERS}
    assert told[A] == told[B], "the same for both, or two words on it would be better than one"
    assert (1 if quality == EACH_OWNER else 0) == len(told[A])
    parts = []
    for party in OWNERS:
        (table,) = (one for one in sent(out, party) if isinstance(one, JoinTable))
        records = sum(len(one) for one in sent(out, party) if isinstance(one, LinkTable))
        names = (A.name, B.name)
        parts.append(
            JoinPart("", "", party.name, names, table.run, records, True, table.key, table.quality, table.sealed)
        )
    expected = None if quality == NOBODY else unit.estimate()
    assert expected == joined(parts).estimate
    assert (quality == NOBODY) == (expected is None)


# How many each owner answered


def answers(batch: int, asked: int, *counts: int) -> Envelope:
    column = np.array(counts, "<u4").tobytes()
    return Envelope(ATTRIBUTE_UNIT, RECORD_UNIT, OwnersAnswers(batch, asked, column))


def test_the_attribute_unit_counts_what_each_owner_answered() -> None:
    """A refusal is an answer to the protocol, and not to whoever needs encodings; strangers count like others."""
    unit = make_attribute_unit(with_protocol(SCHEMA, layers=2))
    receive(unit, announced([1, 2, 3, 4]))
    receive(unit, answer(A, [1, 2, 3, 4]))
    receive(unit, answer(B, [1]))
    out = receive(unit, refusal(B, [2, 3, 4]))
    (told,) = (one for one in sent(out, RECORD_UNIT) if isinstance(one, OwnersAnswers))
    assert answers(0, 4, 4, 1).message == told


def test_the_record_unit_knows_by_owner_which_share_was_answered() -> None:
    """The newest word counts, in whatever order words come; and none that cannot be is taken."""
    unit, batch, _ = asking(make_record_unit())
    assert {} == unit.answers.shares
    for wrong, why in (
        (answers(1, 4, 1, 1), "not asked about"),
        (answers(0, 4, 1), "not a count for each owner"),
        (answers(0, 4, 5, 1), "more answers than pairs"),
        (answers(0, 0, 0, 0), "more answers than pairs"),
    ):
        refuses(unit, wrong, why)
    receive(unit, answers(0, len(batch), len(batch), 1))
    assert {A: 1.0, B: 1 / len(batch)} == unit.answers.shares
    refuses(unit, answers(0, 4, 4, 4), "told of before")
