"""Every wish that was answered so far, as it was asked and as it was answered: read from the log, to try rules on."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from unveil.protocol import codec, frames
from unveil.protocol.messages import ID, AttributeWish, EncodingWish, FurtherWish
from unveil.roles.columns import byte_matrix, entries
from unveil.roles.handles import Handles
from unveil.roles.owner.decisions import KINDS, VALUE, Answered, Approved, BegunAnew, Prepared
from unveil.roles.owner.ledger import ATTRIBUTE_LAYER, REVIEW_LAYER
from unveil.roles.owner.wishes import Wish
from unveil.storage.log.log import ProjectLog


@dataclass(frozen=True, slots=True, repr=False)
class PastAnswer:
    """
    Entries that were answered together: `wish` is what was asked, with what people said about it.

    `pairs` are the pairs meant, `granted` marks entries that were let go, `given` values that went.
    """

    time: float
    wish: Wish
    pairs: tuple[bytes, ...]
    granted: NDArray[np.bool_]
    given: NDArray[np.bool_]

    def __repr__(self) -> str:
        return f"PastAnswer(<{len(self.pairs)} entries>)"


@dataclass(slots=True, repr=False)
class PastWishes:
    """What a log says so far; `read` takes in what was added since."""

    answers: list[PastAnswer] = field(default_factory=list)
    _handles: Handles | None = None
    _rows: dict[bytes, int] = field(default_factory=dict)  # pair -> row
    _tasks: dict[bytes, tuple[bytes, bytes]] = field(
        default_factory=dict
    )  # task or wish -> pair, marks of what is asked
    _said: dict[tuple[int, bytes], bool] = field(default_factory=dict)
    _seq: int = 0

    def __repr__(self) -> str:
        return f"PastWishes(<{len(self.answers)} answers>)"

    def read(self, log: ProjectLog) -> PastWishes:
        """Take in new entries."""
        for entry in log.entries(after=self._seq):
            self._seq = entry.seq
            if entry.body is None:
                continue
            if entry.kind == "decision":
                self._decision(entry.body)
            else:
                self._message(entry.body)
        return self

    def _message(self, body: bytes) -> None:
        match codec.decode(body):
            case EncodingWish() as wish:
                assert self._handles is not None, "nobody wishes for records without handles"
                rows = self._handles.rows(wish.handles).tolist()
                self._rows.update(zip(entries(wish.pair_ids, ID), rows, strict=True))
            case AttributeWish() as wish:
                asked = entries(wish.asked, wish.attributes)
                pairs = entries(wish.pair_ids, ID)
                self._tasks.update(zip(entries(wish.task_ids, ID), zip(pairs, asked, strict=True), strict=True))
            case FurtherWish() as wish:
                asked = entries(wish.asked, wish.attributes)
                pairs = [self._tasks[task_id][0] for task_id in entries(wish.task_ids, ID)]
                self._tasks.update(zip(entries(wish.wish_ids, ID), zip(pairs, asked, strict=True), strict=True))

    def _decision(self, body: bytes) -> None:
        match frames.read(body, KINDS):
            case Prepared() as decision:
                self._handles = Handles(decision.handles)
            case BegunAnew():
                self._handles = None
            case Approved() as decision:
                said = zip(entries(decision.ids, ID), decision.granted, strict=True)
                self._said.update({(decision.layer, one): bool(word) for one, word in said})
            case Answered() as decision:
                self._answered(decision)

    def _answered(self, decision: Answered) -> None:
        ids = entries(decision.ids, ID)
        pairs = ids if decision.layer == ATTRIBUTE_LAYER else [self._tasks[one][0] for one in ids]
        self.answers.append(
            PastAnswer(
                time=struct.unpack("<d", decision.time)[0],
                wish=Wish(
                    decision.layer,
                    ids,
                    np.array([self._rows[pair] for pair in pairs], np.int64),
                    self._asked(decision, ids),
                    [],
                    np.array([self._said.get((decision.layer, one), True) for one in ids], bool),
                ),
                pairs=tuple(pairs),
                granted=np.frombuffer(decision.granted, np.uint8).astype(bool),
                given=byte_matrix(decision.given, decision.attributes) == VALUE,
            )
        )

    def _asked(self, decision: Answered, ids: Sequence[bytes]) -> NDArray[np.bool_]:
        if decision.layer != REVIEW_LAYER:
            return np.ones((len(ids), decision.attributes), bool)
        marks = b"".join(self._tasks[one][1] for one in ids)
        return byte_matrix(marks, decision.attributes).astype(bool)
