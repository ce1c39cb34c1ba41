"""
Passphrases for keys that travel: made here by default, and judged where somebody brings their own.

A word is two syllables, each a consonant and a vowel that are told apart on the telephone: 80 syllables, 6,400 words.
Six words drawn by the operating system have log₂ 6400⁶ = 75.8 bits, and are said in a few seconds: `kodu bami …`.
"""

from __future__ import annotations

import itertools
import math
import re
import secrets
import unicodedata
from typing import Final

from unveil.errors import KeyFileError

WORDS: Final = 6
LONGEST_PASSPHRASE: Final = 1024
SHORTEST_PASSPHRASE: Final = 12
FEWEST_CHARACTERS: Final = 6
#: Whoever guesses tries the likely ones first, a second for each guess on one machine.
FEWEST_BITS: Final = 50

_CONSONANTS: Final = "bdfghjklmnprstvz"
_VOWELS: Final = "aeiou"
_SYLLABLES_IN_WORD: Final = 2
BITS: Final = WORDS * _SYLLABLES_IN_WORD * math.log2(len(_CONSONANTS) * len(_VOWELS))

_MADE_HERE: Final = re.compile(rf"([{_CONSONANTS}][{_VOWELS}]){{2}}( ([{_CONSONANTS}][{_VOWELS}]){{2}}){{{WORDS - 1}}}")

#: What people choose first; each counts as one of a thousand.
_COMMON: Final = (
    "password", "passwort", "passphrase", "motdepasse", "contrasena", "secret", "geheim", "letmein", "welcome",
    "willkommen", "admin", "login", "master", "dragon", "monkey", "iloveyou", "princess", "sunshine", "football",
    "qwertyuiop", "qwertzuiop", "asdfghjkl", "qwerty", "qwertz", "azerty", "asdf", "yxcv", "zxcv", "changeme", "test",
    "unveil", "linkage", "hospital", "clinic", "register", "project", "patient", "january", "february", "march",
    "april", "august", "september", "october", "november", "december", "monday", "friday", "spring", "summer", "autumn",
    "winter", "correcthorsebatterystaple",
)  # fmt: skip
_COMMON_BITS, _LETTER_BITS, _ODD_LETTER_BITS, _DIGIT_BITS, _SIGN_BITS = 10.0, 2.2, 5.5, 3.3, 5.0
_FEW_LETTERS: Final = 2  # so few in a row are no word
_SEPARATORS: Final = " -_.,"
_HINT: Final = "leave it to unveil key export to make one: six random words"


def new_passphrase() -> str:
    """Six random words, no two the same: 75.8 bits from the operating system."""
    words: dict[str, None] = {}
    while len(words) < WORDS:
        words["".join(_syllable() for _ in range(_SYLLABLES_IN_WORD))] = None
    return " ".join(words)


def check_passphrase(passphrase: str) -> None:
    """Refuse a passphrase that is guessed sooner than the encryption is broken, and say why."""
    plain = unicodedata.normalize("NFKC", passphrase)
    if len(plain) > LONGEST_PASSPHRASE:
        raise KeyFileError(f"the passphrase has more than {LONGEST_PASSPHRASE} characters")
    if len(plain.strip()) < SHORTEST_PASSPHRASE or len(set(plain)) < FEWEST_CHARACTERS:
        problem = f"it needs {SHORTEST_PASSPHRASE} characters, {FEWEST_CHARACTERS} of them different"
        raise KeyFileError(f"the passphrase is too weak: {problem}", hint=_HINT)
    bits = estimated_bits(plain)
    if bits < FEWEST_BITS:
        problem = f"as people choose them it has about {bits:.0f} bits, and {FEWEST_BITS} are needed"
        why = "common words, names, repetitions, rows of keys and years are tried first"
        raise KeyFileError(f"the passphrase is too weak: {problem}; {why}", hint=_HINT)


def estimated_bits(passphrase: str) -> float:
    """
    A cautious guess at how many bits a passphrase that a person chose has.

    Letters in a row are taken for words (2.2 bits each), single ones and digits for drawn by lot; what is said twice,
    what everybody chooses, and rows such as `4567` count little. Words as they are made here count as drawn by lot.
    """
    if _MADE_HERE.fullmatch(passphrase):
        return len(set(passphrase.split())) * BITS / WORDS
    text = _without_repetition(passphrase.casefold())
    bits = float(len(re.findall(r"(?<=[^\W\d_])[A-Z]", passphrase)))  # capitals where no word begins
    for word in sorted(_COMMON, key=len, reverse=True):
        text, count = re.subn(re.escape(word), "\0", text)
        bits += count * _COMMON_BITS
    for run in re.findall(r"[^\W\d_]+|\d+|.", text.replace("\0", ""), re.DOTALL):
        if run[0].isdigit():
            bits += _DIGIT_BITS * _worth(run)
        elif run[0].isalpha():
            bits += (_ODD_LETTER_BITS if len(run) <= _FEW_LETTERS else _LETTER_BITS) * _worth(run)
        else:
            bits += 1.0 if run in _SEPARATORS else _SIGN_BITS
    return bits


def _worth(run: str) -> int:
    """The characters of a run that do not follow from the one before: not the same, nor the next, nor the last."""
    new = sum(abs(ord(after) - ord(before)) > 1 for before, after in itertools.pairwise(run))
    # Four digits that look like a year are one of a hundred.
    return 2 if re.fullmatch(r"(19|20)\d\d", run) else 1 + new


def _without_repetition(text: str) -> str:
    """The text with what is said again taken out, in pieces of three characters or more."""
    return re.sub(r"(.{3,}?)(?=.*\1)", "", text, flags=re.DOTALL) if len(text) <= LONGEST_PASSPHRASE else text


def _syllable() -> str:
    return secrets.choice(_CONSONANTS) + secrets.choice(_VOWELS)
