"""`unveil owner check` tells which values are too long for review, before anybody waits for them."""

from __future__ import annotations

import csv
import json
from pathlib import Path

from command_line import unveil
from owner_trial import OwnerTrial

from unveil.protocol.messages import LONGEST_VALUE


def test_check_counts_the_values_that_are_too_long_for_review(tmp_path: Path) -> None:
    """They are withheld without a word to the reviewer, so whoever holds them must learn it here; none is shown."""
    trial = OwnerTrial(tmp_path)
    path = trial.root / "people" / "a.csv"
    told = json.loads(unveil("owner", "check", trial.owner("a"), "--demonstration", "--json").stdout)
    assert {} == told["review_unit"]["too_long"]
    assert "withheld" not in unveil("owner", "check", trial.owner("a"), "--demonstration").stdout
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    for row, name, length in ((0, "city", 1), (1, "city", 1), (2, "city", 0), (3, "last_name", 300)):
        rows[row][name] = "CANARY" + "x" * (LONGEST_VALUE - 6 + length)
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        writer.writerows(rows)
    told = json.loads(unveil("owner", "check", trial.owner("a"), "--demonstration", "--json").stdout)
    assert {"city": 2, "last_name": 1} == told["review_unit"]["too_long"]
    said = unveil("owner", "check", trial.owner("a"), "--demonstration").stdout
    line = next(line for line in said.splitlines() if "withheld" in line)
    assert "longer than 256 characters: last_name of 1 record, city of 2 records" in line
    assert "CANARY" not in said
