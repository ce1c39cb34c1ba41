"""Every language says everything, and the pages use no sentence that is not there."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from unveil import web
from unveil.roles.review_unit import practice
from unveil.roles.review_unit.words import ENGLISH
from unveil.web.languages import chosen, languages

FOLDER = Path(web.__file__).parent


def keys(table: Mapping[str, Any], prefix: str = "") -> Iterator[str]:
    for name, value in table.items():
        if isinstance(value, Mapping):
            yield from keys(value, f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}"


def test_all_languages_have_the_same_sentences_with_the_same_blanks() -> None:
    """A third language is one file; whoever writes it sees here what is missing."""
    english, *others = (languages()[code] for code in sorted(languages(), key=lambda code: code != "en"))
    assert others
    for other in others:
        assert set(keys(english.sentences)) == set(keys(other.sentences))
        for key in keys(english.sentences):
            blanks = [sorted(re.findall(r"\{\d?\}", language.say(key))) for language in (english, other)]
            assert blanks[0] == blanks[1], key


def test_every_difference_and_lesson_has_its_sentence_and_english_is_that_of_the_terminal() -> None:
    said = dict(languages()["en"].sentences["said"])
    del said["and"]
    assert {key: text.replace("no {}", "{}") for key, text in ENGLISH.items()} == said
    assert {lesson for lesson, *_ in practice._LESSONS} == set(languages()["en"].sentences["lessons"])


def test_pages_and_scripts_ask_for_no_sentence_that_is_not_there() -> None:
    """A missing one would stand on the page as its key."""
    known = set(keys(languages()["en"].sentences))
    text = "".join(
        path.read_text(encoding="utf-8")
        for pattern in ("templates/*", "static/*.js", "console/templates/*")
        for path in FOLDER.glob(pattern)
    )
    used = set(re.findall(r'say\("([a-z]+\.[a-z_ ]*)"', text)) | set(
        re.findall(r'w\.say\([^)]*?"((?:review|practice)\.[a-z_]+)"', text)
    )
    assert 40 < len(used)
    # Where a page puts the end of a key together, some key begins so.
    assert set() == {
        each for each in used - known if each[-1] not in "._" or not any(one.startswith(each) for one in known)
    }


@pytest.mark.parametrize(
    ("code", "wishes", "expected"),
    [
        (None, None, "en"), ("de", "en", "de"), ("xx", "de", "de"), (None, "fr, de;q=0.5, en;q=0.4", "de"),
        (None, "de-AT", "de"), (None, "fr", "en"), (None, "de;q=x, en;q=0.1", "en"), (None, ",;;q=,", "en"),
    ],
)  # fmt: skip
def test_the_language_is_the_chosen_one_or_the_browsers(code: str | None, wishes: str | None, expected: str) -> None:
    assert expected == chosen(code, wishes).code
