"""`link_records` and `link_encodings`: from two files to links, persons and an estimate of how good they are."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np

from unveil.encoding.encoder import Encoder
from unveil.encoding.keys import OwnerKey
from unveil.engines import choose
from unveil.errors import SettingError
from unveil.files.encoded import Encodings
from unveil.interop.blocks import in_common_columns
from unveil.linkage.engine import Compare, Neighbours, comparing
from unveil.one_place.by_threshold import link_by_threshold
from unveil.one_place.encoded_files import check_alike, record_unit_on, schema_of
from unveil.one_place.figures import OnePlaceFigures
from unveil.one_place.linked import LinkedRecords, linked_by
from unveil.one_place.parties import Reviewer
from unveil.one_place.records import LinkageInOnePlace, with_models
from unveil.one_place.same_file import same_records
from unveil.one_place.stopwatch import Stopwatch
from unveil.one_place.summary import figures_of_encodings, figures_of_records
from unveil.one_place.tables import links_table, persons_table
from unveil.records import Records
from unveil.schema import Schema

#: The project that keys are derived for: what is encoded here never leaves, and matches nothing elsewhere.
PROJECT = "one place"


class ShownStages(Protocol):
    """Whoever is told what is being done, and how far it is."""

    def begin(self, description: str, total: int | None = None) -> None:
        """A new stage, with so many steps if that is known."""
        ...

    def reach(self, done: int) -> None:
        """So many steps of the stage are done."""
        ...

    def advance(self) -> None:
        """One more step of the stage is done."""
        ...


class Unseen:
    """Stages that nobody watches."""

    def begin(self, description: str, total: int | None = None) -> None:
        """Nothing."""

    def reach(self, done: int) -> None:
        """Nothing."""

    def advance(self) -> None:
        """Nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OnePlaceSettings:
    """
    How two files are linked in one place.

    With a threshold no model decides. `budget` is how many labels a reviewer is asked for. `followed` estimates the
    quality after every batch, for the report.
    """

    threshold: float | None = None
    one_to_one: bool = False
    all_pairs: bool = False
    max_block: int = 1_000_000
    engine: str = "auto"
    budget: int = 0
    followed: bool = False

    def __post_init__(self) -> None:
        if self.threshold is not None and not 0 < self.threshold <= 1:
            raise SettingError("the threshold must lie between 0 and 1", hint="without one the models decide")
        if self.threshold is None and self.all_pairs:
            raise SettingError(
                "--all-pairs belongs to --threshold",
                hint="without a threshold each record's nearest among all pairs are looked at anyway",
            )
        if self.threshold is not None and self.budget:
            raise SettingError("a threshold asks no reviewer", hint="leave --threshold out to review pairs")
        if self.max_block < 1:
            raise SettingError("--max-block must be at least 1")
        if self.budget < 0:
            raise SettingError("the budget must not be negative", hint="0 asks nobody")

    def of(self, schema: Schema) -> Schema:
        """The schema with what is said here."""
        changes = {"one_to_one": self.one_to_one, "max_block": self.max_block}
        return schema.model_copy(update={"protocol": schema.protocol.model_copy(update=changes)})


@dataclass(frozen=True, eq=False, repr=False)
class FilesLinked:
    """
    What came of linking two files.

    `same` records stand in both with the same id and contents: is it one file twice? `figures` are None where a
    threshold decided.
    """

    found: LinkedRecords
    ids: tuple[Sequence[str], Sequence[str]] = field(repr=False)
    names: tuple[str, str]
    same: int
    figures: OnePlaceFigures | None = None

    def __repr__(self) -> str:
        return f"FilesLinked(<{len(self.found)} links>)"

    def links(self) -> Any:
        """The links as an Arrow table."""
        return links_table(self.found, self.ids)

    def persons(self) -> Any:
        """The person of every record as an Arrow table."""
        return persons_table(self.found, self.ids)


def key_of_records(records: tuple[Records, Records]) -> OwnerKey:
    """
    A key that follows from the records alone, for whoever has no key of their own.

    What is encoded under it stays in this process; whoever could compute the key holds both files.
    """
    digests = b"".join(side.digest() for side in records)
    return OwnerKey(hashlib.sha256(b"unveil key of one place 1" + digests).digest())


def link_encodings(
    sides: tuple[Encodings, Encodings],
    names: tuple[str, str],
    settings: OnePlaceSettings,
    *,
    stages: ShownStages,
    clock: Callable[[], float] = time.perf_counter,
) -> FilesLinked:
    """The links between two files of encodings."""
    sides = in_common_columns(*sides)
    check_alike(*sides)
    ids = (sides[0].ids, sides[1].ids)
    same = same_records((ids[0], sides[0].filters), (ids[1], sides[1].filters))
    if settings.threshold is not None:
        return FilesLinked(_by_threshold(sides, settings, stages), ids, names, same)
    if settings.budget:
        raise SettingError("files of encodings hold nothing to review", hint="review needs the records themselves")
    watch = Stopwatch.start(clock)
    schema = settings.of(schema_of(sides[0]))
    unit = record_unit_on(*sides, schema, compare=_comparing(schema, settings, ids, stages))
    found = linked_by(unit)
    watch.lap("linking")
    figures = figures_of_encodings(unit, found, names, (len(ids[0]), len(ids[1])), watch.timings)
    return FilesLinked(found, ids, names, same, figures)


def link_records(
    records: tuple[Records, Records],
    schema: Schema,
    key: OwnerKey,
    names: tuple[str, str],
    settings: OnePlaceSettings,
    *,
    reviewer: Callable[[LinkageInOnePlace], Reviewer] | None = None,
    stages: ShownStages,
    clock: Callable[[], float] = time.perf_counter,
) -> FilesLinked:
    """The links between two files of records; a reviewer is asked where there is a budget of labels."""
    ids = (records[0].ids, records[1].ids)
    same = same_records(*((side.ids, _contents(records, side)) for side in records))
    watch = Stopwatch.start(clock)
    if settings.threshold is not None:
        encoder = Encoder(schema, key, project=PROJECT)
        sides = _encoded(records[0], schema, encoder), _encoded(records[1], schema, encoder)
        return FilesLinked(_by_threshold(sides, settings, stages), ids, names, same)
    smaller = min(len(ids[0]), len(ids[1]))
    chosen = settings.of(with_models(schema, records=smaller, budget=settings.budget))
    batches = len(chosen.protocol.batches)
    begun: list[int] = []

    def on_batch() -> None:
        if not begun:
            stages.begin("comparing uncertain pairs by attribute", total=batches)
        else:
            stages.advance()
        begun.append(1)

    linkage = LinkageInOnePlace(
        records,
        chosen,
        Encoder(chosen, key, project=PROJECT),
        compare=_comparing(chosen, settings, ids, stages),
        reviewer=reviewer,
        followed=settings.followed,
        on_batch=on_batch,
    )
    stages.begin("encoding records")
    found = linkage.run()
    watch.lap("linking")
    return FilesLinked(found, ids, names, same, figures_of_records(linkage, found, names, watch.timings))


def _contents(records: tuple[Records, Records], side: Records) -> Any:
    """Numbers of the values of each record, the same for the same value in both files."""
    columns = []
    for name in side.columns:
        known: dict[str, int] = {}
        for one in records:
            for value in one.columns[name].distinct:
                known.setdefault(value, len(known))
        own = side.columns[name]
        columns.append(np.array([known[value] for value in own.distinct], np.int64)[own.codes])
    return np.stack(columns, axis=1)


def _encoded(records: Records, schema: Schema, encoder: Encoder) -> Encodings:
    """The records as a file of encodings would hold them; coins are tossed by nobody's wish, for nothing leaves."""
    keys = ";".join(key.name for key in schema.blocking)
    filters = encoder.record_level(records, rng=np.random.default_rng(0))
    return Encodings(records.ids, filters, encoder.m, encoder.blocking_keys(records), {"blocking": keys})


def _by_threshold(sides: tuple[Encodings, Encodings], settings: OnePlaceSettings, stages: ShownStages) -> LinkedRecords:
    assert settings.threshold is not None
    # How many candidates blocking leaves shows only as they are compared, so there is no time left to tell.
    known = settings.all_pairs or not sides[0].blocking.shape[1]
    total = len(sides[0]) * len(sides[1])
    stages.begin(f"comparing {len(sides[0]):,} and {len(sides[1]):,} records", total=total if known else None)
    compare = comparing(
        choose(settings.engine), floor=settings.threshold, max_block=settings.max_block, progress=stages.reach
    )
    return link_by_threshold(sides, compare=compare, one_to_one=settings.one_to_one, all_pairs=settings.all_pairs)


def _comparing(
    schema: Schema, settings: OnePlaceSettings, ids: tuple[Sequence[str], Sequence[str]], stages: ShownStages
) -> Compare:
    """The comparison of all pairs or of blocks, told as it begins."""
    protocol = schema.protocol
    near = Neighbours.of(protocol)
    compare = comparing(
        choose(settings.engine),
        floor=protocol.floor,
        max_block=protocol.max_block,
        neighbours=near,
        progress=stages.reach,
    )

    def told(a: Any, b: Any, /, **more: Any) -> Any:
        total = len(ids[0]) * len(ids[1])
        stages.begin(
            f"comparing {len(ids[0]):,} and {len(ids[1]):,} records", total=total if near.sought(a, b) else None
        )
        return compare(a, b, **more)

    return told
