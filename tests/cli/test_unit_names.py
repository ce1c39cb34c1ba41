from __future__ import annotations

import pytest

from unveil.cli.unit_names import RoleName, UnitName
from unveil.protocol.roles import Role


@pytest.mark.parametrize("role", Role)
def test_every_role_has_a_name_on_the_command_line_that_leads_back_to_it(role: Role) -> None:
    """A role that is added to the protocol must be added here."""
    assert role is RoleName[role.name].role
    assert " " not in RoleName[role.name].value


def test_units_are_the_roles_that_are_no_owner_spelt_the_same() -> None:
    """People copy a name from one command to the next."""
    roles = {name.name: name.value for name in RoleName if name is not RoleName.OWNER}
    assert roles == {name.name: name.value for name in UnitName}


def test_names_are_those_that_scripts_already_hold() -> None:
    """They stand in service files and in documentation."""
    assert ["record-unit", "attribute-unit", "review-unit"] == [name.value for name in UnitName]
