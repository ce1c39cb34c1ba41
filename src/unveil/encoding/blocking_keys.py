"""
Blocking keys: equality of chosen fields, without the fields.

A key is HMAC-SHA256 of the length-prefixed fields under the key ("blocking", name of the blocking key), cut to 16
bytes. It is keyed because values have few forms: a plain hash of a name and a year is undone by trying all of them.

Of these 16 bytes the first `key_bits` bits are sent. With few, several values share a key: who shares keys with whom,
and how many do, is no longer what a register of the same people has, so that it does not tell who is who. Pairs that
share a key by chance are as unlike as strangers.
"""

from __future__ import annotations

import hmac
from collections.abc import Callable
from typing import Final

import numpy as np
from numpy.typing import NDArray

from unveil.encoding import filters
from unveil.encoding.filters import column_of
from unveil.encoding.keys import Subkeys, join_parts
from unveil.encoding.normalise import normalise
from unveil.encoding.phonetics import capital_letters
from unveil.encoding.transforms import FUNCTIONS
from unveil.protocol.messages import HASH
from unveil.records import Records
from unveil.schema import TRANSFORMS, Attribute, BlockingKey, Schema
from unveil.schema.transforms import Handed

#: The distinct transformed values of a field, and for every record the number of its own.
Field = tuple[list[str], NDArray[np.int64]]


def blocking_keys(records: Records, schema: Schema, keys: Subkeys) -> NDArray[np.uint8]:
    """For every record and blocking key 16 bytes; all zero if one of the fields is empty."""
    out = np.zeros((len(records), len(schema.blocking), HASH), dtype=np.uint8)
    for index, blocking in enumerate(schema.blocking):
        out[:, index] = _one_key(records, schema, blocking, keys.of("blocking", name=blocking.name))
    return shortened(out, schema.layer_r.key_bits)


def shortened(keys: NDArray[np.uint8], bits: int) -> NDArray[np.uint8]:
    """
    The keys with all but their first bits 0; the last bit is 1 then, for all zero is a key that is omitted.

    Bits are counted from the highest of the first byte.
    """
    if bits >= 8 * keys.shape[2]:
        return keys
    kept = np.zeros(keys.shape[2], dtype=np.uint8)
    kept[: bits // 8] = 0xFF
    kept[bits // 8] = 0xFF & (0xFF00 >> bits % 8)
    out: NDArray[np.uint8] = keys & kept
    out[..., -1] |= keys.any(axis=2)
    return out


def transformed(value: str, attribute: Attribute, transform: str | None) -> str:
    """The value as a blocking field: normalised, or what the transform makes of what it is handed."""
    if transform is None:
        return normalise(value, attribute.normalise)
    text = _HANDED[TRANSFORMS[transform].handed](value, attribute)
    return FUNCTIONS[transform](text) if text else ""


_HANDED: Final[dict[Handed, Callable[[str, Attribute], str]]] = {
    "value": lambda value, _: value,
    "normalised": lambda value, attribute: normalise(value, attribute.normalise),
    "letters": lambda value, attribute: capital_letters(normalise(value, attribute.normalise)),
}


def _one_key(records: Records, schema: Schema, blocking: BlockingKey, key: bytes) -> NDArray[np.uint8]:
    """The key of every record."""
    fields = [field_codes(records, schema.attribute(part.attribute), part.transform) for part in blocking.parts()]
    if len(records) >= filters.WORTH_COMPILING:
        return _at_once(fields, key)
    return _by_combination(fields, key)


def _at_once(fields: list[Field], key: bytes) -> NDArray[np.uint8]:
    """Hash every record by itself: with compiled kernels that costs less than finding equal combinations."""
    from unveil.encoding.bulk.sha256 import hmac_all

    texts = [join_parts(value) for values, _ in fields for value in values]
    offsets = np.cumsum([0, *(len(values) for values, _ in fields)])
    pieces = np.stack([offset + codes for offset, (_, codes) in zip(offsets[:-1], fields, strict=True)], axis=1)
    out = hmac_all(key, texts, pieces, size=HASH)
    for values, codes in fields:
        out[np.array([not value for value in values], dtype=bool)[codes]] = 0
    return out


def _by_combination(fields: list[Field], key: bytes) -> NDArray[np.uint8]:
    """Hash each distinct combination of fields once, through the library: for few records, and as the reference."""
    combined = np.zeros(len(fields[0][1]), dtype=np.int64)
    for values, codes in fields:
        # Renumbering after every field keeps the numbers below n, so their product cannot overflow.
        _, combined = np.unique(combined * len(values) + codes, return_inverse=True)
    _, example, combination = np.unique(combined, return_index=True, return_inverse=True)
    digests = np.zeros((len(example), HASH), dtype=np.uint8)
    chosen = [[values[code] for code in codes[example].tolist()] for values, codes in fields]
    for place, parts in enumerate(zip(*chosen, strict=True)):
        if all(parts):
            digest = hmac.digest(key, join_parts(*parts), "sha256")
            digests[place] = np.frombuffer(digest, dtype=np.uint8, count=HASH)
    return digests[combination]


def field_codes(records: Records, attribute: Attribute, transform: str | None) -> Field:
    """The field of these records."""
    column = column_of(records, attribute)
    seen: dict[str, int] = {}
    numbers = [seen.setdefault(transformed(v, attribute, transform), len(seen)) for v in column.distinct]
    return list(seen), np.array(numbers, dtype=np.int64)[column.codes]
