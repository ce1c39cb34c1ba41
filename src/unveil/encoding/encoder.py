"""The owner's encoder: the only door to this room."""

from __future__ import annotations

import hmac
from collections.abc import Callable, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from unveil.encoding.abf import abf, checked, kabf
from unveil.encoding.blocking_keys import Field, blocking_keys, field_codes
from unveil.encoding.clk import clk
from unveil.encoding.hardening import harden, hardened_length, needs_chance
from unveil.encoding.keys import OwnerKey, Subkeys
from unveil.encoding.rbf import rbf
from unveil.encoding.signs import class_shifts, hidden_classes, keyed_signs
from unveil.errors import SettingError
from unveil.records import Records
from unveil.safety.coins import Coins
from unveil.schema import Schema
from unveil.schema.definition import RECORD_ENCODINGS
from unveil.schema.fields import parse_field
from unveil.settings.choices import binding

#: The function behind each record-level encoding.
FUNCTIONS: Final[dict[str, Callable[[Records, Schema, Subkeys], NDArray[np.uint64]]]] = {}
encodes = binding(RECORD_ENCODINGS, FUNCTIONS)
encodes("clk")(clk)
encodes("rbf")(rbf)


class Encoder:
    """
    Encodes records as the schema says, for one project, under the owner's key.

    `agreed` is the fingerprint of the project file. With it, keys of pairs are bound to the project file and to the
    run, and owners whose project files differ have different fingerprints. Simulations, and demonstrations that anybody
    can repeat, go without.
    """

    m: int  #: length in bits of the record-level filter, after hardening
    bound: bool  #: whether keys of pairs are bound to the project file and to the run

    def __init__(self, schema: Schema, key: OwnerKey, *, project: str, agreed: str = "") -> None:
        self._schema = schema
        self._keys = Subkeys(key, project, agreed=agreed)
        self._agreed = agreed
        self.bound = bool(agreed)
        self.m = hardened_length(schema.layer_r.hardening, schema.layer_r.m)

    def __repr__(self) -> str:
        return f"Encoder(<schema {self._schema.name}, {self.m} bits>)"

    def record_level(self, records: Records, *, rng: Coins | np.random.Generator | None = None) -> NDArray[np.uint64]:
        """
        For every record its hardened filter of m bits, as words: shape (n, ⌈m/64⌉).

        Only methods that toss coins (randomised response) draw from `rng`; everything else follows from the key. In the
        field it is a source of secret coins; a generator is for simulations.
        """
        layer = self._schema.layer_r
        if rng is None and needs_chance(layer.hardening):
            raise SettingError("this hardening needs a random generator", hint="pass rng to record_level")
        filters = FUNCTIONS[layer.encoding](records, self._schema, self._keys)
        salts = {text: self._field(records, text) for step in layer.hardening for text in step.by}
        return harden(filters, layer.hardening, m=layer.m, keys=self._keys, rng=rng, fields=salts)

    def _field(self, records: Records, text: str) -> Field:
        part = parse_field(text)
        return field_codes(records, self._schema.attribute(part.attribute), part.transform)

    def blocking_keys(self, records: Records) -> NDArray[np.uint8]:
        """For every record and blocking key 16 bytes: shape (n, K, 16); all zero if a field of the key is empty."""
        return blocking_keys(records, self._schema, self._keys)

    def attribute_level(self, records: Records) -> NDArray[np.uint64]:
        """For every record and attribute a plain Bloom filter: shape (n, D, layer_a.m/64). Not for sending."""
        return abf(records, self._schema, self._keys)

    def pair_level(
        self,
        records: Records,
        rows: NDArray[np.int64],
        key_pairs: Sequence[bytes],
        *,
        run: bytes = b"",
        handles: Sequence[bytes] = (),
        sent: NDArray[np.bool_] | None = None,
    ) -> NDArray[np.uint64]:
        """
        For record rows[i] and every attribute what is sent under key_pairs[i]: shape (n, D, layer_a.length/64).

        The same key_pair in another `run` is another key. An encoder that binds nothing knows no runs. What is not
        `sent`, of shape (n, D), looks as a missing value looks. Where signs are sent, that is a number drawn by key and
        handles[i]: handles are the owner's own, as its records' ids are, which stand in for them if there are none.
        """
        if self.bound != bool(run):
            raise SettingError("keys of pairs are bound to the project file and to the run, or to neither")
        checked(len(records), rows, key_pairs)
        if not self._schema.layer_a.signs:
            filters = kabf(records, rows, key_pairs, self._schema, self._keys, run=run)
            if sent is not None:
                filters[~sent] = 0
            return filters
        own = handles or [records.ids[row].encode() for row in rows.tolist()]
        return keyed_signs(records, rows, key_pairs, self._schema, self._keys, run=run, own=own, sent=sent)

    def pair_classes(
        self,
        classes: NDArray[np.uint8],
        encoded: NDArray[np.uint64],
        key_pairs: Sequence[bytes],
        *,
        second: bool,
        run: bytes = b"",
    ) -> NDArray[np.uint8]:
        """
        Frequency classes as they are sent beside what `pair_level` gave, of shape (n, D).

        Where signs are sent they show only if both owners' values are equal. One of the owners is the `second`.
        """
        if not self._schema.layer_a.signs:
            return classes
        shifts = class_shifts(encoded, key_pairs, self._schema.names, self._keys, run=run)
        return hidden_classes(classes, shifts, second=second)

    def lots(self, layer: int, handles: Sequence[bytes]) -> NDArray[np.float64]:
        """
        For each record a number in [0, 1) that decides by lot whether it goes to that layer.

        It follows from key and handle, so the same record draws the same lot however often it is asked for, and nobody
        without the key can tell which lot that is.
        """
        drawn = [self._keys.of("lot", to=str(layer), record=handle)[:8] for handle in handles]
        return np.frombuffer(b"".join(drawn), ">u8") * 2.0**-64 * (1 - 2.0**-53)

    def fingerprint(self) -> bytes:
        """
        16 bytes that are equal for two owners if and only if key, project and schema are.

        It is an HMAC of the schema's fingerprint under a key of its own, so it says nothing about key_do and, to those
        without key_do, nothing about the schema.
        """
        key = self._keys.of("fingerprint")
        return hmac.digest(key, self._schema.fingerprint().encode(), "sha256")[:16]

    def presented(self) -> bytes:
        """What an owner shows of it before its upload: the fingerprint, bound to the project file as pair keys are."""
        if not self.bound:
            return self.fingerprint()
        key = self._keys.of("fingerprint", agreed=self._agreed)
        return hmac.digest(key, self._schema.fingerprint().encode(), "sha256")[:16]
