"""Tables learnt by boosting: they find what each piece of evidence says, and never against its direction."""

from __future__ import annotations

import numpy as np
import pytest

from tools.boosted_tables import _edges, boosted
from unveil.linkage.outcome import Flags, Reals
from unveil.models.tables import Direction, Tables

EVIDENCE: dict[str, Direction] = {"a": 1, "b": -1, "c": 0, "d": 1}
ROWS = 12_000


def rows(seed: int) -> Reals:
    """Four pieces of evidence, of which the last has few different values."""
    found = np.random.default_rng(seed).normal(size=(ROWS, 4))
    found[:, 3] = found[:, 3].round(0)
    return found


def odds_of(features: Reals) -> Reals:
    """True log odds: each piece of evidence by itself, and a more where d is high."""
    a, b, c, d = features.T
    return a - b + np.abs(c) - 1 + d + np.where(d > 0, a, 0.0)


def truth_of(features: Reals, seed: int) -> Flags:
    return np.random.default_rng(seed).random(len(features)) < 1 / (1 + np.exp(-odds_of(features)))


def learnt(together: list[tuple[str, str]], weight: Reals | None = None, rounds: int = 8) -> Tables:
    features = rows(1)
    weight = np.ones(ROWS) if weight is None else weight
    return boosted(features, truth_of(features, 2), weight, EVIDENCE, together, bins=24, rounds=rounds)


def test_what_the_evidence_says_is_found() -> None:
    """Log odds of other pairs are near the true ones; nearer if two that belong together are looked at together."""
    alone, both = (learnt(together) for together in ([], [("a", "d")]))
    off = [float(np.abs(tables.log_odds(rows(3)) - odds_of(rows(3))).mean()) for tables in (alone, both)]
    assert off[1] < 0.8
    assert off[1] < 0.9 * off[0]


def test_tables_look_at_no_more_than_they_may() -> None:
    """One for each piece of evidence and for each two named, with the directions of the evidence."""
    tables = learnt([("a", "d"), ("c", "b")], rounds=1)
    assert (tuple(EVIDENCE), tuple(EVIDENCE.values())) == (tables.names, tables.directions)
    assert [(0, 0), (1, 1), (2, 2), (3, 3), (0, 3), (2, 1)] == [(term.first, term.second) for term in tables.terms]
    assert all((term.values.round(3) == term.values).all() for term in tables.terms)


def test_no_direction_is_broken_by_data_that_says_otherwise() -> None:
    """Where more of a goes with fewer matches, a says nothing: to say the opposite is not allowed."""
    features = rows(4)
    tables = boosted(features, ~truth_of(features, 5), np.ones(ROWS), EVIDENCE, [("a", "b")], bins=12, rounds=4)
    for at, direction in enumerate(EVIDENCE.values()):
        more = features.copy()
        more[:, at] += 0.7
        assert (direction * (tables.log_odds(more) - tables.log_odds(features)) >= -1e-9).all()


def test_only_the_proportions_of_the_weights_matter() -> None:
    plain, heavier, other = (
        learnt([], weight, rounds=2).log_odds(rows(3))
        for weight in (np.ones(ROWS), np.full(ROWS, 8.0), np.linspace(0, 2, ROWS))
    )
    assert plain.tolist() == pytest.approx(heavier.tolist(), abs=0.01)
    assert np.abs(plain - other).max() > 0.01


def test_pairs_that_count_nothing_teach_nothing() -> None:
    """The true pairs among them are turned round, and nobody notices."""
    features, weight = rows(1), (np.arange(ROWS) % 2).astype(np.float64)
    truth = truth_of(features, 2)
    one, other = (
        boosted(features, some, weight, EVIDENCE, [], bins=12, rounds=2).log_odds(features)
        for some in (truth, truth ^ (weight == 0))
    )
    assert one.tolist() == other.tolist()


def test_edges_lie_between_few_values_and_hold_equally_many_of_many() -> None:
    """A column with one value has no edge, and so no table of its own."""
    assert [0.5, 2.0] == _edges(np.array([0.0, 1.0, 3.0, 1.0]), 5).tolist()
    assert [] == _edges(np.ones(9), 5).tolist()
    values = np.random.default_rng(1).exponential(size=10_000)
    held = np.bincount(np.searchsorted(_edges(values, 20), values))
    assert 20 == len(held)
    assert 500 == pytest.approx(held.mean())
    assert np.abs(held - 500).max() < 5
