"""A settings file is changed where it says something else, and nowhere else."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unveil.settings.patching import KeyPath, patched

POLICY = (Path(__file__).parents[2] / "docs" / "policy.md").read_text(encoding="utf-8")
EXAMPLE = POLICY.split("```text\n")[1].split("```")[0]


def test_comments_order_and_tables_that_are_not_meant_stay() -> None:
    """The example of the documentation has a comment behind nearly every value."""
    new = patched(EXAMPLE, {("approval",): "all", ("review", "smallest_k"): 5, ("caps", "day", "pairs"): None})
    before, after = EXAMPLE.splitlines(), new.splitlines()
    gone = [line for line in before if line not in after]
    assert ["approval =", "smallest_k", "pairs = 20"] == [line[:10].rstrip() for line in gone]
    assert 'approval = "all"  # a person approves values before they go to review' in after
    assert len(before) - 1 == len(after)


def test_what_is_not_there_yet_is_written_into_its_table() -> None:
    text = patched("# ours\n[caps.day]\nvalues = 4\n\n[review]\n", {
        ("version",): 1, ("caps", "day", "pairs"): 2, ("attributes", "never_shown"): ["zip", "city"],
    })  # fmt: skip
    assert "# ours\nversion = 1\n[caps.day]\nvalues = 4\npairs = 2\n" in text
    assert '[attributes]\nnever_shown = ["zip", "city"]\n' in text


@pytest.mark.parametrize(
    "text",
    [
        "review.smallest_k = 3\n",
        "review = { smallest_k = 3 }\n",
        '[review]\n"smallest_k" = 3\n',
        "[ review ] # odd\nsmallest_k=3#x",
        "[review]\nsmallest_k = 3\n[caps]\nday.values = 7\n",
    ],
)
def test_however_it_is_written_it_says_what_was_meant(text: str) -> None:
    """Ways of writing that are not known lose their comments rather than their meaning."""
    meant = tomllib.loads(text)
    meant["review"]["smallest_k"] = 9
    assert meant == tomllib.loads(patched(text, {("review", "smallest_k"): 9}))


def test_tables_of_an_array_are_replaced_together() -> None:
    """They stand at the end afterwards; what is between them stays."""
    text = '[[rule]]\nanswer = "no"\n[other]\nx = 1 # kept\n[[rule]]\nanswer = "yes"\n'
    new = patched(text, {("rule",): [{"answer": "maybe", "only": ["a"]}]})
    assert '[other]\nx = 1 # kept\n\n[[rule]]\nanswer = "maybe"\nonly = ["a"]\n' == new
    assert "[other]\nx = 1 # kept\n" == patched(new, {("rule",): []})


VALUES = st.none() | st.integers(0, 9) | st.text("a#\"'\\ =[]\n", max_size=4) | st.lists(st.text("ab#", max_size=2))
KEYS = st.sampled_from([("a",), ("b",), ("t", "a"), ("t", "b"), ("t", "u", "a")])


@given(st.lists(st.tuples(KEYS, VALUES), max_size=5), st.dictionaries(KEYS, VALUES, max_size=4))
def test_the_meaning_is_that_of_the_changes(first: list[tuple[KeyPath, Any]], changes: dict[KeyPath, Any]) -> None:
    """From any file that was written so, by any changes."""

    def changed(document: dict[str, Any], some: dict[KeyPath, Any]) -> dict[str, Any]:
        for path, value in some.items():
            table = document
            for part in path[:-1]:
                table = table.setdefault(part, {})
            if value is None:
                table.pop(path[-1], None)
            else:
                table[path[-1]] = value
        return document

    def full(document: dict[str, Any]) -> dict[str, Any]:
        found = {key: full(value) if isinstance(value, dict) else value for key, value in document.items()}
        return {key: value for key, value in found.items() if value not in ({}, [])}

    text = ""
    for path, value in first:
        text = patched(text, {path: value})
    assert full(changed(tomllib.loads(text), changes)) == full(tomllib.loads(patched(text, changes)))
