"""
What an attribute says about a person. Members of a household share some kinds of attributes and not others.

A schema may name the role of each attribute; where it does not, the role follows from the attribute's name.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final, Literal

from unveil.settings.choices import Choice

#: Whose an attribute is: one person's, or that of all who live together.
Whose = Literal["person", "home"]


@dataclass(frozen=True, slots=True, kw_only=True)
class AttributeRole(Choice):
    """A role, whose attributes of it are, and words in names of attributes that point to it."""

    whose: Whose
    words: tuple[str, ...] = ()


#: Adding a role is a row here; models learn what it is worth when the priors are made anew.
ROLES: Final[dict[str, AttributeRole]] = {
    "birthplace": AttributeRole(
        sentence="where somebody was born",
        whose="person",
        words=(
            "birthplace",
            "placeofbirth",
            "birthcity",
            "birthtown",
            "countryofbirth",
            "birthcountry",
            "geburtsort",
            "lieunaissance",
        ),
    ),
    "birth_date": AttributeRole(
        sentence="day, month and year of birth",
        whose="person",
        words=("dateofbirth", "birthdate", "birthday", "dob", "geburtsdatum", "gebdat", "naissance", "nacimiento"),
    ),
    "birth_year": AttributeRole(
        sentence="year of birth, or age",
        whose="person",
        words=("yearofbirth", "birthyear", "yob", "geburtsjahr", "anneenaissance", "age", "alter"),
    ),
    "sex": AttributeRole(sentence="sex or gender", whose="person", words=("sex", "gender", "geschlecht", "sexe")),
    "middle_name": AttributeRole(
        sentence="a second given name, or initial", whose="person", words=("middlename", "middle", "secondname", "midl")
    ),
    "given_name": AttributeRole(
        sentence="first or given name",
        whose="person",
        words=("givenname", "firstname", "forename", "fname", "given", "vorname", "prenom", "nombre", "first"),
    ),
    "family_name": AttributeRole(
        sentence="last or family name",
        whose="home",
        words=("familyname", "lastname", "surname", "lname", "nachname", "familienname", "nom", "apellido", "last"),
    ),
    "house_number": AttributeRole(
        sentence="the number of a house",
        whose="home",
        words=("housenumber", "streetnumber", "houseno", "streetno", "hausnummer", "hausnr"),
    ),
    "street": AttributeRole(
        sentence="street, or a whole address",
        whose="home",
        words=("street", "address", "addr", "strasse", "adresse", "rue", "calle", "road"),
    ),
    "postcode": AttributeRole(
        sentence="postal code", whose="home", words=("postcode", "postalcode", "zipcode", "zip", "plz", "codepostal")
    ),
    "town": AttributeRole(
        sentence="town, suburb or city",
        whose="home",
        words=("town", "city", "suburb", "municipality", "village", "ort", "stadt", "ville", "ciudad", "residence"),
    ),
    "region": AttributeRole(
        sentence="state, county or country",
        whose="home",
        words=("state", "county", "region", "country", "district", "province", "land", "bundesland", "kreis"),
    ),
    "phone": AttributeRole(
        sentence="telephone number", whose="home", words=("phone", "telephone", "mobile", "tel", "telefon", "handy")
    ),
    "email": AttributeRole(sentence="e-mail address", whose="person", words=("email", "mail")),
    "id_number": AttributeRole(
        sentence="a number that is one person's alone",
        whose="person",
        words=("socsecid", "ssn", "nationalid", "idnumber", "personid", "insurance", "nhs", "passport", "versicherung"),
    ),
    "other": AttributeRole(sentence="anything else", whose="person"),
}
_SEPARATORS = re.compile(r"[^a-z0-9]+")
_SHORT = 4  # words up to this length must stand alone


def role_from_name(name: str) -> str:
    """The role that an attribute's name points to; other if none."""
    parts = [part for part in _SEPARATORS.split(name.lower()) if part]
    whole = "".join(parts)
    for role, about in ROLES.items():
        if any(whole == word or (word in parts) or (len(word) > _SHORT and word in whole) for word in about.words):
            return role
    return "other"
