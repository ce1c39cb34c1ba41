"""
Twenty linkage schemas of clkhash that differ in all that a schema can say, and people to encode under them.

The people are generated; what registers of the world have and theirs do not (letters beyond A to Z, blanks, signs in
front of numbers, missing values) is put in here.
"""

from __future__ import annotations

import base64
from typing import Any

from unveil.lab.synthetic import generate

SECRET = "geheim: 祕密 und 42 Zeichen"  # noqa: S105 - of generated people
COLUMNS = (
    "record_id", "given_name", "family_name", "dob", "geburtsdatum", "sex", "street", "city", "children", "weight",
    "phone", "note",
)  # fmt: skip
_NOTES = (
    "",
    "NULL",
    " blank at both ends ",
    "Zoë",
    "straße",
    "李小龍",
    "née Ångström",
    "😀",
    "O'Brien",
    "a,b;c",
    "=1+1",
)
_UMLAUTS = str.maketrans({"Y": "Ü", "Z": "ß"})


def people(count: int, *, seed: int = 1) -> list[dict[str, str]]:
    """So many generated people, a row each."""
    records = generate(records=count, seed=seed, layout="clinic").a
    columns = {name: column.values() for name, column in records.columns.items()}
    rows = []
    for at in range(count):
        given, family, born, sex, street, city = (
            columns[name][at] for name in ("first_name", "last_name", "date_of_birth", "sex", "street", "city")
        )
        year, month, day = born.split("-") if born else ("", "", "")
        rows.append({
            "record_id": records.ids[at],
            "given_name": given.title() if at % 3 else given.translate(_UMLAUTS),
            "family_name": family,
            "dob": born,
            "geburtsdatum": f"{day}.{month}.{year}" if born else "NULL",
            "sex": sex,
            "street": street.lower(),
            "city": city,
            "children": ("", f"+{at % 7}", f" {at % 7}", str(at % 7), f"-{at % 3}")[at % 5],
            "weight": f"{40 + at % 60}.{at % 1000:03d}" if at % 11 else str(50 + at % 30),
            "phone": f"0{at * 7919 % 1_000_000_007:09d}" if at % 4 else "",
            "note": _NOTES[at % len(_NOTES)],
        })  # fmt: skip
    return rows


def schemas() -> list[dict[str, Any]]:
    """The schemas, the plain one first."""
    names = [_text("given_name"), _text("family_name")]
    salted = {"hash": "SHA512", "salt": _base64(b"salt of the project"), "info": _base64(b"info"), "keySize": 32}
    double, safe = {"type": "doubleHash"}, {"type": "doubleHash", "prevent_singularity": True}
    few, short, nothing = {"bitsPerFeature": 2}, {"keySize": 20}, {"sentinel": ""}
    zero = {"sentinel": "", "replaceWith": "0"}
    unknown = {"sentinel": "NULL", "replaceWith": "01.01.1900"}
    near = _integer("children_too", missing=zero, comparison=_numeric(2, 3))
    return [
        _schema(1024, names),
        _schema(1024, [*names, _date("dob", "%Y-%m-%d", missing=nothing)], kdf={"hash": "SHA512"}),
        _schema(2048, [_ignored("record_id"), *names, _ignored("sex"), _text("city")], kdf=salted),
        _schema(1024, names, folds=1),
        _schema(256, [*names, _text("street")], folds=3),
        _schema(512, [_text(name, bits={"bitsPerFeature": 200}) for name in ("given_name", "family_name", "city")]),
        _schema(1024, [_text("family_name", bits={"bitsPerFeature": 5}), _text("city", bits={"bitsPerToken": 33})]),
        _schema(4096, [_text("given_name", n=3), _text("family_name", n=4), _text("sex", n=1)]),
        _schema(1024, [_text("street", positional=True), _text("phone", n=1, positional=True)]),
        _schema(1024, [_exact("city"), _exact("given_name", bits={"bitsPerFeature": 64}), _exact("note")]),
        _schema(1024, [_text("given_name", how=double), _text("family_name", how=double)]),
        _schema(1000, [_text("given_name", how=safe), _date("geburtsdatum", "%d.%m.%Y", how=safe, missing=unknown)]),
        _schema(8, [_exact("given_name", how=double, bits=few), _exact("city", how=safe, bits=few)]),
        _schema(24, [_exact("note", how=safe, bits=few), _exact("street", how=double, bits=few)], folds=1, kdf=short),
        _schema(1024, [_integer("children", missing=zero), near, _date("geburtsdatum", "%d.%m.%Y", missing=unknown)]),
        _schema(2048, [_number("weight", 0.5, 5, 3), _number("phone_number", 1000, 10, 0), *names]),
        _schema(1024, [_text("note", encoding="utf-16"), _text("city", encoding="utf-32", n=3)]),
        _schema(64, [_text("family_name", encoding="ascii", case="upper"), _enum("sex", ["M", "F", "X"], nothing)]),
        _schema(2048, [_pattern("phone", "|0[0-9]{9}"), _text("street", case="lower", lengths=(0, 60)), _exact("sex")]),
        _schema(
            1024,
            [
                _ignored("record_id"), _text("given_name", bits={"bitsPerFeature": 300}),
                _text("family_name", bits={"bitsPerFeature": 300}), _date("dob", "%Y-%m-%d", missing=nothing, n=1),
                _enum("sex", ["M", "F", "X"], nothing), _text("city", bits={"bitsPerFeature": 300}, how=double),
                _integer("children", missing=zero, comparison=_numeric(1.5, 2, fractional_precision=1)),
            ],
            folds=1, kdf=salted,
        ),
    ]  # fmt: skip


def rows_for(schema: dict[str, Any], rows: list[dict[str, str]]) -> list[list[str]]:
    """The values of each person in the order of the schema's features, as clkhash takes them."""
    return [[_value(feature["identifier"], row) for feature in schema["features"]] for row in rows]


def columns_for(schema: dict[str, Any]) -> list[str]:
    """Identifiers of the features, in their order."""
    return [feature["identifier"] for feature in schema["features"]]


def _value(identifier: str, row: dict[str, str]) -> str:
    if identifier == "children_too":
        return row["children"]
    return row["phone"] or "0" if identifier == "phone_number" else row[identifier]


def _base64(raw: bytes) -> str:
    return base64.b64encode(raw).decode()


def _schema(
    length: int, features: list[dict[str, Any]], *, folds: int = 0, kdf: dict[str, Any] | None = None
) -> dict[str, Any]:
    config: dict[str, Any] = {"l": length, "kdf": {"type": "HKDF", **(kdf or {})}}
    if folds:  # as is documented, and as the published package reads it
        config |= {"xorFolds": folds, "xor_folds": folds}
    return {"version": 3, "clkConfig": config, "features": features}


def _feature(
    identifier: str,
    form: dict[str, Any],
    comparison: dict[str, Any],
    *,
    bits: dict[str, int] | None = None,
    how: dict[str, Any] | None = None,
    missing: dict[str, str] | None = None,
) -> dict[str, Any]:
    hashing: dict[str, Any] = {"comparison": comparison, "strategy": bits or {"bitsPerToken": 15}}
    hashing |= ({"hash": how} if how else {}) | ({"missingValue": missing} if missing else {})
    return {"identifier": identifier, "format": form, "hashing": hashing}


def _text(
    identifier: str,
    *,
    n: int = 2,
    positional: bool = False,
    encoding: str = "utf-8",
    case: str = "mixed",
    lengths: tuple[int, int] | None = None,
    **more: Any,
) -> dict[str, Any]:
    form: dict[str, Any] = {"type": "string", "encoding": encoding, "case": case}
    if lengths:
        form |= {"minLength": lengths[0], "maxLength": lengths[1]}
    return _feature(identifier, form, {"type": "ngram", "n": n, "positional": positional}, **more)


def _pattern(identifier: str, pattern: str) -> dict[str, Any]:
    return _feature(identifier, {"type": "string", "pattern": pattern}, {"type": "ngram", "n": 1, "positional": True})


def _exact(identifier: str, **more: Any) -> dict[str, Any]:
    return _feature(identifier, {"type": "string"}, {"type": "exact"}, **more)


def _integer(identifier: str, comparison: dict[str, Any] | None = None, **more: Any) -> dict[str, Any]:
    form = {"type": "integer", "minimum": -10, "maximum": 20}
    return _feature(identifier, form, comparison or {"type": "ngram", "n": 1}, **more)


def _number(identifier: str, distance: float, resolution: int, precision: int) -> dict[str, Any]:
    return _feature(identifier, {"type": "string"}, _numeric(distance, resolution, fractional_precision=precision))


def _numeric(distance: float, resolution: int, **more: int) -> dict[str, Any]:
    return {"type": "numeric", "thresholdDistance": distance, "resolution": resolution, **more}


def _date(identifier: str, form: str, *, n: int = 2, **more: Any) -> dict[str, Any]:
    comparison = {"type": "ngram", "n": n, "positional": True}
    return _feature(identifier, {"type": "date", "format": form}, comparison, **more)


def _enum(identifier: str, values: list[str], missing: dict[str, str]) -> dict[str, Any]:
    return _feature(identifier, {"type": "enum", "values": values}, {"type": "ngram", "n": 1}, missing=missing)


def _ignored(identifier: str) -> dict[str, Any]:
    return {"identifier": identifier, "ignored": True}
