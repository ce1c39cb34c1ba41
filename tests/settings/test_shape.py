"""Settings files that are too long, too deep or too full are refused before they are parsed, and at once."""

from __future__ import annotations

import time
import tomllib
from collections.abc import Callable

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from unveil.errors import SchemaError
from unveil.schema import built_in, parse
from unveil.schema.presets import with_preset
from unveil.settings import shape
from unveil.settings.shape import DEEPEST, MOST_KEYS, too_much

HOSTILE: dict[str, Callable[[int], str]] = {
    "one dotted key": lambda n: ".".join("a" * n) + " = 1\n",
    "the name of a table": lambda n: f"[{'.'.join('a' * n)}]\n",
    "many dotted keys": lambda n: "".join(f"{'.'.join('b' * 15)}.k{i} = 1\n" for i in range(n // 20)),
    "tables below a long name": lambda n: "".join(f"[{'.'.join('c' * 30)}.t{i}]\n" for i in range(n // 60)),
    "lists in lists": lambda n: f"a = {'[' * (n // 2)}{']' * (n // 2)}\n",
    "tables in tables": lambda n: "a = " + "{b = " * (n // 8) + "1" + "}" * (n // 8) + "\n",
    "many keys": lambda n: "".join(f"k{i} = 1\n" for i in range(n // 6)),
    "many tables": lambda n: "".join(f"[t{i}]\n" for i in range(n // 6)),
    "quoted parts": lambda n: ".".join(['"a"'] * (n // 4)) + " = 1\n",
}


@pytest.mark.parametrize("name", HOSTILE)
def test_what_is_too_deep_or_too_full_is_refused(name: str) -> None:
    """With a word that says which."""
    with pytest.raises(SchemaError, match=r"more than \d+ keys|more than \d+ deep"):
        parse(HOSTILE[name](500_000), source="hostile.toml")


@pytest.mark.slow
@pytest.mark.parametrize("name", ["one dotted key", "the name of a table", "quoted parts", "tables below a long name"])
def test_the_time_to_refuse_grows_no_faster_than_the_text(name: str) -> None:
    """Parsing takes quadratic time: sixteen times the text, 256 times as long. Refusing stops where it is too much."""

    def seconds(size: int) -> float:
        text = HOSTILE[name](size)
        began = time.process_time()
        for _ in range(20):
            assert too_much(text) is not None
        return (time.process_time() - began) / 20

    small, large = (min(seconds(size) for _ in range(3)) for size in (20_000, 320_000))
    assert large < 30 * small + 0.001
    text = HOSTILE[name](5_000)
    began = time.process_time()
    tomllib.loads(text)
    assert small < (time.process_time() - began) / 2  # a control: even a quarter takes the parser longer


@given(st.text(st.sampled_from(list("[]{}=.,#'\"\\\nab \t")), max_size=300))
def test_whatever_the_parser_takes_is_counted_as_no_more_than_it_is(text: str) -> None:
    """Signs in strings and comments are no keys: no honest file is refused for what it quotes."""
    try:
        tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return
    monkey = text.count("=") + text.count("[") <= MOST_KEYS
    assert too_much(text) is None or not monkey or max(text.count("."), text.count("["), text.count("{")) >= DEEPEST


@pytest.mark.parametrize(
    "text",
    [
        'a = "' + "." * 99 + "[" * 99 + '"\n',
        "a = '" + "." * 99 + "{" * 99 + "'\n",
        'a = """\n' + ".[" * 99 + '\\""" "" "\n"""\n',
        "a = '''\n" + ".[" * 99 + "'' '\n'''\n",
        "# " + "." * 99 + "[[[[[[[[[[[[[[[[[[[[[\na = 1\n",
        "a = [" + "1.5, " * 500 + "]\n",
        'a = "\\\\" # ' + "." * 99 + "\n",
    ],
)
def test_what_stands_in_strings_comments_and_lists_of_numbers_counts_for_nothing(text: str) -> None:
    """A description may be full of dots."""
    assert tomllib.loads(text)
    assert too_much(text) is None


def test_the_longest_honest_settings_are_far_from_the_limits() -> None:
    """The built-in schema, with every setting written out."""
    import tomli_w

    text = tomli_w.dumps(with_preset(built_in(), "unveil", budget=10).model_dump(mode="json", exclude_none=True))
    assert too_much(text) is None
    assert (True, True) == (20 * text.count("=") < MOST_KEYS, 50 * len(text) < shape.LONGEST)


PIECES = st.text(st.sampled_from(list("\"'\\#[].= \nab")), max_size=6)
VALUES = st.one_of(
    PIECES.map(lambda text: f'"""{text}"""'),
    PIECES.map(lambda text: f"'''{text}'''"),
    PIECES.map(lambda text: f'"{text}"'),
    PIECES.map(lambda text: f"'{text}'"),
    PIECES.map(lambda text: f"[1, # {text}\n2]"),
    st.sampled_from(
        ['"""x""""', '"""x"""""', "'''x''''", "'''x'''''", '"\\\\"', '"""\\\\"""', '"""\\""""', "''", '""']
    ),
)


@settings(max_examples=400, suppress_health_check=[HealthCheck.filter_too_much])
@given(st.lists(VALUES, max_size=4), st.sampled_from(["one dotted key", "quoted parts", "lists in lists"]))
def test_no_string_or_comment_hides_what_comes_after_it(values: list[str], name: str) -> None:
    """Where the count and the parser disagreed about the end of a string, everything behind it would go uncounted."""
    text = "".join(f"k{place} = {value}\n" for place, value in enumerate(values))
    try:
        tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return
    assert too_much(text + HOSTILE[name](2_000)) is not None
