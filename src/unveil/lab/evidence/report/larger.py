"""Figures of an evidence run, for the report of a project that has the same schema."""

from __future__ import annotations

import json
from pathlib import Path

from unveil.errors import SettingError
from unveil.lab.evidence.finding import AttackFinding, finding_of
from unveil.lab.evidence.trade import ChosenDefault, Traded
from unveil.schema import Schema

_OWN_KEYS = ("at_least", "at_most", "passed", "own")


#: Findings of the schema's own encoding, encodings with what they cost, and the one that follows.
Larger = tuple[tuple[AttackFinding, ...], tuple[Traded, ...], ChosenDefault | None]


def larger_figures(
    folder: Path | None, schema: Schema
) -> tuple[tuple[AttackFinding, ...], tuple[Traded, ...], ChosenDefault | None]:
    """What a run found of the schema's own encoding, what encodings cost, and the default; nothing of no folder."""
    if folder is None:
        return (), (), None
    path = folder / "evidence.json"
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        same = content["schema_fingerprint"] == schema.fingerprint()
        found = tuple(
            finding_of({key: value for key, value in one.items() if key not in _OWN_KEYS}) for one in content["own"]
        )
        rows = tuple(Traded(**one) for one in content["encodings"])
        choice = ChosenDefault(**content["default"])
    except (OSError, ValueError, KeyError, TypeError):
        hint = "run unveil privacy evidence --out FOLDER to its end first"
        raise SettingError(f"{path} holds no evidence that can be read", hint=hint) from None
    if not same:
        raise SettingError(
            f"{path} is of another schema", hint=f"run unveil privacy evidence with the schema {schema.name}"
        )
    return found, rows, choice
