"""
Make the shipped shares of levels by signs anew: `python -m tools.train_sign_levels FOLDER`.

The worlds are some of those that `tools.train_priors` learns on: enough for shares, since none counts for more than
some dozens of pairs. Registers without households are left out: of these only matches could be counted, and people who
were chosen for what they differ in. Counted are the pairs that the shipped record model is least certain of. Run it
after `tools.train_priors`. What was collected is kept in FOLDER, so that an interrupted run goes on where it stopped.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import unveil.models.priors
from tools.train_priors import Counted, Lesson, asked_rows, kin_in, lesson_of, odds_of, shares_of, study_of
from unveil.encoding.encoder import Encoder
from unveil.encoding.keys import OwnerKey
from unveil.encoding.planning.protection import SIGNS
from unveil.lab.simulation.study import Study
from unveil.linkage.attributes import agreement_classes
from unveil.linkage.signs import sign_similarities
from unveil.models.levels import levels
from unveil.models.priors import load_tables, shares_data
from unveil.protocol.messages import KEY_PAIR, OWNER_KEY
from unveil.records import Records
from unveil.roles.owner.frequency import all_frequency_classes
from unveil.schema import Schema

#: Worlds by their seeds, and the size of the largest register.
WORLDS, LARGEST = range(400), 4_000
_ABOUT = "learnt on generated worlds by python -m tools.train_sign_levels"


def main(folder: Path) -> None:
    """Collect, count and write the file into the room of priors."""
    folder.mkdir(parents=True, exist_ok=True)
    shares = shares_of(list(collect(folder)))
    path = Path(unveil.models.priors.__file__).with_name("levels_of_signs.json")
    path.write_text(
        json.dumps(shares_data(shares, _ABOUT), indent=None, separators=(",", ":")) + "\n", encoding="utf-8"
    )
    sys.stdout.write(f"{path.name} written\n")


def collect(folder: Path) -> Iterator[Counted]:
    """Every lesson, from the folder or made now: the pairs that would be asked about, with their levels by signs."""
    wanted: list[tuple[Any, ...]] = [("world", seed, LARGEST) for seed in WORLDS]
    paths = [folder / f"{'-'.join(map(str, one))}.npz" for one in wanted]
    missing = [(one, path) for one, path in zip(wanted, paths, strict=True) if not path.exists()]
    with ProcessPoolExecutor(2) as pool:
        for done, path in enumerate(pool.map(_keep, *zip(*missing, strict=True)) if missing else ()):
            sys.stdout.write(f"\r{done + 1} of {len(missing)}: {path.name}     ")
            sys.stdout.flush()
    for path in paths:
        with np.load(path) as found:
            yield Counted(
                found["levels"].astype(np.int64), found["is_true"], kin_in(found), tuple(found["roles"].tolist())
            )


def _keep(wanted: tuple[Any, ...], path: Path) -> Path:
    study, households = study_of(*wanted)
    asked = asked_of(study, lesson_of(study, households))
    kin = np.empty(0, bool) if asked.is_kin is None else asked.is_kin
    with path.with_suffix(".part").open("wb") as file:
        np.savez(
            file, levels=asked.levels.astype(np.uint8), is_true=asked.is_true, kin=kin, roles=np.array(asked.roles)
        )
    path.with_suffix(".part").rename(path)
    return path


def asked_of(study: Study, lesson: Lesson) -> Counted:
    """The pairs that would be asked about, and how alike their signs are."""
    chosen = asked_rows(odds_of(lesson, load_tables("record")))
    sides = []
    for records, rows, owner in (
        (study.a, study.comparison.pairs.left[chosen], b"a"),
        (study.b, study.comparison.pairs.right[chosen], b"b"),
    ):
        sides.append((_signs(records, study.schema, rows, owner), all_frequency_classes(records, study.schema)[rows]))
    similarity = sign_similarities(sides[0][0], sides[1][0])
    agreement = agreement_classes(similarity, sides[0][1], sides[1][1])
    kin = None if lesson.is_kin is None else lesson.is_kin[chosen]
    return Counted(levels(similarity, agreement), lesson.is_true[chosen], kin, lesson.roles)


def _signs(records: Records, schema: Schema, rows: NDArray[np.integer], owner: bytes) -> NDArray[np.uint64]:
    """The signs of these records, under one key for all: similarities are as under one for each pair."""
    layer = schema.layer_a.model_copy(update={"signs": SIGNS})
    encoder = Encoder(schema.model_copy(update={"layer_a": layer}), OwnerKey(bytes(OWNER_KEY)), project="priors")
    handles = [owner + row.to_bytes(8, "big") for row in rows.tolist()]
    return encoder.pair_level(records, rows.astype(np.int64), [bytes(KEY_PAIR)] * len(rows), handles=handles)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
