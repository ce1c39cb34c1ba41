"""What the service reports: values with named fields, which are the names in JSON too."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any, cast


class OwnerReport:
    """A report; its kinds are frozen dataclasses."""

    __slots__ = ()

    def as_json(self) -> dict[str, Any]:
        """The same as JSON can hold it."""
        return asdict(cast("Any", self))
