"""Nothing is shown in vain: fewer values are sent, none stands there in full unasked, and what is found stays."""

from __future__ import annotations

import pytest

from tools.values_shown import as_before, study_of, values_shown
from unveil.schema import built_in
from unveil.schema.presets import with_preset


@pytest.mark.slow
def test_fewer_values_are_sent_none_is_shown_in_full_and_f1_stays() -> None:
    """Before, as the attribute unit's learnt bound alone would have it, and with both rules; on the demo's people."""
    study, schema = study_of(2000, seed=1), with_preset(built_in(), "unveil", budget=60)
    with as_before():
        before = values_shown(study, schema, seed=1)
    after = values_shown(study, schema, seed=1)
    print(f"before:  {before}\nwith it: {after}")  # noqa: T201 - the figures
    assert after.sent < 0.75 * before.sent
    assert (0, True) == (after.in_full, before.in_full > 0)
    assert after.held < before.held
    assert after.seen < before.seen
    assert abs(after.f1 - before.f1) <= 0.002
