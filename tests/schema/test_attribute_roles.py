"""Roles by the names of attributes and columns."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unveil.schema.attribute_roles import CHANGES, ROLES, role_from_name

NAMES = {
    "given_name": "first_name firstName GIVEN_NAME forename Vorname Prénom nombre nome voornaam imię förnamn etunimi",
    "family_name": "last_name surname LNAME Nachname Familienname Nom nom_de_naissance apellido1 cognome nazwisko",
    "middle_name": "middle_name MiddleInitial second_name zweitvorname",
    "birth_date": "date_of_birth DOB birthDate Geb.datum Geburtsdatum date_naissance fecha_nac data_di_nascita",
    "birth_year": "year_of_birth yob Geburtsjahr année_de_naissance age Alter DOB_YEAR",
    "birth_part": "DOB_DAY dobMonth month_of_birth Geburtsmonat mois_de_naissance",
    "sex": "sex Gender Geschlecht sexe sexo sesso geslacht płeć kön",
    "street": "street address_1 Straße Strasse rue calle indirizzo straat home_address",
    "house_number": "street_number house_no Hausnr. huisnummer",
    "postcode": "postcode ZIP zip_code PLZ code_postal cp address_postcode kod_pocztowy",
    "town": "town city suburb Ort Wohnort ville ciudad città woonplaats address_town",
    "region": "state county Bundesland provincia département country",
    "birthplace": "place_of_birth birthplace Geburtsort lieu_de_naissance luogo_nascita geboorteplaats",
    "phone": "phone home_phone mobile Telefon téléphone tel",
    "email": "email e_mail_address E-Mail mail_address courriel",
    "id_number": "soc_sec_id SSN national_id NHS_number personnummer codice_fiscale insurance_no",
    "other": "visit_count page mother_name nombre_padre gp_postcode remarks name",
}


@pytest.mark.parametrize(("role", "name"), [(role, name) for role, names in NAMES.items() for name in names.split()])
def test_a_name_points_to_its_role(role: str, name: str) -> None:
    """Data managers name columns in their own language, and in every style."""
    assert role == role_from_name(name)


@pytest.mark.parametrize("role", ROLES)
def test_every_role_is_tried(role: str) -> None:
    """A role that no name points to would never be proposed."""
    assert role in NAMES


@given(st.text(max_size=30))
def test_any_name_has_a_role(name: str) -> None:
    """Whatever stands in a header."""
    assert role_from_name(name) in ROLES


def test_every_role_says_how_often_values_differ() -> None:
    """Weights and estimates of loss follow from it."""
    for name, role in ROLES.items():
        assert 0 < role.mistaken < role.error + 1e-12 < 0.5, name
        assert (role.changed_by is None) == (role.error == pytest.approx(role.mistaken)), name
    assert set(CHANGES) == {role.changed_by for role in ROLES.values()} - {None}
