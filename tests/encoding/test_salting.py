"""Diffusion salted by fields."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from test_encoding_bulk import kernels

from unveil.encoding.bits import pack, unpack
from unveil.encoding.encoder import Encoder
from unveil.encoding.keys import OwnerKey
from unveil.encoding.salting import drawn, salted_diffusion
from unveil.errors import SchemaError
from unveil.lab.synthetic import generate
from unveil.records import Column, Records
from unveil.schema import Hardening, LayerR, Schema, built_in, built_in_text, parse
from unveil.schema.hardening import parts

KEY = bytes(range(32))
M, OUT = 256, 512
Fields = list[tuple[list[str], NDArray[np.int64]]]


def fields(*columns: str) -> Fields:
    """Fields of which each character is a record's value; a blank is a missing one."""
    out = []
    for column in columns:
        values = [character.strip() for character in column]
        known = list(dict.fromkeys(values))
        out.append((known, np.array([known.index(value) for value in values])))
    return out


def equal_filters(n: int, *, fill: float = 0.4, seed: int = 1) -> NDArray[np.uint64]:
    """The same filter n times."""
    return pack(np.repeat((np.random.default_rng(seed).random((1, M)) < fill).astype(np.uint8), n, axis=0))


def agreement(filters: NDArray[np.uint64], one: int, other: int, part: slice) -> float:
    bits = unpack(filters, OUT)[:, part]
    return float(1 - 2 * (bits[one] != bits[other]).mean())


def salted(filters: NDArray[np.uint64], by: Fields) -> NDArray[np.uint64]:
    return salted_diffusion(filters, by, m=M, key=KEY, t=3, m_out=OUT)


def test_only_records_that_agree_on_a_field_are_alike_in_its_part() -> None:
    """That is what hides all other similarities from whoever holds the filters."""
    out = salted(equal_filters(3), fields("aab", "xyy"))
    first, second = slice(OUT // 2), slice(OUT // 2, OUT)
    assert [1.0, 1.0] == [agreement(out, 0, 1, first), agreement(out, 1, 2, second)]
    assert all(abs(c) < 0.3 for c in (agreement(out, 1, 2, first), agreement(out, 0, 1, second)))


@given(
    st.lists(st.tuples(st.sampled_from("ab "), st.sampled_from("xyz ")), min_size=1, max_size=150),
    st.sampled_from([(64, 192, 2), (100, 170, 3), (256, 512, 3), (320, 129, 5), (320, 128, 20)]),
)
@settings(max_examples=40, deadline=None)
def test_kernels_mix_as_the_plain_path_does(people: list[tuple[str, str]], sizes: tuple[int, int, int]) -> None:
    """One owner may have enough records for kernels and the other not; rows that hold a number twice are left out."""
    m, m_out, t = sizes
    by = fields("".join(one for one, _ in people), "".join(other for _, other in people))
    drawn = (np.random.default_rng(len(people)).random((len(people), m)) < 0.4).astype(np.uint8)
    found = []
    for used in (False, True):
        with kernels(used=used):
            found.append(salted_diffusion(pack(drawn), by, m=m, key=KEY, t=t, m_out=m_out).tolist())
    assert found[0] == found[1]


def test_a_value_salts_each_part_anew() -> None:
    """The same text in two fields, or in two parts, must not give the same bits."""
    out = salted(equal_filters(1), fields("a", "a"))
    bits = unpack(out, OUT)[0]
    assert abs(1 - 2 * (bits[: OUT // 2] != bits[OUT // 2 :]).mean()) < 0.3


def test_a_missing_field_is_replaced_by_the_next() -> None:
    """Else everybody without a year would be one group, as large as an unsalted register."""
    out = salted(equal_filters(4), fields("    ", "xxy "))
    first = slice(OUT // 2)
    assert agreement(out, 0, 1, first) == 1.0
    assert all(abs(agreement(out, one, other, first)) < 0.3 for one, other in ((0, 2), (0, 3), (2, 3)))


def test_agreement_within_a_group_is_that_of_diffusion() -> None:
    """Filters that agree by c agree by c^t: what models undo."""
    rng = np.random.default_rng(5)
    left = rng.random((400, M)) < 0.5
    right = np.where(rng.random((400, M)) < 0.4, rng.random((400, M)) < 0.5, left)
    both = pack(np.vstack([left, right]).astype(np.uint8))
    before = (1 - 2 * (left != right).mean(axis=1)).mean()
    by = [([str(number) for number in range(400)], np.tile(np.arange(400), 2))]
    bits = unpack(salted(both, by), OUT)
    after = (1 - 2 * (bits[:400] != bits[400:]).mean(axis=1)).mean()
    assert pytest.approx(before**3, abs=0.02) == after


def test_the_number_of_ones_says_nothing_about_how_full_a_filter_was() -> None:
    """An XOR of few bits of a filter that is nearly empty is mostly 0, and long names would show."""
    n = 400
    sparse, dense = (pack((np.random.default_rng(2).random((n, M)) < fill).astype(np.uint8)) for fill in (0.1, 0.5))
    alone = [([str(number) for number in range(n)], np.arange(n))]
    ones = [np.bitwise_count(salted(filters, alone)).sum(axis=1).mean() / OUT for filters in (sparse, dense)]
    assert pytest.approx([0.5, 0.5], abs=0.01) == ones


@given(st.text("ab ", min_size=1, max_size=40), st.integers(0, 2**16))
def test_results_do_not_depend_on_who_else_is_there(text: str, seed: int) -> None:
    """Owners encode in batches of any size, and must come to the same filters."""
    rng = np.random.default_rng(seed)
    filters = pack((rng.random((len(text), M)) < 0.4).astype(np.uint8))
    whole = salted(filters, fields(text, text[::-1]))
    for row in range(len(text)):
        assert whole[row].tolist() == salted(filters[[row]], fields(text[row], text[::-1][row]))[0].tolist()


@given(st.integers(64, 5000), st.integers(1, 8))
def test_parts_are_all_of_a_filter_and_begin_with_a_word(m: int, count: int) -> None:
    """Bits of two parts in one word would be written twice."""
    if count * 64 > m:
        return
    found = parts(m, count)
    assert [0, m] == [found[0][0], found[-1][1]]
    assert all(end == start for (_, end), (start, _) in pairwise(found))
    assert all(start % 64 == 0 and start < end for start, end in found)


def test_positions_are_distinct_fair_and_follow_the_key() -> None:
    """A position drawn twice would cancel itself."""
    numbers, flips = drawn(KEY, 97, (20_000, 3))
    assert all(len(set(row)) == 3 for row in numbers[:500].tolist())
    assert 0 < np.bincount(numbers.ravel(), minlength=97).min() / (60_000 / 97) > 0.85
    assert pytest.approx(0.5, abs=0.02) == flips.mean()
    assert numbers.tolist() == drawn(KEY, 97, (20_000, 3))[0].tolist()
    assert numbers.tolist() != drawn(KEY[::-1], 97, (20_000, 3))[0].tolist()


def schema(by: str) -> Schema:
    step = f'hardening = [{{method = "diffusion", t = 3, m = 2048, by = {by}}}]'
    return parse(built_in_text("paper").replace("h = 12", f"h = 12\n{step}"))


def test_the_encoder_salts_by_fields_of_the_schema() -> None:
    """Two entries of a person who moved are alike; with another year half of it is gone."""
    a = generate(records=60, seed=1).a
    moved = {**a.columns, "city": Column.of(["elsewhere"] * len(a))}
    older = {**a.columns, "year_of_birth": Column.of(["1901"] * len(a))}
    encoder = Encoder(schema('["year_of_birth", "soundex(first_name)"]'), OwnerKey(KEY), project="p")
    plain, other, wrong = (encoder.record_level(Records(a.ids, columns)) for columns in (dict(a.columns), moved, older))
    ones = [np.bitwise_count(plain ^ each).sum(axis=1).mean() / encoder.m for each in (other, wrong)]
    assert ones[0] < 0.3 < ones[1] < 0.45


@pytest.mark.parametrize(
    "by", ['["nobody"]', '["soundexx(first_name)"]', '["year_of_birth", "year_of_birth"]', '["year_of_birth)"]']
)
def test_fields_that_are_none_are_refused(by: str) -> None:
    """A misspelt field would salt nothing."""
    with pytest.raises(SchemaError, match=r"hardening\.0\.by"):
        schema(by)


def test_a_schema_without_salts_keeps_its_fingerprint() -> None:
    """Encodings that are in use stay readable: the first is what it was before there were salts."""
    plain = Hardening(method="diffusion", t=5), Hardening(method="randomised-response")
    before = built_in("paper").model_copy(update={"name": "person"})
    salts = Hardening(method="diffusion", t=5, by=("year_of_birth",)), Hardening(method="randomised-response")
    one, other = (before.model_copy(update={"layer_r": LayerR(hardening=each)}) for each in (plain, salts))
    assert "c59826b22c511c75bd603f9e3ee98f64cfdf5ea0ee622da9b3f34de97b71405c" == one.fingerprint()
    assert one.fingerprint() != other.fingerprint()
