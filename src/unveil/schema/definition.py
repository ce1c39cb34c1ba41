"""
The linkage schema: what a record is, how each layer encodes it, and how the protocol runs.

A schema is a TOML file; `load` reads one and explains every mistake by its key. The built-in schema `person` is the
paper's. Settings keep the paper's symbols (m, h, q, p_t, x, t, dt, dt_step).
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from importlib import resources
from pathlib import Path
from typing import Annotated, Any, Final, Literal

from pydantic import BeforeValidator, Field

from unveil.errors import Problem, SchemaError
from unveil.schema.attribute_roles import ROLES as ATTRIBUTE_ROLES
from unveil.schema.attribute_roles import role_from_name
from unveil.schema.attribute_types import TEXT, AttributeType
from unveil.schema.fields import BlockingField, parse_field, wrong_fields
from unveil.schema.hardening import LONGEST_FILTER, SHORTEST_FILTER, Hardening, impossible_steps, length_after
from unveil.schema.normalisation import Normalisation, leaves_nothing
from unveil.schema.protocol import ProtocolSettings
from unveil.settings import reader
from unveil.settings.base import Settings, whole
from unveil.settings.choices import Choice, OneOf
from unveil.settings.mistakes import near, shown

#: Bits beside the signs of an attribute: they are equal if both records have a value.
MARK: Final = 64
#: Bits of a hashed blocking key.
LONGEST_KEY: Final = 128
#: How the attributes of a record make one filter. Adding one is a row here and a function bound in `encoding.encoder`.
RECORD_ENCODINGS: Final[dict[str, Choice]] = {
    "clk": Choice(sentence="all attributes are hashed into one filter, each under a key of its own"),
    "rbf": Choice(sentence="bits are sampled from every attribute's own filter, more from the heavier ones"),
}
#: Settings that came after the first release, with what they were before: left as they were, fingerprints stay.
_LATER: Final = (
    ("attributes", "role", None),
    ("attributes", "type", TEXT),
    ("attributes", "length", None),
    ("attributes", "two_digit_years", 30),
    ("attributes", "in_record", 1.0),
    ("layer_a", "signs", 0),
    ("layer_r", "key_bits", 128),
    ("protocol", "neighbours", 0),
    ("protocol", "most_compared", 20_000_000_000),
    ("protocol", "pairs_per_record", 20),
    ("protocol", "evenness", 0.0),
    ("protocol", "strangers", 4),
    ("protocol", "further_attributes", 0.0),
)


class Input(Settings):
    """How files are read."""

    id: str = Field(
        "record_id",
        min_length=1,
        description='column that identifies a record, or "row" to number them; a project file names no other one',
    )
    other_ids: tuple[Annotated[str, Field(min_length=1)], ...] = Field(
        (), description="the same in other files: a file has one of these columns"
    )


class Attribute(Settings):
    """One attribute of a record."""

    name: str = Field(pattern=r"^[a-z][a-z0-9_]*$", description="name of the attribute, used in keys and displays")
    column: str | None = Field(
        None, min_length=1, description="column in the file; the name if not given. A project file names none"
    )
    other_columns: tuple[Annotated[str, Field(min_length=1)], ...] = Field(
        (), description="the column in other files, each of which has one of these. A project file names none"
    )
    normalise: tuple[Normalisation, ...] = Field(
        ("transliterate", "trim", "lowercase", "strip-accents"), description="steps applied in this order"
    )
    role: Annotated[str, OneOf(ATTRIBUTE_ROLES)] | None = Field(
        None, description="what the attribute says about a person; what its name points to if not given"
    )
    type: AttributeType = Field(TEXT, description="how values are read, so that both owners' come out in one form")
    length: int | None = Field(
        None, ge=3, le=10, description="postcode: digits that a code has; as most of the column have if not given"
    )
    two_digit_years: int = Field(
        30,
        ge=0,
        le=100,
        description="date, year: years of two digits from this one on are of the 1900s, those before it of the 2000s",
    )
    q: int = Field(2, ge=1, le=4, description="length of the q-grams")
    padding: bool = Field(True, description="pad both ends with the attribute's own symbol")
    h: int = Field(20, ge=1, le=512, description="hash positions per q-gram in layer A")
    in_record: float = Field(
        1.0,
        gt=0,
        le=16,
        description="hash positions per q-gram in a CLK of layer R, as a multiple of `layer_r.h`: with more of them "
        "the attribute counts for more in how alike two records are",
    )
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

    @property
    def sources(self) -> tuple[str, ...]:
        """The columns that this attribute may be read from, of which a file has one."""
        return tuple(dict.fromkeys((self.source, *self.other_columns)))

    def positions_in(self, layer: LayerR) -> int:
        """Hash positions per q-gram in the record-level filter: at least one."""
        return max(1, round(self.in_record * layer.h))

    @property
    def meaning(self) -> str:
        """The role, given or proposed by the name."""
        return self.role or role_from_name(self.name)


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
        return tuple(parse_field(field) for field in self.fields)


class LayerR(Settings):
    """The record-level encoding."""

    encoding: Annotated[str, OneOf(RECORD_ENCODINGS)] = Field("clk", description="how attributes make one filter")
    m: int = Field(
        1024, ge=SHORTEST_FILTER, le=LONGEST_FILTER, multiple_of=64, description="length of the filter in bits"
    )
    h: int = Field(12, ge=1, le=512, description="hash positions per q-gram")
    hardening: tuple[Hardening, ...] = Field((), description="steps applied in this order")
    key_bits: int = Field(
        LONGEST_KEY,
        ge=4,
        le=LONGEST_KEY,
        description="bits that are sent of each hashed blocking key: with few, several values share one and no pattern "
        "of keys tells a person; with fewer than about log2 of the records, many pairs are compared in vain",
    )

    @property
    def length(self) -> int:
        """Bits of a filter after hardening."""
        return length_after(self.hardening, self.m)


class LayerA(Settings):
    """The attribute-level encoding; h is set per attribute."""

    m: int = Field(
        256,
        ge=SHORTEST_FILTER,
        le=LONGEST_FILTER,
        multiple_of=64,
        description="length of each attribute's filter in bits",
    )
    signs: int = Field(
        0,
        ge=0,
        le=LONGEST_FILTER - MARK,
        multiple_of=64,
        description="signs that are sent of each attribute in the place of its filter: they tell how alike two values "
        "are and nothing about either; 0: the filter, which tells how long a value is and whether it is missing",
    )

    @property
    def length(self) -> int:
        """Bits that are sent of each attribute: its signs and the mark beside them, or its filter."""
        return self.signs + MARK if self.signs else self.m


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

    @classmethod
    def named(cls, text: str) -> Schema:
        """The built-in schema of that name, or the one in a file: `Schema.named("person")`."""
        return named(text)

    def attribute(self, name: str) -> Attribute:
        """The attribute of that name."""
        return next(attribute for attribute in self.attributes if attribute.name == name)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the attributes, in order."""
        return tuple(attribute.name for attribute in self.attributes)

    @property
    def columns(self) -> dict[str, str]:
        """By attribute, columns that it names; the others are read from a column of the attribute's name."""
        return {each.name: each.column for each in self.attributes if each.column is not None}

    def read_twice(self) -> tuple[int, ...]:
        """Places of attributes whose column is the record id's, or that of an attribute before."""
        sources = [self.input.id, *(each.source for each in self.attributes)]
        return tuple(at for at, each in enumerate(self.attributes) if each.source in sources[: at + 1])

    def without_columns(self) -> Schema:
        """The schema as a project may share it: whose file has which columns is each owner's own affair."""
        return self.read_from({}, id_column=Input().id)

    def read_from(self, columns: Mapping[str, str], *, id_column: str) -> Schema:
        """The schema for a file with these columns, by attribute; others are called by the attribute's name."""
        attributes = tuple(
            each.model_copy(update={"column": columns.get(each.name), "other_columns": ()}) for each in self.attributes
        )
        return self.model_copy(update={"attributes": attributes, "input": Input(id=id_column)})

    def fingerprint(self) -> str:
        """A hash of everything that owners must agree on before they may upload."""
        # Names of columns are each owner's own affair: the same people may stand in files that look different.
        own: Any = {"input": True, "attributes": {"__all__": {"column", "other_columns"}}}
        data = self.model_dump(mode="json", exclude=own)
        for part, name, value in _LATER:
            for table in data[part] if isinstance(data[part], list) else [data[part]]:
                if table[name] == value:
                    del table[name]
        for step in data["layer_r"]["hardening"]:
            if not step["by"]:
                del step["by"]
        return hashlib.sha256(json.dumps(data, sort_keys=True).encode()).hexdigest()


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


def named(text: str | None) -> Schema:
    """The schema that a person named: a built-in one or a file; `person` if none is named."""
    if text is None:
        return built_in()
    return built_in(text) if is_built_in(text) else load(text)


def load(path: Path | str) -> Schema:
    """The schema in that file; every mistake in it is explained by one SchemaError."""
    return parse(load_text(path), source=str(path))


def load_text(path: Path | str) -> str:
    """The text of a schema file, not yet understood."""
    return reader.read_text(Path(path), error=SchemaError)


def parse(text: str, *, source: str = "schema") -> Schema:
    """The schema in that text."""
    return reader.parse(text, SCHEMA_FILE, source=source)


def cross_check(schema: Schema) -> list[Problem]:
    """Mistakes that no single key shows."""
    return [
        *_check_attributes(schema),
        *_check_blocking(schema),
        *_check_hardening(schema),
        *_check_protocol(schema.protocol),
    ]


def _check_attributes(schema: Schema) -> Iterator[Problem]:
    names, twice = schema.names, schema.read_twice()
    for index, attribute in enumerate(schema.attributes):
        place = f"attributes.{index}"
        if names[index] in names[:index]:
            yield Problem(f"{place}.name", f"{shown(names[index])} is used twice", "a name of its own")
        elif index in twice:
            yield Problem(f"{place}.column", f"{shown(attribute.source)} is read twice", "a column of its own")
        if clashing := leaves_nothing(attribute.normalise):
            yield Problem(f"{place}.normalise", "nothing is left of any value", f"{' or '.join(clashing)}, not both")
    if not any(attribute.weight for attribute in schema.attributes):
        yield Problem("attributes", "every weight is 0", "a weight above 0 for at least one attribute")


def _check_blocking(schema: Schema) -> Iterator[Problem]:
    names = schema.names
    for index, key in enumerate(schema.blocking):
        place = f"blocking.{index}.fields"
        if set(key.fields) in [set(other.fields) for other in schema.blocking[:index]]:
            yield Problem(place, "the same key is there already", "a key of its own")
        yield from wrong_fields(key.fields, place, names)


def _check_hardening(schema: Schema) -> Iterator[Problem]:
    layer = schema.layer_r
    for problem in impossible_steps(layer.hardening, layer.m):
        yield Problem(f"layer_r.hardening.{problem.key}", problem.what, problem.allowed)
    for index, step in enumerate(layer.hardening):
        yield from wrong_fields(step.by, f"layer_r.hardening.{index}.by", schema.names)


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


#: How a schema file is read.
SCHEMA_FILE: Final = reader.SettingsKind(
    model=Schema, error=SchemaError, cross_check=cross_check, instead={"name": "unnamed"}
)
