"""Records of one owner, encoded for a trusted unit: in random order, with what the file says about itself."""

from __future__ import annotations

import secrets
from datetime import datetime
from typing import Final

from unveil.encoding.encoder import Encoder
from unveil.encoding.keys import OwnerKey
from unveil.encoding.shuffling import DRAWN, shuffled
from unveil.files.encoded import ORIGIN, UNVEIL, Encodings
from unveil.records import Records
from unveil.safety.coins import SecretCoins
from unveil.schema import Schema

#: What to say where ids would sort what was shuffled.
IN_ORDER: Final = (
    "the record ids follow the order of the file, so whoever gets the encodings can still sort them; "
    "ids that follow nothing would hide it"
)


def encoded(records: Records, schema: Schema, key: OwnerKey, *, project: str, now: datetime) -> Encodings:
    """The encodings of these records, in random order: that of a sorted register would tell who is who."""
    mixed = shuffled(records, secrets.token_bytes(DRAWN * len(records)))
    encoder = Encoder(schema, key, project=project)
    # Secret coins: noise that could be drawn again could be taken off again.
    filters = encoder.record_level(mixed, rng=SecretCoins())
    metadata = {  # no secret is among it
        "created": now.isoformat(timespec="seconds"),
        ORIGIN: UNVEIL,
        "fingerprint": encoder.fingerprint().hex(),
        "project": project,
        "schema": schema.name,
        "schema_fingerprint": schema.fingerprint(),
        "encoding": schema.layer_r.model_dump_json(),
        "attributes": ",".join(schema.names),
        "blocking": ";".join(key.name for key in schema.blocking),
    }
    return Encodings(mixed.ids, filters, encoder.m, encoder.blocking_keys(mixed), metadata)
