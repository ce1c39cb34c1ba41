"""
A pair as its reviewer sees it: one cell per attribute, opened step by step.

`cells` is all that a page or a terminal may show. It is made anew from the stages on the reviewer's side of the review
unit, so that opening is the unit's decision and a display has nothing to hide.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from unveil.linkage.shown import STATES
from unveil.roles.review_unit import words
from unveil.roles.review_unit.masking import (
    Masked,
    Stage,
    are_crossed,
    are_worth_showing,
    kind_of,
    mask_crossed_names,
    mask_values,
)
from unveil.roles.review_unit.rows import Glyph, Row, Sort, text
from unveil.roles.review_unit.words import Phrase
from unveil.schema import Schema

#: The two attributes whose values may have changed places. No setting of the schema says which do: a new one would be a
#: part of every fingerprint, so a schema with other names goes without this help.
NAMES: Final = ("first_name", "last_name")
#: A cell whose values an owner refused to send; the other states are those of a request.
WITHHELD: Final = "withheld"


@dataclass(frozen=True, slots=True, repr=False)
class ReviewablePair:
    """
    One task of a reviewer: the state of each attribute, and both values of those that were provided.

    `frequency` has the class of agreeing values: 1 frequent, 2 common, 3 rare. A shown attribute without values was
    withheld by an owner. Of provided values that turn out to agree hardly or not at all nothing is shown.
    """

    task_id: bytes
    states: Mapping[str, str]
    values: Mapping[str, tuple[str, str]]
    frequency: Mapping[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name, state in self.states.items():
            if state not in STATES:
                raise ValueError(f"attribute {name} is in no known state")
        for name in self.values:
            if self.states.get(name) != "shown":
                raise ValueError(f"attribute {name} has values but is not shown")

    def __repr__(self) -> str:
        return f"ReviewablePair({self.task_id.hex()}, <{len(self.values)} attributes shown>)"

    @property
    def kept_back(self) -> tuple[str, ...]:
        """The attributes that no value came of although there are two: dissimilar ones, and withheld ones."""
        return tuple(
            name for name, state in self.states.items() if state in ("dissimilar", "shown") and name not in self.values
        )

    @property
    def shown_values(self) -> Mapping[str, tuple[str, str]]:
        """The values that are worth showing: alike, or first and last name that changed places."""
        crossed = _is_crossed(self)
        return {
            name: both for name, both in self.values.items() if (crossed and name in NAMES) or are_worth_showing(*both)
        }


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a reviewer decided: match is None when unsure; p in [0.5, 1]; how far attributes were opened for it."""

    task_id: bytes
    match: bool | None
    p: float = 1.0
    opened: Mapping[str, Stage] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not 0.5 <= self.p <= 1.0:  # noqa: PLR2004 - p is the probability of the answer given
            raise ValueError("p must lie in [0.5, 1]")


@dataclass(frozen=True, slots=True, repr=False)
class Cell:
    """One cell: an attribute, or first and last name together when they changed places."""

    attributes: tuple[str, ...]
    state: str
    rows: tuple[Row, Row]
    icon: str
    said: tuple[Phrase, ...]
    stage: Stage = Stage.MASKED

    def __repr__(self) -> str:
        return f"Cell({'+'.join(self.attributes)}, {self.state}, {self.stage.name})"

    @property
    def left(self) -> str:
        """The left row as text; empty where nothing is shown."""
        return text(self.rows[0])

    @property
    def right(self) -> str:
        """The right row as text, as long as the left one."""
        return text(self.rows[1])

    @property
    def words(self) -> str:
        """What is said of the attribute, in English."""
        return words.english(self.said)

    @property
    def attribute(self) -> str:
        """The attribute by which the cell is opened."""
        return self.attributes[0]

    @property
    def can_open(self) -> bool:
        """Whether something is still covered."""
        return self.state == "shown" and self.stage is not Stage.FULL

    @property
    def label(self) -> str:
        """The attributes as a person reads them."""
        return " and ".join(name.replace("_", " ") for name in self.attributes)

    @property
    def sentence(self) -> str:
        """The cell for a screen reader, which would read a masked text as a row of asterisks."""
        said = f"{self.label}: {self.words}"
        if self.state != "shown":
            return f"{said}."
        if self.stage is Stage.FULL:
            left, right = (text(tuple(each for each in row if each.sort is not Sort.GAP)) for row in self.rows)
            return f"{said}; left {left}, right {right}."
        return f"{said}; {'masked' if self.stage is Stage.MASKED else 'differing characters shown'}."


@dataclass(frozen=True, slots=True)
class Hiding:
    """What a display leaves out beyond what is masked: lengths of values, frequency classes."""

    length: bool = False
    frequency: bool = False


NOTHING_MORE: Final = Hiding()


def cells(
    pair: ReviewablePair,
    schema: Schema,
    stages: Mapping[str, Stage],
    hiding: Hiding = NOTHING_MORE,
) -> tuple[Cell, ...]:
    """Return the cells of a pair in the schema's order, each opened as far as `stages` says."""
    masked = _masked(pair, schema, stages, hiding)
    crossed = _is_crossed(pair)
    result = []
    for name in schema.names:
        state = pair.states.get(name, "missing")
        if crossed and name in NAMES:
            if name == NAMES[0]:
                result.append(_merged(masked[NAMES[0]], masked[NAMES[1]], _stage(pair, schema, stages, name)))
        elif name in masked:
            seen = masked[name]
            stage = _stage(pair, schema, stages, name)
            result.append(Cell((name,), state, seen.rows, seen.icon, seen.said, stage))
        else:
            known = "dissimilar" if name in pair.values else state
            result.append(_closed(name, known, None if hiding.frequency else pair.frequency.get(name)))
    return tuple(result)


def opened_further(
    pair: ReviewablePair, schema: Schema, stages: Mapping[str, Stage], attribute: str
) -> dict[str, Stage]:
    """
    Return the stages after opening the attribute one step.

    A step that would show nothing new is passed over: nobody should confirm a cost and see no change.
    """
    after = dict(stages)
    if attribute not in pair.shown_values:
        return after
    if _is_crossed(pair) and attribute in NAMES:
        return after | dict.fromkeys(NAMES, Stage.FULL)
    before = opened(pair, schema, stages)
    for stage in Stage:
        if stage > stages.get(attribute, Stage.MASKED):
            after[attribute] = stage
            if opened(pair, schema, after) != before:
                break
    return after


def opened(
    pair: ReviewablePair, schema: Schema, stages: Mapping[str, Stage]
) -> tuple[dict[str, tuple[bool, ...]], dict[str, tuple[bool, ...]]]:
    """Return which characters of each provided value are opened, for the left and for the right record."""
    masked = _masked(pair, schema, stages, NOTHING_MORE)
    never = {name: tuple((False,) * len(value) for value in both) for name, both in pair.values.items()}
    return (
        {name: masked[name].opened_left if name in masked else never[name][0] for name in pair.values},
        {name: masked[name].opened_right if name in masked else never[name][1] for name in pair.values},
    )


def share_opened(pair: ReviewablePair, schema: Schema, stages: Mapping[str, Stage]) -> float:
    """Return the share of the provided values' characters that are opened, the mean over both records and all."""
    shares = [
        share
        for seen in _masked(pair, schema, stages, NOTHING_MORE).values()
        for share in (seen.share_left, seen.share_right)
    ]
    return sum(shares) / (2 * len(pair.values)) if pair.values else 0.0


def _masked(pair: ReviewablePair, schema: Schema, stages: Mapping[str, Stage], hiding: Hiding) -> dict[str, Masked]:
    """Every shown attribute of the pair, masked."""
    result: dict[str, Masked] = {}
    if _is_crossed(pair):
        stage = max(stages.get(name, Stage.MASKED) for name in NAMES)
        both = mask_crossed_names(*_names(pair), stage=stage, length_hiding=hiding.length)
        result |= dict(zip(NAMES, both, strict=True))
    worth = pair.shown_values
    for name in schema.names:
        if name in worth and name not in result:
            left, right = worth[name]
            result[name] = mask_values(
                left,
                right,
                show=schema.attribute(name).show,
                stage=stages.get(name, Stage.MASKED),
                length_hiding=hiding.length,
                kind=kind_of(left, right),
            )
    return result


def _stage(pair: ReviewablePair, schema: Schema, stages: Mapping[str, Stage], name: str) -> Stage:
    """How far the attribute is open to the eye, which may be further than anyone opened it."""
    if name in NAMES and _is_crossed(pair):
        return Stage.FULL if any(stages.get(each, Stage.MASKED) for each in NAMES) else Stage.MASKED
    shown_at_once = schema.attribute(name).show == "characters"
    return max(stages.get(name, Stage.MASKED), Stage.DIFFERING if shown_at_once else Stage.MASKED)


def _is_crossed(pair: ReviewablePair) -> bool:
    return all(name in pair.values for name in NAMES) and are_crossed(*_names(pair))


def _names(pair: ReviewablePair) -> tuple[tuple[str, str], tuple[str, str]]:
    first, last = (pair.values[name] for name in NAMES)
    return (first[0], last[0]), (first[1], last[1])


def _merged(first: Masked, last: Masked, stage: Stage) -> Cell:
    between = (Glyph(" ", Sort.LAYOUT),)
    rows = (first.rows[0] + between + last.rows[0], first.rows[1] + between + last.rows[1])
    return Cell(NAMES, "shown", rows, first.icon, first.said, stage)


def _closed(name: str, state: str, frequency: int | None) -> Cell:
    """A cell without values."""
    match state:
        case "equal":
            icon, said = words.EQUAL, words.equal(frequency)
        case "dissimilar":
            icon, said = words.DISSIMILAR, Phrase("different")
        case "missing":
            icon, said = words.UNKNOWN, Phrase("missing")
        case _:
            state, icon, said = WITHHELD, words.UNKNOWN, Phrase("withheld")
    return Cell((name,), state, ((), ()), icon, (said,))
