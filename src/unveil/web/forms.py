"""Forms as pages send them."""

from __future__ import annotations

from typing import Final
from urllib.parse import parse_qs

from starlette.requests import Request

_MOST_FIELDS: Final = 500


async def form_fields(request: Request) -> dict[str, str]:
    """The fields of a form, the last of each name; none if it is no form."""
    return {name: values[-1] for name, values in (await form_lists(request)).items()}


async def form_lists(request: Request) -> dict[str, list[str]]:
    """The fields of a form, all of each name; none if it is no form."""
    if request.headers.get("content-type", "").split(";")[0] != "application/x-www-form-urlencoded":
        return {}
    try:
        return parse_qs((await request.body()).decode(), max_num_fields=_MOST_FIELDS)
    except ValueError:
        return {}
