"""
What the tools that people use today make of files, for `benchmarks/interop.py`.

    python interop_oracle.py clkhash JOB.json OUT.json     CLKs of rows under schemas, in base64
    python interop_oracle.py values JOB.json OUT.json      CLKs of single values, null where clkhash refuses one
    python interop_oracle.py anonlink JOB.json OUT.json    candidate pairs and groups of two files of CLKs
    python interop_oracle.py ul-mds JOB.json OUT.json      a request made, one read, similarities
    python interop_oracle.py splink JOB.json OUT.json      predictions; clusters and errors of files that we made

Runs with the Python of .venv-peers, which has these tools and nothing of Unveil.
"""

from __future__ import annotations

import base64
import csv
import json
import sys
import warnings
from pathlib import Path
from typing import Any

warnings.simplefilter("ignore")


def main() -> None:
    """Do what the first argument says."""
    what, job, out = sys.argv[1], json.loads(Path(sys.argv[2]).read_text(encoding="utf-8")), Path(sys.argv[3])
    found = {"clkhash": clkhash, "values": values, "anonlink": anonlink, "ul-mds": ul_mds, "splink": splink}[what](job)
    out.write_text(json.dumps(found), encoding="utf-8")


def clkhash(job: dict[str, Any]) -> list[list[str]]:
    """For each schema the CLKs of its rows, as clkhash's command writes them."""
    from clkhash.clk import generate_clks
    from clkhash.schema import from_json_dict
    from clkhash.serialization import serialize_bitarray

    made = []
    for schema, rows in zip(job["schemas"], job["rows"], strict=True):
        clks = generate_clks(rows, from_json_dict(schema), job["secret"], validate=True, max_workers=1)
        made.append([serialize_bitarray(clk) for clk in clks])
    return made


def values(job: dict[str, Any]) -> list[list[str | None]]:
    """For each schema of one column and each value the CLK, or nothing."""
    from clkhash.clk import generate_clks
    from clkhash.schema import from_json_dict
    from clkhash.serialization import serialize_bitarray

    def clk(value: str, schema: Any) -> str | None:
        try:
            return str(serialize_bitarray(generate_clks([[value]], schema, job["secret"], max_workers=1)[0]))
        except (ValueError, OverflowError):
            return None

    schemas = map(from_json_dict, job["schemas"])
    return [[clk(value, schema) for value in job["values"]] for schema in schemas]


def anonlink(job: dict[str, Any]) -> dict[str, Any]:
    """Scores of all pairs of two files of CLKs from a threshold on, and the groups that the greedy solver makes."""
    from anonlink.candidate_generation import find_candidate_pairs
    from anonlink.similarities import dice_coefficient
    from anonlink.solving import greedy_solve
    from bitarray import bitarray

    sides, blocks = [], []
    for path in job["files"]:
        held = json.loads(Path(path).read_text(encoding="utf-8"))
        rows = held.get("clknblocks") or [[text] for text in held["clks"]]
        filters = []
        for row in rows:
            bits = bitarray(endian="big")
            bits.frombytes(base64.b64decode(row[0]))
            filters.append(bits)
        sides.append(filters)
        blocks.append([row[1:] for row in rows])
    by_block = (lambda party, row, _: blocks[party][row]) if any(map(any, blocks)) else None
    pairs = find_candidate_pairs(sides, dice_coefficient, threshold=job["threshold"], blocking_f=by_block)
    groups = [[list(map(int, member)) for member in group] for group in greedy_solve(pairs)]
    similarity, parties, rows = pairs
    scores = [
        [[int(one), int(row)], [int(other), int(other_row)], float(score)]
        for score, one, other, row, other_row in zip(similarity, *parties, *rows, strict=True)
    ]
    return {"scores": scores, "groups": groups}


def ul_mds(job: dict[str, Any]) -> dict[str, Any]:
    """A request and an answer made from sets of bits, and of a request of ours the bits and similarities."""
    from bitarray import bitarray
    from pprl_core.bits import from_base64, set_bit, to_base64
    from pprl_core.similarity import dice
    from pprl_model import (
        BitVectorEntity,
        Match,
        MatchConfig,
        SimilarityMeasure,
        VectorMatchRequest,
        VectorMatchResponse,
    )

    def entity(name: str, places: list[int]) -> BitVectorEntity:
        bits = bitarray(job["m"])
        bits.setall(0)
        for place in places:
            set_bit(bits, place)
        return BitVectorEntity(id=name, value=to_base64(bits))

    config = MatchConfig(measure=SimilarityMeasure.dice, threshold=0.5)
    domain, other = ([entity(name, places) for name, places in side] for side in job["bits"])
    similarity = [[dice(from_base64(a.value), from_base64(b.value)) for b in other] for a in domain]
    matches = [
        Match(domain=a, range=b, similarity=similarity[i][j])
        for i, a in enumerate(domain)
        for j, b in enumerate(other)
        if similarity[i][j] >= config.threshold
    ]
    found = {
        "request": VectorMatchRequest(config=config, domain=domain, range=other).model_dump(mode="json"),
        "answer": VectorMatchResponse(config=config, matches=matches).model_dump(mode="json"),
        "similarity": similarity,
    }
    if "ours" in job:
        ours = VectorMatchRequest.model_validate_json(Path(job["ours"]).read_text(encoding="utf-8"))
        sides = (ours.domain, ours.range)
        found["read"] = [[[one.id, from_base64(one.value).search(bitarray("1"))] for one in side] for side in sides]
        found["read"] = [[[name, [int(place) for place in places]] for name, places in side] for side in found["read"]]
    return found


def splink(job: dict[str, Any]) -> dict[str, Any]:
    """Predictions for two tables; what Splink makes of labels and predictions that we wrote."""
    import duckdb
    import pyarrow as pa
    from splink import DuckDBAPI, Linker, SettingsCreator, block_on
    from splink import comparison_library as compare
    from splink.clustering import cluster_pairwise_predictions_at_threshold

    query = "select record_id as unique_id, * exclude (record_id) from read_csv('{}', all_varchar = true)"
    tables: dict[str, Any] = {
        name: duckdb.connect().execute(query.format(path)).to_arrow_table() for name, path in job["tables"].items()
    }
    settings = SettingsCreator(
        link_type="link_only",
        blocking_rules_to_generate_predictions=[block_on("last_name"), block_on("date_of_birth")],
        comparisons=[compare.ExactMatch(name) for name in ("first_name", "last_name", "date_of_birth", "street")],
    )
    api = DuckDBAPI()
    registered = [api.register(table, dataset_display_name=name) for name, table in tables.items()]
    linker = Linker(registered, settings)
    found: dict[str, Any] = {}
    predicted = linker.inference.predict(threshold_match_probability=0.01)
    predicted.to_csv(job["predictions"], overwrite=True)
    if "labels" in job:
        labels = api.register(duckdb.read_csv(job["labels"]).to_arrow_table())
        errors = linker.evaluation.prediction_errors_from_labels_table(
            labels, include_false_positives=True, include_false_negatives=True
        )
        found["labels_read"] = len(duckdb.read_csv(job["labels"]).fetchall())
        found["errors"] = len(errors.as_record_list())
    if "ours" in job:
        ours = api.register(duckdb.read_csv(job["ours"]).to_arrow_table())
        people = api.register(pa.concat_tables([table.select(["unique_id"]) for table in tables.values()]))
        clusters = cluster_pairwise_predictions_at_threshold(
            people, ours, api, node_id_column_name="unique_id", threshold_match_probability=0.5
        )
        found["clusters"] = len({row["cluster_id"] for row in clusters.as_record_list()})
    with Path(job["predictions"]).open(newline="", encoding="utf-8") as file:
        found["predictions"] = sum(1 for _ in csv.DictReader(file))
    return found


if __name__ == "__main__":
    main()
