"""
What becomes of a wish: how much of it goes, by policy and by what people said, and the messages that carry it.

Nothing is decided or charged here. The machine asks before it decides, and whoever shows people what would leave asks
the same question, so what they see is what goes.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from unveil.encoding.encoder import Encoder
from unveil.protocol.messages import ID, AttributeEncodings, AttributeValues, Message, Refusal
from unveil.protocol.roles import ATTRIBUTE_UNIT, REVIEW_UNIT, Address
from unveil.records import Records
from unveil.roles.columns import entries
from unveil.roles.handles import Handles
from unveil.roles.owner.budget import narrowed_caps
from unveil.roles.owner.combinations import Combinations
from unveil.roles.owner.frequency import all_frequency_classes
from unveil.roles.owner.ledger import ATTRIBUTE_LAYER, REVIEW_LAYER, Ledger
from unveil.roles.owner.lengths import short_enough
from unveil.roles.owner.policy import Grant, Policy
from unveil.roles.owner.wishes import GOES, REFUSED, WAITS, Wish
from unveil.schema import Schema
from unveil.schema.most_asked import MostAsked

#: The unit that what is sent to a layer goes to.
RECIPIENTS = {ATTRIBUTE_LAYER: ATTRIBUTE_UNIT, REVIEW_LAYER: REVIEW_UNIT}


class Answers:
    """An owner's records under one policy; `fitted` is that policy as it applies to them."""

    def __init__(self, records: Records, schema: Schema, encoder: Encoder, policy: Policy | None) -> None:
        self._records, self._schema, self._encoder = records, schema, encoder
        self._classes = all_frequency_classes(records, schema)
        self._present = np.stack([~records.columns[name].missing() for name in schema.names], axis=1)
        self._short = short_enough(records, schema.names)
        self._combinations: Combinations | None = None
        self.policy = self.fitted(policy or Policy())
        self.obey(self.policy)

    def __repr__(self) -> str:
        return f"Answers(<{len(self._records)} records>)"

    def fitted(self, policy: Policy) -> Policy:
        """A policy for these records, none of its caps above the most that the project asks for."""
        fitted = policy.fitted(self._schema.names, len(self._records))
        caps = narrowed_caps(fitted.caps, MostAsked.of(self._schema.protocol), len(self._schema.attributes))
        return replace(fitted, caps=caps)

    def obey(self, policy: Policy) -> None:
        """From now on this policy holds; SettingError if it does not fit the data."""
        self.policy = self.fitted(policy)
        if self.policy.smallest_k > 1:
            _ = self.combinations

    @property
    def combinations(self) -> Combinations:
        """How many records share a combination of values."""
        if self._combinations is None:
            self._combinations = Combinations(self._records, self._schema.names)
        return self._combinations

    def granted(
        self, wish: Wish, now: float, *, ledger: Ledger, handles: Handles, policy: Policy | None = None
    ) -> Grant:
        """How much of a wish goes after what the ledger holds, by the policy in force or by another that is fitted."""
        policy = policy or self.policy
        asked, missing = self._present[wish.rows], None
        if wish.layer == REVIEW_LAYER:
            # The review unit takes no long value: sent, it would be refused, and hold up all that waits behind it.
            asked, missing = wish.asked & self._short[wish.rows], ~self._present[wish.rows]
        return policy.grants(
            wish.layer,
            wish.rows,
            asked,
            ledger=ledger,
            now=now,
            # Out of luck, whatever the rate: what people turned down must not use up a cap either.
            luck=np.where(wish.approved, self._luck(wish, policy, handles), 1.0),
            missing=missing,
            combinations=self.combinations if policy.smallest_k > 1 else None,
        )

    def frequency_class(self, row: int, attribute: int) -> int:
        """The class of a record's value."""
        return int(self._classes[row, attribute])

    def words(self, wish: Wish, *, ledger: Ledger, policy: Policy | None = None) -> NDArray[np.int8]:
        """What the policy says of each entry before it asks what may go: WAITS for a person, GOES, or REFUSED."""
        policy = policy or self.policy
        if not policy.needs_approval(wish.layer, further=wish.further):
            return np.full(len(wish.ids), GOES, np.int8)
        found = np.full(len(wish.ids), WAITS, np.int8)
        if wish.layer != REVIEW_LAYER:
            return found
        for standing in policy.standing:
            fits = (found == WAITS) & standing.is_about(wish.asked, self._schema.names)
            if standing.smallest_k > 1:
                told = wish.asked & policy.may_go(wish.layer, wish.asked.shape[1])
                for at in np.flatnonzero(fits).tolist():
                    row = int(wish.rows[at])
                    known = ledger.known_of(REVIEW_LAYER, row) | told[at]
                    fits[at] = self.combinations.count(row, known) >= standing.smallest_k
            found[fits] = GOES if standing.granted else REFUSED
        return found

    def _luck(self, wish: Wish, policy: Policy, handles: Handles) -> NDArray[np.float64]:
        """
        One draw per wish where only a share is answered: by record, so that asking again changes nothing.

        The units choose the ids of pairs, and an owner does not know the other record: by id or by pair, a unit could
        ask about the same record until it is lucky.
        """
        rate = policy.response_rate_a if wish.layer == ATTRIBUTE_LAYER else policy.response_rate_c
        if rate in (0.0, 1.0):
            return np.zeros(len(wish.rows))
        return self._encoder.lots(wish.layer, entries(handles.pick(wish.rows), ID))

    def messages(self, wish: Wish, grant: Grant, *, part: int, handles: Handles) -> Iterator[tuple[Address, Message]]:
        """What is sent for it, and to whom; no message of encodings has more than `part` bytes."""
        unit = RECIPIENTS[wish.layer]
        refused = [wish.ids[i] for i in np.flatnonzero(~grant.rows)]
        if refused:
            yield unit, Refusal(b"".join(refused))
        build = self._values(wish, grant) if wish.layer == REVIEW_LAYER else self._encodings(wish, grant, part, handles)
        yield from ((unit, message) for message in build)

    def _encodings(self, wish: Wish, grant: Grant, part: int, handles: Handles) -> Iterator[Message]:
        granted = np.flatnonzero(grant.rows)
        width = len(self._schema.attributes)
        size = max(1, part // (ID + width * (self._schema.layer_a.length // 8 + 1)))
        for start in range(0, len(granted), size):
            yield self._encoded(wish, grant, granted[start : start + size], handles)

    def _encoded(self, wish: Wish, grant: Grant, some: NDArray[np.int64], handles: Handles) -> AttributeEncodings:
        """These entries of a wish, encoded as far as they are granted; what does not go looks as a missing value."""
        rows, sent = wish.rows[some], grant.attributes[some]
        run = wish.run if self._encoder.bound else b""
        own, key_pairs = entries(handles.pick(rows), ID), [wish.key_pairs[i] for i in some]
        filters = self._encoder.pair_level(self._records, rows, key_pairs, run=run, handles=own, sent=sent)
        classes = np.where(sent, self._classes[rows], 0).astype(np.uint8)
        classes = self._encoder.pair_classes(classes, filters, key_pairs, second=wish.second, run=run)
        return AttributeEncodings(
            attributes=len(self._schema.attributes),
            m=self._schema.layer_a.length,
            pair_ids=b"".join(wish.ids[i] for i in some),
            filters=np.ascontiguousarray(filters, dtype="<u8").tobytes(),
            classes=classes.tobytes(),
        )

    def _values(self, wish: Wish, grant: Grant) -> Iterator[Message]:
        """One message for each task, so that the review unit can erase each as soon as it is decided."""
        for i in np.flatnonzero(grant.rows):
            values = self._value_of(int(wish.rows[i]), grant.attributes[i] | grant.missing[i])
            yield AttributeValues(wish.ids[i], (values,))

    def _value_of(self, row: int, sent: NDArray[np.bool_]) -> dict[str, str]:
        columns = self._records.columns
        return {name: columns[name][row] for name, wanted in zip(self._schema.names, sent, strict=True) if wanted}
