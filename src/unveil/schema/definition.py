"""
The linkage schema: what a record is, how each layer encodes it, and how the protocol runs.

A schema is a TOML file; `load` reads one and explains every mistake by its key. The built-in schema `person` is the
paper's. Settings keep the paper's symbols (m, h, q, p_t, x, t, dt, dt_step).
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from importlib import resources
from pathlib import Path
from typing import Annotated, Any, Final, Literal

from pydantic import BeforeValidator, Field, ValidationError

from unveil.errors import Problem, SchemaError
from unveil.schema.protocol import ProtocolSettings
from unveil.settings.base import Settings, whole
from unveil.settings.mistakes import explain, frozen, mended, near, parse_toml, shown

Normalisation = Literal["transliterate", "strip-accents", "lowercase", "trim", "digits-only", "letters-only"]
PHONETICS = ("soundex", "metaphone", "nysiis", "match_rating")
SHORTEST_FILTER: Final = 64
LONGEST_FILTER: Final = 65536
LONGEST: Final = 1 << 20  # bytes of a schema file
TRANSFORMS = ("raw", *PHONETICS, "first1", "first2", "first3", "first4")
# What each hardening method takes beside its name; the others take nothing.
_TAKES: Final = {
    "diffusion": frozenset({"t", "m"}),
    "re-sampling": frozenset({"m"}),
    "randomised-response": frozenset({"f"}),
}
_FIELD = re.compile(r"(?:(?P<transform>\w+)\((?P<inner>\w+)\)|(?P<plain>\w+))\Z")


class Input(Settings):
    """How files are read."""

    id: str = Field("record_id", min_length=1, description="column that identifies a record")


class Attribute(Settings):
    """One attribute of a record."""

    name: str = Field(pattern=r"^[a-z][a-z0-9_]*$", description="name of the attribute, used in keys and displays")
    column: str | None = Field(None, min_length=1, description="column in the file; the name if not given")
    normalise: tuple[Normalisation, ...] = Field(
        ("transliterate", "trim", "lowercase", "strip-accents"), description="steps applied in this order"
    )
    q: int = Field(2, ge=1, le=4, description="length of the q-grams")
    padding: bool = Field(True, description="pad both ends with the attribute's own symbol")
    h: int = Field(20, ge=1, le=512, description="hash positions per q-gram in layer A")
    weight: float = Field(1.0, ge=0, description="weight in the attribute-level baseline and in weighted RBF")
    frequency: bool = Field(False, description="frequency class of an agreeing value is evidence for M_A")
    when_missing: Literal["zero", "unknown"] = Field(
        "unknown", description="similarity that M_A sees for a missing value"
    )
    show: Literal["characters", "placeholders"] = Field(
        "characters", description="first stage of the masked display: differing characters, or placeholders"
    )

    @property
    def source(self) -> str:
        """The column that this attribute is read from."""
        return self.column or self.name


class BlockingField(Settings):
    """One part of a blocking key: an attribute, as it is or transformed."""

    attribute: str
    transform: str | None = None


class BlockingKey(Settings):
    """Records that agree on every field are compared."""

    fields: tuple[str, ...] = Field(
        min_length=1, description='attributes, plain or transformed, such as "last_name" or "soundex(last_name)"'
    )

    @property
    def name(self) -> str:
        """A readable name that also separates the key's domain from the other keys'."""
        return "+".join(self.fields)

    def parts(self) -> tuple[BlockingField, ...]:
        """The fields, parsed."""
        return tuple(_parse_field(field) for field in self.fields)


class Hardening(Settings):
    """One step that makes a record-level filter harder to attack."""

    method: Literal[
        "xor-fold", "balance", "rule-90", "re-sampling", "diffusion", "permutation", "randomised-response"
    ] = Field(description="name of the method")
    t: int = Field(3, ge=2, le=64, description="diffusion: positions that each output bit is the XOR of")
    m: int | None = Field(None, ge=64, le=65536, description="diffusion, re-sampling: length of the output")
    f: float = Field(0.05, ge=0, le=1, description="randomised response: share of bits replaced by a fair coin")


class LayerR(Settings):
    """The record-level encoding."""

    encoding: Literal["clk", "rbf"] = Field("clk", description="CLK: all attributes into one filter; RBF: sampled")
    m: int = Field(1024, ge=64, le=65536, multiple_of=64, description="length of the filter in bits")
    h: int = Field(12, ge=1, le=512, description="hash positions per q-gram")
    hardening: tuple[Hardening, ...] = Field((), description="steps applied in this order")

    @property
    def length(self) -> int:
        """Bits of a filter after hardening."""
        m = self.m
        for step in self.hardening:
            if step.method == "xor-fold":
                m //= 2
            elif step.method == "balance":
                m *= 2
            elif step.method in ("diffusion", "re-sampling"):
                m = step.m or m
        return m


class LayerA(Settings):
    """The attribute-level encoding; h is set per attribute."""

    m: int = Field(256, ge=64, le=65536, multiple_of=64, description="length of each attribute's filter in bits")


class Schema(Settings):
    """A linkage schema."""

    name: str = Field(pattern=r"^[a-z][a-z0-9-]*$", description="name of the schema")
    version: Annotated[Literal[1], BeforeValidator(whole)] = Field(1, description="version of the schema format")
    input: Input = Input()
    attributes: tuple[Attribute, ...] = Field(min_length=1, description="one table per attribute")
    blocking: tuple[BlockingKey, ...] = Field((), description="one table per key; none compares all pairs")
    layer_r: LayerR = LayerR()
    layer_a: LayerA = LayerA()
    protocol: ProtocolSettings = ProtocolSettings()

    def attribute(self, name: str) -> Attribute:
        """The attribute of that name."""
        return next(attribute for attribute in self.attributes if attribute.name == name)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the attributes, in order."""
        return tuple(attribute.name for attribute in self.attributes)

    def fingerprint(self) -> str:
        """A hash of everything that owners must agree on before they may upload."""
        # Names of columns are each owner's own affair: the same people may stand in files that look different.
        own: Any = {"input": True, "attributes": {"__all__": {"column"}}}
        text = json.dumps(self.model_dump(mode="json", exclude=own), sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()


def built_in(name: str = "person") -> Schema:
    """The built-in schema of that name."""
    return parse(built_in_text(name), source=f"built-in schema {name}")


def is_built_in(text: str) -> bool:
    """
    Whether a person means a built-in schema by this, rather than a file.

    A bare word that is no file is taken for a name, so that a misspelt name is answered with the names there are.
    """
    is_word = Path(text).name == text and not text.endswith(".toml")
    return text in built_in_names() or (is_word and not Path(text).exists())


def built_in_names() -> tuple[str, ...]:
    """Names of the built-in schemas."""
    files = (resources.files("unveil.schema") / "built_in").iterdir()
    return tuple(sorted(file.name.removesuffix(".toml") for file in files if file.name.endswith(".toml")))


def built_in_text(name: str = "person") -> str:
    """The TOML text of the built-in schema, comments included."""
    if name not in built_in_names():
        names = built_in_names()
        raise SchemaError(name, [Problem("(name)", f"no built-in schema{near(name, names)}", ", ".join(names))])
    return (resources.files("unveil.schema") / "built_in" / f"{name}.toml").read_text(encoding="utf-8")


def load(path: Path | str) -> Schema:
    """The schema in that file; every mistake in it is explained by one SchemaError."""
    return parse(load_text(path), source=str(path))


def load_text(path: Path | str) -> str:
    """The text of a schema file, not yet understood."""
    try:
        if not Path(path).is_file():  # a folder, a pipe or a device; reading it might never end
            reason = "not a plain file" if Path(path).exists() else "no such file"
        elif Path(path).stat().st_size > LONGEST:
            reason = f"longer than {LONGEST // 1024} kB"
        else:
            return Path(path).read_text(encoding="utf-8-sig")
    except OSError as error:
        reason = error.strerror or "not readable"
    except ValueError:  # broken UTF-8, or a path that no file can have
        reason = "not UTF-8 text"
    raise SchemaError(str(path), [Problem("(file)", reason, "a readable TOML file")])


def parse(text: str, *, source: str = "schema") -> Schema:
    """The schema in that text."""
    data = parse_toml(text)
    if isinstance(data, Problem):
        raise SchemaError(source, [data])
    try:
        # Strict: text is no number and true is not 1. Whoever wrote "12" may have meant something else.
        schema = Schema.model_validate(data, strict=True)
    except ValidationError as error:
        raise SchemaError(source, [*explain(error, data, Schema), *_further(error, data)]) from None
    problems = cross_check(schema)
    if problems:
        raise SchemaError(source, problems)
    return schema


def _further(error: ValidationError, data: Mapping[str, Any]) -> list[Problem]:
    """What else is wrong, as far as it can be told while some keys are mistaken."""
    for _ in range(3):  # what is left without a key that it needs goes in the next round
        data = frozen({"name": "unnamed", **mended(error, data)})
        try:
            return cross_check(Schema.model_validate(data, strict=True))
        except ValidationError as again:
            error = again
    return []


def _parse_field(field: str) -> BlockingField:
    match = _FIELD.match(field)
    if match is None:
        raise ValueError(field)
    return BlockingField(attribute=match["plain"] or match["inner"], transform=match["transform"])


def cross_check(schema: Schema) -> list[Problem]:
    """Mistakes that no single key shows."""
    return [
        *_check_attributes(schema),
        *_check_blocking(schema),
        *_check_hardening(schema.layer_r),
        *_check_protocol(schema.protocol),
    ]


def _check_attributes(schema: Schema) -> Iterator[Problem]:
    names = schema.names
    sources = [attribute.source for attribute in schema.attributes]
    for index, attribute in enumerate(schema.attributes):
        place = f"attributes.{index}"
        if names[index] in names[:index]:
            yield Problem(f"{place}.name", f"{shown(names[index])} is used twice", "a name of its own")
        elif sources[index] in sources[:index] or sources[index] == schema.input.id:
            yield Problem(f"{place}.column", f"{shown(sources[index])} is read twice", "a column of its own")
        if {"digits-only", "letters-only"} <= set(attribute.normalise):
            yield Problem(f"{place}.normalise", "nothing is left of any value", "digits-only or letters-only, not both")
    if not any(attribute.weight for attribute in schema.attributes):
        yield Problem("attributes", "every weight is 0", "a weight above 0 for at least one attribute")


def _check_blocking(schema: Schema) -> Iterator[Problem]:
    names = schema.names
    for index, key in enumerate(schema.blocking):
        place = f"blocking.{index}.fields"
        if set(key.fields) in [set(other.fields) for other in schema.blocking[:index]]:
            yield Problem(place, "the same key is there already", "a key of its own")
        for field in key.fields:
            try:
                part = _parse_field(field)
            except ValueError:
                yield Problem(place, f"{shown(field)} is not a field", "attribute or transform(attribute)")
                continue
            if part.attribute not in names:
                what = f"no attribute {shown(part.attribute)}{near(part.attribute, names)}"
                yield Problem(place, what, ", ".join(names))
            if part.transform is not None and part.transform not in TRANSFORMS:
                what = f"no transform {shown(part.transform)}{near(part.transform, TRANSFORMS)}"
                yield Problem(place, what, ", ".join(TRANSFORMS))


def _check_hardening(layer: LayerR) -> Iterator[Problem]:
    m = layer.m
    for index, step in enumerate(layer.hardening):
        place = f"layer_r.hardening.{index}"
        takes = _TAKES.get(step.method, frozenset())
        for key in sorted(step.model_fields_set - takes - {"method"}):
            yield Problem(f"{place}.{key}", f"{step.method} does not take it", ", ".join(("method", *sorted(takes))))
        if step.method == "diffusion" and step.t > m:
            yield Problem(f"{place}.t", f"{step.t} positions of only {m} bits", f"at most {m}")
        if step.method == "xor-fold":
            if m % 2:
                yield Problem(f"{place}.method", f"{m} bits cannot be halved", "an even length before xor-fold")
            m //= 2
        elif step.method == "balance":
            m *= 2
        elif "m" in takes:
            m = step.m or m
        if not SHORTEST_FILTER <= m <= LONGEST_FILTER:
            yield Problem(place, f"makes filters of {m} bits", f"{SHORTEST_FILTER} to {LONGEST_FILTER} bits")
            return


def _check_protocol(protocol: ProtocolSettings) -> Iterator[Problem]:
    bounds = protocol.frequency.bounds
    if list(bounds) != sorted(set(bounds)):
        yield Problem("protocol.frequency.bounds", "not rising", "shares in rising order")
    if protocol.floor >= protocol.threshold.t:
        what = f"{protocol.floor} drops pairs that the threshold calls matches"
        yield Problem("protocol.floor", what, f"below protocol.threshold.t, {protocol.threshold.t}")
    forest, review = protocol.forest, protocol.review
    for key, trees in (("initial", forest.initial), ("added", forest.added)):
        if trees > forest.cap:
            what = f"{trees} trees are more than the forest holds"
            yield Problem(f"protocol.forest.{key}", what, f"at most protocol.forest.cap, {forest.cap}")
    if 0 < review.budget < review.batches:
        what = f"{review.batches} batches for {review.budget} labels leave batches empty"
        yield Problem("protocol.review.batches", what, f"at most protocol.review.budget, {review.budget}")
