"""
Malicious units against one owner: what leaves never exceeds the project file.

Across restarts, new folders and restored databases. Answers go to two units, and either notes the head that the owner
tells it: for a cheating unit to gain from a forgetful owner, the other one would have to collude with it.
"""

from __future__ import annotations

import random
import shutil
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from owner_hosts import KEY, A, agreed, deliver, invented

from unveil.encoding.encoder import Encoder
from unveil.errors import ProtocolError
from unveil.protocol import codec
from unveil.protocol.messages import (
    ID,
    KEY_PAIR,
    AttributeEncodings,
    AttributeValues,
    AttributeWish,
    EncodingWish,
    FurtherWish,
    LinkTable,
    Message,
)
from unveil.protocol.roles import ATTRIBUTE_UNIT, RECORD_UNIT, Address
from unveil.roles.columns import entries
from unveil.roles.owner.machine import Owner
from unveil.roles.owner.policy import Policy
from unveil.runtime.host import Host
from unveil.runtime.system_chance import system_chance
from unveil.schema import Schema, built_in
from unveil.schema.most_asked import MostAsked
from unveil.storage.database import Database

WISHES = 10_000  # adversarial entries in all
RECORDS, WIDTH = 8, 7
#: Few pairs, so that a unit that asks for more is soon beyond them: 6 + 24 pairs and 6 of strangers with each batch, 2
#: reviews and a further attribute, 6 pairs for one record.
PROTOCOL = {"batches": (6, 6), "pairs_per_record": 6, "evenness": 0.9, "strangers": 1, "further_attributes": 0.5}
REVIEW = {"budget": 2, "batches": 2, "rounds": 1}


def small_budget() -> Schema:
    schema = built_in()
    review = schema.protocol.review.model_copy(update=REVIEW)
    return schema.model_copy(update={"protocol": schema.protocol.model_copy(update={**PROTOCOL, "review": review})})


SCHEMA = small_budget()
MOST = MostAsked.of(SCHEMA.protocol)


def test_the_numbers_are_those_of_the_project() -> None:
    assert (42, 6, 2, 1) == (MOST.pairs, MOST.record_pairs, MOST.reviews, MOST.further)


def one_attribute(attribute: int) -> bytes:
    return bytes(at == attribute for at in range(WIDTH))


@dataclass
class Attacked:
    """An owner and what its units hold of it: every answer that ever left, and the head that they noted."""

    root: Path
    rng: random.Random
    policy: Policy | None = None
    folder: int = 0
    copies: list[Path] = field(default_factory=list)
    noted: bytes | None = None
    left: dict[str, Message] = field(default_factory=dict)  # by message id, what arrived at a unit
    known: list[tuple[bytes, bytes, bytes]] = field(default_factory=list)  # pair id, handle, key of former wishes
    handles: set[bytes] = field(default_factory=set)
    tasks: list[bytes] = field(default_factory=list)  # whose values came
    further: set[bytes] = field(default_factory=set)  # wishes for one more attribute of these
    sessions: int = 0
    refused: int = 0
    tried: int = 0
    answered_further: int = 0

    @property
    def place(self) -> Path:
        return self.root / f"folder {self.folder}" / "owner.sqlite"

    def build(self) -> Owner:
        encoder = Encoder(SCHEMA, KEY, project="p", agreed="a fingerprint")
        return Owner(A, invented(SCHEMA, RECORDS), SCHEMA, encoder, policy=self.policy, chance=system_chance)

    # What may happen to an owner's folder

    def new_folder(self) -> None:
        self.folder += 1

    def copy(self) -> None:
        if self.place.exists():
            self.copies.append(self.place.with_suffix(f".{len(self.copies)}"))
            shutil.copy(self.place, self.copies[-1])

    def restore(self, which: int) -> None:
        if self.copies:
            copy = self.copies[which % len(self.copies)]
            self.folder = int(copy.parent.name.split()[1])
            for path in self.place.parent.glob("owner.sqlite*"):
                path.unlink()
            shutil.copy(copy, self.place)

    # One life of a process

    def session(self, entries_asked: int) -> None:
        """Start the owner, as it starts in the field: it compares first, and goes no further if its log is behind."""
        self.place.parent.mkdir(exist_ok=True)
        self.sessions += 1
        with Database.open(self.place, role="owner", identity="a") as database:
            host = Host(self.build, database.project("p"), clock=lambda: 1.0)
            if self.noted is not None and not host.log.holds(self.noted):
                self.refused += 1
                return
            if not host.machine.uploaded:
                agreed(host)
            self.handles.update(entries(host.machine._handles.column, ID))  # type: ignore[union-attr]
            self.carry(host)
            for number in range(0, entries_asked, 10):
                self.ask(host, number, min(10, entries_asked - number))
                with suppress(ProtocolError):
                    host.advance()
                self.carry(host)
        for path in self.place.parent.glob("*-wal"):
            path.unlink()

    def ask(self, host: Host[Owner], number: int, count: int) -> None:
        """As many entries as one likes: old keys, pairs and records among new ones, in any batch."""
        rng, handles = self.rng, sorted(self.handles)
        self.tried += count
        old = self.known if self.known and rng.random() < 0.3 else None
        if rng.random() < 0.35 and self.known:
            pairs = [rng.choice(self.known)[0] for _ in range(rng.choice([1, 1, count]))]
            pairs = list(dict.fromkeys(pairs)) if rng.random() < 0.7 else pairs
            tasks = rng.randbytes(ID * len(pairs))
            message: Message = AttributeWish(WIDTH, b"".join(pairs), tasks, b"\1" * WIDTH * len(pairs))
            sender: Address = ATTRIBUTE_UNIT
        elif rng.random() < 0.2 and self.tasks:
            wished = [rng.choice(self.tasks) for _ in range(rng.choice([1, 1, 2, count]))]
            ids = [rng.randbytes(ID) if rng.random() < 0.8 else rng.choice(self.tasks) for _ in wished]
            marks = [one_attribute(rng.randrange(WIDTH)) if rng.random() < 0.9 else b"\1" * WIDTH for _ in wished]
            self.further.update(set(ids) - set(self.tasks))
            message = FurtherWish(WIDTH, b"".join(wished), b"".join(ids), b"".join(marks))
            sender = ATTRIBUTE_UNIT
        else:
            some = [
                (rng.randbytes(ID), rng.choice(handles), rng.choice(old)[2] if old else rng.randbytes(KEY_PAIR))
                for _ in range(rng.choice([1, 2, count]))
            ]
            self.known += some
            upload = host.machine.upload_id if rng.random() < 0.95 else rng.randbytes(ID)
            message = EncodingWish(rng.choice([0, 1, 1, 1, 2]), upload, *map(b"".join, zip(*some, strict=True)))
            sender = RECORD_UNIT
        with suppress(ProtocolError):
            deliver(host, f"{self.sessions} {number}", message, sender)

    def carry(self, host: Host[Owner]) -> None:
        """Everything that waits goes out, with the head of the log."""
        for one in host.log.outgoing(limit=1000):
            message = codec.decode(one.body)
            assert message == self.left.setdefault(one.message_id, message)
            if isinstance(message, AttributeValues):
                self.tasks += [task for task in entries(message.task_ids, ID) if task not in self.further]
            host.log.delivered(one.message_id, recipient=one.recipient)
            self.noted = host.log.head[1]

    # What the units have in the end

    def check(self) -> None:
        encoded: Counter[bytes] = Counter()  # by pair
        values, tasks, further = 0, 0, 0
        for message in self.left.values():
            match message:
                case AttributeEncodings():
                    encoded.update(entries(message.pair_ids, ID))
                case AttributeValues():
                    asked_again = sum(one in self.further for one in entries(message.task_ids, ID))
                    tasks, further = tasks + len(message) - asked_again, further + asked_again
                    values += sum(len(one) for one in message.values)
        handle_of = {pair: handle for pair, handle, _ in self.known}
        of_record = Counter(handle_of[pair] for pair in encoded)
        assert encoded.total() <= MOST.pairs
        assert set(encoded.values()) <= {1}
        assert max(of_record.values(), default=0) <= MOST.record_pairs
        assert tasks <= MOST.reviews
        assert further <= MOST.further
        assert values <= MOST.reviews * WIDTH + MOST.further
        self.answered_further = further


ACTIONS = st.lists(
    st.one_of(
        st.tuples(st.just("restart"), st.integers(10, 120)),
        st.tuples(st.just("new folder"), st.integers(10, 60)),
        st.tuples(st.just("copy"), st.integers(10, 60)),
        st.tuples(st.just("restore"), st.integers(0, 9)),
    ),
    min_size=4,
    max_size=10,
)


def test_what_leaves_never_exceeds_the_project_file() -> None:
    """Ten thousand entries, whatever happens to the owner's processes, folders and databases in between."""
    total: Counter[str] = Counter()

    @settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)
    @given(ACTIONS, st.integers(0, 1 << 30))
    def attack(actions: list[tuple[str, int]], seed: int) -> None:
        with TemporaryDirectory() as root:
            attacked = Attacked(Path(root), random.Random(seed))
            attacked.session(100)
            for action, number in actions:
                match action:
                    case "new folder":
                        attacked.new_folder()
                    case "copy":
                        attacked.copy()
                    case "restore":
                        attacked.restore(number)
                attacked.session(max(10, number))
            attacked.session(100)
            attacked.check()
            total["tried"] += attacked.tried
            total["refused sessions"] += attacked.refused
            total["left"] += len(attacked.left)
            total["further"] += attacked.answered_further

    attack()
    while total["tried"] < WISHES:  # examples vary in length
        with TemporaryDirectory() as root:
            attacked = Attacked(Path(root), random.Random(total["tried"]))
            attacked.session(1000)
            attacked.check()
            total["tried"] += attacked.tried
    assert total["tried"] >= WISHES
    assert total["refused sessions"] > 20  # folders without memory and older copies were noticed
    assert total["left"] > 200  # an owner that answers nothing would pass as well
    assert total["further"] > 0


def test_an_honest_unit_gets_all_that_was_agreed(tmp_path: Path) -> None:
    """The control: the budget can be used up, in its batches."""
    attacked = Attacked(tmp_path, random.Random(1))
    attacked.place.parent.mkdir()
    with Database.open(attacked.place, role="owner", identity="a") as database:
        host = Host(attacked.build, database.project("p"), clock=lambda: 1.0)
        handles, upload = agreed(host), host.machine.upload_id
        for batch, size in enumerate(MOST.batches):
            rows = [handles[(batch * 6 + at) % RECORDS] for at in range(size)]
            wish = EncodingWish(
                batch,
                upload,
                random.Random(batch).randbytes(ID * size),
                b"".join(rows),
                random.Random(batch).randbytes(KEY_PAIR * size),
            )
            assert deliver(host, f"wish {batch}", wish, RECORD_UNIT)
            host.advance()
            over = EncodingWish(batch, upload, bytes([batch] * ID), handles[0], bytes([batch] * KEY_PAIR))
            with pytest.raises(ProtocolError, match="pairs that the project allows in batch"):
                deliver(host, f"over {batch}", over, RECORD_UNIT)
        assert MOST.pairs == host.machine.ledger.pairs(2)
        beyond = EncodingWish(2, upload, bytes([9] * ID), handles[0], bytes([9] * KEY_PAIR))
        with pytest.raises(ProtocolError, match="batch 3, but the project has 2"):
            deliver(host, "beyond", beyond, RECORD_UNIT)


def test_nothing_is_answered_once_links_have_come(tmp_path: Path) -> None:
    """Not even what waited: the linkage is over."""
    attacked = Attacked(tmp_path, random.Random(1), policy=Policy(approval="all"))
    attacked.place.parent.mkdir()
    with Database.open(attacked.place, role="owner", identity="a") as database:
        host = Host(attacked.build, database.project("p"), clock=lambda: 1.0)
        handles, upload = agreed(host), host.machine.upload_id
        first, second = (EncodingWish(0, upload, bytes([n] * ID), handles[n], bytes([n] * KEY_PAIR)) for n in (1, 2))
        assert deliver(host, "waits", first, RECORD_UNIT)
        (waiting,) = host.machine.waiting()
        table = LinkTable(0, 1, b"".join(handles), bytes(ID * len(handles)))
        assert deliver(host, "links", table, RECORD_UNIT)
        host.deciding(lambda owner: owner.approval(waiting, [True]))
        assert not host.advance()
        assert [] == host.machine.waiting()
        assert 0 == host.machine.ledger.pairs(2)
        with pytest.raises(ProtocolError, match="the links have come"):
            deliver(host, "late", second, RECORD_UNIT)
