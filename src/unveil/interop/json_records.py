"""
JSON of records that carry filters.

* ul-mds: entities `{"id", "value"}`, in a list, under `entities`, or as `domain` and `range` of a request to match;
  the answer to one has `matches`. Most significant bit first.
* pprl-services: `{"id": {"source", "local", "blocks"}, "datasetId", "encodingId", "attributes": {name: {"type":
  "BITSET_BASE64", "value"}}}`, or with `id.source` and `id.local` as keys of their own. Least significant bit
  first, and without zero bytes at the end.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from unveil.errors import InputError, SettingError
from unveil.files.encoded import Encodings
from unveil.interop.base64_filters import filters_of, joined_batches, texts_of
from unveil.interop.bit_order import LEAST, MOST
from unveil.interop.blocks import blocks_of_keys
from unveil.interop.clk_files import ReadFilters
from unveil.interop.json_text import read_json
from unveil.interop.links import ForeignLinks
from unveil.interop.result_columns import numbers_in

_SIDES: Final = ("domain", "range")
_BITSET: Final = "BITSET_BASE64"
#: What our filter is called among a record's attributes, unless it is said.
_ATTRIBUTE: Final = "RBF"


def read_ul_mds(path: Path, *, m: int | None, part: str | None) -> ReadFilters:
    """Ids and filters of entities; of a request `part` says which side."""
    found = read_json(path)
    if isinstance(found, dict) and all(isinstance(found.get(side), list) for side in _SIDES):
        if part not in _SIDES:
            raise SettingError(f"{path}: is a request to match two sides", hint="--part domain, and --part range")
        found = found[part]
    elif isinstance(found, dict):
        found = found.get("entities")
    entities = _objects(path, found, "entities with id and value")
    ids = [_text(path, entity.get("id"), "an id", row) for row, entity in enumerate(entities, 1)]
    return ReadFilters(*filters_of(path, [entity.get("value") for entity in entities], MOST, m=m), ids=ids)


def ul_mds_json(file: Encodings) -> Iterator[str]:
    """The entities as a list."""
    yield "["
    yield from joined_batches(map(json.dumps, _entities(file)), ", ")
    yield "]"


def ul_mds_request(file: Encodings, other: Encodings, *, threshold: float) -> Iterator[str]:
    """A request to match two files by Dice."""
    config = {"measure": "dice", "threshold": threshold, "method": "crosswise"}
    yield f'{{"config": {json.dumps(config)}, "domain": '
    yield from ul_mds_json(file)
    yield ', "range": '
    yield from ul_mds_json(other)
    yield "}"


def read_ul_mds_answer(path: Path) -> ForeignLinks:
    """The matches in the answer to such a request."""
    found = read_json(path)
    matches = _objects(path, found.get("matches") if isinstance(found, dict) else None, '{"matches": […]}')
    ids: dict[str, list[str]] = {side: [] for side in _SIDES}
    for row, match in enumerate(matches, 1):
        for side in _SIDES:
            entity = match.get(side)
            ids[side].append(_text(path, entity.get("id") if isinstance(entity, dict) else None, "an id", row))
    scores = [match.get("similarity") for match in matches]
    numbers = [score if type(score) in {int, float} else None for score in scores]
    return ForeignLinks(ids["domain"], ids["range"], similarity=numbers_in(path, "similarity", numbers))


def read_pprl_services(path: Path, *, m: int | None, part: str | None) -> ReadFilters:
    """Ids, filters and blocks of records; `part` says which attribute, where a record has several filters."""
    records = _objects(path, read_json(path), "records")
    name = part or _only_filter(path, records)
    texts, ids, blocks = [], [], []
    for row, record in enumerate(records, 1):
        attribute = record.get("attributes", {}).get(name) if isinstance(record.get("attributes"), dict) else None
        if not isinstance(attribute, dict) or attribute.get("type") != _BITSET:
            raise InputError(path, f"has no filter {name} of type {_BITSET}", row=row)
        texts.append(attribute.get("value"))
        id_parts = record["id"] if isinstance(record.get("id"), dict) else {}
        ids.append(_text(path, id_parts.get("local", record.get("id.local")), "a local id", row))
        names = id_parts.get("blocks", [])
        if not isinstance(names, list) or not all(isinstance(one, str) for one in names):
            raise InputError(path, "has blocks that are not a list of names", row=row)
        blocks.append(names)
    filters = filters_of(path, texts, LEAST, m=m, cut=True)
    return ReadFilters(*filters, ids=ids, blocks=blocks if any(blocks) else None)


def pprl_services_json(file: Encodings, *, source: str, part: str | None) -> Iterator[str]:
    """The records as a list."""
    filters = zip(file.ids, texts_of(file.filters, file.m, LEAST, cut=True), blocks_of_keys(file), strict=True)
    yield "["
    yield from joined_batches(
        (
            json.dumps(
                {
                    "id": {"source": source, "local": one, **({"blocks": names} if names else {})},
                    "datasetId": 0,
                    "attributes": {part or _ATTRIBUTE: {"type": _BITSET, "value": text}},
                }
            )
            for one, text, names in filters
        ),
        ", ",
    )
    yield "]"


def _entities(file: Encodings) -> Iterator[dict[str, str]]:
    for one, text in zip(file.ids, texts_of(file.filters, file.m, MOST), strict=True):
        yield {"id": one, "value": text}


def _objects(path: Path, found: Any, what: str) -> list[dict[str, Any]]:
    if isinstance(found, dict) and "attributes" in found:  # one record by itself
        found = [found]
    if not isinstance(found, list) or not all(isinstance(one, dict) for one in found):
        raise InputError(path, f"holds no list of {what}", hint="docs/interop.md shows what such a file looks like")
    return found


def _only_filter(path: Path, records: list[dict[str, Any]]) -> str:
    attributes = records[0].get("attributes") if records else None
    known = attributes.items() if isinstance(attributes, dict) else ()
    names = [name for name, one in known if isinstance(one, dict) and one.get("type") == _BITSET]
    if len(names) != 1:
        hint = f"--part names one of {', '.join(names)}" if names else f"an attribute of type {_BITSET} is needed"
        raise InputError(path, f"has {len(names)} filters for each record", hint=hint)
    return names[0]


def _text(path: Path, value: Any, what: str, row: int) -> str:
    if type(value) not in {str, int} or value == "":
        raise InputError(path, f"has a record without {what}", row=row)
    return str(value)
