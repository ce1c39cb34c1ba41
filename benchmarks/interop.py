"""
Our formats against the real packages: clkhash, anonlink, the pprl packages of ul-mds, Java's BitSet, and Splink.

    python benchmarks/interop.py [--people N] [--seed S] [--write]

`make interop` installs them and runs this. Everything is made anew from generated people, and whatever differs ends
the program with 1. `--write` writes the files of tests/vectors/interop, which the tests compare with where no peer is
installed.
"""

from __future__ import annotations

import argparse
import base64
import csv
import hashlib
import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq

import clkhash_oddities as oddities
import clkhash_schemas as examples
from unveil.interop.base64_filters import texts_of
from unveil.interop.bit_order import MOST
from unveil.interop.clkhash_encoder import UnfitRecord, clkhash_filters
from unveil.interop.clkhash_schema import parse_clkhash_schema
from unveil.lab.bench.encode import best
from unveil.records import Column, Records

ROOT = Path(__file__).parents[1]
VECTORS = ROOT / "tests" / "vectors" / "interop"
PYTHON = ROOT / ".venv-peers" / "bin" / "python"
ORACLE = Path(__file__).parent / "peers" / "interop_oracle.py"
UNVEIL = [sys.executable, "-m", "unveil"]
THRESHOLD = 0.7
PEOPLE = 400
ROUNDED = 1e-6  # as we write similarities
#: Of each schema so many CLKs stand in full among the vectors, and of all of them the hash of every hundred.
SHOWN, HASHED = 3, 100
#: Sets of bits of 64, for tools that take filters as they are.
BITS = ([("d1", [0, 9, 63]), ("d2", [1, 2, 3, 40])], [("r1", [0, 9, 62]), ("r2", [1, 2, 3, 40]), ("r3", [])])


def main() -> None:
    """Compare everything, and say what was found."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").strip().splitlines()[0])
    parser.add_argument("--people", type=int, default=1000, help="of each schema")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--write", action="store_true", help="write tests/vectors/interop")
    options = parser.parse_args()
    if not PYTHON.exists():
        sys.exit("make interop installs the packages to compare with")
    VECTORS.mkdir(exist_ok=True)
    good = True
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        checks: tuple[Callable[..., Iterator[tuple[str, bool]]], ...] = (clkhash, anonlink, ul_mds, java, splink)
        for check in checks:
            for said, holds in check(place, options):
                good &= holds
                print(f"{'ok    ' if holds else 'FAILED'} {said}", flush=True)
    sys.exit(0 if good else 1)


def clkhash(place: Path, options: argparse.Namespace) -> Iterator[tuple[str, bool]]:
    """Every CLK of twenty schemas, byte for byte."""
    people = examples.people(options.people, seed=options.seed)
    schemas = examples.schemas()
    rows = [examples.rows_for(schema, people) for schema in schemas]
    theirs = oracle("clkhash", place, {"schemas": schemas, "rows": rows, "secret": examples.SECRET})
    same = distinct = 0
    for number, (schema, some, made) in enumerate(zip(schemas, rows, theirs, strict=True), 1):
        ours = encoded(schema, some)
        equal = sum(one == other for one, other in zip(ours, made, strict=True))
        same, distinct = same + equal, distinct + len(set(made))
        if equal != len(made):
            yield f"clkhash, schema {number}: {equal} of {len(made)} CLKs are the same", False
    every = len(schemas) * len(people)
    yield (
        f"clkhash: {same:,} of {every:,} CLKs of {len(schemas)} schemas are the same ({distinct:,} distinct)",
        same == every,
    )
    columns = rows[19]
    seconds = best(lambda: encoded(schemas[19], columns), 3)
    yield f"clkhash: the last schema takes us {seconds:.2f} s for {len(people):,} people", True
    if options.write:
        write_clkhash(people, schemas, theirs)
    odd, schemas = oddities.values(seed=options.seed), oddities.schemas()
    taken = oracle("values", place, {"schemas": schemas, "values": odd, "secret": examples.SECRET})
    single = [[one_clk(schema, value) for value in odd] for schema in schemas]
    differ = sum(one != other for row in zip(single, taken, strict=True) for one, other in zip(*row, strict=True))
    refused = sum(row.count(None) for row in taken)
    every = len(schemas) * len(odd)
    yield f"clkhash: of {every:,} odd values, {refused:,} of them refused, {differ} are taken otherwise", not differ


def write_clkhash(people: list[dict[str, str]], schemas: list[dict[str, Any]], made: list[list[str]]) -> None:
    """What tests compare with: people, schemas, and the real package's CLKs, hashed by the hundred."""
    with (VECTORS / "people.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, examples.COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(people)
    found = [
        {
            "schema": schema,
            "first": clks[:SHOWN],
            "sha256_by_hundred": [hashed(clks[at : at + HASHED]) for at in range(0, len(clks), HASHED)],
        }
        for schema, clks in zip(schemas, made, strict=True)
    ]
    write_json("clkhash.json", {"secret": examples.SECRET, "made_by": version("clkhash"), "schemas": found})


def anonlink(place: Path, options: argparse.Namespace) -> Iterator[tuple[str, bool]]:
    """Both directions: our encodings compared by anonlink, and clkhash's by us; with blocks, too."""
    people = ["--records", PEOPLE, "--overlap", 0.4, "--seed", options.seed, "--layout", "clinic"]
    unveil("generate", *people, "--out", place / "people")
    key, secret = place / "project.key", place / "secret.txt"
    unveil("key", "new", key)
    secret.write_text(examples.SECRET, encoding="utf-8")
    secret.chmod(0o600)
    schema = place / "linkage.json"
    schema.write_text(json.dumps(clinic_schema()), encoding="utf-8")
    for side in "ab":
        table = place / "people" / f"{side}.csv"
        own, clks = place / f"own-{side}.parquet", place / f"clk-{side}.json"
        unveil("encode", table, "--schema", "clinic", "--key", key, "--out", own)
        unveil("encode", table, "--clkhash-schema", schema, "--key", secret, "--out", clks)
        in_blocks(table, clks, place / f"sets-{side}.json")
        for name in ("clk", "sets"):
            convert(place / f"{name}-{side}.json", "unveil", place / f"{name}-{side}.parquet", "--ids", table)
        convert(own, "clkhash", place / f"own-{side}.json")
        convert(own, "clkhash-blocks", place / f"blocks-{side}.json")
    rows = clinic_rows(place / "people" / "a.csv")
    theirs = oracle("clkhash", place, {"schemas": [clinic_schema()], "rows": [rows], "secret": examples.SECRET})
    ours = json.loads((place / "clk-a.json").read_text())["clks"]
    yield f"anonlink: a file of {len(ours)} CLKs is clkhash's", theirs[0] == ours
    for what, files, extra in (
        ("CLKs of clkhash", "clk", ["--all-pairs"]),
        ("CLKs of clkhash in blocks", "sets", []),
        ("encodings of Unveil", "own", ["--all-pairs"]),
        ("encodings of Unveil in blocks", "blocks", []),
    ):
        yield from same_links(place, what, files, extra, write=options.write and files == "clk")
    for records in (80, 400):
        yield from same_ties(place, records, seed=options.seed, write=options.write and records < PEOPLE)


def in_blocks(table: Path, clks: Path, out: Path) -> None:
    """CLKs with blocks whose names do not tell which of them exclude each other: the beginnings of both names."""
    with table.open(newline="", encoding="utf-8") as file:
        named = [{row["first_name"][:1], row["last_name"][:1]} - {""} for row in csv.DictReader(file)]
    rows = zip(json.loads(clks.read_text())["clks"], named, strict=True)
    out.write_text(json.dumps({"clknblocks": [[clk, *sorted(names)] for clk, names in rows]}))


def same_links(place: Path, what: str, files: str, extra: list[str], *, write: bool) -> Iterator[tuple[str, bool]]:
    """Whether anonlink and unveil link find the same pairs with the same similarity, and the same groups."""
    found = oracle(
        "anonlink", place, {"files": [str(place / f"{files}-{side}.json") for side in "ab"], "threshold": THRESHOLD}
    )
    ours = "own" if files == "blocks" else files
    sides = [place / f"{ours}-{side}.parquet" for side in "ab"]
    rows = ["--rows-a", sides[0], "--rows-b", sides[1]]
    for name, kind in (("scores", "anonlink-scores"), ("groups", "anonlink-groups")):
        (place / f"{name}.json").write_text(json.dumps(found[name]))
        convert(place / f"{name}.json", "unveil-links", place / f"{name}.parquet", "--from", kind, *rows)
    limits = ["--threshold", THRESHOLD, "--out", place / "links.parquet", "--force", "--max-block", 10**9]
    unveil("link", *sides, *limits, *extra)
    mine, theirs = pairs_in(place / "links.parquet"), pairs_in(place / "scores.parquet")
    alike = mine.keys() == theirs.keys() and all(abs(mine[pair] - theirs[pair]) < ROUNDED for pair in mine)
    yield f"anonlink, {what}: the same {len(mine)} pairs with the same similarity", alike
    unveil("link", *sides, *limits, *extra, "--one-to-one")
    mine, groups = pairs_in(place / "links.parquet"), pairs_in(place / "groups.parquet")
    both = len(mine.keys() & groups.keys())
    yield (
        f"anonlink, {what}: its {len(groups)} groups are our {len(mine)} one-to-one links, {both} in both",
        mine.keys() == groups.keys(),
    )
    if write:
        for side in "ab":
            write_json(f"clks-{side}.json", json.loads((place / f"clk-{side}.json").read_text()), plain=True)
        write_json("anonlink.json", {"threshold": THRESHOLD, "made_by": version("anonlink"), **found}, plain=True)


def same_ties(place: Path, records: int, *, seed: int, write: bool) -> Iterator[tuple[str, bool]]:
    """Short filters of few patterns, most of whose pairs are exactly as alike as others: who gets whom is the rule."""
    rng = np.random.default_rng(seed)
    patterns = rng.integers(0, 256, (records // 2, 2), dtype=np.uint8)
    for side in "ab":
        clks = {"clks": [base64.b64encode(row.tobytes()).decode() for row in rng.choice(patterns, records)]}
        (place / f"ties-{side}.json").write_text(json.dumps(clks))
        convert(place / f"ties-{side}.json", "unveil", place / f"ties-{side}.parquet")
    sides, files = ([str(place / f"ties-{side}.{end}") for side in "ab"] for end in ("parquet", "json"))
    found = oracle("anonlink", place, {"files": files, "threshold": THRESHOLD})
    (place / "ties.json").write_text(json.dumps(found["groups"]))
    convert(place / "ties.json", "unveil-links", place / "ties.parquet", "--rows-a", sides[0], "--rows-b", sides[1])
    how = ["--threshold", THRESHOLD, "--all-pairs", "--one-to-one", "--out", place / "links.parquet"]
    unveil("link", *sides, *how, "--force")
    ours, groups = (pairs_in(place / f"{name}.parquet").keys() for name in ("links", "ties"))
    said = f"{len(found['scores']):,} pairs of {len({score for *_, score in found['scores']})} similarities"
    yield f"anonlink, ties: of {said} its {len(groups)} groups are our {len(ours)} links", ours == groups
    if write:
        held = {"clks": [json.loads(Path(path).read_text())["clks"] for path in files], "groups": found["groups"]}
        write_json("anonlink-ties.json", {"threshold": THRESHOLD, "made_by": version("anonlink"), **held}, plain=True)


def ul_mds(place: Path, options: argparse.Namespace) -> Iterator[tuple[str, bool]]:
    """A request and an answer of the real models read, and a request of ours read by them."""
    job: dict[str, Any] = {"m": 64, "bits": BITS}
    found = oracle("ul-mds", place, job)
    for name in ("request", "answer"):
        (place / f"{name}.json").write_text(json.dumps(found[name]))
    for part, expected in zip(("domain", "range"), BITS, strict=True):
        convert(place / "request.json", "unveil", place / f"{part}.parquet", "--part", part)
        same = bits_in(place / f"{part}.parquet") == dict(expected)
        yield f"ul-mds: the bits of {part} are read where they were set", same
    convert(place / "answer.json", "unveil-links", place / "matches.parquet")
    answer = {(m["domain"]["id"], m["range"]["id"]): m["similarity"] for m in found["answer"]["matches"]}
    yield f"ul-mds: {len(answer)} matches are read", pairs_in(place / "matches.parquet") == answer
    ours = place / "ours.json"
    convert(place / "domain.parquet", "ul-mds-match", ours, "--with", place / "range.parquet")
    read = oracle("ul-mds", place, {**job, "ours": str(ours)})["read"]
    yield "ul-mds: a request of ours is read with the same bits", read == [[list(one) for one in side] for side in BITS]
    if options.write:
        write_json("ul-mds.json", {"made_by": version("pprl-model"), "bits": BITS, **found})


def java(place: Path, options: argparse.Namespace) -> Iterator[tuple[str, bool]]:
    """CSV of PRIMAT against Java's BitSet: of 300 filters of 1,000 bits, some of which end with many zeros."""
    program = shutil.which("java")
    if program is None:
        yield "PRIMAT: not compared, for there is no java on this machine", True
        return
    rng = np.random.default_rng(options.seed)
    sets = {f"p{row}": sorted(rng.choice(1000 - 2 * row, row, replace=False).tolist()) for row in range(300)}
    lines = "".join(f"{' '.join(map(str, [name, *places]))}\n" for name, places in sets.items())
    theirs = place / "primat.csv"
    theirs.write_text(run_java(program, "write", lines))
    convert(theirs, "unveil", place / "primat.parquet", "--from", "primat", "--bits", 1000)
    yield (
        f"PRIMAT: {len(sets)} filters of Java are read where their bits were set",
        bits_in(place / "primat.parquet") == sets,
    )
    convert(place / "primat.parquet", "primat", place / "ours.csv")
    ours = (place / "ours.csv").read_text()
    same = ours.split() == theirs.read_text().split() and run_java(program, "read", ours) == lines
    yield "PRIMAT: ours are the same texts, and Java reads them", same
    if options.write:
        some = theirs.read_text().splitlines()[::20]
        found = {name: sets[name] for name in (line.split(",")[0] for line in some)}
        write_json("java-bitset.json", {"m": 1000, "bits": found, "lines": some}, plain=True)


def run_java(program: str, what: str, lines: str) -> str:
    """What Java's BitSet makes of these lines."""
    command = [program, str(ORACLE.with_name("JavaBitSets.java")), what]
    return subprocess.run(command, input=lines, check=True, capture_output=True, text=True).stdout


def splink(place: Path, options: argparse.Namespace) -> Iterator[tuple[str, bool]]:
    """Predictions read, and labels and predictions of ours used."""
    tables = {side: str(place / "people" / f"{side}.csv") for side in "ab"}
    job = {"tables": tables, "predictions": str(place / "predictions.csv")}
    count = oracle("splink", place, job)["predictions"]
    convert(place / "predictions.csv", "unveil-links", place / "predicted.parquet")
    table = pq.read_table(place / "predicted.parquet")
    own = [place / f"own-{side}.parquet" for side in "ab"]
    ids = [set(pq.read_table(path, columns=["record_id"])[0].to_pylist()) for path in own]
    inside = set(table["record_id_a"].to_pylist()) <= ids[0] and set(table["record_id_b"].to_pylist()) <= ids[1]
    yield f"splink: {count} predictions are read, each side from its own table", count == len(table) and inside
    unveil("link", *own, "--one-to-one", "--out", place / "links.parquet", "--force")
    for kind in ("splink", "splink-labels"):
        convert(place / "links.parquet", kind, place / f"{kind}.csv")
    ours = {"labels": str(place / "splink-labels.csv"), "ours": str(place / "splink.csv")}
    found = oracle("splink", place, {**job, **ours})
    links = len(pq.read_table(place / "links.parquet"))
    said = f"splink: reads our {links} labels, and finds {found['errors']} where it says something else"
    yield said, found["labels_read"] == links
    expected = 2 * PEOPLE - links  # each joins two people whom no other joins with anybody
    yield (
        f"splink: joins our predictions to {found['clusters']} clusters, as our links do",
        found["clusters"] == expected,
    )
    if options.write:
        write_predictions(place / "predictions.csv")


def write_predictions(path: Path) -> None:
    """Forty predictions, for the tests to read."""
    with path.open(newline="", encoding="utf-8") as file:
        lines = list(csv.DictReader(file))
    names = [name for name in lines[0] if name.startswith(("match_", "source_dataset", "unique_id"))]
    with (VECTORS / path.name.replace("predictions", "splink-predictions")).open(
        "w", newline="", encoding="utf-8"
    ) as file:
        writer = csv.DictWriter(file, names, extrasaction="ignore", lineterminator="\n")
        writer.writeheader()
        writer.writerows(lines[:40])


def oracle(what: str, place: Path, job: dict[str, Any]) -> Any:
    """What the real package makes of the job."""
    given, out = place / f"{what}.job.json", place / f"{what}.out.json"
    given.write_text(json.dumps(job), encoding="utf-8")
    subprocess.run([str(PYTHON), str(ORACLE), what, str(given), str(out)], check=True, stdout=subprocess.DEVNULL)
    return json.loads(out.read_text(encoding="utf-8"))


def unveil(*words: object) -> None:
    """Run our command line."""
    done = subprocess.run([*UNVEIL, *map(str, words)], check=False, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"unveil {' '.join(map(str, words[:2]))} failed: {done.stderr.strip()}")


def convert(path: Path, to: str, out: Path, *more: object) -> None:
    """Run `unveil convert`."""
    unveil("convert", path, "--to", to, "--out", out, "--force", *more)


def encoded(schema: dict[str, Any], rows: list[list[str]]) -> list[str]:
    """Our CLKs of these rows, in base64."""
    read = parse_clkhash_schema(json.dumps(schema))
    names = examples.columns_for(schema)
    columns = {name: Column.of([row[place] for row in rows]) for place, name in enumerate(names)}
    records = Records([str(row) for row in range(len(rows))], columns)
    filters = clkhash_filters(records, read, examples.SECRET.encode())
    return list(texts_of(filters, read.config.length, MOST))


def one_clk(schema: dict[str, Any], value: str) -> str | None:
    """Our CLK of one value, or nothing if it does not fit the schema."""
    try:
        return encoded(schema, [[value]])[0]
    except UnfitRecord:
        return None


def clinic_schema() -> dict[str, Any]:
    """A linkage schema for the generated register of a clinic."""
    names = ("first_name", "last_name", "date_of_birth", "street", "city")
    comparison = {"type": "ngram", "n": 2, "positional": False}
    hashing = {"comparison": comparison, "strategy": {"bitsPerFeature": 100}}
    features = [{"identifier": name, "format": {"type": "string"}, "hashing": hashing} for name in names]
    ignored = [{"identifier": name, "ignored": True} for name in ("record_id", "sex")]
    return {"version": 3, "clkConfig": {"l": 1024, "kdf": {"type": "HKDF"}}, "features": [*ignored, *features]}


def clinic_rows(path: Path) -> list[list[str]]:
    """The rows of such a register in the order of the schema's features."""
    names = examples.columns_for(clinic_schema())
    with path.open(newline="", encoding="utf-8") as file:
        return [[row[name] for name in names] for row in csv.DictReader(file)]


def pairs_in(path: Path) -> dict[tuple[str, str], float]:
    """The links in a file of ours, with their similarity if they have one."""
    table = pq.read_table(path).to_pydict()
    figures = table.get("similarity", [1.0] * len(table["record_id_a"]))
    return dict(zip(zip(table["record_id_a"], table["record_id_b"], strict=True), figures, strict=True))


def bits_in(path: Path) -> dict[str, list[int]]:
    """The bits that are set in each filter of a file of ours."""
    table = pq.read_table(path).to_pydict()
    raw = np.frombuffer(b"".join(table["filter"]), np.uint8).reshape(len(table["filter"]), -1)
    rows = np.unpackbits(raw, axis=1, bitorder="little")
    return {one: np.flatnonzero(row).tolist() for one, row in zip(table["record_id"], rows, strict=True)}


def hashed(clks: list[str]) -> str:
    """SHA-256 over the bytes of these CLKs."""
    return hashlib.sha256(b"".join(map(base64.b64decode, clks))).hexdigest()


def version(package: str) -> str:
    """The package and its version, as it is installed."""
    code = f"import importlib.metadata as m; print(m.version({package!r}))"
    done = subprocess.run([str(PYTHON), "-c", code], check=True, capture_output=True, text=True)
    return f"{package} {done.stdout.strip()}"


def write_json(name: str, found: Any, *, plain: bool = False) -> None:
    """One of the files that tests compare with."""
    text = json.dumps(found) if plain else json.dumps(found, indent=1, ensure_ascii=False) + "\n"
    (VECTORS / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
