"""Attacks on record-level filters: each succeeds on an encoding that is weak, and the default withstands it."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from numpy.typing import NDArray

from unveil.encoding import hardening
from unveil.encoding.bits import pack, unpack
from unveil.encoding.encoder import Encoder
from unveil.encoding.keys import OwnerKey
from unveil.encoding.salting import salted_diffusion
from unveil.lab.synthetic import generate
from unveil.linkage.bits import Bits
from unveil.privacy.attacks.agreement import agreements
from unveil.privacy.attacks.expectation import views_of
from unveil.privacy.attacks.guesses import Recognised, recognised
from unveil.privacy.attacks.matching import matched, scaled
from unveil.privacy.attacks.profiles import likeness
from unveil.privacy.attacks.stripping import stripped
from unveil.records import Column, Records
from unveil.schema import built_in

N, KNOWN = 900, 60


@cache
def people() -> Records:
    return generate(records=N, overlap=0.2, seed=3).a


def some(rows: NDArray[np.int64]) -> Records:
    columns = {name: Column.of([column[row] for row in rows]) for name, column in people().columns.items()}
    return Records([people().ids[row] for row in rows], columns)


def attacked(name: str, *, known: int) -> Recognised:
    """An attacker who has the filters of everybody and the same register, in another order."""
    schema = built_in(name)
    rng = np.random.default_rng(5)
    order = rng.permutation(N)
    encoder = Encoder(schema, OwnerKey(bytes(range(32))), project="p")
    views = views_of(Bits(encoder.record_level(people()), encoder.m), some(order), schema)
    truth = np.argsort(order)
    if not known:
        return recognised(matched(views, beliefs=scaled(likeness(views) * np.float32(0.5))), truth)
    rows = rng.choice(N, known, replace=False)
    pairs = np.stack([rows, truth[rows]], axis=1)
    return recognised(matched(views, known=pairs), truth, known=pairs)


@pytest.mark.parametrize("known", [0, KNOWN])
def test_plain_filters_give_everybody_away(known: int) -> None:
    """The control: without it the figures below would prove nothing."""
    assert attacked("paper", known=known).first > 0.9


@pytest.mark.parametrize(("known", "most"), [(0, 0.02), (KNOWN, 0.06)])
def test_default_filters_do_not(known: int, most: float) -> None:
    """A record unit alone, and one that knows people from a review unit."""
    assert attacked("person", known=known).first <= most


def filters(n: int, m: int, seed: int) -> NDArray[np.uint8]:
    return (np.random.default_rng(seed).random((n, m)) < 0.4).astype(np.uint8)


def correlation(one: NDArray[np.uint8], other: NDArray[np.uint8]) -> float:
    upper = np.triu_indices(len(one), 1)
    return float(np.corrcoef(agreements(one)[upper], agreements(other)[upper])[0, 1])


def test_a_diffusion_into_a_longer_filter_is_stripped() -> None:
    """It was said to be nearly free; it is nearly worthless."""
    bits = filters(300, 128, 1)
    mixed = unpack(hardening.diffusion(pack(bits), m=128, key=b"k" * 32, t=3, m_out=256), 256)
    assert abs(correlation(bits, mixed)) < 0.5
    assert correlation(bits, stripped(mixed, np.random.default_rng(2))) > 0.8


def test_a_salted_one_is_not() -> None:
    """No group has as many records as there are input bits."""
    bits = filters(300, 128, 1)
    by = [([str(year) for year in range(30)], np.arange(300) % 30)]
    mixed = unpack(salted_diffusion(pack(bits), by, m=128, key=b"k" * 32, t=3, m_out=256), 256)
    assert abs(correlation(bits, stripped(mixed, np.random.default_rng(2), orders=10))) < 0.1


def test_a_guess_counts_only_if_it_stands_alone() -> None:
    """An attacker who weighs everybody alike has found nobody."""
    truth = np.array([0, 1, -1])
    assert Recognised(2, 0.0, 1.0) == recognised(np.ones((3, 3), np.float32), truth)
    assert Recognised(2, 1.0, 1.0) == recognised(np.eye(3, dtype=np.float32), truth)
    assert Recognised(1, 1.0, 1.0) == recognised(np.eye(3, dtype=np.float32), truth, known=np.array([[0, 0]]))
    assert Recognised(0, 0.0, 0.0) == recognised(np.eye(3, dtype=np.float32), np.array([-1, -1, -1]))
