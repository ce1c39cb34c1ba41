"""A person stops what leaves, or changes the rules, beside a process that is at work."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from console_site import ConsoleTrial, console_trial
from unveil.errors import UnveilError
from unveil.roles.owner.ledger import ATTRIBUTE_LAYER
from unveil.runtime.owner.observer import Unwatched
from unveil.runtime.owner.pause import FILE_NAME, Pause, Paused
from unveil.runtime.owner.stop import StopFlag
from unveil.runtime.owner.upload import OwnerUpload
from unveil.transport.courier import Courier


@pytest.fixture
def trial(tmp_path: Path) -> Iterator[ConsoleTrial]:
    with console_trial(tmp_path / "trial", rules="# as it is\n") as made:
        yield made


def works(trial: ConsoleTrial) -> int:
    """Pairs that were answered once the process has looked at what is due, as it does."""
    trial.work()
    return trial.host.machine.ledger.pairs(ATTRIBUTE_LAYER)


def test_nothing_is_decided_and_nothing_sent_while_it_is_paused(trial: ConsoleTrial) -> None:
    """Whether the pause comes before the wish or between decision and delivery; resumed, all goes on."""
    trial.ask(range(3))
    pause = Pause(trial.path)
    pause.begin(1000.0)
    pause.begin(2000.0)
    assert 1000.0 == pause.since
    assert 0 == works(trial)
    pause.end()
    assert 3 == works(trial)
    sent: list[bytes] = []

    class Unit:
        def put(self, message_id: str, frame: bytes) -> None:
            del message_id
            sent.append(frame)

    courier = Courier(
        trial.host.log, "attribute unit", Unit(), report=lambda *_: None, rng=random.Random(1), held=pause.is_on
    )
    pause.begin(3000.0)
    assert courier.step() > 0
    assert [] == sent
    pause.end()
    assert courier.step() == 0
    assert 1 == len(sent)
    assert pause.since is None


def test_a_pause_that_cannot_be_read_is_a_pause(tmp_path: Path) -> None:
    """Better nothing leaves than something that was stopped."""
    pause = Pause(tmp_path)
    (tmp_path / FILE_NAME).symlink_to(tmp_path / "nowhere")
    assert (True, 0.0) == (pause.is_on(), pause.since)


def test_an_upload_ends_when_it_is_paused(trial: ConsoleTrial) -> None:
    """Whoever waits at the terminal is told; the same command goes on later."""
    Pause(trial.path).begin(0.0)
    with pytest.raises(Paused, match="nothing leaves"):
        OwnerUpload(trial.session, StopFlag(), Unwatched()).work()


def test_rules_are_taken_up_before_the_next_decision(trial: ConsoleTrial) -> None:
    """A wish that came before the change is answered by the rules that hold now."""
    trial.ask(range(4))
    policy = trial.path / "policy.toml"
    policy.write_text("[caps.project]\npairs = 1\n")
    assert 1 == works(trial)
    trial.ask(range(4, 8))
    policy.write_text('approval = "all"\n')
    assert 1 == works(trial)
    assert [4] == [len(wish.ids) for wish in trial.host.machine.waiting()]
    policy.write_text("# whatever is asked\n")
    assert 5 == works(trial)
    trial.host._machine = None
    assert not trial.host.machine.policy.needs_approval(ATTRIBUTE_LAYER), "a machine made anew follows them too"


@pytest.mark.parametrize("text", ["approval = maybe", '[attributes]\nnever_shown = ["nose"]\n', None])
def test_rules_that_cannot_be_read_let_nothing_go(trial: ConsoleTrial, text: str | None) -> None:
    """Whoever changed them meant something else than what held before; mended, they hold."""
    trial.ask(range(2))
    policy = trial.path / "policy.toml"
    if text is None:
        policy.unlink()
    else:
        policy.write_text(text)
    assert 0 == works(trial)
    assert isinstance(trial.session.rules.problem, UnveilError)
    policy.write_text("")
    assert 2 == works(trial)
    assert trial.session.rules.problem is None


def test_a_consent_that_is_withdrawn_holds_at_once(trial: ConsoleTrial) -> None:
    """The list is a file of its own, which the policy names."""
    policy, withdrawn = trial.path / "policy.toml", trial.path / "withdrawn.txt"
    withdrawn.write_text("")
    policy.write_text('[consent]\notherwise = 3\n[[consent.lists]]\nfile = "withdrawn.txt"\nlayer = 1\n')
    trial.ask([0])
    assert 1 == works(trial)
    withdrawn.write_text(trial.session.folder.records.ids[1] + "\n")
    trial.ask([1, 2])
    assert 2 == works(trial)
    assert [0, 2] == trial.host.machine.ledger.times(ATTRIBUTE_LAYER).nonzero()[0].tolist()
