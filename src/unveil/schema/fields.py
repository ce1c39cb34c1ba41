"""Fields: attributes as blocking keys and salted hardening see them, as they are or transformed."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

from unveil.errors import Problem
from unveil.schema.transforms import TRANSFORMS
from unveil.settings.base import Settings
from unveil.settings.mistakes import near, shown

_FIELD: Final = re.compile(r"(?:(?P<transform>\w+)\((?P<inner>\w+)\)|(?P<plain>\w+))\Z")


class BlockingField(Settings):
    """An attribute, as it is or transformed."""

    attribute: str
    transform: str | None = None


def parse_field(field: str) -> BlockingField:
    """The field that a text such as "last_name" or "soundex(last_name)" means; ValueError if it means none."""
    match = _FIELD.match(field)
    if match is None:
        raise ValueError(field)
    return BlockingField(attribute=match["plain"] or match["inner"], transform=match["transform"])


def wrong_fields(fields: Iterable[str], place: str, names: tuple[str, ...]) -> Iterator[Problem]:
    """What is wrong with these fields, at that place of a schema whose attributes have these names."""
    for field in fields:
        try:
            part = parse_field(field)
        except ValueError:
            yield Problem(place, f"{shown(field)} is not a field", "attribute or transform(attribute)")
            continue
        if part.attribute not in names:
            what = f"no attribute {shown(part.attribute)}{near(part.attribute, names)}"
            yield Problem(place, what, ", ".join(names))
        if part.transform is not None and part.transform not in TRANSFORMS:
            what = f"no transform {shown(part.transform)}{near(part.transform, TRANSFORMS)}"
            yield Problem(place, what, ", ".join(TRANSFORMS))
