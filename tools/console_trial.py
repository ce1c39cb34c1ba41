"""An owner with wishes that wait, for pictures and tests: its folder is real, no unit is there; a script plays both."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from unveil.lab.local_parties import folder
from unveil.lab.simulation.study import simulation_key
from unveil.lab.synthetic import generate, write
from unveil.protocol import frames
from unveil.protocol.codec import encode
from unveil.protocol.messages import ID, KEY_PAIR, Agreement, AttributeWish, EncodingWish, FurtherWish
from unveil.protocol.roles import ATTRIBUTE_UNIT, RECORD_UNIT
from unveil.roles.owner.decisions import KINDS, Prepared
from unveil.roles.owner.machine import Owner
from unveil.runtime.host import Host
from unveil.runtime.owner.approvals import Approvals
from unveil.runtime.owner.session import OwnerSession, open_session
from unveil.schema import built_in
from unveil.schema.presets import with_preset

NAMES: Final = built_in().names
RULES: Final = 'approval = "all"\n\n[attributes]\nnever_shown = ["zip"]  # nobody needs it\n'
PEOPLE: Final = 60


@dataclass
class ConsoleTrial:
    """An owner's folder; `session` is what the process that answers wishes works with, when the script lets it."""

    path: Path
    session: OwnerSession
    asked: int = 0
    reviews: int = 0

    @property
    def host(self) -> Host[Owner]:
        """The owner's machine and its log."""
        return self.session.host

    def ask(self, rows: Sequence[int], *, batch: int = 0) -> list[bytes]:
        """The record unit asks for the encodings of these records."""
        decisions = (entry.body for entry in self.host.log.entries() if entry.kind == "decision" and entry.body)
        prepared = next(one for one in (frames.read(body, KINDS) for body in decisions) if isinstance(one, Prepared))
        column = b"".join(prepared.handles[row * ID : (row + 1) * ID] for row in rows)
        numbers = range(self.asked + 1, self.asked + 1 + len(rows))
        self.asked += len(rows)
        pairs = [number.to_bytes(ID, "big") for number in numbers]
        keys = b"".join(number.to_bytes(KEY_PAIR, "big") for number in numbers)
        wish = EncodingWish(batch, self.host.machine.upload_id, b"".join(pairs), column, keys)
        self.host.take(RECORD_UNIT, f"ask {numbers[0]}", encode(wish))
        return pairs

    def show(self, pairs: Sequence[bytes], *names: str) -> list[bytes]:
        """The attribute unit asks for these values of pairs that were granted."""
        numbers = range(1000 + self.reviews, 1000 + self.reviews + len(pairs))
        self.reviews += len(pairs)
        tasks = [number.to_bytes(ID, "big") for number in numbers]
        marks = bytes(name in names for name in NAMES) * len(pairs)
        wish = AttributeWish(len(NAMES), b"".join(pairs), b"".join(tasks), marks)
        self.host.take(ATTRIBUTE_UNIT, f"show {numbers[0]}", encode(wish))
        return tasks

    def show_further(self, task: bytes, name: str) -> None:
        """A reviewer asks for one more attribute of a task."""
        self.reviews += 1
        wish_id = (1000 + self.reviews + 1_000_000).to_bytes(ID, "big")
        marks = bytes(each == name for each in NAMES)
        wish = FurtherWish(len(NAMES), task, wish_id, marks)
        self.host.take(ATTRIBUTE_UNIT, f"further {self.reviews}", encode(wish))

    def work(self) -> None:
        """The owner's process takes up what was answered, and answers what is due."""
        worker = self.session.worker()
        Approvals(self.path).take_up(self.host)
        self.host.advance(held=lambda: worker.paused() or worker.held())
        for client in worker.clients.values():
            client.close()

    def value(self, row: int, name: str) -> str:
        """A value of the owner's."""
        return self.session.folder.records.columns[name][row]


@contextmanager
def console_trial(root: Path, rules: str | None = RULES) -> Iterator[ConsoleTrial]:
    """An owner that has uploaded, as its units would see it."""
    (root / "people").mkdir(parents=True)
    write(generate(records=PEOPLE, overlap=0.3, errors=1, seed=1), root / "people")
    schema = with_preset(built_in(), "unveil", budget=100)
    schema = schema.model_copy(update={"protocol": schema.protocol.model_copy(update={"further_attributes": 0.1})})
    policies = None if rules is None else {"owner-a": rules}
    folder.make(root, schema, seed=1, key=simulation_key(1).secret, policies=policies)
    with open_session(root / "owner-a", demonstration=True) as session:
        session.host.advance()
        session.host.take(RECORD_UNIT, "agreed", encode(Agreement(1, session.look().fingerprint)))
        session.host.advance()
        yield ConsoleTrial(root / "owner-a", session)
