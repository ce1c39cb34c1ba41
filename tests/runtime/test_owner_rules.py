"""Rules are tried on everything that was asked, and written into the owner's file."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from console_site import ConsoleTrial, console_trial
from unveil.roles.owner.ledger import REVIEW_LAYER
from unveil.roles.owner.policy import Caps, Policy
from unveil.roles.owner.policy_file import PolicyFileError
from unveil.runtime.owner.console import OwnerConsole
from unveil.runtime.owner.dry_run import LayerTrial, WaitingTrial
from unveil.runtime.owner.rules import RulesMoved

TEXT = '# our rules\napproval = "review"  # people look\n'


@pytest.fixture
def trial(tmp_path: Path) -> Iterator[ConsoleTrial]:
    """Twelve pairs, of which eleven were answered; four reviews, of which people refused one."""
    with console_trial(tmp_path / "trial", rules=TEXT + "[caps.record]\npairs = 1\n") as made:
        pairs = made.ask([*range(11), 0])
        made.work()
        made.show(pairs[:4], "first_name", "last_name")
        with OwnerConsole.open(made.path, demonstration=True) as console:
            group = console.group(console.groups()[0][0].key, 1)
            assert group is not None
            console.answer(group.single[0], granted=False)
            for offer in group.single[1:]:
                console.answer(offer, granted=True)
        made.work()
        yield made


@pytest.fixture
def console(trial: ConsoleTrial) -> Iterator[OwnerConsole]:
    with OwnerConsole.open(trial.path, demonstration=True) as opened:
        yield opened


def test_the_rules_of_the_time_do_again_what_they_did(trial: ConsoleTrial, console: OwnerConsole) -> None:
    """The dry run answers by the function that answered, so with the same rules nothing differs."""
    found = console.try_rules(trial.session.rules.policy)
    pairs, reviews = found.units["attribute unit"], found.units["review unit"]
    assert (12, 0, 1, 1) == (pairs.wishes, pairs.by_people, pairs.refused_then, pairs.refused_now)
    assert (4, 1, 0, 0, 4) == (
        reviews.wishes, reviews.by_people, reviews.refused_then, reviews.refused_now, reviews.held,
    )  # fmt: skip
    assert pairs.values_then == pairs.values_now
    assert reviews.values_then == reviews.values_now == 6
    assert {"first_name": (3, 3), "last_name": (3, 3)} == found.attributes


def test_other_rules_are_held_against_the_whole_past(console: OwnerConsole) -> None:
    """Two pairs in all: what was asked about the others later would not have been asked. Nothing changes by trying."""
    before = console.ledger()
    found = console.try_rules(Policy(caps=Caps(project_pairs=2), never=frozenset({"last_name"})))
    assert (10, 2) == (found.units["attribute unit"].refused_now, found.units["review unit"].refused_now)
    assert (12, 16) == (found.refused_now, found.wishes)
    assert {"first_name": (3, 1), "last_name": (3, 0)} == found.attributes
    assert 0 == found.units["review unit"].held
    assert before == console.ledger()


def test_what_waits_is_tried_too(trial: ConsoleTrial, console: OwnerConsole) -> None:
    pairs = [(number + 1).to_bytes(16, "big") for number in range(4, 7)]
    trial.show(pairs, "city")
    assert WaitingTrial(wait=3) == console.try_rules(Policy(approval="review")).waiting
    assert WaitingTrial(go=3) == console.try_rules(Policy()).waiting
    assert WaitingTrial(refused=3) == console.try_rules(Policy(caps=Caps(project_values=0))).waiting


def test_what_a_reviewer_asks_for_besides_is_a_group_of_its_own_and_part_of_the_past(
    trial: ConsoleTrial, console: OwnerConsole
) -> None:
    """It says who asks, goes as any wish goes, and other rules are tried on it too."""
    (task,) = trial.show([(6).to_bytes(16, "big")], "city")
    trial.show_further(task, "zip")
    groups = {group.attributes: group for group, _ in console.groups() if group.layer == REVIEW_LAYER}
    assert (False, "attribute unit") == (groups["city",].further, groups["city",].asks)
    assert (True, "review unit") == (groups["zip",].further, groups["zip",].asks)
    assert WaitingTrial(wait=1, go=1) == console.try_rules(Policy(approval="further")).waiting
    for group, offer in console.groups():
        console.answer(offer, granted=group.layer == REVIEW_LAYER)
    trial.work()
    found = console.try_rules(Policy(never=frozenset({"zip"})))
    assert 6 == found.units["review unit"].wishes
    assert (1, 0) == found.attributes["zip"]


def test_before_anything_was_asked_rules_would_have_done_nothing(tmp_path: Path) -> None:
    with (
        console_trial(tmp_path / "trial") as made,
        OwnerConsole.open(made.path, demonstration=True) as console,
    ):
        assert {"attribute unit": LayerTrial(), "review unit": LayerTrial()} == console.try_rules(Policy()).units


def test_rules_are_saved_into_the_file_and_followed(trial: ConsoleTrial, console: OwnerConsole) -> None:
    """What is not edited stays; the owner's process takes them up."""
    rules = console.rules
    draft = rules.draft(
        {("approval",): "all", ("attributes", "never_shown"): ["zip"], ("caps", "record", "pairs"): None}
    )
    rules.save(draft, rules.now().seen)
    text = (trial.path / "policy.toml").read_text()
    assert text.startswith('# our rules\napproval = "all"  # people look\n')
    assert 'never_shown = ["zip"]' in text
    assert "pairs" not in text
    trial.ask([20])
    trial.work()
    assert [1] == [len(wish.ids) for wish in trial.host.machine.waiting()]
    assert not rules.draft(rules.now().values).changed


def test_rules_that_somebody_else_changed_meanwhile_are_not_overwritten(
    trial: ConsoleTrial, console: OwnerConsole
) -> None:
    rules = console.rules
    draft, seen = rules.draft({("approval",): "none"}), rules.now().seen
    (trial.path / "policy.toml").write_text('approval = "all"\n')
    with pytest.raises(RulesMoved):
        rules.save(draft, seen)
    assert 'approval = "all"\n' == (trial.path / "policy.toml").read_text()


@pytest.mark.parametrize(
    ("key", "value"),
    [(("review", "smallest_k"), 0), (("caps", "day", "values"), "many"), (("answers", "review"), 1.5),
     (("attributes", "never_shown"), ["nose"]), (("approval",), "maybe")],
)  # fmt: skip
def test_what_is_no_rule_is_named_by_its_key(console: OwnerConsole, key: tuple[str, ...], value: object) -> None:
    with pytest.raises(PolicyFileError) as error:
        console.rules.draft({key: value})
    assert ".".join(key) in str(error.value)


def test_an_owner_without_a_policy_gets_one(tmp_path: Path) -> None:
    """The file is made and named in the configuration, and a process that runs already takes it up."""
    with (
        console_trial(tmp_path / "trial", rules=None) as made,
        OwnerConsole.open(made.path, demonstration=True) as console,
    ):
        assert made.session.folder.config.policy is None
        rules = console.rules
        rules.save(rules.draft({("approval",): "all"}), rules.now().seen)
        made.ask([0])
        made.work()
        assert [1] == [len(wish.ids) for wish in made.host.machine.waiting()]
        assert 1 == console.status().waiting
