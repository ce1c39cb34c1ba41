"""The twin probe over TLS: an owner enters people twice, and real units tell it nothing about who has a partner."""

from __future__ import annotations

import csv
import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from command_line import unveil
from owner_trial import OwnerTrial

from unveil.lab.evaluation.guessing import advantage
from unveil.projects.new_project import EVENNESS
from unveil.runtime.owner.service import OwnerService

TWINS, NEAR = 20, 10  # of either kind of people; screening keeps uploads of mostly copies out
GOAL = 0.55


def rows_of(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def plant(people: Path) -> None:
    """Copies of some of owner a's people: the same record again, and one with a slip of the pen."""
    rows, shared = rows_of(people / "a.csv"), [row["record_id_a"] for row in rows_of(people / "truth.csv")]
    members = [row for row in rows if row["record_id"] in set(shared)]
    others = [row for row in rows if row["record_id"] not in set(shared)]
    for some in (members, others):
        rows += [row | {"record_id": f"twin-{row['record_id']}"} for row in some[:TWINS]]
        rows += [
            row | {"record_id": f"near-{row['record_id']}", "last_name": row["last_name"][:-1] + "x"}
            for row in some[TWINS : TWINS + NEAR]
        ]
    with (people / "a.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        writer.writerows(rows)


@pytest.fixture(scope="module")
def linked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[OwnerTrial]:
    """A linkage with planted copies, from the first process to the last."""
    root = tmp_path_factory.mktemp("membership") / "trial"
    with OwnerTrial(root, plant=plant, evenness=EVENNESS, decoys=0.1) as trial:
        trial.start_units()
        trial.start_reviewer()
        for process in [trial.start("run", name) for name in "ab"]:
            trial.end(process)
        yield trial


@pytest.fixture(scope="module")
def results(linked: OwnerTrial) -> dict[str, Path]:
    """Each owner's link table and part, by name."""
    made = {}
    for name in "ab":
        made[name], made[f"{name}.join"] = linked.root / f"{name}.csv", linked.root / f"{name}.join"
        words = ("owner", "results", linked.owner(name), "--demonstration", "--out", made[name])
        assert 0 == unveil(*words, "--join", made[f"{name}.join"]).returncode
    return made


def members_of(trial: OwnerTrial) -> set[str]:
    return {row["record_id_a"] for row in rows_of(trial.root / "people" / "truth.csv")}


@pytest.mark.parametrize("kind", ["twin", "near"])
def test_copies_tell_nothing_by_their_link_ids(linked: OwnerTrial, results: dict[str, Path], kind: str) -> None:
    """Before, twins had the same id exactly if their target was in the other register: an AUC of 1."""
    ids = {row["record_id"]: row["link_id"] for row in rows_of(results["a"])}
    targets = [one.removeprefix(f"{kind}-") for one in ids if one.startswith(f"{kind}-")]
    member = np.array([target in members_of(linked) for target in targets])
    alike = np.array([float(ids[target] == ids[f"{kind}-{target}"]) for target in targets])
    print(f"{kind}: AUC {advantage(alike, member)}, {member.sum()} of {len(member)} have a partner")  # noqa: T201
    assert 0.5 == advantage(alike, member)
    assert {kind == "twin"} == set(alike.astype(bool).tolist()), "only what is the same has the same id"


def test_wishes_do_not_tell_either(linked: OwnerTrial) -> None:
    """The ledger is all that an owner has of them: how often each of its records was encoded for a pair."""
    report = OwnerService(linked.owner("a"), demonstration=True).ledger()
    times = Counter(row.record_id for row in report.rows if row.unit == "attribute unit")
    ids = [row["record_id"] for row in rows_of(linked.trial.data("owner-a")) if "-" not in row["record_id"]]
    found = advantage(
        np.array([float(times[one]) for one in ids]), np.array([one in members_of(linked) for one in ids])
    )
    print(f"wishes: AUC {found}, {sum(times.values())} wishes for {len(ids)} records")  # noqa: T201
    assert sum(times.values()) > len(ids)
    # Of 90 members and 210 others, chance alone moves it by .036.
    assert found <= GOAL + 0.072


def test_the_owners_have_no_id_in_common_and_what_they_carry_says_nothing(results: dict[str, Path]) -> None:
    """One part opens nothing, and is as long as its owner's records make it; both together give the pairs."""
    tables = {name: rows_of(results[name]) for name in "ab"}
    assert not {row["link_id"] for row in tables["a"]} & {row["link_id"] for row in tables["b"]}
    for name in "ab":
        header, rest = results[f"{name}.join"].read_bytes().split(b"\n", 2)[1:]
        assert 2 * len(tables[name]) * 32 + 16 == len(rest)
        assert b"pairs" not in header
        assert not any(bytes.fromhex(row["link_id"]) in rest for row in tables[name])
        alone = unveil("join", "pairs", results[f"{name}.join"], "--out", results["a"].parent / "no.csv")
        assert (1, True) == (alone.returncode, "one owner's alone opens nothing" in alone.stderr)
    out = results["a"].parent / "pairs.csv"
    assert 0 == unveil("join", "pairs", results["b.join"], results["a.join"], "--out", out).returncode
    pairs = rows_of(out)
    assert {"link_id_a", "link_id_b"} == set(pairs[0]), "pairs of ids, and nothing else"
    for name in "ab":
        assert {row[f"link_id_{name}"] for row in pairs} <= {row["link_id"] for row in tables[name]}


def test_nothing_that_an_owner_is_told_at_the_end_counts_links_or_pairs(linked: OwnerTrial) -> None:
    """Of its own wishes it knows the number; of candidates, matches and links nobody tells it any."""
    done = unveil("owner", "status", linked.owner("a"), "--demonstration", "--json")
    assert 0 == done.returncode, done.stderr
    print(done.stdout)  # noqa: T201
    units = json.loads(done.stdout)["units"]
    told = {name: value for unit in units.values() for name, value in unit.items() if value not in (None, {}, [], ())}
    counts = {name for name, value in told.items() if isinstance(value, int | float) and not isinstance(value, bool)}
    assert set() == counts
    assert told["finished"]
