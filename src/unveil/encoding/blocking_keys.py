"""
Blocking keys: equality of chosen fields, without the fields.

A key is HMAC-SHA256 of the length-prefixed fields under the key ("blocking", name of the blocking key), cut to 16
bytes. It is keyed because values have few forms: a plain hash of a name and a year is undone by trying all of them.
"""

from __future__ import annotations

import hmac

import numpy as np
from numpy.typing import NDArray

from unveil.encoding import filters
from unveil.encoding.filters import column_of
from unveil.encoding.keys import Subkeys, join_parts
from unveil.encoding.normalise import composed, normalise
from unveil.encoding.phonetics import phonetic_code
from unveil.records import Records
from unveil.schema import PHONETICS, Attribute, BlockingKey, Schema

KEY_BYTES = 16

#: The distinct transformed values of a field, and for every record the number of its own.
Field = tuple[list[str], NDArray[np.int64]]


def blocking_keys(records: Records, schema: Schema, keys: Subkeys) -> NDArray[np.uint8]:
    """For every record and blocking key 16 bytes; all zero if one of the fields is empty."""
    out = np.zeros((len(records), len(schema.blocking), KEY_BYTES), dtype=np.uint8)
    for index, blocking in enumerate(schema.blocking):
        out[:, index] = _one_key(records, schema, blocking, keys.of("blocking", name=blocking.name))
    return out


def transformed(value: str, attribute: Attribute, transform: str | None) -> str:
    """
    The value as a blocking field.

    None: normalised. "raw": trimmed (and in composed form) but otherwise as it is. "first1" … "first4": that many
    characters of the normalised value. A phonetic method: its code of the normalised value.
    """
    if transform == "raw":
        return composed(value).strip()
    text = normalise(value, attribute.normalise)
    if transform is None:
        return text
    if transform in PHONETICS:
        return phonetic_code(transform, text)
    return text[: int(transform.removeprefix("first"))]


def _one_key(records: Records, schema: Schema, blocking: BlockingKey, key: bytes) -> NDArray[np.uint8]:
    """The key of every record."""
    fields = [_field_codes(records, schema.attribute(part.attribute), part.transform) for part in blocking.parts()]
    if len(records) >= filters.WORTH_COMPILING:
        return _at_once(fields, key)
    return _by_combination(fields, key)


def _at_once(fields: list[Field], key: bytes) -> NDArray[np.uint8]:
    """Hash every record by itself: with compiled kernels that costs less than finding equal combinations."""
    from unveil.encoding.bulk.sha256 import hmac_all

    texts = [join_parts(value) for values, _ in fields for value in values]
    offsets = np.cumsum([0, *(len(values) for values, _ in fields)])
    pieces = np.stack([offset + codes for offset, (_, codes) in zip(offsets[:-1], fields, strict=True)], axis=1)
    out = hmac_all(key, texts, pieces, size=KEY_BYTES)
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
    digests = np.zeros((len(example), KEY_BYTES), dtype=np.uint8)
    chosen = [[values[code] for code in codes[example].tolist()] for values, codes in fields]
    for place, parts in enumerate(zip(*chosen, strict=True)):
        if all(parts):
            digest = hmac.digest(key, join_parts(*parts), "sha256")
            digests[place] = np.frombuffer(digest, dtype=np.uint8, count=KEY_BYTES)
    return digests[combination]


def _field_codes(records: Records, attribute: Attribute, transform: str | None) -> Field:
    """The field of these records."""
    column = column_of(records, attribute)
    seen: dict[str, int] = {}
    numbers = [seen.setdefault(transformed(v, attribute, transform), len(seen)) for v in column.distinct]
    return list(seen), np.array(numbers, dtype=np.int64)[column.codes]
