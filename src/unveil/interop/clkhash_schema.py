"""
The linkage schema of clkhash, version 3: which columns make a CLK, and how.

It is read as its documentation describes it. Where the published package does something else, `warnings` say so.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Discriminator, Field, Tag, ValidationError

from unveil.errors import Problem, SchemaError
from unveil.interop.json_text import NotJson, parsed_json
from unveil.settings.mistakes import frozen as as_tuples
from unveil.settings.mistakes import shown
from unveil.settings.reader import read_text

_LONGEST_FILTER: Final = 1 << 20  # bits, before folding
_LONGEST_PATTERN: Final = 1000
_KEYS_EACH: Final = 2  # for each feature, ignored or not
_LONGEST_BLAKE_KEY: Final = 64
_HASH_BYTES: Final = {"SHA256": 32, "SHA512": 64}
_OLDER: Final = "anonlink convert-schema makes version 3 of an older schema"


class _Part(BaseModel):
    """A part of the schema that holds what is documented and nothing else."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, allow_inf_nan=False)


class _OpenPart(BaseModel):
    """A part in which clkhash lets further keys stand, and reads none of them."""

    model_config = ConfigDict(extra="ignore", frozen=True, strict=True, allow_inf_nan=False)


class Kdf(_OpenPart):
    """How keys are derived from the secret."""

    type: Literal["HKDF"]
    hash: Literal["SHA256", "SHA512"] = "SHA256"
    salt: str | None = None
    info: str | None = None
    key_size: int = Field(64, alias="keySize", ge=1, le=1024)


class ClkConfig(_OpenPart):
    """What holds for the filter as a whole: l bits after folding."""

    length: int = Field(alias="l", ge=1, le=_LONGEST_FILTER)
    kdf: Kdf
    documented_folds: int | None = Field(None, alias="xorFolds", ge=0, le=20)
    folds_as_read: int | None = Field(None, alias="xor_folds", ge=0, le=20)

    @property
    def folds(self) -> int:
        """How often the filter is folded."""
        return self.documented_folds if self.documented_folds is not None else (self.folds_as_read or 0)


class StringFormat(_Part):
    """Text of a certain shape."""

    type: Literal["string"]
    encoding: Literal["ascii", "utf-8", "utf-16", "utf-32"] = "utf-8"
    case: Literal["upper", "lower", "mixed"] = "mixed"
    min_length: int | None = Field(None, alias="minLength", ge=0)
    max_length: int | None = Field(None, alias="maxLength", ge=1)
    pattern: str | None = Field(None, max_length=_LONGEST_PATTERN)
    description: str = ""


class IntegerFormat(_Part):
    """A whole number."""

    type: Literal["integer"]
    minimum: int | None = None
    maximum: int | None = None
    description: str = ""


class DateFormat(_Part):
    """A date, in the format of Python's strptime."""

    type: Literal["date"]
    format: str
    description: str = ""


class EnumFormat(_Part):
    """One of a few values."""

    type: Literal["enum"]
    values: tuple[str, ...]
    description: str = ""


class NgramComparison(_OpenPart):
    """Parts of n characters."""

    type: Literal["ngram"]
    n: int = Field(ge=1, le=100)
    positional: bool = False


class ExactComparison(_OpenPart):
    """The value as a whole."""

    type: Literal["exact"]


class NumericComparison(_OpenPart):
    """Numbers in the neighbourhood."""

    type: Literal["numeric"]
    threshold_distance: float = Field(alias="thresholdDistance", gt=0)
    resolution: int = Field(ge=1, le=10_000)
    precision_as_read: int | None = Field(None, alias="fractional_precision", ge=0, le=30)
    other_precision: int | None = Field(None, alias="fractionalPrecision", ge=0, le=30)

    @property
    def precision(self) -> int:
        """How many digits behind the point count."""
        return self.precision_as_read if self.precision_as_read is not None else (self.other_precision or 0)

    @property
    def interval(self) -> int:
        """The distance from one token to the next."""
        return round(self.threshold_distance * 10**self.precision)


class BitsStrategy(_Part):
    """How many positions a token gets."""

    bits_per_token: int | None = Field(None, alias="bitsPerToken", ge=1, le=65_536)
    bits_per_feature: int | None = Field(None, alias="bitsPerFeature", ge=1, le=65_536)

    def positions(self, tokens: int) -> list[int]:
        """Of so many tokens of one value, how many positions each gets."""
        if self.bits_per_token is not None:
            return [self.bits_per_token] * tokens
        assert self.bits_per_feature is not None
        each, more = divmod(self.bits_per_feature, tokens)
        return [each + 1] * more + [each] * (tokens - more)


class BlakeHash(_Part):
    """Positions from one long keyed hash of the token."""

    type: Literal["blakeHash"] = "blakeHash"


class DoubleHash(_Part):
    """Positions from two keyed hashes of the token."""

    type: Literal["doubleHash"]
    prevent_singularity: bool = False


class MissingValue(_Part):
    """What stands for a missing value, and what is hashed for it."""

    sentinel: str
    replace_with: str | None = Field(None, alias="replaceWith")


class Hashing(_Part):
    """How a feature is hashed."""

    comparison: Annotated[NgramComparison | ExactComparison | NumericComparison, Field(discriminator="type")]
    strategy: BitsStrategy
    hash: Annotated[BlakeHash | DoubleHash, Field(discriminator="type")] = BlakeHash()
    missing_value: MissingValue | None = Field(None, alias="missingValue")


class IgnoredFeature(_OpenPart):
    """A column that makes no part of the CLK, but takes its keys all the same."""

    identifier: str
    ignored: Literal[True]


class HashedFeature(_OpenPart):
    """A column, what its values look like and how they are hashed."""

    identifier: str
    format: Annotated[StringFormat | IntegerFormat | DateFormat | EnumFormat, Field(discriminator="type")]
    hashing: Hashing

    @property
    def encoding(self) -> str:
        """In which encoding tokens become bytes."""
        return self.format.encoding if isinstance(self.format, StringFormat) else "utf-8"


def _is_ignored(feature: Any) -> str:
    return "ignored" if isinstance(feature, dict) and feature.get("ignored") is True else "hashed"


Feature = Annotated[
    Annotated[IgnoredFeature, Tag("ignored")] | Annotated[HashedFeature, Tag("hashed")], Discriminator(_is_ignored)
]


class ClkhashSchema(_OpenPart):
    """A linkage schema of clkhash."""

    version: Literal[3]
    config: ClkConfig = Field(alias="clkConfig")
    features: tuple[Feature, ...] = Field(min_length=1, max_length=1000)

    @property
    def hashed(self) -> list[tuple[int, HashedFeature]]:
        """The features that make the CLK, with their places, which their keys follow from."""
        return [(at, one) for at, one in enumerate(self.features) if isinstance(one, HashedFeature)]

    @property
    def unfolded(self) -> int:
        """Bits of the filter before it is folded."""
        return self.config.length << self.config.folds

    @property
    def warnings(self) -> tuple[str, ...]:
        """Where clkhash 0.18 does something else than this schema says."""
        said = []
        written, as_read = self.config.documented_folds, self.config.folds_as_read
        if written and as_read is None:
            said.append(
                "xorFolds: filters are folded, as is documented; clkhash 0.18 reads xor_folds and does not fold them. "
                f'For the same CLKs from both, add "xor_folds": {written}'
            )
        for _, feature in self.hashed:
            how = feature.hashing.comparison
            if isinstance(how, NumericComparison) and how.other_precision and how.precision_as_read is None:
                said.append(
                    f"{feature.identifier}: clkhash 0.18 reads fractional_precision, and not fractionalPrecision"
                )
        return tuple(said)

    def fingerprint(self) -> str:
        """A short hash of all that decides about the CLKs, but for the secret."""
        features = [one.model_dump(mode="json", exclude={"format": {"description"}}) for one in self.features]
        told = {"config": self.config.model_dump(mode="json"), "features": features}
        return hashlib.sha256(json.dumps(told, sort_keys=True).encode()).hexdigest()[:32]


def load_clkhash_schema(path: Path) -> ClkhashSchema:
    """The linkage schema in that file; every mistake in it is a line of one SchemaError."""
    return parse_clkhash_schema(read_text(path, error=SchemaError), source=str(path))


def parse_clkhash_schema(text: str, *, source: str = "schema") -> ClkhashSchema:
    """The linkage schema in that text."""
    try:
        data = parsed_json(text)
    except NotJson as problem:
        raise _refused(source, [Problem("(file)", str(problem), "a linkage schema of clkhash, JSON")]) from None
    if not isinstance(data, dict) or "clkConfig" not in data:
        raise _refused(source, [Problem("(file)", "is no linkage schema of clkhash", '"clkConfig" and "features"')])
    if data.get("version") != 3:  # noqa: PLR2004 - the only one that is read
        other = Problem("version", f"{shown(data.get('version'))} is not read", "3")
        raise _refused(source, [other], hint=_OLDER)
    try:
        schema = ClkhashSchema.model_validate(as_tuples(data))
    except ValidationError as error:
        raise _refused(source, list(_explained(error))) from None
    if problems := list(_cross_checked(schema)):
        raise _refused(source, problems)
    return schema


def _refused(source: str, problems: list[Problem], hint: str | None = None) -> SchemaError:
    return SchemaError(source, problems, hint=hint or "docs/interop.md says what is read of such a schema")


def _explained(error: ValidationError) -> Iterator[Problem]:
    tags = {"ignored", "hashed", "string", "integer", "date", "enum", "ngram", "exact", "numeric"}
    for detail in error.errors(include_url=False):
        at, kind = detail["loc"], detail["type"]
        parts = [str(part) for place, part in enumerate(at) if part not in tags or place == len(at) - 1]
        key = ".".join(parts)
        if kind == "missing":
            yield Problem(key, "missing", "it cannot be left out")
        elif kind == "extra_forbidden":
            yield Problem(key, "unknown key", "what the documentation of clkhash has here")
        elif (
            kind != "too_short" or not detail["input"]
        ):  # features that are mistaken themselves make the list no shorter
            yield Problem(key, f"{shown(detail['input'])} is not allowed", detail["msg"][0].lower() + detail["msg"][1:])


def _cross_checked(schema: ClkhashSchema) -> Iterator[Problem]:
    """Mistakes that several keys show together."""
    config, kdf = schema.config, schema.config.kdf
    if None not in (config.documented_folds, config.folds_as_read) and config.documented_folds != config.folds_as_read:
        yield Problem("clkConfig.xorFolds", "differs from xor_folds", "the same number, or one of them")
    if schema.unfolded > _LONGEST_FILTER:
        yield Problem("clkConfig.l", f"{schema.unfolded} bits before folding", f"at most {_LONGEST_FILTER}")
    needed, most = len(schema.features) * _KEYS_EACH * kdf.key_size, 255 * _HASH_BYTES[kdf.hash]
    if needed > most:
        yield Problem("features", f"their keys need {needed} bytes", f"at most {most}, which {kdf.hash} gives")
    for name in ("salt", "info"):
        if not _is_base64(getattr(kdf, name)):
            yield Problem(f"clkConfig.kdf.{name}", "is not base64 text", "bytes in base64")
    for at, feature in schema.hashed:
        for key, what, allowed in _wrong_in(feature, schema):
            yield Problem(f"features.{at}.{key} ({feature.identifier})", what, allowed)
    if not schema.hashed:
        yield Problem("features", "all of them are ignored", "at least one that is hashed")


def _wrong_in(feature: HashedFeature, schema: ClkhashSchema) -> Iterator[tuple[str, str, str]]:
    strategy, hashed = feature.hashing.strategy, feature.hashing.hash
    if (strategy.bits_per_token is None) == (strategy.bits_per_feature is None):
        yield "hashing.strategy", "says both or neither", "either bitsPerToken or bitsPerFeature"
    if isinstance(hashed, BlakeHash):
        if schema.unfolded & (schema.unfolded - 1):
            yield "hashing.hash", f"blakeHash, with {schema.unfolded} bits before folding", "an l that is a power of 2"
        if schema.config.kdf.key_size > _LONGEST_BLAKE_KEY:
            yield "hashing.hash", "blakeHash, with longer keys", f"a keySize up to {_LONGEST_BLAKE_KEY}"
    if isinstance(feature.hashing.comparison, NumericComparison) and not feature.hashing.comparison.interval:
        yield "hashing.comparison", "thresholdDistance is less than the digits that count", "a higher precision"
    if isinstance(feature.format, StringFormat) and feature.format.pattern is not None:
        if {"case", "min_length", "max_length"} & feature.format.model_fields_set:
            yield "format", "says pattern, and case or lengths beside it", "either"
        try:
            re.compile(feature.format.pattern)
        except (re.error, RecursionError, OverflowError):
            yield "format.pattern", "is no regular expression", "one that Python understands"


def _is_base64(text: str | None) -> bool:
    try:
        base64.b64decode("".join((text or "").split()), validate=True)
    except (binascii.Error, ValueError):
        return False
    return True
