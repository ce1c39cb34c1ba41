"""
Wishes as they come in: checked, remembered for ever, and answered in the order in which they came.

A key used twice would turn keyed filters into plain ones, and only the owner can refuse that; so every key_pair, pair
and task that was ever wished for is remembered. Values are asked for once per pair, and only after its encodings were
granted: what an owner kept from the attribute unit must not get past it in plain text. A reviewer may ask for one more
attribute of such a task, as often as the project file says, and for each of them once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from unveil.protocol.flows import Envelope, refused
from unveil.protocol.messages import ID, KEY_PAIR, MOST_WISHES, AttributeWish, EncodingWish, FurtherWish
from unveil.protocol.runs import run_of
from unveil.roles.columns import byte_matrix, entries, one_each
from unveil.roles.handles import Handles
from unveil.roles.owner.budget import Budget
from unveil.roles.owner.decisions import Approved
from unveil.roles.owner.ledger import ATTRIBUTE_LAYER, REVIEW_LAYER
from unveil.schema import Schema

#: What is said of an entry before anybody asks how much of it may go.
WAITS, GOES, REFUSED = 0, 1, 2
Words = Callable[["Wish"], NDArray[np.int8]]


@dataclass(frozen=True, slots=True, repr=False)
class Wish:
    """One wish: pair or task ids, the records meant, attributes asked for, keys of pairs, and what people approved."""

    layer: int
    ids: list[bytes]
    rows: NDArray[np.int64]
    asked: NDArray[np.bool_]
    key_pairs: list[bytes]
    approved: NDArray[np.bool_]
    run: bytes = b""  # what the keys are bound to
    second: bool = False  # whether the owner's upload is the second of the two
    further: bool = False  # a reviewer asks for one more attribute of a pair

    def __repr__(self) -> str:
        return f"Wish(<{len(self.ids)} entries>)"

    def some(self, places: Sequence[int]) -> Wish:
        """The entries at these places, in ascending order, as a wish of their own."""
        if len(places) == len(self.ids):
            return self
        return Wish(
            self.layer,
            [self.ids[at] for at in places],
            self.rows[places],
            self.asked[places],
            [self.key_pairs[at] for at in places] if self.key_pairs else [],
            self.approved[places],
            self.run,
            self.second,
            self.further,
        )


class Wishes:
    """What was wished for. The oldest wish that nothing holds up is due."""

    def __init__(self, schema: Schema) -> None:
        self._names = schema.names
        self._budget = Budget(schema)
        self._uploads = b""  # that were compared, as the first wish said
        self._open: list[Wish] = []
        self._said: dict[tuple[int, bytes], bool] = {}  # what a person said about an entry
        self._served: set[bytes] = set()  # every key_pair
        self._pairs: dict[bytes, int] = {}  # pair id -> row
        self._granted: set[bytes] = set()  # pairs whose encodings went to the attribute unit
        self._reviewed: set[bytes] = set()  # pairs that had a task
        self._tasks: dict[bytes, int] = {}  # task id -> row
        self._further: set[tuple[bytes, int]] = set()  # tasks and attributes that reviewers asked for
        self._further_ids: set[bytes] = set()

    @property
    def any(self) -> bool:
        """Whether anything was ever wished for."""
        return bool(self._pairs)

    def check_encodings(self, envelope: Envelope, message: EncodingWish, handles: Handles | None) -> None:
        """Refuse wishes for records that this owner does not hold, and keys and pairs that came before."""
        _check_size(envelope, message)
        self._budget.check_encodings(envelope, message)
        if self._uploads and message.uploads != self._uploads:
            raise refused(envelope, "a wish about other uploads than before")
        if handles is None or (handles.rows(message.handles) < 0).any():
            raise refused(envelope, "a wish for a record that this owner does not hold")
        key_pairs, pair_ids = entries(message.key_pairs, KEY_PAIR), entries(message.pair_ids, ID)
        if len(set(key_pairs)) != len(key_pairs) or not self._served.isdisjoint(key_pairs):
            raise refused(envelope, "a key_pair that was used before")
        if len(set(pair_ids)) != len(pair_ids) or any(pair_id in self._pairs for pair_id in pair_ids):
            raise refused(envelope, "a pair that was wished for before")

    def check_values(self, envelope: Envelope, message: AttributeWish) -> None:
        """Refuse attributes outside the schema, pairs that were not granted, and pairs and tasks that came before."""
        _check_size(envelope, message)
        self._budget.check_values(envelope, message)
        if message.attributes != len(self._names):
            raise refused(envelope, "attributes outside the schema")
        pair_ids, task_ids = entries(message.pair_ids, ID), entries(message.task_ids, ID)
        if any(pair_id not in self._pairs for pair_id in pair_ids):
            raise refused(envelope, "a wish for a pair that this owner was never asked about")
        if not self._granted.issuperset(pair_ids):
            raise refused(envelope, "a wish for a pair that this owner has not granted")
        if len(set(pair_ids)) != len(pair_ids) or not self._reviewed.isdisjoint(pair_ids):
            raise refused(envelope, "a pair that had a task before")
        if len(set(task_ids)) != len(task_ids) or not self._new_tasks(task_ids):
            raise refused(envelope, "a task that was wished for before")

    def check_further(self, envelope: Envelope, message: FurtherWish) -> None:
        """Refuse wishes for tasks that nobody asked about, for more than one attribute, and what came before."""
        _check_size(envelope, message)
        self._budget.check_further(envelope, message)
        if message.attributes != len(self._names):
            raise refused(envelope, "attributes outside the schema")
        wished, wish_ids = one_each(message.task_ids, message.asked, message.attributes), entries(message.wish_ids, ID)
        if len(wished) != len(message):
            raise refused(envelope, "a wish of a reviewer for anything but one attribute")
        if any(task_id not in self._tasks for task_id, _ in wished):
            raise refused(envelope, "a wish for a task that this owner was never asked about")
        if len(set(wished)) != len(wished) or not self._further.isdisjoint(wished):
            raise refused(envelope, "an attribute that a reviewer asked for before")
        if len(set(wish_ids)) != len(wish_ids) or not self._new_tasks(wish_ids):
            raise refused(envelope, "a task that was wished for before")

    def _new_tasks(self, ids: Sequence[bytes]) -> bool:
        """Whether none of these ids of tasks and of wishes of reviewers came before: one names one disclosure."""
        return self._tasks.keys().isdisjoint(ids) and self._further_ids.isdisjoint(ids)

    def add(self, message: EncodingWish | AttributeWish | FurtherWish, handles: Handles | None, upload: bytes) -> None:
        """Take in a wish about records that went up as `upload`."""
        approved = np.ones(len(message), bool)
        self._budget.add(message)
        if isinstance(message, EncodingWish):
            assert handles is not None
            ids, key_pairs = entries(message.pair_ids, ID), entries(message.key_pairs, KEY_PAIR)
            rows = handles.rows(message.handles)
            self._served.update(key_pairs)
            self._uploads = message.uploads
            self._pairs.update(zip(ids, rows.tolist(), strict=True))
            asked = np.ones((len(ids), len(self._names)), bool)
            run, second = run_of(message.uploads), not message.uploads.startswith(upload)
            self._open.append(Wish(ATTRIBUTE_LAYER, ids, rows, asked, key_pairs, approved, run, second))
            return
        asked = byte_matrix(message.asked, len(self._names)).astype(bool)
        if isinstance(message, FurtherWish):
            ids, task_ids = entries(message.wish_ids, ID), entries(message.task_ids, ID)
            self._further.update(one_each(message.task_ids, message.asked, message.attributes))
            self._further_ids.update(ids)
            rows = np.array([self._tasks[task_id] for task_id in task_ids], np.int64)
            self._open.append(Wish(REVIEW_LAYER, ids, rows, asked, [], approved, further=True))
            return
        ids, pair_ids = entries(message.task_ids, ID), entries(message.pair_ids, ID)
        rows = np.array([self._pairs[pair_id] for pair_id in pair_ids], np.int64)
        self._tasks.update(zip(ids, rows.tolist(), strict=True))
        self._reviewed.update(pair_ids)
        self._open.append(Wish(REVIEW_LAYER, ids, rows, asked, [], approved))

    def waiting(self, words: Words) -> list[Wish]:
        """Entries that wait for a person's word, wish by wish; `words` is what the policy says of them."""
        held = [(wish, np.flatnonzero(self._said_of(wish, words) == WAITS).tolist()) for wish in self._open]
        return [wish.some(places) for wish, places in held if places]

    def due(self, words: Words) -> Wish | None:
        """
        The oldest wish that can be answered now, with what was said about it; a person's word counts before a policy's.

        Of one that people look at, the entries that have their word: an answer to one need not wait for the others.
        """
        for wish in self._open:
            said = self._said_of(wish, words)
            places = np.flatnonzero(said != WAITS).tolist()
            if places:
                return replace(wish.some(places), approved=said[places] == GOES)
        return None

    def approve(self, decision: Approved) -> None:
        """Take in a person's word."""
        for one, granted in zip(entries(decision.ids, ID), decision.granted, strict=True):
            self._said[decision.layer, one] = bool(granted)

    def close(self, ids: list[bytes], layer: int, granted: list[int]) -> Wish:
        """Take out these entries of a wish, which were answered; `granted` are the places of what was let go."""
        at = next(i for i, wish in enumerate(self._open) if wish.layer == layer and ids[0] in wish.ids)
        wish, answered = self._open[at], set(ids)
        if layer == ATTRIBUTE_LAYER:
            self._granted.update(ids[place] for place in granted)
        left = [place for place, one in enumerate(wish.ids) if one not in answered]
        if left:
            self._open[at] = wish.some(left)
        else:
            self._open.pop(at)
        return wish.some([place for place, one in enumerate(wish.ids) if one in answered])

    def _said_of(self, wish: Wish, words: Words) -> NDArray[np.int8]:
        found = words(wish).copy()
        for at, one in enumerate(wish.ids):
            said = self._said.get((wish.layer, one))
            if said is not None:
                found[at] = GOES if said else REFUSED
        return found


def _check_size(envelope: Envelope, message: EncodingWish | AttributeWish | FurtherWish) -> None:
    if len(message) > MOST_WISHES:
        # The answer is many times as long as the wish.
        raise refused(envelope, f"more than {MOST_WISHES} entries in one wish")
