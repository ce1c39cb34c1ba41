"""Names of columns say what they are in many languages and alphabets."""

from __future__ import annotations

import pytest

from unveil.schema.attribute_roles import role_from_name

ROLES = ("given_name", "family_name", "birth_date", "sex", "postcode", "town")
HEADERS = {
    "Turkish": "Adı|Soyadı|Doğum Tarihi|Cinsiyeti|Posta Kodu|Şehir",
    "Czech": "Jméno|Příjmení|Datum narození|Pohlaví|PSČ|Město",
    "Slovak": "Meno|Priezvisko|Dátum narodenia|Pohlavie|PSČ|Mesto",
    "Hungarian": "Keresztnév|Vezetéknév|Születési dátum|Nem|Irányítószám|Város",
    "Romanian": "Prenume|Nume|Data nașterii|Sex|Cod poștal|Oraș",
    "Croatian": "Ime|Prezime|Datum rođenja|Spol|Poštanski broj|Grad",
    "Polish": "Imię|Nazwisko|Data urodzenia|Płeć|Kod pocztowy|Miejscowość",
    "Finnish": "Etunimet|Sukunimi|Syntymäaika|Sukupuoli|Postinumero|Postitoimipaikka",
    "Russian": "Имя|Фамилия|Дата рождения|Пол|Индекс|Город",
    "Greek": "Όνομα|Επώνυμο|Ημερομηνία γέννησης|Φύλο|ΤΚ|Πόλη",
    "German, cut short": "Vorn.|Nachn.|Geb.-Dat.|Geschl.|PLZ|Wohnort",
    "a database": "PAT_FNAM|PAT_LNAM|PAT_DOB|PAT_SEX_CD|PAT_ZIP_CD|PAT_CITY_NM",
    "Dutch": "Voornamen|Achternaam|Geb.datum|Geslacht|Postcode|Woonplaats",
    "Spanish": "Nombres|Primer apellido|Fec_nac|Género|Cod_postal|Localidad",
    "French": "Prénom|Nom|Né(e) le|Sexe|CP|Commune",
}  # fmt: skip


@pytest.mark.parametrize("language", HEADERS)
def test_a_header_is_understood(language: str) -> None:
    """Who has columns in their own language types no options."""
    assert list(ROLES) == [role_from_name(name) for name in HEADERS[language].split("|")]


@pytest.mark.parametrize("name", ["Nom et prénom", "Nachname, Vorname", "Ad Soyad (adı)", "last_name_first_name"])
def test_a_name_of_both_is_neither(name: str) -> None:
    """A whole name read as a family name would meet nobody's."""
    assert "other" == role_from_name(name)
