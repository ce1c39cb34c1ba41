"""Values that a register should not have, and linkage schemas that take some of them: do both tools take the same?"""

from __future__ import annotations

import random
from typing import Any

#: Blanks, signs, digits of other scripts, letters that change their number with their case, dates that are none.
_ODD = (
    "", " ", "\t", "  x ", "a\nb", "a", "A", "é", "É", "ß", "İ", "ǅ", "😀", "M", "m", "M ", "NULL", "NaN", "nan", "inf",
    "1", "01", "+1", "-1", " 1 ", "1_000", "１", "١٢", "²", "-0", "0x1", "1.5", "1e3", "-0.5", ".5", "5.", "1,5",
    "1" * 30, "1" * 5000, "x" * 300, "2020-01-01", "2020-1-1", "0001-01-01", "999-01-01", "2020-02-30", "20200101",
    "31.12.1999", "1.1.70", "٣1.12.1999",
)  # fmt: skip
_SIGNS = "abcXYZ 0129.-+é_eE"
_TEXT: dict[str, Any] = {"type": "string"}
_NGRAM: dict[str, Any] = {"type": "ngram", "n": 2}


def values(*, seed: int) -> list[str]:
    """Those above, and as many again that nobody thought of."""
    chance = random.Random(seed)  # noqa: S311 - of no secret
    texts = ("".join(chance.choices(_SIGNS, k=chance.randint(0, 9))) for _ in range(250))
    ends = ("", ".", ".5", ".25", "e2")
    return [*_ODD, *texts, *(f"{chance.randint(-99, 99)}{chance.choice(ends)}" for _ in range(100))]


def schemas() -> list[dict[str, Any]]:
    """Every format and comparison, for one column."""
    return [
        _schema(_TEXT),
        _schema({**_TEXT, "case": "upper"}),
        _schema({**_TEXT, "case": "lower"}),
        _schema({**_TEXT, "minLength": 2, "maxLength": 5}),
        _schema({**_TEXT, "encoding": "ascii"}),
        _schema({**_TEXT, "encoding": "utf-16"}, hash={"type": "doubleHash"}),
        _schema({**_TEXT, "pattern": "[a-z ]*"}),
        _schema(_TEXT, missingValue={"sentinel": "NULL", "replaceWith": "a"}),
        _schema({"type": "integer"}),
        _schema({"type": "integer", "minimum": -5, "maximum": 50}),
        _schema({"type": "integer"}, _numeric(3, 4)),
        _schema({"type": "date", "format": "%Y-%m-%d"}),
        _schema({"type": "date", "format": "%d.%m.%Y"}),
        _schema({"type": "date", "format": "%d.%m.%y"}),
        _schema({"type": "enum", "values": ["M", "", "a"]}, {"type": "exact"}),
        _schema(_TEXT, _numeric(2.5, 3, 2)),
        _schema(_TEXT, _numeric(7, 3)),
        _schema(_TEXT, _numeric(0.1, 2, 1), missingValue={"sentinel": "", "replaceWith": "0"}),
    ]


def _numeric(distance: float, resolution: int, precision: int = 0) -> dict[str, Any]:
    return {
        "type": "numeric", "thresholdDistance": distance, "resolution": resolution, "fractional_precision": precision,
    }  # fmt: skip


def _schema(form: dict[str, Any], comparison: dict[str, Any] | None = None, **more: Any) -> dict[str, Any]:
    hashing = {"comparison": comparison or _NGRAM, "strategy": {"bitsPerToken": 5}, **more}
    feature = {"identifier": "x", "format": form, "hashing": hashing}
    return {"version": 3, "clkConfig": {"l": 256, "kdf": {"type": "HKDF"}}, "features": [feature]}
