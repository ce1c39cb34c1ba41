"""A person's answer to wishes, on its way from one process to another."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from unveil.errors import SettingError
from unveil.roles.owner.wishes import Wish
from unveil.runtime.owner.approvals import FOLDER, Approvals, undecided


def wish(layer: int, *ids: int) -> Wish:
    marks = np.ones((len(ids), 1), bool)
    return Wish(layer, [bytes([one] * 16) for one in ids], np.arange(len(ids)), marks, [], marks[:, 0])


def test_an_answer_covers_what_the_person_was_asked_about(tmp_path: Path) -> None:
    """A wish that comes while the person thinks waits for an answer of its own."""
    approvals = Approvals(tmp_path)
    asked, later, other_layer = wish(3, 1, 2), wish(3, 3), wish(2, 1, 2)
    approvals.give([asked], granted=True)
    approvals.give([asked, later], granted=False)
    answers = approvals.given()
    assert [True, True, False] == [answers[3, bytes([one] * 16)] for one in (1, 2, 3)]
    assert [other_layer] == undecided([asked, later, other_layer], answers)


@pytest.mark.parametrize("text", ["", "{}", '{"granted": 1, "wishes": []}', '{"granted": true, "wishes": [1]}', "[]"])
def test_what_is_not_an_answer_is_not_taken_for_one(tmp_path: Path, text: str) -> None:
    """A damaged file must not let anything go."""
    (tmp_path / FOLDER).mkdir()
    (tmp_path / FOLDER / "1.json").write_text(text)
    with pytest.raises(SettingError, match="is not an approval"):
        Approvals(tmp_path).given()
