"""How many links there are and how good they seem, as owners and whoever joins are told: a value, and a file."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from unveil.files.atomic import replacing
from unveil.linkage.estimate import Estimate
from unveil.protocol.messages import LinkQuality
from unveil.roles.owner.links import told_estimate


@dataclass(frozen=True, slots=True)
class ResultsQuality:
    """
    How many links there are and how good they seem.

    The count is off by `off_by` at most, nine times in ten; 0 where it is exact. Without an `estimate` there are too
    few links to tell, or no model that gives one.
    """

    links: int
    off_by: int
    estimate: Estimate | None

    @classmethod
    def of(cls, message: LinkQuality | None) -> ResultsQuality | None:
        """What is in the message for owners; None if none has come."""
        return None if message is None else cls(message.links, message.off_by, told_estimate(message))

    def as_json(self) -> dict[str, Any]:
        """The same as JSON can hold it: each figure as low, point and high."""
        found: dict[str, Any] = {"links": self.links, "links_off_by": self.off_by, "trusted": None}
        for figure in ("precision", "recall", "f1"):
            found[figure] = None if self.estimate is None else list(getattr(self.estimate, figure))
        if self.estimate is not None:
            found["trusted"] = self.estimate.trusted
        return found


def quality_file(results: Path) -> Path:
    """The file beside a table of results that says how good they are."""
    return results.with_suffix(".quality.json")


def write_quality(path: Path, quality: ResultsQuality, *, overwrite: bool) -> None:
    """Write it; the file is its owner's alone, and appears whole or not at all."""
    text = json.dumps(quality.as_json(), indent=2) + "\n"
    with replacing(path, overwrite=overwrite) as temporary:
        temporary.touch(mode=0o600)
        temporary.chmod(0o600)
        temporary.write_text(text, encoding="utf-8")
