"""Coins for noise: secret in the field, the same again in a simulation."""

from __future__ import annotations

import numpy as np
import pytest

from unveil.roles.chance import SeededChance
from unveil.runtime.system_chance import system_chance
from unveil.safety.coins import SecretCoins, SeededCoins


@pytest.mark.parametrize("share", [0.0, 0.1, 0.5, 1.0])
def test_secret_coins_show_heads_as_often_as_they_should(share: float) -> None:
    """Within five standard deviations."""
    found = SecretCoins().heads(share, (400, 250))
    assert (400, 250) == found.shape
    assert share == pytest.approx(found.mean(), abs=5 * (share * (1 - share) / 1e5) ** 0.5 + 1e-9)


def test_every_bit_of_a_word_is_a_fair_coin() -> None:
    """Each of the 64, within five standard deviations."""
    words = SecretCoins().words((20_000,))
    ones = ((words[:, None] >> np.arange(64, dtype=np.uint64)) & np.uint64(1)).mean(axis=0)
    assert 0.5 == pytest.approx(ones.min(), abs=5 * 0.5 / 20_000**0.5)
    assert 0.5 == pytest.approx(ones.max(), abs=5 * 0.5 / 20_000**0.5)


def test_no_two_sources_toss_the_same_and_none_follows_numpys_seed() -> None:
    """Whoever knows the seed of every generator in the process still knows nothing."""
    np.random.seed(1)  # noqa: NPY002 - what a careless program does
    first = SecretCoins().words((4,)).tolist()
    np.random.seed(1)  # noqa: NPY002
    assert first != SecretCoins().words((4,)).tolist()
    assert "redacted" in repr(SecretCoins())


def test_the_field_draws_secret_coins_and_a_simulation_seeded_ones() -> None:
    """A simulation draws what it always drew."""
    assert isinstance(system_chance("upload").coins, SecretCoins)
    seeded = SeededChance(3, "owner a")("upload")
    assert isinstance(seeded.coins, SeededCoins)
    again = SeededChance(3, "owner a")("upload").rng
    assert (again.random((3, 5)) < 0.4).tolist() == seeded.coins.heads(0.4, (3, 5)).tolist()
    assert again.integers(0, 1 << 64, size=4, dtype=np.uint64).tolist() == seeded.coins.words((4,)).tolist()
