"""Passphrases: those that are made have the bits they should, and those that people choose are judged."""

from __future__ import annotations

import re

import pytest

from unveil.errors import KeyFileError
from unveil.files.passphrase import BITS, FEWEST_BITS, check_passphrase, estimated_bits, new_passphrase


def test_a_made_passphrase_is_six_words_of_two_syllables_and_has_at_least_64_bits() -> None:
    """Sixteen consonants and five vowels; all of them are drawn, and no two passphrases are the same."""
    made = [new_passphrase() for _ in range(500)]
    assert all(re.fullmatch(r"([b-z][aeiou][b-z][aeiou] ?){6}", one) and 6 == len(set(one.split())) for one in made)
    assert 500 == len(set(made))
    assert 80 == len({one[place : place + 2] for one in made for place in range(0, 29, 5)})
    assert 75.8 == pytest.approx(BITS, abs=0.1)
    for one in made:
        check_passphrase(one)


def test_the_words_are_drawn_by_the_operating_system(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not by a generator that somebody could seed."""
    drawn: list[str] = []

    def choice(letters: str) -> str:
        drawn.append(letters)
        return letters[len(drawn) % len(letters)]

    monkeypatch.setattr("secrets.choice", choice)
    new_passphrase()
    assert len(drawn) >= 24


@pytest.mark.parametrize(
    "weak",
    [
        "Password123!Password",
        "Summer2025Summer2025",
        "qwertyuiop1234",
        "aaaaaabbbbbbcccccc",
        "hunter2hunter2hunter2",
        "hospital-register-2025",
        "abcdefghijklmnopqrstuvwxyz",
        "correct horse battery staple",
        "correcthorsebatterystaple!",
        "anna.schmidt.1985",
        "123456789012345678901234567890",
        "mama papa mama papa mama papa",
    ],
)
def test_what_people_choose_first_is_refused_with_the_reason(weak: str) -> None:
    """Length and different characters alone let most of these pass."""
    with pytest.raises(KeyFileError, match="the passphrase is too weak: ") as refused:
        check_passphrase(weak)
    assert weak not in str(refused.value)
    assert "six random words" in str(refused.value.hint)


@pytest.mark.parametrize("strong", ["xK9#mQ2$vLp7", "five words drawn at random", "the quick brown fox jumps over"])
def test_a_long_or_random_one_is_taken(strong: str) -> None:
    """Nobody must use ours."""
    check_passphrase(strong)
    assert FEWEST_BITS <= estimated_bits(strong)
