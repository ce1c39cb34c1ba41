"""What an evidence run leaves in its folder: all figures as JSON, and the trade as pictures."""

from __future__ import annotations

import json
from pathlib import Path

from unveil.files.atomic import replacing
from unveil.lab.evidence.run import Evidence
from unveil.lab.evidence.trade import ChosenDefault, Traded, as_json, pictures


def write(folder: Path, evidence: Evidence, rows: list[Traded], chosen: ChosenDefault) -> list[Path]:
    """Write everything; return the files."""
    texts = {"evidence.json": json.dumps({**evidence.as_json(), **as_json(rows, chosen)}, indent=1) + "\n"}
    if rows:
        texts |= pictures(rows, chosen)
    paths = []
    for name, text in texts.items():
        with replacing(folder / name) as temporary:
            temporary.write_text(text, encoding="utf-8")
        paths.append(folder / name)
    return paths
