"""What hardening did to the scale of similarities is undone."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from unveil.encoding.bits import pack
from unveil.encoding.hardening import harden
from unveil.encoding.keys import OwnerKey, Subkeys
from unveil.linkage.bits import Bits
from unveil.linkage.engine import Encoded
from unveil.linkage.outcome import Reals
from unveil.linkage.pairs import Comparison, Pairs
from unveil.linkage.unhardened import agreement, unhardened
from unveil.models.record_evidence import RECORD_EVIDENCE, record_evidence
from unveil.schema import Hardening, LayerR
from unveil.schema.hardening import METHODS

M = 1024
N = 400
STEPS = {
    "none": (),
    "permutation": (Hardening(method="permutation"),),
    "xor-fold": (Hardening(method="xor-fold"),),
    "rule-90": (Hardening(method="rule-90"),),
    "balance": (Hardening(method="balance"),),
    "re-sampling": (Hardening(method="re-sampling", m=4096),),
    "diffusion of 3": (Hardening(method="diffusion", t=3, m=4096),),
    "diffusion of 5": (Hardening(method="diffusion", t=5, m=8192),),
    "coins": (Hardening(method="randomised-response", f=0.2),),
    "coins, then diffusion": (
        Hardening(method="randomised-response", f=0.05),
        Hardening(method="diffusion", t=3, m=8192),
    ),
    "fold, then coins": (Hardening(method="xor-fold"), Hardening(method="randomised-response", f=0.1)),
}


def test_every_method_is_among_these_tests() -> None:
    """A row that says a wrong XOR width skews evidence without a word."""
    assert set(METHODS) == {step.method for steps in STEPS.values() for step in steps}


def pairs_that_differ(share: float, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Filters, and the same with this share of the bits drawn anew. Some bits are common, so strangers agree by .16."""
    fill = rng.uniform(0.1, 0.7, M)
    left = rng.random((N, M)) < fill
    right = np.where(rng.random((N, M)) < share, rng.random((N, M)) < fill, left)
    return left, right


def hardened(bits: np.ndarray, steps: tuple[Hardening, ...], rng: np.random.Generator) -> Bits:
    keys = Subkeys(OwnerKey(bytes(range(32))), "project")
    words = harden(pack(bits.view(np.uint8)), steps, m=M, keys=keys, rng=rng)
    return Bits(words, LayerR(m=M, hardening=steps).length)


def agreements(a: Bits, b: Bits) -> Reals:
    return agreement(np.bitwise_count(a.words ^ b.words).sum(axis=1).astype(np.float64), a.m)


@pytest.mark.parametrize("name", STEPS)
@pytest.mark.parametrize("share", [0.0, 0.1, 0.3, 0.6])
def test_the_agreement_before_hardening_is_found_again(name: str, share: float) -> None:
    """On average over pairs of the same kind; without undoing it the steps would shift it by up to .5."""
    rng = np.random.default_rng(7)
    left, right = pairs_that_differ(share, rng)
    before = float((1 - 2 * (left != right).mean(axis=1)).mean())
    after = agreements(hardened(left, STEPS[name], rng), hardened(right, STEPS[name], rng))
    assert pytest.approx(before, abs=0.02) == float(unhardened(after.mean(keepdims=True), STEPS[name])[0])


@given(st.floats(-1, 1), st.floats(-1, 1), st.sampled_from(sorted(STEPS)))
def test_undoing_keeps_the_order_and_the_ends(one: float, other: float, name: str) -> None:
    """A pair that agrees more after hardening is taken to have agreed more before, and nothing leaves [-1, 1]."""
    found = unhardened(np.array([one, other]), STEPS[name])
    assert (np.abs(found) <= 1).all()
    if one <= other:
        assert found[0] <= found[1]
    assert [1.0] == unhardened(np.ones(1), STEPS[name]).tolist()


@pytest.mark.parametrize("name", ["xor-fold", "diffusion of 3", "diffusion of 5", "balance", "coins"])
def test_evidence_is_the_same_whatever_the_hardening(name: str) -> None:
    """The similarity that a model is told, on average over pairs; else .7 turns into .2 at five positions."""
    rng = np.random.default_rng(3)
    left, right = pairs_that_differ(0.3, rng)
    similarity = {}
    for steps in ((), STEPS[name]):
        a, b = (Encoded(hardened(bits, steps, rng), np.zeros((N, 1, 16), np.uint8)) for bits in (left, right))
        rows = np.arange(N, dtype=np.int32)
        common = np.bitwise_count(a.filters.words & b.filters.words).sum(axis=1)
        pairs = Pairs(rows, rows, 2 * common / (a.filters.popcounts + b.filters.popcounts))
        evidence = record_evidence(Comparison(pairs, N * N), a, b, max_block=N, hardening=steps)
        similarity[steps] = float(evidence[:, list(RECORD_EVIDENCE).index("similarity")].mean())
    assert pytest.approx(0.7, abs=0.02) == similarity[()]
    assert pytest.approx(similarity[()], abs=0.03) == similarity[STEPS[name]]
