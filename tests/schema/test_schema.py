"""The schema: the built-in one is the paper's, and every mistake is explained by its key."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from unveil.errors import Problem, SchemaError
from unveil.schema import Schema, built_in, built_in_names, built_in_text, load, parse
from unveil.settings.shape import LONGEST

SMALL = 'name = "small"\n[[attributes]]\nname = "first_name"\n[[attributes]]\nname = "last_name"\n'


def toml(value: object) -> str:
    """The value in TOML, tables inline."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(key)} = {toml(inner)}" for key, inner in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(toml(inner) for inner in value) + "]"
    return json.dumps(value).replace("NaN", "nan").replace("Infinity", "inf")


def document(data: dict[str, Any]) -> str:
    return "\n".join(f"{json.dumps(key)} = {toml(value)}" for key, value in data.items())


def problems(text: str) -> tuple[Problem, ...]:
    with pytest.raises(SchemaError) as found:
        parse(text)
    for problem in found.value.problems:
        assert problem.what
        assert problem.allowed
    return found.value.problems


def keys(text: str) -> list[str]:
    return [problem.key for problem in problems(text)]


def full() -> dict[str, Any]:
    """Every key of a schema, with a value that is allowed."""
    data: dict[str, Any] = built_in().model_dump(mode="json", exclude_none=True)
    data["attributes"] = [attribute | {"column": attribute["name"]} for attribute in data["attributes"][:2]]
    data["blocking"] = [{"fields": ["first_name"]}]
    data["layer_r"]["hardening"] = [
        {"method": "diffusion", "t": 3, "m": 512},
        {"method": "randomised-response", "f": 0.1},
    ]
    return data


def leaves(value: object, path: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    below = [leaf for key, each in inner for leaf in leaves(each, (*path, key))]
    return below if inner else [path]


def at(data: Any, path: tuple[str | int, ...]) -> Any:
    for part in path:
        data = data[part]
    return data


LEAVES = leaves(full())
TABLES = sorted({leaf[:-1] for leaf in LEAVES if isinstance(leaf[-1], str)}, key=str)


def test_the_schema_paper_is_the_papers() -> None:
    """These are the published parameters; the printed weights were shifted, these are the right ones."""
    schema = built_in("paper")
    assert [18, 21, 17, 26, 13, 21, 43] == [attribute.h for attribute in schema.attributes]
    assert [12.04, 10.95, 15.15, 5.12, 6.58, 8.23, 6.63] == [attribute.weight for attribute in schema.attributes]
    assert ("clk", 1024, 12, 256) == (schema.layer_r.encoding, schema.layer_r.m, schema.layer_r.h, schema.layer_a.m)
    assert ["first_name", "last_name", "city"] == [each.name for each in schema.attributes if each.frequency]


def test_a_schema_survives_being_written_out() -> None:
    """What `schema show --json` prints means the same schema."""
    data = built_in().model_dump(mode="json", exclude_none=True)
    assert built_in() == parse(document(data))


def test_every_key_is_optional_but_the_names() -> None:
    """A first schema should be short."""
    assert ("first_name", "last_name") == parse(SMALL).names


def test_the_full_schema_of_these_tests_is_valid() -> None:
    """Else the mutations below would prove nothing."""
    assert "person" == parse(document(full())).name
    assert len(LEAVES) > 50


@pytest.mark.parametrize("path", LEAVES, ids=lambda path: ".".join(map(str, path)))
def test_a_value_of_the_wrong_type_is_reported_at_its_key_alone(path: tuple[str | int, ...]) -> None:
    """Text for a number, a number for text, and a table for either; nothing is converted."""
    wrongs: list[object] = ["CHECK me", 10**6 + 1, -5, 0.123, float("nan"), float("inf"), True, {"a": 1}, [[]]]
    for wrong in wrongs:
        data = full()
        right = at(data, path)
        numbers = isinstance(right, int | float) and not isinstance(right, bool)
        if type(wrong) is type(right) or (numbers and type(wrong) in {int, float}):
            continue
        at(data, path[:-1])[path[-1]] = wrong
        found = keys(document(data))
        # A list of text that holds a list is reported at the inner place.
        assert ".".join(map(str, path)) in {found[0], found[0].rsplit(".", 1)[0]}, wrong
        assert 1 == len(found), found


@pytest.mark.parametrize("path", [leaf for leaf in LEAVES if isinstance(at(full(), leaf), float)], ids=str)
def test_no_number_may_be_nan_infinite_or_negative(path: tuple[str | int, ...]) -> None:
    """None of them has a meaning anywhere in a schema."""
    for wrong in (float("nan"), float("inf"), -0.5):
        data = full()
        at(data, path[:-1])[path[-1]] = wrong
        assert ".".join(map(str, path)) == keys(document(data))[0]


@pytest.mark.parametrize("path", [leaf for leaf in LEAVES if type(at(full(), leaf)) is int], ids=str)
def test_no_whole_number_may_be_negative_or_broken(path: tuple[str | int, ...]) -> None:
    """Counts and lengths."""
    for wrong in (-5, 2.5, "12"):
        data = full()
        at(data, path[:-1])[path[-1]] = wrong
        assert ".".join(map(str, path)) == keys(document(data))[0]


@pytest.mark.parametrize("table", TABLES, ids=str)
def test_an_unknown_key_is_reported_in_every_table_with_the_known_ones(table: tuple[str | int, ...]) -> None:
    """A misspelt key that went unnoticed would leave a default in force."""
    data = full()
    known = list(at(data, table))
    at(data, table)[f"{known[0]}_"] = 1
    (found,) = problems(document(data))
    assert ".".join(map(str, (*table, f"{known[0]}_"))) == found.key
    assert f"did you mean {known[0]}?" in found.what
    assert set(known) <= set(found.allowed.split(", "))


@pytest.mark.parametrize(
    ("text", "key", "what", "allowed"),
    [
        (SMALL + "q = 9", "attributes.1.q", '9 is not allowed in "last_name"', "a whole number, at least 1, at most 4"),
        (SMALL + 'q = "2"', "attributes.1.q", '"2" is not allowed in "last_name"', "a whole number"),
        (SMALL + "[layer_r]\nm = 100", "layer_r.m", "100 is not allowed", "a multiple of 64"),
        (SMALL + '[layer_r]\nencoding = "rbff"', "layer_r.encoding", "did you mean rbf?", '"clk", "rbf"'),
        (SMALL + "[protocol]\nlayers = 4", "protocol.layers", "4 is not allowed", "1, 2, 3"),
        (SMALL + "[protocol]\nbatches = [10, 0]", "protocol.batches.1", "0 is not allowed", "at least 1"),
        (SMALL + "[[blocking]]", "blocking.0.fields", "missing", "a list, not empty, of: text (attributes, plain"),
        (SMALL + '[[blocking]]\nfields = "last_name"', "blocking.0.fields", '"last_name" is not', "a list, not empty"),
        (SMALL.replace("small", "Small"), "name", '"Small" is not allowed', "text, matching ^[a-z]"),
        ('name = "x"', "attributes", "missing", "a list, not empty, of: a table"),
        ('name = "x"\nattributes = []', "attributes", "an empty list", "a list, not empty"),
        ('name = "x"\nattributes = [1]', "attributes.0", "1 is not allowed", "a table"),
        (SMALL + 'column = ""', "attributes.1.column", '"" is not allowed', "text, not empty"),
        (SMALL + "layer_r = 5", "attributes.1.layer_r", "unknown key", "name, column"),
        (SMALL + "frequency = 1", "attributes.1.frequency", "1 is not allowed", "true or false"),
    ],
)
def test_a_mistake_is_told_in_the_words_of_the_schema(text: str, key: str, what: str, allowed: str) -> None:
    """The key, what stands there, what would be allowed; and one mistake is told once."""
    (found,) = problems(text)
    assert key == found.key
    assert what in found.what
    assert allowed in found.allowed


@pytest.mark.parametrize(
    ("text", "key", "what", "allowed"),
    [
        ('[[attributes]]\nname = "last_name"', "attributes.2.name", "used twice", "a name of its own"),
        (
            '[[attributes]]\nname = "x"\ncolumn = "last_name"',
            "attributes.2.column",
            "read twice",
            "a column of its own",
        ),
        ('[[attributes]]\nname = "x"\ncolumn = "record_id"', "attributes.2.column", "read twice", "a column"),
        ('normalise = ["digits-only", "letters-only"]', "attributes.1.normalise", "nothing is left", "not both"),
        (
            '[[blocking]]\nfields = ["lst_name"]',
            "blocking.0.fields",
            "did you mean last_name?",
            "first_name, last_name",
        ),
        ('[[blocking]]\nfields = ["sondex(last_name)"]', "blocking.0.fields", "did you mean soundex?", "raw, soundex"),
        ('[[blocking]]\nfields = ["soundex(last_name"]', "blocking.0.fields", "is not a field", "transform(attribute)"),
        (
            '[[blocking]]\nfields = ["last_name"]\n[[blocking]]\nfields = ["last_name"]',
            "blocking.1.fields",
            "there already",
            "a key of its own",
        ),
        ("[protocol.frequency]\nbounds = [0.1, 0.05]", "protocol.frequency.bounds", "not rising", "rising order"),
        ("[protocol]\nfloor = 0.8", "protocol.floor", "0.8 drops pairs", "below protocol.threshold.t, 0.75"),
        ("[protocol.forest]\ninitial = 200", "protocol.forest.initial", "200 trees", "cap, 100"),
        ("[protocol.forest]\ncap = 5\ninitial = 5", "protocol.forest.added", "10 trees", "cap, 5"),
        ("[protocol.review]\nbudget = 5", "protocol.review.batches", "10 batches for 5", "budget, 5"),
    ],
)
def test_a_mistake_between_keys_is_told(text: str, key: str, what: str, allowed: str) -> None:
    """Each value is allowed, together they are not."""
    (found,) = problems(SMALL + text)
    assert key == found.key
    assert what in found.what
    assert allowed in found.allowed


def hardened(*steps: dict[str, object], m: int = 1024) -> str:
    return SMALL + f"[layer_r]\nm = {m}\nhardening = {toml(list(steps))}"


@pytest.mark.parametrize(
    ("text", "key", "what"),
    [
        (hardened({"method": "xor-fold", "m": 512}), "layer_r.hardening.0.m", "xor-fold does not take it"),
        (hardened({"method": "re-sampling", "t": 4}), "layer_r.hardening.0.t", "re-sampling does not take it"),
        (hardened({"method": "permutation", "f": 0.1}), "layer_r.hardening.0.f", "permutation does not take it"),
        (
            hardened({"method": "diffusion", "m": 129}, {"method": "xor-fold"}),
            "layer_r.hardening.1.method",
            "129 bits cannot be halved",
        ),
        (hardened({"method": "xor-fold"}, m=64), "layer_r.hardening.0", "makes filters of 32 bits"),
        (hardened({"method": "balance"}, m=65536), "layer_r.hardening.0", "makes filters of 131072 bits"),
    ],
)
def test_a_hardening_step_that_cannot_be_done_is_told(text: str, key: str, what: str) -> None:
    """The length is followed from step to step."""
    (found,) = problems(text)
    assert (key, True) == (found.key, what in found.what)


def test_every_hardening_method_is_allowed_with_what_it_takes() -> None:
    """The checks must not refuse what can be done."""
    steps: list[dict[str, object]] = [
        {"method": "xor-fold"},
        {"method": "balance"},
        {"method": "rule-90"},
        {"method": "re-sampling", "m": 640},
        {"method": "diffusion", "t": 64, "m": 100},
        {"method": "permutation"},
        {"method": "randomised-response", "f": 0.2},
    ]
    assert 7 == len(parse(hardened(*steps)).layer_r.hardening)


def test_mistakes_between_keys_are_told_beside_mistakes_of_single_keys() -> None:
    """Else people mend one sort and are then told of the other."""
    text = 'name = "X"\nattributes = [{name = "a", q = "2"}]\n[[blocking]]\nfields = ["b"]\n'
    text += "[protocol]\nfloor = 0.9\nx = 0\n"
    assert ["name", "attributes.0.q", "protocol.x", "blocking.0.fields", "protocol.floor"] == keys(text)


def test_a_mistaken_attribute_causes_no_second_complaint() -> None:
    """Not that the list is empty, and not that a blocking key names an unknown attribute."""
    text = 'name = "x"\n[[attributes]]\nname = "A"\n[[blocking]]\nfields = ["a"]\n'
    assert ["attributes.0.name"] == keys(text)


def test_broken_toml_is_told_by_its_line() -> None:
    """The line is all that helps there."""
    (found,) = problems('name = "x"\nversion = = 1\n')
    assert ("(file)", True) == (found.key, "line 2" in found.what)


@pytest.mark.parametrize(
    "text", ["x = " + "9" * 5000, "x = " + "[" * 20_000, "x = 2024-02-31", "\0", "a = 1\na = 2", "x"]
)
def test_toml_beyond_reason_is_an_explained_mistake(text: str) -> None:
    """Each of these makes the TOML parser fail in a way of its own."""
    assert ["(file)"] == keys(text)


@settings(max_examples=100, deadline=None)
@given(
    st.text(max_size=200)
    | st.text('[]={}"\n.,1ax ', max_size=60)
    | st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(
                st.sampled_from([*Schema.model_fields, "q", "m", "t", "method", "fields"]), inner, max_size=4
            )
        ),
        max_leaves=12,
    ).map(lambda value: document(value) if isinstance(value, dict) else document({"attributes": value}))
)
def test_any_text_is_a_schema_or_an_explained_mistake(text: str) -> None:
    """Nothing else ever comes out."""
    try:
        assert isinstance(parse(text), Schema)
    except SchemaError as error:
        assert all(problem.allowed for problem in error.problems)
        assert error.problems


def test_a_schema_file_may_begin_with_a_byte_order_mark(tmp_path: Path) -> None:
    """Editors on Windows write one."""
    (tmp_path / "s.toml").write_bytes(b"\xef\xbb\xbf" + SMALL.encode())
    assert "small" == load(tmp_path / "s.toml").name


def test_a_file_that_cannot_be_a_schema_is_explained(tmp_path: Path) -> None:
    """Whatever path is given."""
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "long.toml").write_bytes(b"#" * (LONGEST + 1))
    (tmp_path / "latin.toml").write_bytes(b'name = "\xe9"')
    expected = {
        "none.toml": "no such file",
        "pipe": "not a plain file",
        ".": "not a plain file",
        "long.toml": "longer than 1024 kB",
        "latin.toml": "not UTF-8 text",
    }
    for name, what in expected.items():
        with pytest.raises(SchemaError) as found:
            load(tmp_path / name)
        assert [Problem("(file)", what, "a readable TOML file")] == list(found.value.problems)


@pytest.mark.parametrize("name", ["persn", "../schemas/person", "", "person.toml"])
def test_an_unknown_built_in_schema_is_answered_with_the_known_ones(name: str) -> None:
    """And no other file of the package can be reached by a name."""
    with pytest.raises(SchemaError) as found:
        built_in_text(name)
    assert ", ".join(built_in_names()) == found.value.problems[0].allowed


def test_the_fingerprint_follows_what_owners_must_agree_on() -> None:
    """The name of the id column is each owner's own; everything that shapes an encoding is not."""
    same = parse(SMALL + '[input]\nid = "key"\n')
    other = parse(SMALL + "q = 3")
    assert parse(SMALL).fingerprint() == same.fingerprint()
    assert parse(SMALL).fingerprint() != other.fingerprint()


def test_fingerprints_of_the_built_in_schemas_are_the_agreed_ones() -> None:
    """Owners that run different versions must still agree; whoever changes these breaks every project that runs."""
    assert "2a26331f8d9cb9def414b9abb6b4440f0da4921b8ac77054d4897635141df9d7" == built_in("person").fingerprint()
    assert "4d4f226e2f13079949804449df806b7106fc02bc052318c3a9610fd089ded159" == built_in("paper").fingerprint()
    assert "af4710d683060550af74abb8d2ae63c3576563d26e3f92b4fd456da737472d7f" == built_in("clinic").fingerprint()
