"""`unveil project`: a project file grows party by party."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from command_line import Done, unveil
from cryptography import x509

from odd_certificates import CLIENT, DAY, SERVER, reissue
from unveil.projects import pki
from unveil.projects.project_file import load, load_draft
from unveil.schema import built_in, built_in_text
from unveil.schema.presets import with_preset

UNITS = ("record-unit", "attribute-unit", "review-unit")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """An authority, everybody's certificates, and a new project."""
    pki.new_authority(tmp_path)
    for name in (*UNITS, "a", "b"):
        pki.issue(tmp_path, name)
    assert 0 == unveil("project", "new", tmp_path / "project.toml", "--name", "trial").returncode
    return tmp_path


def join(folder: Path, role: str, certificate: str, *words: str) -> Done:
    path = folder / "project.toml"
    return unveil("project", "join", path, "--role", role, "--certificate", folder / f"{certificate}.pem", *words)


def everybody(folder: Path) -> Done:
    for port, role in enumerate(UNITS, 8443):
        assert 0 == join(folder, role, role, "--address", f"https://127.0.0.1:{port}").returncode
    assert 0 == join(folder, "owner", "a", "--name", "a").returncode
    return join(folder, "owner", "b", "--name", "b")


def test_a_project_is_made_and_joined(folder: Path) -> None:
    """Until nobody is missing; then the fingerprint is told, for the telephone."""
    draft = unveil("project", "show", folder / "project.toml")
    assert "missing      record unit, attribute unit, review unit, owner, owner" in draft.stdout
    done = everybody(folder)
    project = load(folder / "project.toml")
    assert 0 == done.returncode
    assert project.fingerprint() in done.stdout
    shown = unveil("project", "show", folder / "project.toml").stdout
    assert "missing" not in shown
    assert project.fingerprint() in shown
    for party in project.parties:
        assert party.public_key in shown
    assert "https://127.0.0.1:8444" == project.address("attribute unit")


def test_json_tells_all(folder: Path) -> None:
    """The same as the file, for scripts."""
    everybody(folder)
    found = json.loads(unveil("project", "show", folder / "project.toml", "--json").stdout)
    project = load(folder / "project.toml")
    assert (project.name, project.fingerprint(), []) == (found["name"], found["fingerprint"], found["missing"])
    assert [party.model_dump() for party in project.parties] == found["parties"]
    assert project.linkage.model_dump(mode="json") == found["schema"]


@pytest.mark.parametrize("preset", ["unveil", "paper", "schema"])
def test_schema_preset_and_decoys_go_into_the_file(tmp_path: Path, preset: str) -> None:
    """One file that stands on its own, whatever later versions hold for defaults."""
    (tmp_path / "mine.toml").write_text(built_in_text("clinic"), encoding="utf-8")
    for schema in ("clinic", str(tmp_path / "mine.toml")):
        words = ["--schema", schema, "--preset", preset, "--decoys", "0.25", "--evenness", "0.5", "--records", "500"]
        words += ["--further-attributes", "0.2"]
        path = tmp_path / f"{Path(schema).stem}-{preset}.toml"
        assert 0 == unveil("project", "new", path, "--name", "x", *words, "--json").returncode
        expected = with_preset(built_in("clinic"), preset)
        protocol = expected.protocol.model_copy(update={"decoys": 0.25, "evenness": 0.5, "further_attributes": 0.2})
        found = load_draft(path)
        assert expected.model_copy(update={"protocol": protocol}) == found.linkage
        assert 500 == found.limits.records_per_owner


def test_columns_of_a_schema_are_not_shared(tmp_path: Path) -> None:
    """They are each owner's own; whoever had them in the schema is told where they go."""
    text = built_in_text("clinic").replace('name = "city"', 'name = "city"\ncolumn = "ort"')
    (tmp_path / "mine.toml").write_text(text.replace('id = "record_id"', 'id = "pid"'), encoding="utf-8")
    done = unveil("project", "new", tmp_path / "p.toml", "--name", "x", "--schema", tmp_path / "mine.toml")
    assert 0 == done.returncode
    told = " ".join(done.stderr.split())
    assert "each owner names its own with unveil owner init: --column city=ort --id pid" in told
    assert '"ort"' not in (tmp_path / "p.toml").read_text()
    unsaid = unveil("project", "new", tmp_path / "q.toml", "--name", "x", "--schema", "clinic")
    assert "note: columns" not in unsaid.stderr


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--name", "Trial"), 'name: "Trial" is not allowed; allowed: small letters, digits, dashes'),
        (("--name", "x", "--schema", "persn"), "did you mean person"),
        (("--name", "x", "--schema", "nofile.toml"), "nofile.toml: one mistake\n  (file): no such file"),
        (("--name", "x", "--preset", "best"), "no preset best"),
        (("--name", "x", "--decoys", "1.5"), "schema.protocol.decoys"),
        (("--name", "x", "--records", "0"), "limits.records_per_owner"),
    ],
)
def test_a_mistaken_project_is_not_written(tmp_path: Path, words: tuple[str, ...], told: str) -> None:
    """And the mistake is named."""
    done = unveil("project", "new", tmp_path / "p.toml", *words)
    assert 1 == done.returncode
    assert told in done.stderr
    assert [] == list(tmp_path.iterdir())


def test_an_existing_file_is_kept(folder: Path) -> None:
    """Parties may have joined it."""
    before = (folder / "project.toml").read_bytes()
    done = unveil("project", "new", folder / "project.toml", "--name", "other")
    assert (1, True) == (done.returncode, "exists already" in done.stderr)
    assert "--force" not in done.stderr  # there is none
    assert before == (folder / "project.toml").read_bytes()


@pytest.mark.parametrize(
    ("role", "certificate", "words", "told"),
    [
        ("owner", "fresh", ("--name", "a"), "there is an owner a already"),
        ("owner", "a", ("--name", "c"), "the owner a has the same one"),
        ("record-unit", "fresh", ("--address", "https://h:1"), "there is a record unit already"),
        ("owner", "fresh", (), "missing for an owner"),
        ("owner", "fresh", ("--name", "c", "--address", "https://h:1"), "an owner opens no port"),
        ("owner", "fresh", ("--name", "C"), "name: "),
        ("owner", "authority", ("--name", "c"), "is an authority's"),
        ("owner", "none", ("--name", "c"), "no such file"),
    ],
)
def test_who_cannot_join_is_told_why(
    folder: Path, role: str, certificate: str, words: tuple[str, ...], told: str
) -> None:
    """And the file stays as it was."""
    everybody(folder)
    pki.issue(folder, "fresh")
    before = (folder / "project.toml").read_bytes()
    done = join(folder, role, certificate, *words)
    assert 1 == done.returncode
    assert told in done.stderr
    assert before == (folder / "project.toml").read_bytes()


def test_a_unit_needs_an_encrypted_address(folder: Path) -> None:
    """Plain HTTP is refused where it is written down."""
    assert "missing for the record unit" in join(folder, "record-unit", "record-unit").stderr
    done = join(folder, "record-unit", "record-unit", "--address", "http://h:1")
    assert (1, True) == (done.returncode, "no address of a unit" in done.stderr)


def test_units_share_a_certificate_in_demonstrations_only(folder: Path) -> None:
    """And `show` warns of it."""
    join(folder, "record-unit", "record-unit", "--address", "https://127.0.0.1:1")
    words = ("--address", "https://127.0.0.1:2")
    assert 1 == join(folder, "attribute-unit", "record-unit", *words).returncode
    assert 0 == join(folder, "attribute-unit", "record-unit", *words, "--demonstration").returncode
    shown = unveil("project", "show", folder / "project.toml").stdout
    assert "record unit and attribute unit share a key: for demonstrations only" in shown


def test_an_expired_certificate_joins_with_a_note(folder: Path) -> None:
    """The key is what counts, and it may be renewed; but somebody should know."""
    now, day = datetime.now(UTC), timedelta(days=1)
    pki.issue(folder, "old", not_before=now - 3 * day, not_after=now - day)
    done = join(folder, "owner", "old", "--name", "old", "--json")
    assert (0, ["old"]) == (done.returncode, [party["name"] for party in json.loads(done.stdout)["parties"]])
    assert done.stderr.startswith(f"note: {folder / 'old.pem'}: holds from ")


def test_a_broken_file_is_explained(folder: Path) -> None:
    """By key."""
    path = folder / "project.toml"
    path.write_text(path.read_text().replace('name = "trial"', 'name = "T"'), encoding="utf-8")
    done = unveil("project", "show", path)
    assert (1, True) == (done.returncode, f"{path}: one mistake\n  name: " in done.stderr)


CHANGES = {
    "budget": ("budget = 100", "budget = 1000"),
    "layers": ("layers = 3", "layers = 2"),
    "models": ('models = "prior"', 'models = "paper"'),
    "hardening": ("t = 4\n", "t = 5\n"),
    "near_copies": ("near_copies = 0.5", "near_copies = 0.75"),
    "decoys": ("decoys = 0.1\n", "decoys = 0.102\n"),
    "depth": ("depth = 6", "depth = 5"),
}


@pytest.mark.parametrize("change", CHANGES)
def test_what_is_agreed_is_shown(folder: Path, change: str) -> None:
    """Two whose fingerprints differ find the line in which they do, on the telephone."""
    path = folder / "project.toml"
    before, text = unveil("project", "show", path).stdout.splitlines(), path.read_text(encoding="utf-8")
    right, other = CHANGES[change]
    assert right in text
    path.write_text(text.replace(right, other), encoding="utf-8")
    after = unveil("project", "show", path).stdout.splitlines()
    differing = [new.split()[0] for old, new in zip(before, after, strict=True) if old != new]
    assert "fingerprint" == differing[-1]
    assert len(differing) > 1


@pytest.mark.parametrize(
    ("hosts", "purposes", "told"),
    [
        (["127.0.0.1"], None, "is for 127.0.0.1, not for records.example.org"),
        ([], None, "names no host, so not records.example.org"),
        (["records.example.org"], [CLIENT], "cannot be used for server authentication"),
        (["*.example.org"], [SERVER], "cannot be used for client authentication"),
    ],
)
def test_a_unit_joins_with_a_certificate_that_callers_will_accept(
    folder: Path, hosts: list[str], purposes: list[x509.ObjectIdentifier] | None, told: str
) -> None:
    """Before every party has a copy of the file, not when the first owner calls."""
    words = ("--address", "https://records.example.org:8443")
    reissue(folder, "record-unit", hosts=hosts, purposes=purposes)
    before = (folder / "project.toml").read_bytes()
    done = join(folder, "record-unit", "record-unit", *words)
    assert (1, True) == (done.returncode, f"--certificate: {folder / 'record-unit.pem'}: {told}" in done.stderr)
    assert before == (folder / "project.toml").read_bytes()
    reissue(folder, "record-unit", purposes=[CLIENT])
    reissue(folder, "review-unit", hosts=["*.example.org"], purposes=[SERVER], ends=5 * DAY)
    server = ("--server-certificate", str(folder / "review-unit.pem"))
    done = join(folder, "record-unit", "record-unit", *words, *server)
    assert (0, True) == (done.returncode, "review-unit.pem: the certificate ends in 4 days" in done.stderr)


def test_an_owner_joins_with_a_certificate_for_calls(folder: Path) -> None:
    """It needs no host, and no server authentication."""
    reissue(folder, "a", purposes=[SERVER])
    assert "cannot be used for client authentication" in join(folder, "owner", "a", "--name", "a").stderr
    reissue(folder, "a", purposes=[CLIENT])
    assert 0 == join(folder, "owner", "a", "--name", "a").returncode
