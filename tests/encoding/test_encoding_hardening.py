from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from unveil.encoding import draws, hardening
from unveil.encoding.bits import pack, unpack, wire
from unveil.encoding.keys import OwnerKey, Subkeys
from unveil.errors import SettingError
from unveil.linkage.bits import word_count
from unveil.safety.coins import Coins, SecretCoins, SeededCoins
from unveil.schema import Hardening

KEY = b"k" * 32
LENGTHS = [64, 72, 130, 256]


def random_bits(n: int, m: int, *, fill: float = 0.4) -> NDArray[np.uint8]:
    return (np.random.default_rng(3).random((n, m)) < fill).astype(np.uint8)


def bits_of(pattern: str) -> NDArray[np.uint8]:
    return np.array([[int(c) for c in pattern]], dtype=np.uint8)


def show(bits: NDArray[np.uint8]) -> str:
    return "".join(map(str, bits[0]))


@given(st.integers(1, 5), st.integers(1, 200), st.integers(0, 2**32))
def test_packing_and_unpacking_are_inverse(n: int, m: int, seed: int) -> None:
    """Lengths that do not fill a word leave zeros at its end, which similarity must not count."""
    bits = np.random.default_rng(seed).integers(0, 2, (n, m), dtype=np.uint8)
    packed = pack(bits)
    assert (n, word_count(m)) == packed.shape
    assert bits.tolist() == unpack(packed, m).tolist()
    assert bits.sum() == np.bitwise_count(packed).sum()


def test_bit_i_is_the_least_significant_of_its_word_first() -> None:
    """Engines and other implementations read the same bytes."""
    bits = np.zeros((1, 130), dtype=np.uint8)
    bits[0, [0, 65, 129]] = 1
    assert [[1, 2, 2]] == pack(bits).tolist()
    assert "01" + "00" * 7 + "02" + "00" * 7 + "02" + "00" * 7 == wire(pack(bits)).tobytes().hex()


def test_xor_fold_lays_the_second_half_over_the_first() -> None:
    """The definition starts the second half at m/2, not one bit late."""
    folded = hardening.xor_fold(pack(bits_of("11000101" + "10100100")), m=16)
    assert "01100001" == show(unpack(folded, 8))


def test_rule_90_xors_the_two_neighbours_in_a_ring() -> None:
    """The first and the last bit are neighbours."""
    assert "01001110" == show(unpack(hardening.rule_90(pack(bits_of("10000110")), m=8), 8))
    assert "01000001" == show(unpack(hardening.rule_90(pack(bits_of("10000000")), m=8), 8))
    assert "10000010" == show(unpack(hardening.rule_90(pack(bits_of("00000001")), m=8), 8))
    assert "01010000" == show(unpack(hardening.rule_90(pack(bits_of("00100000")), m=8), 8))


@pytest.mark.parametrize("m", LENGTHS)
def test_balanced_filters_all_have_the_same_weight(m: int) -> None:
    """The number of set bits would tell long names from short ones."""
    bits = random_bits(20, m)
    balanced = unpack(hardening.balance(pack(bits), m=m, key=KEY), 2 * m)
    assert [m] * 20 == balanced.sum(axis=1).tolist()
    both = np.hstack([bits, 1 - bits])
    assert both[:, draws.permutation(KEY, 2 * m)].tolist() == balanced.tolist()


@pytest.mark.parametrize("m", LENGTHS)
def test_permutation_keeps_the_weight_and_all_similarities(m: int) -> None:
    """It hides positions and costs no quality."""
    bits = random_bits(20, m)
    moved = unpack(hardening.permutation(pack(bits), m=m, key=KEY), m)
    assert bits.sum(axis=1).tolist() == moved.sum(axis=1).tolist()
    assert (bits.astype(int) @ bits.T).tolist() == (moved.astype(int) @ moved.T).tolist()
    assert bits.tolist() != moved.tolist()


@pytest.mark.parametrize("m_out", [None, 72, 300])
def test_diffusion_xors_t_distinct_keyed_positions(m_out: int | None) -> None:
    """Each output bit depends on t input bits, so patterns of single q-grams vanish."""
    bits = random_bits(30, 130)
    out = unpack(hardening.diffusion(pack(bits), m=130, key=KEY, t=5, m_out=m_out), m_out or 130)
    sources = draws.draw_distinct(KEY, 130, (m_out or 130, 5))
    assert all(5 == len(set(row)) for row in sources.tolist())
    assert np.bitwise_xor.reduce(bits[:, sources], axis=2).tolist() == out.tolist()


@pytest.mark.parametrize("m_out", [None, 72, 300])
def test_re_sampling_xors_two_keyed_positions(m_out: int | None) -> None:
    """With t = 2 and repeats allowed, as it was first described."""
    bits = random_bits(30, 130)
    out = unpack(hardening.re_sampling(pack(bits), m=130, key=KEY, m_out=m_out), m_out or 130)
    r, s = draws.draw(KEY, 130, (m_out or 130, 2)).T
    assert (bits[:, r] ^ bits[:, s]).tolist() == out.tolist()


@pytest.mark.parametrize("coins", [SeededCoins(np.random.default_rng(5)), SecretCoins()], ids=["seeded", "secret"])
def test_randomised_response_flips_half_of_its_share(coins: Coins) -> None:
    """A bit replaced by a fair coin differs from itself half of the time: f/2 of all bits."""
    bits = random_bits(400, 250)
    flipped = {
        f: unpack(hardening.randomised_response(pack(bits), m=250, f=f, coins=coins), 250) != bits
        for f in (0.0, 0.3, 1.0)
    }
    assert not flipped[0.0].any()
    assert 0.15 == pytest.approx(flipped[0.3].mean(), abs=0.008)
    assert 0.5 == pytest.approx(flipped[1.0].mean(), abs=0.008)
    assert 0.01 > abs(flipped[0.3][bits == 1].mean() - flipped[0.3][bits == 0].mean())


def test_randomised_response_is_fresh_for_every_record_and_leaves_the_padding_alone() -> None:
    """Equal records would otherwise share their noise, and padding bits would count as set."""
    same = np.repeat(random_bits(1, 72), 50, axis=0)
    noisy = hardening.randomised_response(pack(same), m=72, f=0.5, coins=SeededCoins(np.random.default_rng(1)))
    assert 50 == len({row.tobytes() for row in noisy})
    assert 0 == np.bitwise_or.reduce(noisy[:, 1] >> np.uint64(8))


KEYED: list[Callable[[NDArray[np.uint64], bytes], NDArray[np.uint64]]] = [
    lambda b, key: hardening.balance(b, m=128, key=key),
    lambda b, key: hardening.permutation(b, m=128, key=key),
    lambda b, key: hardening.re_sampling(b, m=128, key=key),
    lambda b, key: hardening.diffusion(b, m=128, key=key, t=3),
]


@pytest.mark.parametrize("method", KEYED)
def test_keyed_methods_follow_the_key_alone(method: Callable[..., NDArray[np.uint64]]) -> None:
    """Two owners must harden alike, outsiders must not be able to."""
    filters = pack(random_bits(5, 128))
    assert method(filters, KEY).tolist() == method(filters, KEY).tolist()
    assert method(filters, KEY).tolist() != method(filters, b"K" * 32).tolist()


def test_results_do_not_depend_on_how_records_are_grouped() -> None:
    """Filters are hardened in chunks to bound memory; the borders must not show."""
    m = 65536
    bits = random_bits(300, m)  # more than one chunk at this length
    whole = hardening.diffusion(pack(bits), m=m, key=KEY, t=3, m_out=64)
    parts = [hardening.diffusion(pack(bits[i : i + 7]), m=m, key=KEY, t=3, m_out=64) for i in range(0, 21, 7)]
    assert whole[:21].tolist() == np.vstack(parts).tolist()
    assert whole[-1:].tolist() == hardening.diffusion(pack(bits[-1:]), m=m, key=KEY, t=3, m_out=64).tolist()


def test_pipeline_applies_the_steps_in_order_each_under_its_own_key() -> None:
    """The same method twice must not undo or repeat itself."""
    keys = Subkeys(OwnerKey(KEY), "p")
    steps = [Hardening(method="permutation"), Hardening(method="permutation"), Hardening(method="xor-fold")]
    filters = pack(random_bits(4, 128))
    expected = filters
    for index in (0, 1):
        key = keys.of("hardening", step=str(index), method="permutation")
        expected = hardening.permutation(expected, m=128, key=key)
    expected = hardening.xor_fold(expected, m=128)
    assert expected.tolist() == hardening.harden(filters, steps, m=128, keys=keys, rng=None).tolist()


@pytest.mark.parametrize(
    ("expected", "steps"),
    [
        (128, []),
        (64, [{"method": "xor-fold"}]),
        (256, [{"method": "balance"}]),
        (128, [{"method": "rule-90"}, {"method": "permutation"}, {"method": "randomised-response"}]),
        (4096, [{"method": "diffusion", "m": 4096}]),
        (128, [{"method": "diffusion"}, {"method": "re-sampling"}]),
        (35, [{"method": "re-sampling", "m": 70}, {"method": "xor-fold"}]),
    ],
)
def test_length_after_hardening_is_known_beforehand(expected: int, steps: list[dict[str, object]]) -> None:
    """The record unit checks the length of every filter it is sent."""
    parsed = [Hardening.model_validate(step) for step in steps]
    assert expected == hardening.hardened_length(parsed, 128)
    filters = hardening.harden(
        pack(random_bits(3, 128)), parsed, m=128, keys=Subkeys(OwnerKey(KEY), "p"), rng=np.random.default_rng(1)
    )
    assert (3, word_count(expected)) == filters.shape
    assert pack(unpack(filters, expected)).tolist() == filters.tolist()


@pytest.mark.parametrize(
    "steps",
    [
        [{"method": "diffusion", "m": 65}, {"method": "xor-fold"}],
        [{"method": "xor-fold"}, {"method": "xor-fold"}, {"method": "diffusion", "t": 64}],
    ],
)
def test_steps_that_cannot_be_done_are_refused(steps: list[dict[str, object]]) -> None:
    """An odd filter cannot be halved, and 64 distinct positions need 64 bits."""
    with pytest.raises(SettingError):
        hardening.hardened_length([Hardening.model_validate(step) for step in steps], 128)
