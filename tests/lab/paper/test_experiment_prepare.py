"""Sets from a register: a register of generated people in its own layout, and the guarantees of the design."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

from unveil.cli.app import app
from unveil.cli.commands import register as register_commands
from unveil.errors import InputError, SettingError
from unveil.lab.evaluation.dataset import read_dataset
from unveil.lab.paper.design import make_set, parse_sets, unequal
from unveil.lab.paper.register import COLUMNS, Register, read_registers
from unveil.lab.synthetic import Registers, generate
from unveil.records import Records
from unveil.schema import built_in

HEADER = ("ncid", "first_name", "midl_name", "last_name", "age", "birth_place", "res_city_desc", "zip_code")
OLD, NEW = "2014-01-01", "2021-01-01"
NAMES = built_in().names


def rows_of(records: Records, voters: list[str], year: int) -> Iterator[tuple[str, ...]]:
    """The register's rows of these records in that year; names stand in wide columns, as in the original."""
    columns = {name: records.columns[name].values() for name in NAMES}
    for place, voter in enumerate(voters):
        one = {name: columns[name][place] for name in NAMES}
        age = str(year - int(one["year_of_birth"]))
        yield (
            voter, one["first_name"] + "  ", one["middle_name"], one["last_name"], age, one["place_of_birth"],
            one["city"], f" {one['zip']}",
        )  # fmt: skip


def voters_of(people: Registers) -> tuple[list[str], list[str]]:
    """Ids of the people in b (the newest snapshot) and in a: the same for the same person."""
    newest = [f"BB{row}" for row in range(len(people.b))]
    before = [f"AA{row}" for row in range(len(people.a))]
    for left, right in people.truth.tolist():
        before[left] = newest[right]
    return newest, before


@pytest.fixture(scope="module")
def people() -> Registers:
    return generate(records=1500, overlap=0.5, errors=1, seed=8)


@pytest.fixture(scope="module")
def files(people: Registers, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Two snapshots: the earlier one quoted, separated by tabs, Latin-1 and dated by its name; the newer one CSV."""
    folder = tmp_path_factory.mktemp("register")
    newest, before = voters_of(people)
    first, second = folder / "VR_Snapshot_20140101.txt", folder / "newest.csv"
    with first.open("w", encoding="latin-1", newline="") as handle:
        writer = csv.writer(handle, delimiter="\t", quoting=csv.QUOTE_ALL)
        writer.writerow(HEADER)
        writer.writerows(rows_of(people.a, before, 2014))
        writer.writerow(("ZZ1", "JOSÉ", "", "PEÑA", "44", "", "SOMEWHERE", "00000"))
        writer.writerow(("ZZ2", "NO", "", "AGE", "", "", "SOMEWHERE", "00000"))
        writer.writerow(("ZZ3", "", "", "NOFIRST", "33", "", "SOMEWHERE", "00000"))
        handle.write('"ZZ4"\t"broken\n')
    with second.open("w", encoding="utf-8-sig", newline="") as handle:
        plain = csv.writer(handle)
        plain.writerow((*HEADER, "snapshot_dt"))
        plain.writerows((*row, f"{NEW} 00:00:00") for row in rows_of(people.b, newest, 2021))
    return first, second


@pytest.fixture(scope="module")
def register(files: tuple[Path, Path]) -> Register:
    return read_registers(files, dates=[], seed=1, most=100_000)


def entries(records: Records) -> list[tuple[str, ...]]:
    return list(zip(*(records.columns[name].values() for name in NAMES), strict=True))


def test_a_register_is_read_in_its_own_layout(register: Register, people: Registers) -> None:
    """Tabs or commas, quotes, Latin-1 or UTF-8, a date in the name or a column; rows that say too little left out."""
    assert (3 + 1501, 3) == (register.rows - 1500, register.left_out)
    assert 1500 + 750 + 1 == len(register.voters)
    assert NEW == register.newest
    known = {entry.values for found in register.voters.values() for entry in found}
    assert any("JOSÉ" == values[0] for values in known)
    assert all(value == value.strip() for values in known for value in values)
    years = {entry.year for found in register.voters.values() for entry in found}
    assert {int(year) for year in people.b.columns["year_of_birth"].distinct} <= years


@pytest.mark.parametrize("name", ["E1S", "E1L", "E2M"])
def test_a_set_keeps_what_the_design_promises(register: Register, people: Registers, name: str) -> None:
    """Overlap, number of unequal attributes, year of birth, no entry twice, and who comes from which snapshot."""
    (wanted,) = parse_sets(name, records=400)
    made = make_set(register, wanted, seed=3)
    assert {"S": 40, "M": 80, "L": 120}[name[2]] == len(made.truth)
    assert (400, 400) == (len(made.a), len(made.b))
    left, right = entries(made.a), entries(made.b)
    assert 800 == len({*left, *right})
    places = [NAMES.index(column) for column in COLUMNS]
    for row_a, row_b in made.truth.tolist():
        a, b = left[row_a], right[row_b]
        assert unequal(tuple(a[i] for i in places), tuple(b[i] for i in places)) >= int(name[1])
        assert a[NAMES.index("year_of_birth")] == b[NAMES.index("year_of_birth")]
    assert set(left) <= set(entries(people.b))
    earlier = {
        entry[:3] + entry[4:] for entry in [*entries(people.a), ("JOSÉ", "", "PEÑA", "1970", "SOMEWHERE", "00000", "")]
    }
    assert {entry[:3] + entry[4:] for entry in right} <= earlier


def test_the_truth_is_the_voters_id(register: Register, people: Registers) -> None:
    """Shared people of the set are shared people of the register, and nobody else is in both sources."""
    (wanted,) = parse_sets("E1M", records=400)
    made = make_set(register, wanted, seed=3)
    new, old = entries(people.b), entries(people.a)
    same = {(new[right], old[left]) for left, right in people.truth.tolist()}
    left, right = entries(made.a), entries(made.b)
    pairs = {(left[a], right[b]) for a, b in made.truth.tolist()}
    assert pairs <= same
    partner = dict(same)
    matched = {left[a] for a, _ in made.truth.tolist()}
    assert not any(partner.get(entry) in set(right) for entry in left if entry not in matched)


def test_the_same_seed_gives_the_same_set_in_any_order_of_files(files: tuple[Path, Path], register: Register) -> None:
    """A set must be reproducible by others."""
    (wanted,) = parse_sets("E1M", records=300)
    turned = read_registers(files[::-1], dates=[], seed=1, most=100_000)
    one, two, other = (
        make_set(register, wanted, seed=1),
        make_set(turned, wanted, seed=1),
        make_set(register, wanted, seed=2),
    )
    assert entries(one.a) == entries(two.a)
    assert entries(one.b) == entries(two.b)
    assert one.truth.tolist() == two.truth.tolist()
    assert entries(one.a) != entries(other.a)


def test_memory_is_bounded_and_a_kept_voter_is_whole(files: tuple[Path, Path], register: Register) -> None:
    """With the register's millions of voters only some can be kept; half an entry list would make false pairs."""
    few = read_registers(files, dates=[], seed=1, most=300)
    assert 300 == len(few.voters)
    assert few.dropped
    assert sorted(register.voters)[:300] == sorted(few.voters)
    assert all(len(register.voters[voter]) == len(found) for voter, found in few.voters.items())


def test_too_few_voters_are_an_error_that_says_what_is_missing(files: tuple[Path, Path], register: Register) -> None:
    """A smaller set under the same name would be compared with the published one."""
    (wanted,) = parse_sets("E2L", records=1400)
    with pytest.raises(
        SettingError, match=r"E2L: [\d,]+ voters have an earlier entry with at least 2 unequal, 420 are"
    ):
        make_set(register, wanted, seed=1)
    (wanted,) = parse_sets("E1S", records=2000)
    with pytest.raises(SettingError, match=r"E1S: [\d,]+ further voters are in the newest snapshot, 1,800 are needed"):
        make_set(register, wanted, seed=1)
    few = read_registers(files, dates=[], seed=1, most=50)
    with pytest.raises(SettingError) as raised:
        make_set(few, wanted, seed=1)
    assert "--voters" in str(raised.value.hint)


def test_city_and_zip_count_once_and_missing_is_unequal() -> None:
    """First name, middle name, last name, city, ZIP code, place of birth."""
    one = ("EVA", "ANN", "SMITH", "TOWN", "12345", "NC")
    assert 0 == unequal(one, one)
    assert 1 == unequal(one, ("EVA", "ANN", "SMITH", "OTHER", "99999", "NC"))
    assert 1 == unequal(one, ("EVA", "ANN", "SMITH", "TOWN", "99999", "NC"))
    assert 2 == unequal(one, ("EVA", "", "SMITH", "TOWN", "12345", ""))
    assert 5 == unequal(one, ("EVE", "A", "JONES", "OTHER", "12345", "SC"))


def test_a_date_is_needed_and_may_be_given(tmp_path: Path) -> None:
    """Without it nobody knows which snapshot is the newest, or how old people are."""
    path = tmp_path / "voters.txt"
    path.write_text("\t".join(HEADER) + "\nN1\tEVA\t\tSMITH\t40\tNC\tTOWN\t12345\n", encoding="utf-8")
    with pytest.raises(InputError, match="so its date is not known"):
        read_registers([path], dates=[], seed=1, most=10)
    (found,) = read_registers([path], dates=["2020-05-01"], seed=1, most=10).voters.values()
    assert (1980, "2020-05-01") == (found[0].year, found[0].last)
    with pytest.raises(SettingError, match="date 1 is not a date"):
        read_registers([path], dates=["soon"], seed=1, most=10)
    with pytest.raises(SettingError, match="2 dates for 1 files"):
        read_registers([path], dates=["2020-05-01", "2021-05-01"], seed=1, most=10)


def test_errors_name_columns_and_never_values(tmp_path: Path) -> None:
    """A file without a header has a person in its place."""
    path = tmp_path / "20200101.txt"
    path.write_text("N1\tEVA\t\tSMITH\t40\tNC\tTOWN\t12345\n", encoding="utf-8")
    with pytest.raises(InputError) as raised:
        read_registers([path], dates=[], seed=1, most=10)
    assert "needed column missing: first_name" in raised.value.message
    assert "SMITH" not in f"{raised.value.message} {raised.value.hint}"


def test_utf16_is_read_too(tmp_path: Path) -> None:
    """Some snapshots are published so."""
    path = tmp_path / "20200101.txt"
    path.write_text("\t".join(HEADER) + "\r\nN1\tZOË\t\tSMITH\t40\tNC\tTOWN\t12345\r\n", encoding="utf-16")
    (found,) = read_registers([path], dates=[], seed=1, most=10).voters.values()
    assert ("ZOË", "", "SMITH", "TOWN", "12345", "NC") == found[0].values


def test_the_command_writes_sets_that_the_experiment_can_read(files: tuple[Path, Path], tmp_path: Path) -> None:
    """From the register to files in our layout, and not over what is there."""
    register_commands()
    words = ["experiment", "prepare", "--out", str(tmp_path), "--sets", "E1M,E2S", "--records", "200", "--json"]
    words += [word for file in files for word in ("--register", str(file))]
    done = CliRunner().invoke(app, words)
    assert 0 == done.exit_code, done.output
    told = json.loads(done.stdout)
    assert [("E1M", 40), ("E2S", 20)] == [(one["name"], one["shared"]) for one in told["sets"]]
    a, b, truth = read_dataset(tmp_path / "E1M", built_in())
    assert (200, 200, 40) == (len(a), len(b), len(truth))
    again = CliRunner().invoke(app, words)
    assert "is not empty" in str(again.exception)
    assert 0 == CliRunner().invoke(app, [*words, "--force"]).exit_code


@pytest.mark.parametrize("text", ["E3M", "E1X", "", "E1M;E2M"])
def test_sets_have_known_names(text: str) -> None:
    """The name says what the set is."""
    with pytest.raises(SettingError):
        parse_sets(text, records=10)
