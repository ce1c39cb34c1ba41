"""The compiled kernels against the plain paths, which other tests hold against the definitions."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from unveil.encoding import filters
from unveil.encoding.bulk import columns as bulk
from unveil.encoding.bulk import compiled
from unveil.encoding.bulk.grams import cut
from unveil.encoding.encoder import Encoder
from unveil.encoding.keys import OwnerKey
from unveil.encoding.normalise import _PASSES, FUNCTIONS, composed, normalise
from unveil.encoding.qgrams import pad_symbol, qgrams
from unveil.records import Column, Records
from unveil.schema import Attribute, Normalisation, Schema, built_in
from unveil.schema.normalisation import STEPS

KEY = OwnerKey(b"an invented owner key, 32 bytes.")
some_steps = st.permutations(tuple(STEPS)).flatmap(
    lambda order: st.integers(0, len(STEPS)).map(lambda n: tuple(order[:n]))
)
ascii_text = st.text(st.characters(max_codepoint=127), max_size=12)
any_text = st.one_of(ascii_text, st.text(max_size=8), st.sampled_from(["Müller", " ŁUKASZ", "Юлия", "\ue000a", "\0"]))
patient = settings(deadline=None)

#: Kernels meet what they are slow or wrong at first: no padding, long tokens, lengths that skip words of the stream.
SCHEMA: dict[str, Any] = {
    "name": "bulk",
    "attributes": [
        {"name": "a", "h": 40, "in_record": 2.3},
        {"name": "b", "h": 7, "q": 3, "padding": False, "normalise": ["letters-only"]},
        {"name": "c", "h": 1, "q": 4, "normalise": ["strip-accents"]},
        {"name": "d", "h": 20, "q": 1, "normalise": ["digits-only"], "in_record": 0.01},
    ],
    "blocking": [{"fields": ["a", "d"]}, {"fields": ["soundex(b)"]}, {"fields": ["raw(c)", "first2(a)", "b"]}],
}


@contextmanager
def kernels(*, used: bool) -> Iterator[None]:
    before = filters.WORTH_COMPILING
    filters.WORTH_COMPILING = 0 if used else sys.maxsize
    try:
        yield
    finally:
        filters.WORTH_COMPILING = before


def everything(schema: Schema, people: Records) -> list[list[Any]]:
    encoder = Encoder(schema, KEY, project="p")
    rng = np.random.default_rng(3)
    rows = rng.integers(0, len(people), 2 * len(people))
    pairs = [rng.bytes(16 + i % 50) for i in range(len(rows))]  # keys of unequal lengths
    return [
        encoder.record_level(people).tolist(),
        encoder.attribute_level(people).tolist(),
        encoder.pair_level(people, rows, pairs).tolist(),
        encoder.blocking_keys(people).tolist(),
    ]


def invented(n: int) -> Records:
    rng = np.random.default_rng(5)
    letters = list("abcdefghiABC 'éß0123456789")
    columns = {
        name: Column.of("".join(rng.choice(letters, rng.integers(0, 12))) for _ in range(n))
        for name in ("a", "b", "c", "d")
    }
    return Records([str(i) for i in range(n)], columns)


@pytest.mark.parametrize(("m_r", "m_a", "encoding"), [(1024, 256, "clk"), (32832, 192, "clk"), (320, 65536, "rbf")])
def test_kernels_and_plain_paths_agree_on_every_bit(m_r: int, m_a: int, encoding: str) -> None:
    """Which path is taken depends on the number of records, and two owners' numbers differ."""
    layers = {"layer_r": {"m": m_r, "h": 12, "encoding": encoding}, "layer_a": {"m": m_a}}
    schema, people = Schema.model_validate(SCHEMA | layers), invented(90)
    with kernels(used=False):
        expected = everything(schema, people)
    with kernels(used=True):
        assert expected == everything(schema, people)


@patient
@given(st.lists(any_text, min_size=1, max_size=6), st.integers(1, 4), st.booleans(), some_steps)
def test_values_are_cut_as_the_plain_path_cuts_them(
    values: list[str],
    q: int,
    padding: bool,  # noqa: FBT001 - Hypothesis passes it so
    steps: tuple[Normalisation, ...],
) -> None:
    """ASCII takes a way of its own; text of any script and every order of steps must not show it."""
    attribute = Attribute(name="any", q=q, padding=padding, normalise=steps)
    pad = pad_symbol(3) if padding else None
    expected = [{token.encode() for token in qgrams(normalise(v, steps), q=q, pad=pad)} for v in values]
    assert expected == cut(values, attribute, 3).sets()


@given(ascii_text, some_steps)
def test_one_pass_normalises_ascii(value: str, steps: tuple[Normalisation, ...]) -> None:
    """The shortcut must reach the fixed point that the loop over all steps reaches."""
    expected = value
    for _ in range(_PASSES):
        for step in steps:
            expected = composed(FUNCTIONS[step](expected))
    assert expected == normalise(value, steps)


def test_cut_values_print_nothing_of_themselves() -> None:
    """They stand in the local variables of many a traceback."""
    assert "Grams(<1 values, 5 tokens>)" == repr(cut(["anna"], Attribute(name="any"), 0))


def test_threads_groups_and_parts_leave_no_trace(monkeypatch: pytest.MonkeyPatch) -> None:
    """A filter must not depend on the machine that made it."""
    schema, people = Schema.model_validate(SCHEMA), invented(500)
    with kernels(used=True):
        whole = everything(schema, people)
        monkeypatch.setattr(compiled, "threads", lambda: 3)
        assert whole == everything(schema, people)
        monkeypatch.setattr(compiled, "threads", lambda: 1)
        monkeypatch.setattr(bulk, "MASK_BYTES", 1)
        monkeypatch.setattr(bulk, "_ROWS_AT_ONCE", 7)
        assert whole == everything(schema, people)


def test_two_owners_encode_at_the_same_time() -> None:
    """In a simulation both live in one process; threads of a compiler's own would abort it."""
    schema, people = Schema.model_validate(SCHEMA), invented(300)
    with kernels(used=True):
        expected = everything(schema, people)
        with ThreadPoolExecutor(2) as pool:
            assert [expected] * 4 == list(pool.map(lambda _: everything(schema, people), range(4)))


@pytest.mark.parametrize("missing", [[""] * 3, ["  ", "", "\t"]])
def test_kernels_give_missing_values_no_bits(missing: list[str]) -> None:
    """A filter of nothing would make strangers similar."""
    people = Records(["0", "1", "2"], {name: Column.of(missing) for name in "abcd"})
    spaces = Schema.model_validate(SCHEMA | {"attributes": [{"name": name} for name in "abcd"]})
    with kernels(used=True):
        assert not any(np.any(found) for found in everything(spaces, people))


@pytest.mark.parametrize("encode", [Encoder.record_level, Encoder.attribute_level, Encoder.blocking_keys])
def test_kernels_take_no_records_at_all(encode: Callable[[Encoder, Records], np.ndarray]) -> None:
    """An owner may have nothing to add in a round."""
    nobody = Records([], {name: Column.of([]) for name in "abcd"})
    with kernels(used=True):
        assert 0 == len(encode(Encoder(Schema.model_validate(SCHEMA), KEY, project="p"), nobody))


def test_many_records_take_the_kernels_and_few_do_not(monkeypatch: pytest.MonkeyPatch) -> None:
    """Otherwise the tests above would compare a path with itself."""
    calls: list[int] = []
    monkeypatch.setattr(bulk, "clk", lambda records, *_: calls.append(len(records)))
    monkeypatch.setattr("unveil.encoding.encoder.harden", lambda *_, **__: None)
    encoder = Encoder(built_in(), KEY, project="p")
    for n in (filters.WORTH_COMPILING - 1, filters.WORTH_COMPILING):
        columns = {name: Column.of(["x"] * n) for name in built_in().names}
        encoder.record_level(Records([""] * n, columns))
    assert [filters.WORTH_COMPILING] == calls


def test_a_kernel_that_cannot_be_kept_on_disk_still_works() -> None:
    """A service may run without a folder that it can write."""

    def doubled(x: int) -> int:
        return 2 * x

    doubled.__code__ = doubled.__code__.replace(co_filename="<no such file>")
    assert 42 == compiled.compiled(doubled)(21)


@pytest.mark.slow
def test_few_records_are_encoded_without_loading_the_compiler() -> None:
    """Loading it takes longer than most commands."""
    script = """
import sys
from unveil.encoding.encoder import Encoder
from unveil.encoding.keys import OwnerKey
from unveil.records import Column, Records
from unveil.schema import built_in
schema = built_in()
people = Records(["1"], {name: Column.of(["ann"]) for name in schema.names})
Encoder(schema, OwnerKey(bytes(32)), project="p").record_level(people)
print("numba" in sys.modules)
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert "False\n" == done.stdout
