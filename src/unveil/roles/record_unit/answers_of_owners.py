"""How many of the pairs that it was asked about each owner answered, as the attribute unit counts them."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from unveil.protocol.flows import Envelope, refused
from unveil.protocol.messages import COUNT, OwnersAnswers
from unveil.protocol.roles import Address


class AnswersOfOwners:
    """The newest counts; batches are told of in any order."""

    def __init__(self, owners: tuple[Address, Address]) -> None:
        self._owners = owners
        self._told: dict[int, OwnersAnswers] = {}

    @property
    def shares(self) -> Mapping[Address, float]:
        """By owner, the share of pairs that it answered so far; nothing before the first batch is through."""
        if not self._told:
            return {}
        newest = self._told[max(self._told)]
        counts = np.frombuffer(newest.answered, "<u4").tolist()
        return {owner: count / newest.asked for owner, count in zip(sorted(self._owners), counts, strict=True)}

    def check(self, envelope: Envelope, message: OwnersAnswers, batches: int) -> None:
        """Refuse counts that cannot be, and those of a batch that was not asked about or told of before."""
        if message.batch >= batches or message.batch in self._told:
            raise refused(envelope, "answers to a batch that was not asked about, or told of before")
        if len(message.answered) != COUNT * len(self._owners):
            raise refused(envelope, "not a count for each owner")
        if not message.asked or np.frombuffer(message.answered, "<u4").max() > message.asked:
            raise refused(envelope, "more answers than pairs")

    def take(self, message: OwnersAnswers) -> None:
        """Note them."""
        self._told[message.batch] = message
