"""
What an attribute says about a person. Members of a household share some kinds of attributes and not others.

A schema may name the role of each attribute; where it does not, the role follows from the attribute's name.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Literal

from unveil.settings.choices import Choice

#: Whose an attribute is: one person's, or that of all who live together.
Whose = Literal["person", "home"]
#: What happens to people between two registers and gives an attribute another value.
ChangeOfLife = Literal["move", "other surname", "other number"]

#: How many people it happens to, as is assumed of two registers some years apart.
CHANGES: Final[dict[ChangeOfLife, float]] = {"move": 0.1, "other surname": 0.03, "other number": 0.15}


@dataclass(frozen=True, slots=True, kw_only=True)
class AttributeRole(Choice):
    """
    A role: whose attributes of it are, what their values are like, and words in names of attributes that point to it.

    `mistaken` is the share of people for whom a mistake makes two registers differ, `changed_by` what else does.
    `counted` roles are those where a rare value says more than a common one. `number` is written in digits.
    A word counts more than a hint, and a longer one more than a shorter.
    """

    whose: Whose
    mistaken: float
    changed_by: ChangeOfLife | None = None
    counted: bool = False
    number: bool = False
    words: tuple[str, ...] = ()
    hints: tuple[str, ...] = ()

    @property
    def error(self) -> float:
        """The share of people whose values differ in two registers, for whichever reason."""
        changed = CHANGES[self.changed_by] if self.changed_by else 0.0
        return 1 - (1 - self.mistaken) * (1 - changed)


# fmt: off
#: Adding a role is a row here; models learn what it is worth when the priors are made anew.
ROLES: Final[dict[str, AttributeRole]] = {
    "birthplace": AttributeRole(
        sentence="where somebody was born", whose="person", mistaken=0.05,
        words=(
            "birthplace", "placeofbirth", "birthcity", "birthtown", "birthstate", "birthcountry", "birthcounty",
            "cityofbirth", "townofbirth", "stateofbirth", "countryofbirth", "countyofbirth", "pob",
            "geburtsort", "geburtsland", "gebort",
            "lieunaissance", "lieudenaissance", "communedenaissance", "paysdenaissance",
            "lugarnacimiento", "lugardenacimiento", "paisdenacimiento",
            "luogonascita", "luogodinascita", "comunenascita", "comunedinascita",
            "geboorteplaats", "geboorteland", "localnascimento", "localdenascimento", "naturalidade",
            "miejsceurodzenia", "fodelseort", "fodested", "fodeby", "syntymapaikka",
            "dogumyeri", "mistonarozeni", "miestonarodenia", "szuletesihely", "loculnasterii", "mestorozhdenija",
            "mjestorodenja",
        ),
    ),
    "birth_date": AttributeRole(
        sentence="day, month and year of birth", whose="person", mistaken=0.02, number=True,
        words=(
            "dateofbirth", "birthdate", "birthday", "birthdt", "dob", "bday", "dtbirth",
            "geburtsdatum", "geburtstag", "gebdat", "gebdatum", "datenaissance", "datedenaissance", "naissance", "ddn",
            "fechanacimiento", "fechadenacimiento", "fechanac", "nacimiento", "fnac", "datanascita",
            "datadinascita", "nascita",
            "geboortedatum", "gebdat", "datanascimento", "datadenascimento", "datanasc", "nascimento",
            "dataurodzenia", "urodzenia", "fodelsedatum", "fodselsdato", "fodselsdag", "syntymaaika",
            "fecnac", "fechnac", "neele", "nele", "dogumtarihi", "datumnarozeni", "narozeni",
            "datumnarodenia", "narodenia",
            "szuletesidatum", "szuletesiido", "szuldatum", "datanasterii", "nasterii", "datarozhdenija",
            "datarodzhennja",
            "datumrodenja", "datumrodjenja", "datumrojstva", "gimimodata", "dzimsanasdatums", "sunniaeg",
            "imerominiagennisis",
        ),
        hints=("birth", "born", "geboren", "geburt", "geb"),
    ),
    "birth_year": AttributeRole(
        sentence="year of birth, or age", whose="person", mistaken=0.02, number=True,
        words=(
            "yearofbirth", "birthyear", "yob", "birthyr", "dobyear", "dobyr", "dobyyyy",
            "geburtsjahr", "gebjahr", "anneenaissance",
            "anneedenaissance", "anonacimiento", "anodenacimiento", "annonascita", "annodinascita", "geboortejaar",
            "anonascimento", "anodenascimento", "rokurodzenia", "fodelsear", "fodselsaar", "age", "alter", "edad",
            "eta", "leeftijd", "idade", "wiek", "alder", "dogumyili", "roknarozeni", "roknarodenia", "szuletesiev",
            "godrozhdenija", "godinarodenja",
        ),
    ),
    "birth_part": AttributeRole(
        sentence="day or month of birth, in a column of its own", whose="person", mistaken=0.02, number=True,
        words=(
            "dayofbirth", "monthofbirth", "birthmonth", "birthmon", "birthdd", "birthmm", "dobday", "dobmonth",
            "dobmon", "dobdd", "dobmm", "geburtsmonat", "gebmonat", "gebtag", "moisnaissance", "moisdenaissance",
            "journaissance", "jourdenaissance", "mesnacimiento", "mesdenacimiento", "dianacimiento", "diadenacimiento",
            "mesenascita", "giornonascita", "geboortemaand", "geboortedag",
        ),
    ),
    "sex": AttributeRole(
        sentence="sex or gender", whose="person", mistaken=0.01,
        words=(
            "sex", "gender", "geschlecht", "geschl", "sexe", "genre", "sexo", "genero", "sesso", "genere",
            "geslacht", "plec", "kon", "kjonn", "sukupuoli", "cinsiyet", "cinsiyeti", "pohlavi", "pohlavie",
            "nem", "neme", "pol",
            "spol", "lytis", "dzimums", "sugu", "fylo", "mf", "mw", "mwd", "fm",
        ),
    ),
    "middle_name": AttributeRole(
        sentence="a second given name, or initial", whose="person", mistaken=0.1,
        words=(
            "middlename", "secondname", "middleinitial", "middle", "midl", "mname", "zweitername", "zweitvorname",
            "deuxiemeprenom", "secondprenom", "segundonombre", "secondonome", "tweedenaam", "drugieimie", "mellannamn",
            "mellomnavn", "mellemnavn",
        ),
        hints=("mi", "initial", "initials"),
    ),
    "given_name": AttributeRole(
        sentence="first or given name", whose="person", mistaken=0.04, counted=True,
        words=(
            "givenname", "firstname", "forename", "christianname", "fname", "vorname", "rufname", "prenom", "nombre",
            "primernombre", "nome", "nomeproprio", "primeironome", "voornaam", "roepnaam", "imie", "imiona", "fornamn",
            "voornamen", "vorn", "forenames", "fnam", "fnm", "adi", "isim", "jmeno", "krestnijmeno", "meno",
            "krstnemeno",
            "keresztnev", "utonev", "prenume", "ime", "imja", "vardas", "vards", "eesnimi", "onoma", "etunimet",
            "fornavn", "etunimi",
        ),
        hints=("given", "first", "ad"),
    ),
    "family_name": AttributeRole(
        sentence="last or family name", whose="home", mistaken=0.03, changed_by="other surname", counted=True,
        words=(
            "familyname", "lastname", "surname", "lname", "sname", "maidenname", "birthname", "nachname", "zuname",
            "familienname", "geburtsname", "nom", "nomdefamille", "nomfamille", "nomdenaissance", "nomnaissance",
            "nomusage", "apellido", "apellidos", "primerapellido", "segundoapellido", "cognome", "achternaam",
            "familienaam", "sobrenome", "apelido", "ultimonome", "nazwisko", "efternamn", "etternavn", "efternavn",
            "nachn", "lnam", "lnm", "soyad", "soyadi", "soyisim", "prijmeni", "priezvisko", "vezeteknev", "csaladnev",
            "csaladinev", "nume", "numedefamilie", "prezime", "priimek", "familija", "familia",
            "prizvyshche", "pavarde",
            "uzvards", "perekonnanimi", "perenimi", "eponymo",
            "sukunimi",
        ),
        hints=("family", "last", "maiden"),
    ),
    "house_number": AttributeRole(
        sentence="the number of a house", whose="home", mistaken=0.03, changed_by="move", number=True,
        words=(
            "housenumber", "streetnumber", "houseno", "streetno", "streetnum", "housenum", "housenr", "hausnummer",
            "hausnr", "numerorue", "numerodevoie", "numerocalle", "numerocivico", "huisnummer", "huisnr",
            "numerodomu", "nrdomu", "husnummer",
            "kapino", "cislodomu", "cislopopisne", "hazszam", "nrstrada", "nomerdoma", "kucnibroj", "talonumero",
        ),
    ),
    "street": AttributeRole(
        sentence="street, or a whole address", whose="home", mistaken=0.08, changed_by="move",
        words=(
            "street", "streetname", "strasse", "strassenname", "str", "rue", "voie", "calle", "domicilio", "via",
            "indirizzo", "straat", "straatnaam", "rua", "morada", "endereco", "ulica", "gata", "gatuadress", "gate",
            "vej", "katu", "katuosoite", "road", "sokak", "cadde", "ulice", "utca", "lakcim", "strada",
            "adresa", "adresas",
            "gatve", "tanav", "odos",
        ),
        hints=("address", "addr", "adresse", "anschrift", "direccion", "adres", "adress", "osoite", "line"),
    ),
    "postcode": AttributeRole(
        sentence="postal code", whose="home", mistaken=0.03, changed_by="move", number=True,
        words=(
            "postcode", "postalcode", "zipcode", "zip", "plz", "postleitzahl", "codepostal", "cpostal", "cp",
            "codigopostal", "cap", "codicepostale", "pcode", "kodpocztowy", "postnummer", "postnr", "postinumero",
            "cep", "postakodu", "psc", "iranyitoszam", "codpostal", "codpost", "indeks", "pochtovyjindeks",
            "postanskibroj", "postnastevilka", "pastokodas", "pastaindekss", "postiindeks", "tk",
            "pincode", "eircode",
        ),
        hints=("postal",),
    ),
    "town": AttributeRole(
        sentence="town, suburb or city", whose="home", mistaken=0.04, changed_by="move", counted=True,
        words=(
            "town", "city", "suburb", "municipality", "village", "locality", "ort", "wohnort", "stadt", "gemeinde",
            "ortsteil", "ville", "commune", "localite", "ciudad", "municipio", "localidad", "poblacion", "citta",
            "comune", "localita", "plaats", "woonplaats", "gemeente", "cidade", "localidade", "miasto", "miejscowosc",
            "stad", "postort", "kommun", "kommune", "poststed", "kaupunki", "kunta",
            "postitoimipaikka", "sehir", "ilce", "mesto", "obec", "varos", "telepules", "oras",
            "localitate", "gorod", "misto",
            "grad", "mjesto", "naselje", "miestas", "pilseta", "linn", "poli",
        ),
        hints=("residence",),
    ),
    "region": AttributeRole(
        sentence="state, county or country", whose="home", mistaken=0.02, changed_by="move",
        words=(
            "state", "county", "region", "country", "district", "province", "land", "bundesland", "kreis", "landkreis",
            "departement", "canton", "kanton", "provincia", "provincie", "regione", "pais", "comunidad", "estado",
            "distrito", "wojewodztwo", "powiat", "lan", "fylke", "maakunta", "territory", "prefecture", "oblast",
        ),
    ),
    "phone": AttributeRole(
        sentence="telephone number", whose="home", mistaken=0.03, changed_by="other number", number=True,
        words=(
            "phone", "telephone", "phonenumber", "mobile", "mobilenumber", "mobil", "cellphone", "cell", "tel", "fon",
            "telefon", "telefonnummer", "handy", "telefono", "telefoon", "telefone", "celular", "movil", "cellulare",
            "portable", "telemovel", "puhelin", "komorka", "fax",
        ),
    ),
    "email": AttributeRole(
        sentence="e-mail address", whose="person", mistaken=0.02, changed_by="other number",
        words=("email", "emailaddress", "mail", "mailaddress", "mailadresse", "emailadresse", "courriel", "correo"),
    ),
    "id_number": AttributeRole(
        sentence="a number that is one person's alone", whose="person", mistaken=0.01, number=True,
        words=(
            "socsecid", "ssn", "socialsecurity", "nationalid", "idnumber", "idcard", "personid", "personnumber",
            "personnummer", "personalnumber", "cpr", "bsn", "nhs", "nhsnumber", "nino", "passport", "insurance",
            "insuranceno", "medicare", "taxid", "licence", "license", "versicherung", "versichertennummer",
            "versnr", "kvnr", "svnr", "ahv", "steuerid", "ausweis", "nir", "nss", "dni", "nie", "nif", "curp", "cpf",
            "tckimlik", "tckimlikno", "kimlikno", "rodnecislo", "tajszam", "taj", "cnp", "snils", "oib",
            "emso", "jmbg", "amka",
            "codicefiscale", "codfiscale", "burgerservicenummer", "pesel", "fodselsnummer", "henkilotunnus", "aadhaar",
        ),
    ),
    "other": AttributeRole(sentence="anything else", whose="person", mistaken=0.05),
}
# fmt: on

#: Words in names of attributes that are somebody else's than the person's: a mother's name is not a given name.
# fmt: off
_OF_OTHERS: Final = frozenset({
    "mother", "mothers", "father", "fathers", "parent", "parents", "spouse", "partner", "kin", "emergency", "guardian",
    "doctor", "physician", "gp", "employer", "hospital", "mutter", "vater", "eltern", "ehepartner", "arzt", "hausarzt",
    "arbeitgeber", "mere", "pere", "conjoint", "medecin", "madre", "padre", "conyuge", "medico", "moeder", "vader",
    "mae", "pai", "matka", "ojciec",
})
# fmt: on
_LETTERS: Final = str.maketrans(
    {"ß": "ss", "ø": "o", "æ": "ae", "œ": "oe", "ł": "l", "đ": "d", "ı": "i", "ð": "d", "þ": "th"}
    | {"ж": "zh", "х": "h", "ц": "c", "ч": "ch", "ш": "sh", "щ": "shch", "ъ": "", "ы": "y", "ь": "", "э": "e"}
    | {"ю": "ju", "я": "ja", "й": "j", "є": "je", "і": "i", "ї": "i", "ґ": "g"}
    | dict(zip("абвгдеёзиклмнопрстуф", "abvgdeeziklmnoprstuf", strict=True))
    | {"θ": "th", "χ": "ch", "ψ": "ps"}
    | dict(zip("αάβγδεέζηήιίκλμνξοόπρσςτυύφωώ", "aavgdeeziiiiklmnxooprsstyyfoo", strict=True))
)
_HUMP: Final = re.compile(r"(?<=[a-z])(?=[A-Z])")
_SEPARATORS: Final = re.compile(r"[^a-z]+")
_SHORT: Final = 4  # words up to this length must stand alone


def role_from_name(name: str) -> str:
    """The role that the name of an attribute or a column points to, in one of several languages; other if none."""
    found = _pointed(name)
    if {"given_name", "family_name"} <= {role for is_word, _, role in found if is_word}:
        return "other"  # a whole name
    # The first of equals, in the order of the table.
    return max(found, key=lambda one: one[:2])[2] if found else "other"


def says_whole_name(name: str) -> bool:
    """Whether the name of a column has words for a given name and for a family name."""
    return {"given_name", "family_name"} <= {role for is_word, _, role in _pointed(name) if is_word}


def _pointed(name: str) -> list[tuple[bool, int, str]]:
    """What in a name points to which role: whether it is a word rather than a hint, and how long it is."""
    parts = _parts(name)
    if _OF_OTHERS.intersection(parts):
        return []
    whole = "".join(parts)
    return [
        (is_word, len(word), role)
        for role, about in ROLES.items()
        for word, is_word in _pointers(about)
        if word == whole or word in parts or (len(word) > _SHORT and word in whole)
    ]


def _parts(name: str) -> list[str]:
    """The words of a name in plain small letters; `firstName` has two, and digits separate."""
    plain = unicodedata.normalize(
        "NFKD", unicodedata.normalize("NFC", _HUMP.sub("_", name)).casefold().translate(_LETTERS)
    )
    letters = "".join(letter for letter in plain if not unicodedata.combining(letter))
    return [part for part in _SEPARATORS.split(letters) if part]


def _pointers(about: AttributeRole) -> Iterator[tuple[str, bool]]:
    """Everything in a name that points to a role, and whether it is a word rather than a hint."""
    yield from ((word, True) for word in about.words)
    yield from ((word, False) for word in about.hints)
