"""Two hospitals with their exports in a project of parties: every command that an owner types, and no file by hand."""

from __future__ import annotations

import csv
import os
import shlex
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from patience import PATIENCE, wait_until
from tools.two_hospitals import pairs
from unveil.lab.synthetic import exported, generate, write_exported

RECORDS = 250
UNITS = ("record-unit", "attribute-unit", "review-unit")
MOST_COMMANDS = 12

#: What an owner types from its export to its results, in its own folder. The schema is made by one of them.
OF_A = """
unveil check export.csv --id PatNr --out a.profile.json
unveil schema new --from export.csv --id PatNr --out linkage.toml
unveil key new project.key
unveil key export project.key --out project.sealed --passphrase-out words.txt
unveil project show ../project.toml
unveil owner init a --project ../project.toml --name a --data export.csv --key project.key --certificate ../pki/a.pem --tls-key ../pki/a.key --authority ../pki/authority.pem --id PatNr --column nachname=Nachname --column vorname=Vorname --column geburtsdatum=Geburtsdatum --column geschlecht=Geschlecht --column strasse=Straße --column plz=PLZ --column ort=Ort
unveil owner check a --yes
unveil owner run a
unveil owner results a --out links.csv --join a.join
""".strip().splitlines()  # noqa: E501 - as it is typed
OF_B = """
unveil check export.xlsx --schema ../project.toml --against ../a/a.profile.json
unveil key import ../a/project.sealed --out project.key --passphrase-file ../a/words.txt
unveil project show ../project.toml
unveil owner init b --project ../project.toml --name b --data export.xlsx --key project.key --certificate ../pki/b.pem --tls-key ../pki/b.key --authority ../pki/authority.pem --id 'Case ID' --column nachname=Surname --column vorname='First name' --column geburtsdatum=DOB --column geschlecht=Gender --column strasse=Address --column plz='Postal code' --column ort=Town
unveil owner check b --yes
unveil owner run b
unveil owner results b --out links.csv --join b.join
unveil join pairs b.join ../a/a.join --out pairs.csv
""".strip().splitlines()  # noqa: E501 - as it is typed


def start(line: str, folder: Path) -> subprocess.Popen[str]:
    """A command as it is typed in that folder."""
    words = [sys.executable, "-m", *shlex.split(line)]
    environment = {**os.environ, "COLUMNS": "200"}
    return subprocess.Popen(
        words, cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )  # fmt: skip


def end(process: subprocess.Popen[str]) -> str:
    """What it printed, once it has ended well."""
    out, err = process.communicate(timeout=PATIENCE)
    assert 0 == process.returncode, out + err
    return out


def typed(line: str, folder: Path) -> str:
    return end(start(line, folder))


def organise(root: Path) -> None:
    """Whoever runs the project makes its file; operators write a configuration for each unit."""
    ports = _free_ports(len(UNITS))
    typed("unveil project new project.toml --name trial --schema a/linkage.toml", root)
    for name in ("a", "b"):
        typed(f"unveil project join project.toml --role owner --name {name} --certificate pki/{name}.pem", root)
    for unit, port in zip(UNITS, ports, strict=True):
        address = f"--address https://127.0.0.1:{port}"
        typed(f"unveil project join project.toml --role {unit} --certificate pki/{unit}.pem {address}", root)
        (root / unit).mkdir(mode=0o700)
        (root / unit / "unit.toml").write_text(
            f'database = "log.sqlite"\ndata = "data"\n[listen]\nport = {port}\n[tls]\n'
            f'certificate = "../pki/{unit}.pem"\nkey = "../pki/{unit}.key"\nauthority = "../pki/authority.pem"\n'
            '[[projects]]\nfile = "../project.toml"\n'
        )


def _free_ports(count: int) -> list[int]:
    with ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(count)]
        for each in sockets:
            each.bind(("127.0.0.1", 0))
        return [each.getsockname()[1] for each in sockets]


@contextmanager
def units(root: Path) -> Iterator[None]:
    """The three units, each a process of its own."""
    running = [start(f"unveil serve {unit} --config unit.toml --ready ready", root / unit) for unit in UNITS]
    try:
        wait_until(
            lambda: all((root / unit / "ready").exists() for unit in UNITS) or any(one.poll() for one in running),
            "the units listen",
        )
        yield
    finally:
        for one in running:
            one.terminate()
        for one in running:
            one.communicate(timeout=PATIENCE)


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Each hospital has its export in a folder of its own, and certificates of a trial's authority."""
    root = tmp_path_factory.mktemp("project")
    made = exported(generate(records=RECORDS, overlap=0.4, layout="clinic", seed=2), seed=2)
    write_exported(made, root / "exports")
    for name, file in (("a", "hospital-a.csv"), ("b", "hospital-b.xlsx")):
        (root / name).mkdir(mode=0o700)
        (root / "exports" / file).rename(root / name / f"export{Path(file).suffix}")
    typed("unveil pki new pki", root)
    for party in ("a", "b"):
        typed(f"unveil pki issue pki {party}", root)
    for unit in UNITS:
        typed(f"unveil pki issue pki {unit} --host 127.0.0.1", root)
    return root


def test_an_owner_types_no_more_than_twelve_commands_from_its_export_to_the_pairs(root: Path) -> None:
    """Nine commands and six failed tries did not even lead to the first link."""
    a, b = root / "a", root / "b"
    until_schema = 1 + next(at for at, line in enumerate(OF_A) if "schema new" in line)
    for line in OF_A[:until_schema]:
        typed(line, a)
    # Reviewers are people: here the owners agree on a linkage without them.
    schema = (a / "linkage.toml").read_text()
    (a / "linkage.toml").write_text(schema.replace("layers = 3", "layers = 2"))
    organise(root)
    # Both at once, as in two hospitals: `run` waits for the other owner. B needs A's sealed key.
    run = next(at for at, line in enumerate(OF_A) if line.startswith("unveil owner run"))
    run_b = next(at for at, line in enumerate(OF_B) if line.startswith("unveil owner run"))
    for line in OF_A[until_schema:run]:
        typed(line, a)
    said = "".join(typed(line, b) for line in OF_B[:run_b])
    with units(root):
        both = start(OF_A[run], a), start(OF_B[run_b], b)
        for process in both:
            end(process)
        for line in OF_A[run + 1 :]:
            typed(line, a)
        for line in OF_B[run_b + 1 :]:
            typed(line, b)
    assert MOST_COMMANDS >= len(OF_A)
    assert MOST_COMMANDS >= len(OF_B)
    _check_pairs(root)
    assert "--column nachname=Surname" in said


def _check_pairs(root: Path) -> None:
    """The pairs of link ids, by the owners' own tables, against the truth."""
    ids = {name: _ids(root / name / "links.csv") for name in ("a", "b")}
    found = set()
    for one, other in _rows(root / "b" / "pairs.csv"):
        left, right = (one, other) if one in ids["a"] else (other, one)
        found.add((ids["a"][left], ids["b"][right]))
    true = pairs(root / "exports" / "truth.csv")
    linked = len(found & true)
    people = round(0.4 * RECORDS)  # each person once
    assert linked / people > 0.75
    assert linked / len(found) > 0.9


def _ids(path: Path) -> dict[str, str]:
    return {link_id: record_id for record_id, link_id in _rows(path)}


def _rows(path: Path) -> list[tuple[str, str]]:
    """The first two cells of each row but the header."""
    with path.open(encoding="utf-8", newline="") as file:
        return [(row[0], row[1]) for row in list(csv.reader(file))[1:]]
