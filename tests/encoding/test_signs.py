"""Signs: what is sent of an attribute tells how alike two values are, and nothing about either."""

from __future__ import annotations

import hashlib
import hmac

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from test_encoding_bulk import kernels

from unveil.encoding.bits import unpack
from unveil.encoding.encoder import Encoder
from unveil.encoding.keys import OwnerKey, Subkeys, join_parts
from unveil.encoding.qgrams import pad_symbol, qgrams
from unveil.encoding.signs import class_shifts, hidden_classes
from unveil.linkage.attributes import compared
from unveil.linkage.signs import shown_classes, sign_similarities
from unveil.records import Column, Records
from unveil.schema import LayerA, Schema

SIGNS = 320  # more than a block of the streams, and no whole number of them
KEY = OwnerKey(bytes(range(32)))
SCHEMA = Schema.model_validate({
    "name": "signs",
    "attributes": [{"name": "name", "normalise": ["lowercase"]}, {"name": "code", "padding": False, "q": 3}],
    "layer_a": {"signs": SIGNS},
})  # fmt: skip
ENCODER = Encoder(SCHEMA, KEY, project="p")
PAIR = bytes(range(32))


def people(*names: str) -> Records:
    return Records(
        [str(at) for at in range(len(names))], {"name": Column.of(names), "code": Column.of(["a1"] * len(names))}
    )


def encoded(names: list[str], *, owner: bytes = b"a", pair: bytes = PAIR) -> np.ndarray:
    handles = [owner + at.to_bytes(2, "big") for at in range(len(names))]
    return ENCODER.pair_level(people(*names), np.arange(len(names)), [pair] * len(names), handles=handles)


def by_definition(tokens: set[bytes], key: bytes) -> tuple[list[int], bytes]:
    """Signs and mark, bit by bit, in plain Python."""

    def bit(token: bytes, at: int) -> int:
        block = hmac.new(key, (at // 256).to_bytes(4, "little") + token, "sha256").digest()
        return block[at % 256 // 8] >> at % 8 & 1

    whole = hashlib.sha256(join_parts(*sorted(tokens))).digest()[:16]
    found = []
    for at in range(SIGNS):
        total = sum(2 * bit(token, at) - 1 for token in tokens)
        found.append(int(total > 0) if total else bit(whole, at))
    return found, hmac.new(key, bytes(4), "sha256").digest()[:8]


@pytest.mark.parametrize("used", [False, True])
def test_signs_follow_their_definition(used: bool) -> None:  # noqa: FBT001 - pytest passes it so
    """Two owners with different versions must still meet, and one may have enough records for kernels."""
    names = ["Anna", "anna", "Annanna", "Jo", "ü"]
    with kernels(used=used):
        rows = encoded(names)[:, 0]
    key = Subkeys(KEY, "p").of_pairs([PAIR], "name")[0]
    for name, row in zip(names, rows, strict=True):
        tokens = {token.encode() for token in qgrams(name.lower(), q=2, pad=pad_symbol(0))}
        signs, mark = by_definition(tokens, key)
        assert signs == unpack(row[None], SIGNS)[0].tolist()
        assert mark == row[-1:].astype("<u8").tobytes()


def test_equal_sets_of_tokens_are_equal_and_others_never() -> None:
    """Equality is seen as equality: whatever differs by one letter in thirty does not pass for it."""
    long = "one two three four five six seven"
    left, right = encoded([long, "ANNA", "anna"]), encoded([long[:-1] + "m", "anna", "anne"], owner=b"b")
    similarity = sign_similarities(left, right)[:, 0]
    assert [False, True, False] == (similarity == 1).tolist()
    assert similarity[0] > 0.9


def test_similarity_is_that_of_the_shared_tokens() -> None:
    """Over many keys the share of signs in common is 1 − θ/π, with the cosine c / √(a·b)."""
    a, b = "annabell", "annaberg"
    tokens = [set(qgrams(name, q=2, pad=pad_symbol(0))) for name in (a, b)]
    cosine = len(tokens[0] & tokens[1]) / (len(tokens[0]) * len(tokens[1])) ** 0.5
    agree = []
    for number in range(60):
        pair = number.to_bytes(32, "big")
        left, right = encoded([a], pair=pair), encoded([b], owner=b"b", pair=pair)
        agree.append(1 - np.bitwise_count(left[0, 0, :-1] ^ right[0, 0, :-1]).sum() / SIGNS)
    assert 1 - np.arccos(cosine) / np.pi == pytest.approx(float(np.mean(agree)), abs=0.02)


@pytest.mark.parametrize("name", ["j", "jo", "anna", "bartholomew the second of that name"])
def test_signs_of_a_value_are_fair_coins_however_long_it_is(name: str) -> None:
    """The number of ones must not tell lengths; ties of an even number of tokens must not favour a side."""
    ones = np.concatenate([unpack(encoded([name], pair=bytes([n]) * 32)[:, 0], SIGNS) for n in range(100)])
    assert ones.mean() == pytest.approx(0.5, abs=4 * 0.5 / ones.size**0.5)
    # Of every two neighbouring positions, too: an excess there would show in pairs of bits.
    assert (ones[:, 1:] == ones[:, :-1]).mean() == pytest.approx(0.5, abs=4 * 0.5 / ones.size**0.5)


def test_a_missing_value_looks_like_any_other() -> None:
    """Empty filters told who has none; here the pair shows that one of the two has none."""
    left, right = encoded(["", "anna", ""]), encoded(["anna", "", ""], owner=b"b")
    assert np.isnan(sign_similarities(left, right)[:, 0]).all()
    ones = np.bitwise_count(left[:, 0]).sum(axis=1)
    assert (np.abs(ones - (SIGNS + 64) / 2) < 5 * (SIGNS + 64) ** 0.5 / 2).all()
    # The same question again gets the same answer, or noise could be averaged away.
    assert left.tolist() == encoded(["", "anna", ""]).tolist()


def test_what_is_held_back_looks_like_a_missing_value() -> None:
    """An owner's policy must not show by what is sent."""
    sent = np.array([[False, True]])
    left = ENCODER.pair_level(people("anna"), np.array([0]), [PAIR], handles=[b"a"], sent=sent)
    gap = ENCODER.pair_level(people(""), np.array([0]), [PAIR], handles=[b"a"])
    assert gap.tolist() == left.tolist()
    assert [True, False] == np.isnan(sign_similarities(left, encoded(["anna"], owner=b"b")))[0].tolist()


classes = st.integers(0, 9)


@given(classes, classes, st.integers(0, 255), st.sampled_from([1, -1]))
def test_classes_show_where_values_are_equal_whoever_stands_left(one: int, other: int, shift: int, order: int) -> None:
    """The rarer class counts, as it does where classes are open."""
    shifts = np.array([[shift]], np.uint8)
    first = hidden_classes(np.array([[one]], np.uint8), shifts, second=False)
    second = hidden_classes(np.array([[other]], np.uint8), shifts, second=True)
    sides = (first, second)[::order]
    assert min(7, max(one, other)) == shown_classes(np.array([[1.0]]), *sides)[0, 0]
    assert 0 == shown_classes(np.array([[0.99]]), *sides)[0, 0]


def test_classes_tell_nothing_where_values_differ() -> None:
    """Sent in the open, three classes of seven attributes tell records apart better than any filter."""
    names = [f"name {at}" for at in range(600)]
    left = encoded(names)
    shifts = class_shifts(left, [PAIR] * 600, SCHEMA.names, Subkeys(KEY, "p"), run=b"")
    sent = hidden_classes(np.full(shifts.shape, 2, np.uint8), shifts, second=False)[:, 0]
    assert np.bincount(sent % 16, minlength=16).max() < 75  # 37.5 are expected of each
    assert np.bincount(sent // 16, minlength=16).max() < 75


def test_the_attribute_unit_compares_what_the_schema_says() -> None:
    """Signs come with a bound of their own and hidden classes; of a missing value there is neither."""
    left, right = encoded(["anna", "anna", ""]), encoded(["anna", "bob", "anna"], owner=b"b")
    bytes_of = []
    for side, second in ((left, False), (right, True)):
        bytes_of.append(ENCODER.pair_classes(np.full((3, 2), 3, np.uint8), side, [PAIR] * 3, second=second))
    found = compared(left, right, (bytes_of[0], bytes_of[1]), SCHEMA.layer_a)
    assert [3, 0, 0] == found.agreement[:, 0].tolist()
    assert 0.4 < found.chance[1, 0] < 0.6
    assert 0.0 == found.chance[2, 0]
    assert found.similarity[1, 0] < found.chance[1, 0]


def test_unrelated_values_hardly_pass_the_bound_of_chance() -> None:
    """Three standard deviations: about one in a thousand."""
    left = encoded([f"{n:03d}" for n in range(100)])
    right = encoded(["".join(chr(97 + int(d)) for d in f"{n:03d}") for n in range(100)], owner=b"b")
    found = compared(left, right, (np.zeros((100, 2), np.uint8),) * 2, SCHEMA.layer_a)
    assert (found.similarity > found.chance)[:, 0].mean() <= 0.02


def test_no_signs_are_sent_unless_the_schema_says_so() -> None:
    """A project file of an earlier version means what it meant."""
    plain = SCHEMA.model_copy(update={"layer_a": LayerA()})
    assert 0 == plain.layer_a.signs
    assert 256 == plain.layer_a.length
    assert SIGNS + 64 == SCHEMA.layer_a.length
    rows = Encoder(plain, KEY, project="p").pair_level(people(""), np.array([0]), [PAIR])
    assert not rows[0, 0].any()
    assert (1, 2, 4) == rows.shape
