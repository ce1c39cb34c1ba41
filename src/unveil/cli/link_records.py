"""Two files of records for `unveil link`: read, encoded under a key of this run or of a file, and perhaps reviewed."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

from unveil.cli.door import notes
from unveil.cli.table_options import TwoReadings, tell

if TYPE_CHECKING:
    from collections.abc import Callable

    from unveil.cli.progress import Stages
    from unveil.cli.review.person import Place
    from unveil.encoding.keys import OwnerKey
    from unveil.one_place.link import FilesLinked, OnePlaceSettings
    from unveil.one_place.parties import Reviewer
    from unveil.one_place.records import LinkageInOnePlace
    from unveil.one_place.two_tables import TwoTables

_OWN_KEY = (
    "no key was given: one is made from the two files and used for this run alone, so the same files give the same "
    "links; nothing that is encoded under it is written"
)


def two_files(files: tuple[Path, Path], schema: str | None, readings: TwoReadings) -> TwoTables:
    """The records of both files; how they were read, and what was chosen where nobody said it, is told on stderr."""
    from unveil.cli.progress import Stages
    from unveil.one_place.two_tables import NamedTable, read_two
    from unveil.schema import named

    a, b = (NamedTable(file, str(file), reading) for file, reading in zip(files, readings, strict=True))
    with Stages(notes) as stages:
        found = read_two(a, b, None if schema is None else named(schema), stage=stages.begin)
    tell(found.notes)
    for line in found.chosen:
        notes.print(line, markup=False, soft_wrap=True)
    return found


def link_files(
    tables: TwoTables,
    names: tuple[str, str],
    settings: OnePlaceSettings,
    *,
    key: Path | None,
    place: Place | None,
    session: Path,
) -> FilesLinked:
    """The links, by a person's labels, too, if there is a place to review at."""
    from unveil.cli.progress import Stages
    from unveil.encoding.keys import OwnerKey
    from unveil.files import key_file
    from unveil.one_place.link import key_of_records, link_records

    if key is None:
        tell((_OWN_KEY,))
    secret = key_of_records(tables.records) if key is None else OwnerKey(key_file.read(key))
    with ExitStack() as at_the_end, Stages(notes) as stages:
        person = None
        if place is not None:
            person = _person(place, at_the_end, tables, secret, out=session, settings=settings, stages=stages)
        return link_records(tables.records, tables.schema, secret, names, settings, reviewer=person, stages=stages)


def _person(
    place: Place,
    at_the_end: ExitStack,
    tables: TwoTables,
    key: OwnerKey,
    *,
    out: Path,
    settings: OnePlaceSettings,
    stages: Stages,
) -> Callable[[LinkageInOnePlace], Reviewer]:
    """Whoever reviews. The same files, key and settings ask about the same pairs in the same order."""
    from unveil.cli.review.person import person_at, run_name
    from unveil.encoding.encoder import Encoder

    fingerprint = Encoder(tables.schema, key, project="review").fingerprint().hex()
    digests = [side.digest().hex() for side in tables.records]
    asked = person_at(
        place,
        at_the_end,
        tables.schema,
        tables.records,
        session=out.with_name(f"{out.stem}.review.json"),
        run=run_name(f"{fingerprint}|{digests}|{settings}"),
        project="link",
    )

    def person(linkage: LinkageInOnePlace) -> Reviewer:
        stages.pause()
        return asked(linkage.parties.review_unit)

    return person
