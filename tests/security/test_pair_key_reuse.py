"""Ten thousand malicious wishes: no key serves twice, nothing foreign is answered, retries change nothing."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from owner_hosts import agreed, build_owner, deliver, open_log

from unveil.errors import Conflict, ProtocolError
from unveil.protocol import codec
from unveil.protocol.messages import ID, KEY_PAIR, AttributeEncodings, AttributeValues, AttributeWish, EncodingWish
from unveil.protocol.roles import ATTRIBUTE_UNIT, RECORD_UNIT
from unveil.roles.columns import entries
from unveil.roles.owner.machine import Owner
from unveil.runtime.host import Host

WISHES = 10_000
RESTARTS = 10
WIDTH = 7


@dataclass
class Served:
    """An owner that has answered honest wishes, and everything that a curious unit knows about them."""

    folder: Path
    rng: random.Random
    handles: list[bytes] = field(default_factory=list)
    upload: bytes = b""
    wishes: dict[str, EncodingWish] = field(default_factory=dict)
    reviews: dict[str, AttributeWish] = field(default_factory=dict)

    @contextmanager
    def host(self) -> Iterator[Host[Owner]]:
        """The owner, folded from its log."""
        with open_log(self.folder) as database:
            yield Host(build_owner(records=20), database.project("p"), clock=lambda: 1.0)

    def draw(self, size: int = ID) -> bytes:
        """Fresh bytes."""
        return self.rng.randbytes(size)

    def old(self, column: str, width: int = ID) -> bytes:
        """An entry of an honest wish."""
        wish = self.rng.choice([*self.wishes.values()])
        return self.rng.choice(entries(getattr(wish, column), width))

    def fresh(self) -> EncodingWish:
        """A wish that an honest unit might send."""
        return self.wish(self.draw(), self.rng.choice(self.handles), self.draw(KEY_PAIR))

    def wish(self, pair_ids: bytes, handles: bytes, key_pairs: bytes) -> EncodingWish:
        """A wish of the second batch, which has room for many."""
        return EncodingWish(1, self.upload, pair_ids, handles, key_pairs)


@pytest.fixture
def served(tmp_path: Path) -> Served:
    found = Served(tmp_path, random.Random(5))
    with found.host() as host:
        found.handles, found.upload = agreed(host), host.machine.upload_id
        for number in range(20):
            parts = [found.fresh() for _ in range(5)]
            wish = found.wish(
                *(b"".join(getattr(one, name) for one in parts) for name in ("pair_ids", "handles", "key_pairs"))
            )
            assert deliver(host, f"wish {number}", wish, RECORD_UNIT)
            host.advance()  # values are asked for after the encodings were granted
            review = AttributeWish(WIDTH, wish.pair_ids, found.draw(5 * ID), b"\1" * 5 * WIDTH)
            assert deliver(host, f"review {number}", review, ATTRIBUTE_UNIT)
            found.wishes[f"wish {number}"], found.reviews[f"review {number}"] = wish, review
        host.advance()
    return found


def _malicious(served: Served) -> tuple[str, object, object]:
    """A name for what is tried, the message, and who sends it."""
    fresh, rng, one = served.fresh(), served.rng, served.old("pair_ids")
    pair, handle, key = fresh.pair_ids, fresh.handles, fresh.key_pairs
    old_key = served.old("key_pairs", KEY_PAIR)
    old_task = rng.choice(entries(rng.choice([*served.reviews.values()]).task_ids, ID))
    tried: dict[str, tuple[object, object]] = {
        "an old key for another record": (served.wish(pair, handle, old_key), RECORD_UNIT),
        "an old key for the same record": (served.wish(pair, served.old("handles"), old_key), RECORD_UNIT),
        "an old key among new ones": (
            served.wish(pair + served.draw(), handle * 2, key + old_key), RECORD_UNIT,
        ),
        "a key twice in one wish": (served.wish(pair + served.draw(), handle * 2, key * 2), RECORD_UNIT),
        "a pair twice in one wish": (served.wish(pair * 2, handle * 2, key + served.draw(KEY_PAIR)), RECORD_UNIT),
        "an old pair": (served.wish(served.old("pair_ids"), handle, key), RECORD_UNIT),
        "an unknown record": (served.wish(pair, served.draw(), key), RECORD_UNIT),
        "an unknown record among known ones": (
            served.wish(pair + served.draw(), handle + served.draw(), key + served.draw(KEY_PAIR)), RECORD_UNIT,
        ),
        "a wish of the wrong unit": (fresh, ATTRIBUTE_UNIT),
        "a wish for nothing": (served.wish(b"", b"", b""), RECORD_UNIT),
        "values of nothing": (AttributeWish(WIDTH, b"", b"", b""), ATTRIBUTE_UNIT),
        "values of an old pair": (AttributeWish(WIDTH, one, pair, b"\1" * WIDTH), ATTRIBUTE_UNIT),
        "too few attributes": (AttributeWish(WIDTH - 1, one, pair, b"\1" * (WIDTH - 1)), ATTRIBUTE_UNIT),
        "foreign attributes": (AttributeWish(WIDTH + 1, one, pair, b"\1" * (WIDTH + 1)), ATTRIBUTE_UNIT),
        "values of an unknown pair": (AttributeWish(WIDTH, pair, served.draw(), b"\1" * WIDTH), ATTRIBUTE_UNIT),
        "an old task": (AttributeWish(WIDTH, one, old_task, b"\1" * WIDTH), ATTRIBUTE_UNIT),
        "values for the wrong unit": (AttributeWish(WIDTH, one, pair, b"\1" * WIDTH), RECORD_UNIT),
    }  # fmt: skip
    name = rng.choice([*tried])
    return name, *tried[name]


def _answers(host: Host[Owner]) -> Counter[bytes]:
    """Pairs and tasks for which something waits to be sent."""
    found: Counter[bytes] = Counter()
    for one in host.log.outgoing(limit=1 << 20):
        match codec.decode(one.body):
            case AttributeEncodings() as message:
                found.update(entries(message.pair_ids, ID))
            case AttributeValues() as message:
                found.update(entries(message.task_ids, ID))
    return found


def test_no_malicious_wish_is_served(served: Served) -> None:
    """Across messages, inside one message, and after the owner was started anew."""
    honest = {one for wish in served.wishes.values() for one in entries(wish.pair_ids, ID)}
    honest |= {one for wish in served.reviews.values() for one in entries(wish.task_ids, ID)}
    tried: Counter[str] = Counter()
    for start in range(RESTARTS):
        with served.host() as host:
            head = host.log.head
            for number in range(WISHES // RESTARTS):
                name, message, sender = _malicious(served)
                tried[name] += 1
                with pytest.raises(ProtocolError):
                    deliver(host, f"malicious {start} {number}", message, sender)  # type: ignore[arg-type]
            assert not host.advance()
            assert head == host.log.head
            assert dict.fromkeys(honest, 1) == _answers(host)
    assert WISHES == tried.total()
    assert 17 == len(tried)
    assert min(tried.values()) > 400


def test_identical_retries_are_answered_identically(served: Served) -> None:
    """The same message again, before and after a restart: nothing new is written, and what waits is what waited."""
    with served.host() as host:
        before = [(one.message_id, one.body) for one in host.log.outgoing(limit=1 << 20)]
        head = host.log.head
    for _ in range(3):
        with served.host() as host:
            for name, wish in served.wishes.items():
                assert not deliver(host, name, wish, RECORD_UNIT)
            for name, review in served.reviews.items():
                assert not deliver(host, name, review, ATTRIBUTE_UNIT)
            assert not host.advance()
            assert head == host.log.head
            assert before == [(one.message_id, one.body) for one in host.log.outgoing(limit=1 << 20)]


def test_the_id_of_an_old_wish_does_not_carry_a_new_one(served: Served) -> None:
    """Nor does a new id carry an old wish: the key was used."""
    with served.host() as host:
        for name, wish in served.wishes.items():
            with pytest.raises(Conflict):
                deliver(host, name, served.fresh(), RECORD_UNIT)
            with pytest.raises(ProtocolError, match="used before"):
                deliver(host, f"{name} again", wish, RECORD_UNIT)
        assert not host.advance()


def test_an_honest_wish_is_still_served(served: Served) -> None:
    """The control: an owner that refuses everything would pass all of the above."""
    with served.host() as host:
        wish = served.fresh()
        assert deliver(host, "honest", wish, RECORD_UNIT)
        assert host.advance()
        assert 1 == _answers(host)[wish.pair_ids]
