"""Roles and how they are spelt; sizes that several rooms rely on."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unveil.linkage.bits import word_count
from unveil.protocol.messages import filter_bytes
from unveil.protocol.roles import UNITS, Role


def test_every_role_is_found_again_by_its_slug() -> None:
    """Command lines and folders name roles by it."""
    assert ["owner", "record-unit", "attribute-unit", "review-unit"] == [role.slug for role in Role]
    assert list(Role) == [Role.of_slug(role.slug) for role in Role]
    assert ["record-unit", "attribute-unit", "review-unit"] == [unit.slug for unit in UNITS]


@pytest.mark.parametrize("text", ["record unit", "Record-Unit", "", "unit"])
def test_what_is_no_slug_is_answered_with_those_there_are(text: str) -> None:
    """A name that is nearly one must not pass for it."""
    with pytest.raises(ValueError, match="owner, record-unit, attribute-unit, review-unit"):
        Role.of_slug(text)


@given(st.integers(1, 1 << 20))
def test_a_filter_takes_as_many_bytes_on_the_wire_as_in_memory(m: int) -> None:
    """Linkage sees no message and messages know no linkage, so each has the formula; they must not part."""
    assert filter_bytes(m) == 8 * word_count(m)
