"""Foreign text is made visible: nothing of it steers, and JSON and TOML still mean the same."""

from __future__ import annotations

import json
import tomllib
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unveil.errors import InputError, Problem, SettingError, SettingsFileError
from unveil.safety.visible import visible, visible_json, visible_lines

ANY = st.text(st.characters())


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b[2Jgone", "\\u001b[2Jgone"),
        ("\x9b31mred", "\\u009b31mred"),
        ("abc\u202egnp.exe", "abc\\u202egnp.exe"),
        ("a\nforged: line", "a\\u000aforged: line"),
        ("a\rb\tc\x07\x7f", "a\\u000db\\u0009c\\u0007\\u007f"),
        ("\u2028\u2066\u200b\ufeff", "\\u2028\\u2066\\u200b\\ufeff"),
        ("\U000e0041", "\\U000e0041"),
        ("Müller, 山田, Ω – “x” ✓ é", "Müller, 山田, Ω – “x” ✓ é"),
    ],
)
def test_what_steers_a_terminal_is_written_out(text: str, shown: str) -> None:
    """ESC, C1 controls, controls of direction, line feeds; names in any script stay as they are."""
    assert shown == visible(text)


@given(ANY)
def test_nothing_that_steers_is_left_and_repeating_changes_nothing(text: str) -> None:
    """So it does no harm where a text passes twice."""
    once = visible(text)
    assert {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}.isdisjoint(map(unicodedata.category, once))
    assert once == visible(once) == visible_lines(once)


@given(st.dictionaries(ANY, ANY, max_size=3))
def test_json_means_the_same(value: dict[str, str]) -> None:
    """A script that reads what a command prints gets every character."""
    shown = visible_json(json.dumps(value, ensure_ascii=False))
    assert value == json.loads(shown)
    assert {"Cc", "Cf", "Zl", "Zp"}.isdisjoint(map(unicodedata.category, shown))


@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=20))
def test_settings_that_are_printed_mean_the_same(text: str) -> None:
    """A proposed schema may be piped into a file."""
    import tomli_w

    assert {"a": text} == tomllib.loads(visible_lines(tomli_w.dumps({"a": text})))


def test_errors_make_their_lines_visible() -> None:
    """The name of a column or of a file cannot forge a second line; lines that are ours stay lines."""
    assert "f\\u000ax, column \\u001b[0m: bad" == InputError("f\nx", "bad", column="\x1b[0m").message
    found = SettingsFileError("s", [Problem("a\nb", "what", "x"), Problem("c", "what", "\x9b")])
    assert "s: 2 mistakes\n  a\\u000ab: what; allowed: x\n  c: what; allowed: \\u009b" == str(found)
    assert "chmod 600 \\u202ea" == SettingError("x", hint="chmod 600 \u202ea").hint
