"""
How good the ways are to link two files in one place, on generated people with known truth.

python benchmarks/one_place.py
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path
from statistics import mean

from unveil.encoding.encoder import Encoder
from unveil.encoding.keys import OwnerKey
from unveil.files.encoded import Encodings
from unveil.lab.synthetic import Registers, generate, write
from unveil.one_place.link import FilesLinked, OnePlaceSettings, Unseen, key_of_records, link_encodings, link_records
from unveil.one_place.two_tables import NamedTable, read_two
from unveil.records import Records
from unveil.schema import Schema, built_in


def main() -> None:
    """Print a line for each way: precision, recall, F1, and how often the estimate's interval holds F1."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--records", type=int, default=20_000)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--errors", type=int, default=1)
    given = parser.parse_args()
    rows: dict[str, list[tuple[float, float, float, bool | None]]] = {}
    for seed in range(1, 1 + given.seeds):
        registers = generate(records=given.records, overlap=0.2, errors=given.errors, seed=seed)
        for way, linked in ways(registers).items():
            rows.setdefault(way, []).append(quality(linked, registers))
    print(f"{'':<44}precision  recall      F1   F1 in its interval")
    for way, found in rows.items():
        figures = [mean(one) for one in zip(*(row[:3] for row in found), strict=True)]
        inside = [row[3] for row in found if row[3] is not None]
        held = f"{sum(inside)} of {len(inside)}" if inside else "–"
        print(f"{way:<44}{figures[0]:>9.3f}{figures[1]:>8.3f}{figures[2]:>8.3f}   {held}")


def ways(registers: Registers) -> dict[str, FilesLinked]:
    """The same registers, linked in each way."""
    person, records, names = built_in(), (registers.a, registers.b), ("a", "b")
    key, models, stages = key_of_records(records), OnePlaceSettings(), Unseen()
    threshold = OnePlaceSettings(threshold=0.57, one_to_one=True)
    encoded = encodings(registers.a, person, key), encodings(registers.b, person, key)
    with tempfile.TemporaryDirectory() as folder:
        write(registers, Path(folder))
        files = [NamedTable(Path(folder) / f"{name}.csv", name) for name in names]
        proposed = read_two(files[0], files[1])
    return {
        "encodings, threshold .57, one to one": link_encodings(encoded, names, threshold, stages=stages),
        "encodings, models": link_encodings(encoded, names, models, stages=stages),
        "records, schema person": link_records(records, person, key, names, models, stages=stages),
        "records, proposed schema": link_records(
            proposed.records, proposed.schema, key, names, models, stages=stages
        ),
    }  # fmt: skip


def encodings(records: Records, schema: Schema, key: OwnerKey) -> Encodings:
    """The records as `unveil encode` writes them."""
    made = Encoder(schema, key, project="bench")
    said = {"attributes": ",".join(schema.names), "encoding": schema.layer_r.model_dump_json()}
    said["blocking"] = ";".join(one.name for one in schema.blocking)
    return Encodings(records.ids, made.record_level(records), made.m, made.blocking_keys(records), said)


def quality(linked: FilesLinked, registers: Registers) -> tuple[float, float, float, bool | None]:
    """Precision, recall and F1 by truth, and whether F1 lies in the estimate's interval."""
    found = set(zip(linked.found.left.tolist(), linked.found.right.tolist(), strict=True))
    truth = set(map(tuple, registers.truth.tolist()))
    right = len(found & truth)
    f1 = 2 * right / (len(found) + len(truth))
    estimate = linked.found.estimate
    held = None if estimate is None else estimate.f1[0] <= f1 <= estimate.f1[2]
    return right / max(1, len(found)), right / len(truth), f1, held


if __name__ == "__main__":
    main()
