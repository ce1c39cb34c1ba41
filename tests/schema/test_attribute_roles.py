"""Roles of attributes: named by the schema, or seen from an attribute's name in several languages."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from unveil.schema import Attribute, built_in, built_in_names
from unveil.schema.attribute_roles import ROLES, role_from_name


@pytest.mark.parametrize(
    ("role", "names"),
    [
        ("given_name", ["first_name", "given_name", "forename", "vorname", "prenom", "nombre"]),
        ("middle_name", ["middle_name", "second_name"]),
        ("family_name", ["last_name", "surname", "family_name", "nachname", "familienname", "nom", "apellido"]),
        ("birth_date", ["date_of_birth", "birthday", "dob", "geburtsdatum"]),
        ("birth_year", ["year_of_birth", "birth_year", "yob", "geburtsjahr", "age"]),
        ("birthplace", ["place_of_birth", "birthplace", "geburtsort"]),
        ("sex", ["sex", "gender", "geschlecht", "sexe"]),
        ("street", ["street", "address", "strasse", "rue", "calle"]),
        ("house_number", ["house_number", "street_number", "hausnummer"]),
        ("postcode", ["postcode", "zip", "zip_code", "plz", "code_postal"]),
        ("town", ["city", "town", "suburb", "wohnort_stadt", "ville", "ciudad"]),
        ("region", ["state", "county", "bundesland"]),
        ("phone", ["phone", "telephone", "phone_number", "telefon"]),
        ("email", ["email", "e_mail"]),
        ("id_number", ["ssn", "national_id", "insurance_number"]),
        ("other", ["x", "colour", "a1", "remarks"]),
    ],
)
def test_the_role_is_seen_from_the_name(role: str, names: list[str]) -> None:
    """What people call their columns, here and elsewhere."""
    assert dict.fromkeys(names, role) == {name: role_from_name(name) for name in names}


@pytest.mark.parametrize("name", ["First_Name", "first-name", "FIRST NAME", "firstname", "patient_first_name"])
def test_how_a_name_is_written_does_not_matter(name: str) -> None:
    assert "given_name" == role_from_name(name)


@pytest.mark.parametrize(("name", "wrong"), [("nominal", "family_name"), ("manager", "birth_year"), ("sport", "town")])
def test_short_words_must_stand_alone(name: str, wrong: str) -> None:
    """Or "nom" would be found in every nominal, "age" in every manager."""
    assert wrong != role_from_name(name)


def test_a_role_that_is_given_counts_for_more_than_the_name() -> None:
    """The name is a proposal."""
    assert "family_name" == Attribute(name="surname").meaning
    assert "other" == Attribute(name="surname", role="other").meaning
    with pytest.raises(ValidationError, match="given_name"):
        Attribute(name="surname", role="surname")


@pytest.mark.parametrize("name", built_in_names())
def test_every_attribute_of_the_built_in_schemas_has_a_role(name: str) -> None:
    """Models weigh attributes by their roles; these two schemas are what most people start from."""
    meanings = [attribute.meaning for attribute in built_in(name).attributes]
    assert set(meanings) <= set(ROLES) - {"other"}
    assert len(meanings) == len(set(meanings))


def test_households_share_names_and_addresses_and_not_what_is_ones_own() -> None:
    """The models must tell a person from who lives with them."""
    homes = {"family_name", "house_number", "street", "postcode", "town", "region", "phone"}
    own = {"given_name", "middle_name", "birth_date", "birth_year", "birthplace", "sex", "email", "id_number"}
    assert {"home"} == {ROLES[role].whose for role in homes}
    assert {"person"} == {ROLES[role].whose for role in own}
