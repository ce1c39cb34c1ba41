"""The policy as people write it: what is said holds, and a slip of the pen is explained instead of obeyed."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from unveil.errors import SettingError
from unveil.roles.owner.allowance import Caps
from unveil.roles.owner.policy import Policy
from unveil.roles.owner.policy_file import CapTables, PolicyFile, PolicyFileError, parse
from unveil.schema import built_in

NAMES = built_in().names
PAGE = (Path(__file__).parents[2] / "docs" / "policy.md").read_text(encoding="utf-8")


def example() -> PolicyFile:
    (text,) = re.findall(r"^```text\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)
    return parse(text, names=NAMES)


def problems(text: str) -> list[str]:
    with pytest.raises(PolicyFileError) as caught:
        parse(text, names=NAMES, source="p.toml")
    return [str(problem) for problem in caught.value.problems]


def test_the_example_in_the_documentation_means_what_it_says() -> None:
    """People will begin with it."""
    column = ["yes", "yes", "no clear text", "No", ""]
    policy = example().policy(["1", "2", "3", "4", "5"], column=column, lists={"withdrawn.txt": ["2"]})
    assert policy.layers is not None
    assert [3, 1, 2, 1, 1] == policy.layers.tolist()
    assert (1.0, 0.9, 3, "review") == (
        policy.response_rate_a,
        policy.response_rate_c,
        policy.smallest_k,
        policy.approval,
    )
    assert (frozenset({"place_of_birth"}), frozenset({"middle_name"})) == (policy.never, policy.never_encoded)
    assert Caps(50, 3, 500, 100_000, 2_000, 20_000, 400) == policy.caps


def test_an_empty_file_limits_nothing() -> None:
    assert Policy() == parse("", names=NAMES).policy(["1"])


def test_every_cap_of_the_file_is_on_the_page() -> None:
    """A cap that nobody explains is set wrongly."""
    for table, field in CapTables.model_fields.items():
        assert field.annotation is not None
        for key in field.annotation.model_fields:
            assert f"`caps.{table}.{key}`" in PAGE


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("smallest_k = 3", "smallest_k: unknown key"),
        ('approval = "reviews"', 'approval: "reviews" is not allowed (did you mean review?)'),
        ("version = true", "version: true is not allowed"),
        ("[review]\nsmallest_k = 0", "review.smallest_k: 0 is not allowed; allowed: a whole number, at least 1"),
        ('[review]\nsmallest_k = "3"', 'review.smallest_k: "3" is not allowed'),
        ("[caps.day]\nvalue = 3", "caps.day.value: unknown key (did you mean values?)"),
        ("[caps.record]\npairs = -1", "caps.record.pairs: -1 is not allowed"),
        ('[attributes]\nnever_shown = ["zpi"]', 'attributes.never_shown.0: no attribute "zpi" (did you mean zip?)'),
        ('[attributes]\nnever_shown = "zip"', 'attributes.never_shown: "zip" is not allowed; allowed: a list of: text'),
        ("[answers]\nreview = 1.1", "answers.review: 1.1 is not allowed"),
        ('[consent]\ncolumn = "c"\nlayers = {yes = 3}', "consent.otherwise: missing"),
        ("[consent]\notherwise = 1", "consent: neither a column nor a list says who consents"),
        ("[consent]\notherwise = 1\nlayers = {yes = 3}", "consent.layers: there is no column that it could explain"),
        ('[consent]\notherwise = 1\ncolumn = "c"', "consent.layers: missing"),
        (
            '[consent]\notherwise = 1\ncolumn = "c"\nlayers = {yes = 4}',
            "consent.layers.yes: 4 is not allowed; allowed: 1, 2, 3",
        ),
        (
            '[consent]\notherwise = 1\ncolumn = "c"\nlayers = {yes = 3, YES = 2}',
            'consent.layers: "YES" is there already, but for case or blanks',
        ),
        ('[consent]\notherwise = 1\nlists = [{file = "a"}]', "consent.lists.0.layer: missing"),
        (
            '[consent]\notherwise = 1\nlists = [{file = "a", layer = 1}, {file = "a", layer = 2}]',
            'consent.lists.1.file: "a" is there already',
        ),
        ("[consent", "(file): not valid TOML"),
        ("version = " + "1" * 5000, "(file): not valid TOML"),
    ],
)
def test_a_mistake_is_explained_by_its_key(text: str, expected: str) -> None:
    """Whoever wrote it is no programmer."""
    found = problems(text)
    assert any(problem.startswith(expected) for problem in found), found


def test_all_mistakes_are_told_at_once() -> None:
    found = problems('approval = "x"\n[caps.day]\nvalue = 1\n[answers]\nreview = 2')
    assert {"approval", "caps.day.value", "answers.review"} == {problem.split(":")[0] for problem in found}


def test_lists_alone_can_say_who_consents() -> None:
    """Opting in: those on the list go far, the rest nowhere; whoever is on both lists has the lower layer."""
    text = """
        [consent]
        otherwise = 1
        lists = [{file = "in.txt", layer = 3}, {file = "part.txt", layer = 2}]
    """
    policy = parse(text, names=NAMES).policy(["a", "b", "c"], lists={"in.txt": ["a", "b"], "part.txt": ["b"]})
    assert policy.layers is not None
    assert [3, 2, 1] == policy.layers.tolist()


def test_an_id_that_is_not_in_the_data_is_refused_unless_the_file_says_otherwise() -> None:
    text = '[consent]\notherwise = 3\nlists = [{{file = "out.txt", layer = 1{}}}]'
    with pytest.raises(SettingError, match="1 of 1 ids"):
        parse(text.format(""), names=NAMES).policy(["a"], lists={"out.txt": ["z"]})
    relaxed = parse(text.format(', not_in_data = "ignore"'), names=NAMES)
    policy = relaxed.policy(["a", "b"], lists={"out.txt": ["z", "b"]})
    assert policy.layers is not None
    assert [3, 1] == policy.layers.tolist()


def test_consent_that_was_not_read_is_never_taken_for_given() -> None:
    """Forgetting to read the column or a list must not open the records."""
    with pytest.raises(SettingError, match="must be read"):
        example().policy(["1"], lists={"withdrawn.txt": []})
    with pytest.raises(SettingError, match=r"withdrawn\.txt was not read"):
        example().policy(["1"], column=["yes"])
    with pytest.raises(SettingError, match="2 consent entries for 1 records"):
        example().policy(["1"], column=["yes", "yes"], lists={"withdrawn.txt": []})
