"""What a schema chooses by name: every row has its function, and adding a choice is one row and one function."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from dataclasses import MISSING, dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from tools.reference.pages import schema_page
from unveil.encoding import encoder, hardening, normalise, transforms
from unveil.encoding.bits import pack, unpack
from unveil.encoding.bulk.grams import cut
from unveil.encoding.encoder import Encoder
from unveil.encoding.hardening import HardeningInput
from unveil.encoding.keys import OwnerKey, Subkeys
from unveil.encoding.qgrams import pad_symbol, qgrams
from unveil.errors import Problem, SchemaError
from unveil.linkage import query
from unveil.linkage.bits import word_count
from unveil.linkage.layer import Layer
from unveil.linkage.outcome import Reals
from unveil.linkage.unhardened import unhardened
from unveil.models.threshold import ThresholdModel
from unveil.records import Column, Records
from unveil.schema import Attribute, Hardening, ProtocolSettings, Schema, parse
from unveil.schema.definition import RECORD_ENCODINGS
from unveil.schema.hardening import METHODS, HardeningMethod
from unveil.schema.normalisation import STEPS, NormalisationStep
from unveil.schema.protocol import STRATEGIES
from unveil.schema.transforms import TRANSFORMS, Transform
from unveil.settings.choices import Choice, binding

SOURCE = Path(__file__).parents[2] / "src" / "unveil"
KEY = OwnerKey(bytes(range(32)))
SMALL = 'name = "small"\n[[attributes]]\nname = "last_name"\n'
NAMES = ["Müller", "Mueller", "miller", "Özge", "oezge", "", "Ann"]
PEOPLE = Records([str(i) for i in range(len(NAMES))], {"last_name": Column.of(NAMES)})


@dataclass(frozen=True)
class Table:
    """The rows of a choice, and the functions behind them."""

    rows: dict[str, Any]
    functions: dict[str, Any]


TABLES = {
    "hardening": Table(METHODS, hardening.FUNCTIONS),
    "normalisation": Table(STEPS, normalise.FUNCTIONS),
    "transforms": Table(TRANSFORMS, transforms.FUNCTIONS),
    "record-level encodings": Table(RECORD_ENCODINGS, encoder.FUNCTIONS),
    "strategies": Table(STRATEGIES, query.FUNCTIONS),
}
every_table = pytest.mark.parametrize("table", TABLES.values(), ids=list(TABLES))
Add = Callable[[str, str, Choice, Callable[..., Any]], None]


@pytest.fixture
def add(monkeypatch: pytest.MonkeyPatch) -> Add:
    """Adds a choice to a table, as one row and one function, for the length of a test."""

    def added(table: str, name: str, row: Choice, function: Callable[..., Any]) -> None:
        monkeypatch.setitem(TABLES[table].rows, name, row)
        monkeypatch.setitem(TABLES[table].functions, name, function)

    return added


def incomplete(table: Table) -> list[str]:
    """Rows without a function, and functions without a row."""
    return sorted(set(table.rows) ^ set(table.functions))


def problem(text: str) -> Problem:
    with pytest.raises(SchemaError) as found:
        parse(text)
    return found.value.problems[0]


@every_table
def test_every_row_has_its_function_and_every_function_its_row(table: Table) -> None:
    """A name that the schema takes and nobody can do would fail at an owner, after the project was agreed on."""
    assert [] == incomplete(table)
    assert len(table.rows) > 1


@every_table
def test_a_row_without_a_function_is_noticed(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    """Otherwise the test above would prove nothing."""
    monkeypatch.setitem(table.rows, "toy", next(iter(table.rows.values())))
    assert ["toy"] == incomplete(table)


@every_table
def test_a_function_without_a_row_cannot_be_bound(table: Table) -> None:
    """It would never be called; nor would the second of two functions behind a row."""
    with pytest.raises(KeyError, match="no row toy"):
        binding(table.rows, table.functions)("toy")
    with pytest.raises(KeyError, match="has a function already"):
        binding(table.rows, table.functions)(next(iter(table.rows)))


@every_table
def test_a_row_says_everything(table: Table) -> None:
    """No field has a default that somebody who adds a row could overlook."""
    row = next(iter(table.rows.values()))
    said = {field.name: getattr(row, field.name) for field in fields(row)}
    for name in said:
        with pytest.raises(TypeError, match=name):
            type(row)(**{other: value for other, value in said.items() if other != name})
    assert all(field.default is MISSING for field in fields(row))
    with pytest.raises(ValueError, match="needs a sentence"):
        type(row)(**{**said, "sentence": " "})


@every_table
def test_every_row_is_explained_on_the_page(table: Table) -> None:
    """A choice that nobody explains is made by its sound."""
    page = schema_page()
    for name, row in table.rows.items():
        assert f"* `{name}`: {row.sentence}" in page


def named_in_comparisons(tree: ast.AST) -> set[object]:
    """Every constant that something is compared with: by an operator, or by a case of a match."""
    found: set[object] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Compare | ast.MatchValue):
            found |= {inner.value for inner in ast.walk(node) if isinstance(inner, ast.Constant)}
    return found


def test_nothing_but_the_tables_asks_which_choice_was_made() -> None:
    """A branch on a name is the spot that whoever adds a row forgets. The lab is free to: it compares known methods."""
    names = {name for table in TABLES.values() for name in table.rows}
    rooms = [path for path in SOURCE.rglob("*.py") if "lab" not in path.relative_to(SOURCE).parts]
    asking = {path.name for path in rooms if names & named_in_comparisons(ast.parse(path.read_text("utf-8")))}
    assert set() == asking
    assert {"raw"} == names & named_in_comparisons(ast.parse('if transform == "raw": pass'))


# What the rows of the built-in methods and steps say is true


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("given_settings", [{}, {"m": 192, "t": 5, "f": 0.5}], ids=["defaults", "settings"])
def test_filters_are_as_long_as_the_row_says(method: str, given_settings: dict[str, Any]) -> None:
    """The record unit refuses filters of another length."""
    row = METHODS[method]
    assert row.takes <= set(Hardening.model_fields)
    step = Hardening(method=method, **{key: value for key, value in given_settings.items() if key in row.takes})
    bits = np.random.default_rng(1).integers(0, 2, (3, 128), dtype=np.uint8)
    keys = Subkeys(KEY, "p")
    filters = hardening.harden(pack(bits), [step], m=128, keys=keys, rng=np.random.default_rng(2))
    assert (3, word_count(row.length(step, 128))) == filters.shape
    assert row.wrong(step, 128) is None


@pytest.mark.parametrize("method", METHODS)
def test_coins_are_tossed_by_those_methods_alone_whose_row_says_so(method: str) -> None:
    """Else an owner could harden without a generator what it must not, or need one where none is drawn from."""
    filters, keys = pack(np.ones((2, 128), np.uint8)), Subkeys(KEY, "p")
    step = Hardening(method=method)

    def harden(seed: int) -> list[list[int]]:
        rng = np.random.default_rng(seed)
        return hardening.harden(filters, [step], m=128, keys=keys, rng=rng).tolist()

    assert (METHODS[method].coins_leave is not None) == any(harden(1) != harden(seed) for seed in range(2, 9))
    assert hardening.needs_chance([step]) == (METHODS[method].coins_leave is not None)


ON_ASCII: Mapping[str, Callable[[str], str]] = {
    "nothing": lambda text: text,
    "trims": str.strip,
    "lowers": str.lower,
    "keeps digits": lambda text: "".join(c for c in text if c.isdigit()),
    "keeps letters": lambda text: "".join(c for c in text if c.isalpha()),
}


@given(st.text(st.characters(max_codepoint=127), max_size=20))
def test_steps_do_to_ascii_what_their_rows_say(text: str) -> None:
    """Compiled code takes the row's word for it."""
    for name, row in STEPS.items():
        if row.on_ascii == "anything":  # it goes the general way
            continue
        assert ON_ASCII[row.on_ascii](text) == normalise.FUNCTIONS[name](text)


# A toy of each kind, added by one row and one function, works from end to end


def halved(given_input: HardeningInput) -> NDArray[np.uint64]:
    """The XOR of every even bit, its left and its right neighbour."""
    bits = unpack(given_input.filters, given_input.m)
    return pack(np.ascontiguousarray((np.roll(bits, 1, axis=1) ^ bits ^ np.roll(bits, -1, axis=1))[:, ::2]))


HALVED = HardeningMethod(
    sentence="the XOR of every second bit and its neighbours",
    takes=frozenset({"f"}),
    length=lambda _, m: m // 2,
    wrong=lambda _, m: Problem("method", f"{m} is not enough", "more bits") if m < 512 else None,
    xor_of=lambda _: 3,
    coins_leave=None,
)


def test_a_hardening_is_one_row_and_one_function(add: Add) -> None:
    """Schema, lengths, encoder, models and page all follow from them."""
    text = f'{SMALL}[layer_r]\nm = 512\nhardening = [{{method = "halved", f = 0.5}}, {{method = "xor-fold"}}]\n'
    assert "layer_r.hardening.0.method" == problem(text).key
    add("hardening", "halved", HALVED, halved)

    schema = parse(text)
    assert 128 == schema.layer_r.length
    assert "halved does not take it; allowed: method, f" in str(problem(text.replace("f = 0.5", "t = 4")))
    assert '(did you mean halved?); allowed: "xor-fold"' in str(problem(text.replace('"halved"', '"halvd"')))
    assert "layer_r.hardening.0.method: 256 is not enough; allowed: more bits" == str(
        problem(text.replace("m = 512", "m = 256"))
    )

    plain = Encoder(parse(f"{SMALL}[layer_r]\nm = 512\n"), KEY, project="p").record_level(PEOPLE)
    once = halved(HardeningInput(plain, 512, schema.layer_r.hardening[0], b"", None))
    made = Encoder(schema, KEY, project="p")
    assert 128 == made.m
    assert hardening.xor_fold(once, m=256).tolist() == made.record_level(PEOPLE).tolist()

    agreement = np.array([0.9, 0.5])
    assert agreement == pytest.approx(unhardened(agreement**3, schema.layer_r.hardening[:1]))
    assert "* `halved`: the XOR of every second bit and its neighbours; takes `f`" in schema_page()
    assert '"randomised-response", "halved"' in schema_page()


def test_models_undo_a_toy_that_tosses_coins(add: Add) -> None:
    """What coins leave of the agreement is the row's own affair, and a generator is asked for because of it."""
    row = HardeningMethod(
        sentence="half of the agreement goes",
        takes=frozenset(),
        length=lambda _, m: m,
        wrong=lambda *_: None,
        xor_of=lambda _: 2,
        coins_leave=lambda _: 0.5,
    )
    add("hardening", "half-noise", row, lambda given_input: given_input.filters)
    step = Hardening(method="half-noise")
    assert [0.6] == pytest.approx(unhardened(np.array([0.6**2 / 2]), [step]).tolist())
    assert hardening.needs_chance([step])


def furthest(p: Reals, settings: ProtocolSettings, *, size: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """The surest of the uncertain pairs first."""
    del rng
    order = np.argsort(-p, kind="stable")
    return order[p[order] < settings.p_t][:size]


def test_a_strategy_is_one_row_and_one_function(add: Add) -> None:
    """The schema takes it, a layer draws by it, the page explains it."""
    text = f'{SMALL}[protocol]\nstrategy = "furthest"\n'
    assert ("protocol.strategy", '"buckets", "uniform", "closest"') == (problem(text).key, problem(text).allowed)
    add("strategies", "furthest", Choice(sentence="the surest of the uncertain first"), furthest)
    settings = parse(text).protocol
    layer = Layer(ThresholdModel.start(settings.threshold), settings, clerical_weight=1.0)
    layer.add(np.array([0.75, 0.77, 0.76, 0.9]))
    layer.classify()
    assert [1, 2] == layer.select(2, np.random.default_rng(1)).tolist()
    assert "* `furthest`: the surest of the uncertain first" in schema_page()


def keys_of(schema: Schema) -> list[bytes]:
    return [key.tobytes() for key in Encoder(schema, KEY, project="p").blocking_keys(PEOPLE)[:, 0]]


def test_a_transform_is_one_row_and_one_function(add: Add) -> None:
    """The schema takes it, blocking keys follow it, the page explains it."""
    text = f'{SMALL}[[blocking]]\nfields = ["last2(last_name)"]\n'
    assert 'no transform "last2"' in problem(text).what
    add("transforms", "last2", Transform(sentence="its last two characters", handed="normalised"), lambda v: v[-2:])
    mueller, umlaut, miller, *_, missing, ann = keys_of(parse(text))
    assert mueller == umlaut == miller != ann
    assert bytes(16) == missing
    assert problem(text.replace("last2", "last")).allowed.endswith("first4, last2")
    assert "* `last2`: its last two characters" in schema_page()


def test_a_phonetic_code_is_one_row_and_one_function(add: Add) -> None:
    """It is handed capital letters from A to Z, and nothing where there are none."""
    heard: list[str] = []

    def vowels(letters: str) -> str:
        heard.append(letters)
        return "".join(letter for letter in letters if letter in "AEIOU")

    add("transforms", "vowels", Transform(sentence="its vowels", handed="letters"), vowels)
    keys = keys_of(parse(f'{SMALL}[[blocking]]\nfields = ["vowels(last_name)"]\n'))
    assert keys[0] == keys[1] != keys[2]
    assert keys[3] == keys[4] != keys[6]
    assert ["MUELLER", "MUELLER", "MILLER", "OEZGE", "OEZGE", "ANN"] == heard


def test_a_step_of_normalisation_is_one_row_and_one_function(add: Add, monkeypatch: pytest.MonkeyPatch) -> None:
    """In small batches and in large ones, whose compiled code knows nothing of it."""
    row = NormalisationStep(sentence="no vowels", on_ascii="anything")
    add("normalisation", "no-vowels", row, lambda value: "".join(c for c in value if c not in "aeiou"))
    schema = parse(f'{SMALL}normalise = ["no-vowels", "lowercase", "trim"]\n')
    attribute = schema.attributes[0]
    assert ["mllr", "b"] == [normalise.normalise(value, attribute.normalise) for value in ("Miller", " AeIb ")]
    values = ["Miller", " AeIb ", "", "Müller", "OOO"]
    expected = [
        {token.encode() for token in qgrams(normalise.normalise(value, attribute.normalise), q=2, pad=pad_symbol(0))}
        for value in values
    ]
    assert expected == cut(values, attribute, 0).sets()
    small = Encoder(schema, KEY, project="p").record_level(PEOPLE)
    monkeypatch.setattr("unveil.encoding.filters.WORTH_COMPILING", 1)
    assert small.tolist() == Encoder(schema, KEY, project="p").record_level(PEOPLE).tolist()
    assert "* `no-vowels`: no vowels" in schema_page()


def test_a_record_level_encoding_is_one_row_and_one_function(add: Add) -> None:
    """The encoder hardens what it makes."""

    def full(records: Records, schema: Schema, keys: Subkeys) -> NDArray[np.uint64]:
        del keys
        return np.full((len(records), word_count(schema.layer_r.m)), np.uint64(2**64 - 1))

    add("record-level encodings", "full", Choice(sentence="every bit is set"), full)
    schema = parse(f'{SMALL}[layer_r]\nencoding = "full"\nhardening = [{{method = "xor-fold"}}]\n')
    assert not Encoder(schema, KEY, project="p").record_level(PEOPLE).any()
    assert "* `full`: every bit is set" in schema_page()


def test_a_choice_is_allowed_as_long_as_its_row_is_there() -> None:
    """The table is the only place that knows what is allowed; the toys above have left no trace."""
    text = f'{SMALL}normalise = ["toy"]\n'
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(STEPS, "toy", NormalisationStep(sentence="nothing", on_ascii="nothing"))
        assert ("toy",) == parse(text).attributes[0].normalise
    assert '"toy" is not allowed' in problem(text).what
    with pytest.raises(ValueError, match="toy"):
        Attribute(name="a", normalise=("toy",))
