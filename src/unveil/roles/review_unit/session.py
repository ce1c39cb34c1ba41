"""
Where a reviewer stands: labels given and attributes opened, task by task.

It holds no value, so it may be written down after every key and read again after a crash.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from unveil.errors import SettingError
from unveil.roles.review_unit.display import Verdict
from unveil.roles.review_unit.masking import Stage

_VERSION = 1
_LABELS = {"match": True, "non-match": False, "unsure": None}
_NAMES = {label: name for name, label in _LABELS.items()}


@dataclass(slots=True)
class ReviewSession:
    """Labels and openings of one run. `run` is any text that tells runs apart, such as a hash of their settings."""

    run: str
    labels: dict[bytes, tuple[bool | None, float]] = field(default_factory=dict)
    opened: dict[bytes, dict[str, Stage]] = field(default_factory=dict)
    handed_in: set[str] = field(default_factory=set)

    def open(self, task_id: bytes, stages: Mapping[str, Stage]) -> None:
        """Take note of stages. An opening cannot be taken back, so a stage never falls."""
        held = self.opened.setdefault(task_id, {})
        for name, stage in stages.items():
            held[name] = max(stage, held.get(name, Stage.MASKED))

    def stages(self, task_id: bytes) -> dict[str, Stage]:
        """How far the attributes of a task are opened."""
        return dict(self.opened.get(task_id, {}))

    def verdict(self, task_id: bytes) -> Verdict:
        """What was decided about a labelled task."""
        match, p = self.labels[task_id]
        return Verdict(task_id, match, p, self.stages(task_id))

    def to_json(self) -> str:
        """The session as text."""
        tasks: dict[str, dict[str, Any]] = {}
        for task_id in self.labels.keys() | self.opened.keys():
            task = tasks.setdefault(task_id.hex(), {})
            if task_id in self.labels:
                match, p = self.labels[task_id]
                task |= {"label": _NAMES[match], "p": p}
            if self.opened.get(task_id):
                task["opened"] = {name: stage.name.lower() for name, stage in self.opened[task_id].items()}
        content = {"version": _VERSION, "run": self.run, "tasks": tasks, "handed_in": sorted(self.handed_in)}
        return json.dumps(content, indent=1, sort_keys=True)

    @classmethod
    def from_json(cls, text: str) -> ReviewSession:
        """The session in that text; SettingError if it is not one."""
        try:
            content = json.loads(text)
            version, tasks = content["version"], content["tasks"]
            session = cls(str(content["run"]), handed_in={str(batch) for batch in content["handed_in"]})
            for key, task in tasks.items():
                task_id = bytes.fromhex(key)
                if "label" in task:
                    verdict = Verdict(task_id, _LABELS[task["label"]], float(task["p"]))
                    session.labels[task_id] = (verdict.match, verdict.p)
                session.open(task_id, {name: Stage[stage.upper()] for name, stage in task.get("opened", {}).items()})
        except (ValueError, KeyError, TypeError, AttributeError):
            raise SettingError("the review session cannot be read") from None
        if version != _VERSION:
            raise SettingError("the review session was written by another version")
        return session


def batch_key(task_ids: Sequence[bytes]) -> str:
    """A name for a batch of tasks, the same whenever the same tasks come in the same order."""
    return hashlib.sha256(b"".join(len(task_id).to_bytes(4, "big") + task_id for task_id in task_ids)).hexdigest()[:32]
