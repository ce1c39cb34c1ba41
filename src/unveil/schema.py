"""
The linkage schema: what a record is, how each layer encodes it, and how the protocol runs.

A schema is a TOML file; `load` reads one and explains every mistake by its key. The built-in schema `person` is the
paper's. Settings keep the paper's symbols (m, h, q, p_t, x, t, dt, dt_step).
"""

from __future__ import annotations

import difflib
import hashlib
import json
import re
import tomllib
from importlib import resources
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from unveil.errors import Problem, SchemaError

Normalisation = Literal["transliterate", "strip-accents", "lowercase", "trim", "digits-only", "letters-only"]
PHONETICS = ("soundex", "metaphone", "nysiis", "match_rating")
TRANSFORMS = ("raw", *PHONETICS, "first1", "first2", "first3", "first4")
_FIELD = re.compile(r"(?:(?P<transform>\w+)\((?P<inner>\w+)\)|(?P<plain>\w+))\Z")


class Settings(BaseModel):
    """A part of the schema: immutable, and no key goes unnoticed."""

    model_config = ConfigDict(extra="forbid", frozen=True)


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


class LayerA(Settings):
    """The attribute-level encoding; h is set per attribute."""

    m: int = Field(256, ge=64, le=65536, multiple_of=64, description="length of each attribute's filter in bits")


class Threshold(Settings):
    """M_R: a threshold on record-level similarity, and how far and how fast it may move."""

    t: float = Field(0.75, gt=0, lt=1, description="starting threshold t0")
    below: float = Field(0.05, gt=0, le=1, description="distance below t at which p reaches 1")
    above: float = Field(0.10, gt=0, le=1, description="distance above t at which p reaches 1")
    dt: float = Field(0.10, ge=0, le=1, description="largest distance from t0, ever")
    dt_step: float = Field(0.02, ge=0, le=1, description="largest move in one update")
    step: float = Field(0.01, gt=0, le=0.5, description="grid of candidate thresholds")


class Forest(Settings):
    """M_A: the evolving random forest."""

    initial: int = Field(10, ge=1, description="trees grown from the bootstrap batch")
    added: int = Field(10, ge=1, description="trees added by every update")
    cap: int = Field(100, ge=1, description="largest number of trees; the oldest leave first")
    depth: int = Field(6, ge=1, le=30, description="depth of a tree")
    bag: float = Field(0.7, gt=0, le=1, description="share of the pairs drawn for a tree, with replacement")
    seed: int = Field(1, ge=0, description="seed of the trees")


class Review(Settings):
    """The reviewers' budget and what they are shown."""

    budget: int = Field(100, ge=0, description="labels that may be asked of reviewers in all (b)")
    batches: int = Field(10, ge=1, description="the budget is spent in this many batches")
    rounds: int = Field(2, ge=1, description="batches per iteration of the loop")
    lower: float = Field(0.4, ge=0, lt=1, description="values at or below this similarity are not asked for")


class Frequency(Settings):
    """Frequency classes of values, counted by each owner over its own records."""

    bounds: tuple[Annotated[float, Field(gt=0, lt=1)], ...] = Field(
        (0.01, 0.05), min_length=1, description="upper rank of each class as a share of the distinct values"
    )


class Protocol(Settings):
    """How the layers work together."""

    layers: Literal[1, 2, 3] = Field(3, description="1: record level; 2: and attribute level; 3: and masked review")
    batches: tuple[Annotated[int, Field(ge=1)], ...] = Field(
        (100, 100, 100, 100, 100, 1000, 1000, 1000, 1000), description="pairs sent to layer A in each iteration"
    )
    floor: float = Field(0.5, ge=0, lt=1, description="pairs below this record-level similarity are not kept")
    max_block: int = Field(1_000_000, ge=1, description="blocks with more pairs than this are skipped")
    p_t: float = Field(0.8, gt=0.5, le=1, description="a decision with p below this is uncertain")
    x: int = Field(10, ge=1, description="buckets of the query strategy")
    strategy: Literal["buckets", "uniform"] = Field("buckets", description="how uncertain pairs are drawn")
    clerical_weight_r: float = Field(2.0, gt=0, description="weight of a reviewer's label in M_R")
    clerical_weight_a: float = Field(2.0, gt=0, description="weight of a reviewer's label in M_A")
    report_once: bool = Field(False, description="layer A does not report changed outcomes again")
    one_to_one: bool = Field(False, description="keep only pairs that are each other's best match")
    threshold: Threshold = Threshold()
    forest: Forest = Forest()
    review: Review = Review()
    frequency: Frequency = Frequency()


class Schema(Settings):
    """A linkage schema."""

    name: str = Field(pattern=r"^[a-z][a-z0-9-]*$", description="name of the schema")
    version: Literal[1] = Field(1, description="version of the schema format")
    input: Input = Input()
    attributes: tuple[Attribute, ...] = Field(min_length=1, description="one table per attribute")
    blocking: tuple[BlockingKey, ...] = Field((), description="one table per key; none compares all pairs")
    layer_r: LayerR = LayerR()
    layer_a: LayerA = LayerA()
    protocol: Protocol = Protocol()

    def attribute(self, name: str) -> Attribute:
        """The attribute of that name."""
        return next(attribute for attribute in self.attributes if attribute.name == name)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the attributes, in order."""
        return tuple(attribute.name for attribute in self.attributes)

    def fingerprint(self) -> str:
        """A hash of everything that owners must agree on before they may upload."""
        text = json.dumps(self.model_dump(mode="json", exclude={"input"}), sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()


def built_in(name: str = "person") -> Schema:
    """The built-in schema of that name."""
    return parse(built_in_text(name), source=f"built-in schema {name}")


def built_in_text(name: str = "person") -> str:
    """The TOML text of the built-in schema, comments included."""
    return (resources.files("unveil.schemas") / f"{name}.toml").read_text(encoding="utf-8")


def load(path: Path | str) -> Schema:
    """The schema in that file; every mistake in it is explained by one SchemaError."""
    try:
        text = Path(path).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "not UTF-8 text"
        raise SchemaError(str(path), [Problem("(file)", str(reason), "a readable TOML file")]) from None
    return parse(text, source=str(path))


def parse(text: str, *, source: str = "schema") -> Schema:
    """The schema in that text."""
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise SchemaError(source, [Problem("(file)", f"not valid TOML: {error}", "a TOML file")]) from None
    try:
        schema = Schema.model_validate(data)
    except ValidationError as error:
        raise SchemaError(source, [_explain(detail) for detail in error.errors()]) from None
    problems = _cross_check(schema)
    if problems:
        raise SchemaError(source, problems)
    return schema


def _parse_field(field: str) -> BlockingField:
    match = _FIELD.match(field)
    if match is None:
        raise ValueError(field)
    return BlockingField(attribute=match["plain"] or match["inner"], transform=match["transform"])


def _cross_check(schema: Schema) -> list[Problem]:
    """Mistakes that no single key shows."""
    problems = []
    names = schema.names
    known = ", ".join(names)
    for index, name in enumerate(names):
        if name in names[:index]:
            problems.append(Problem(f"attributes.{index}.name", "used twice", "a name of its own"))
    sources = [attribute.source for attribute in schema.attributes]
    for index, source in enumerate(sources):
        if source in sources[:index] or source == schema.input.id:
            problems.append(Problem(f"attributes.{index}.column", "read twice", "a column of its own"))
    for index, key in enumerate(schema.blocking):
        for field in key.fields:
            place = f"blocking.{index}.fields"
            try:
                part = _parse_field(field)
            except ValueError:
                problems.append(Problem(place, "not a field", "attribute or transform(attribute)"))
                continue
            if part.attribute not in names:
                problems.append(Problem(place, f"no attribute {part.attribute}{_near(part.attribute, names)}", known))
            if part.transform is not None and part.transform not in TRANSFORMS:
                hint = _near(part.transform, TRANSFORMS)
                problems.append(Problem(place, f"no transform {part.transform}{hint}", ", ".join(TRANSFORMS)))
    bounds = schema.protocol.frequency.bounds
    if list(bounds) != sorted(set(bounds)):
        problems.append(Problem("protocol.frequency.bounds", "not rising", "shares in rising order"))
    return problems


def _explain(detail: Any) -> Problem:  # noqa: ANN401 - pydantic's error details are plain dictionaries
    """What pydantic found, in the words of the schema."""
    key = ".".join(str(part) for part in detail["loc"]) or "(file)"
    settings = _settings_at(detail["loc"][:-1])
    last = str(detail["loc"][-1]) if detail["loc"] else ""
    known = tuple(settings.model_fields) if settings else ()
    match detail["type"]:
        case "extra_forbidden":
            return Problem(key, f"unknown key{_near(last, known)}", ", ".join(known))
        case "missing":
            field = settings.model_fields.get(last) if settings else None
            return Problem(key, "missing", (field.description if field else None) or "a value")
        case "literal_error":
            return Problem(key, "not one of the choices", detail["ctx"]["expected"])
        case "string_pattern_mismatch":
            return Problem(key, "not a name", f"text like {detail['ctx']['pattern']}")
        case _:
            return Problem(key, "not allowed", detail["msg"].removeprefix("Input should be ").lower())


def _settings_at(location: tuple[Any, ...]) -> type[Settings] | None:
    """The part of the schema that a location lies in."""
    current: type[Settings] | None = Schema
    for part in location:
        if isinstance(part, int) or current is None:
            continue
        field = current.model_fields.get(str(part))
        current = _settings_in(field.annotation) if field else None
    return current


def _settings_in(annotation: Any) -> type[Settings] | None:  # noqa: ANN401 - any annotation may come
    if isinstance(annotation, type) and issubclass(annotation, Settings):
        return annotation
    return next((found for inner in getattr(annotation, "__args__", ()) if (found := _settings_in(inner))), None)


def _near(word: str, known: tuple[str, ...]) -> str:
    close = difflib.get_close_matches(word, known, n=1)
    return f" (did you mean {close[0]}?)" if close else ""
