"""What units and owners are told: paths beside the file, every mistake by its key, and no stranger's certificate."""

from __future__ import annotations

from pathlib import Path

import pytest
from project_parts import with_files
from tomli_w import dumps as document

from unveil.files import key_file as keyfile
from unveil.projects import pki
from unveil.projects.column_mapping import ColumnMapping
from unveil.projects.membership import owner_membership, unit_memberships
from unveil.projects.owner_config import OwnerConfig, columns_data, owner_text
from unveil.projects.unit_config import UnitConfig
from unveil.protocol import roles
from unveil.schema import built_in
from unveil.settings.reader import ProjectError

UNIT = """\
database = "unit.sqlite"
data = "data"

[listen]
host = "127.0.0.1"
port = 0

[tls]
certificate = "record-unit.pem"
key = "record-unit.key"
authority = "authority.pem"

[[projects]]
file = "project.toml"
"""
OWNER = owner_text(
    project="project.toml", name="a", data="people.csv", key="do.key", tls=("a.pem", "a.key", "authority.pem")
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project with everybody's files in one folder, as no real project has them."""
    folder = tmp_path_factory.mktemp("parties")
    with_files(folder)
    keyfile.new(folder / "do.key")
    (folder / "people.csv").write_text("record_id\n")
    (folder / "policy.toml").write_text("")
    (folder / "open.key").write_text("")
    (folder / "open.key").chmod(0o644)
    return folder


def unit_file(folder: Path, text: str, name: str = "unit.toml") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def test_a_unit_is_told_everything_with_paths_resolved(folder: Path) -> None:
    """Whatever folder it is started in."""
    config = UnitConfig.load(unit_file(folder, UNIT))
    assert ("127.0.0.1", 0, None) == (config.host, config.port, config.seed)
    assert f"sqlite:///{folder}/unit.sqlite" == config.database
    assert (folder / "data", folder / "authority.pem") == (config.data, config.tls.authority)
    (entry,) = config.projects
    expected = ("project.toml", "record-unit.pem", "record-unit.key")
    assert expected == tuple(path.relative_to(folder).as_posix() for path in (entry.file, entry.certificate, entry.key))


def test_most_of_it_has_defaults(folder: Path) -> None:
    """A first configuration should be short."""
    short = UNIT.replace('data = "data"\n', "").replace('[listen]\nhost = "127.0.0.1"\nport = 0\n', "")
    config = UnitConfig.load(unit_file(folder, short))
    assert ("127.0.0.1", 8443, folder / "data") == (config.host, config.port, config.data)
    assert "auto" == config.engine


@pytest.mark.parametrize(
    ("given", "url"),
    [
        ("sqlite:///x.db", "sqlite:///{}/x.db"),
        ("sqlite:////srv/x.db", "sqlite:////srv/x.db"),
        ("/srv/x.db", "sqlite:////srv/x.db"),
        ("postgresql://u:pw@h/d", "postgresql://u:pw@h/d"),
    ],
)
def test_databases_by_file_or_url(folder: Path, given: str, url: str) -> None:
    """Files lie beside the configuration unless they are absolute."""
    config = UnitConfig.load(unit_file(folder, UNIT.replace("unit.sqlite", given)))
    assert url.format(folder) == config.database


def test_a_database_password_is_never_shown(folder: Path) -> None:
    """Neither by an error nor by a repr."""
    config = UnitConfig.load(unit_file(folder, UNIT.replace("unit.sqlite", "postgresql://u:CANARY@h/d")))
    assert "CANARY" not in repr(config)
    for text in ("mysql://u:CANARY@h/d", "POSTGRESQL://u:CANARY@h/d"):
        with pytest.raises(ProjectError, match="database: no such kind") as found:
            UnitConfig.load(unit_file(folder, UNIT.replace("unit.sqlite", text)))
        assert "CANARY" not in str(found.value)
    with pytest.raises(ProjectError, match="datbase: unknown key") as found:
        UnitConfig.load(unit_file(folder, UNIT.replace('database = "unit.sqlite"', 'datbase = "x://u:CANARY@h/d"')))
    assert "CANARY" not in str(found.value)


UNIT_MISTAKES = {
    "no database": ('database = "unit.sqlite"\n', "", "database", "missing"),
    "port": ("port = 0", "port = 70000", "listen.port", "at most 65535"),
    "port as text": ("port = 0", 'port = "8443"', "listen.port", "whole number"),
    "host": ("127.0.0.1", "1.2.3", "listen.host", "no address"),
    "no tls": ("[tls]", "[tsl]", "tls", "missing"),
    "certificate": ("record-unit.pem", "none.pem", "tls.certificate", "no such file"),
    "open key": ("record-unit.key", "open.key", "tls.key", "everybody on this machine can read it"),
    "a folder": ("authority.pem", ".", "tls.authority", "not a plain file"),
    "project": ("project.toml", "none.toml", "projects.0.file", "no such file"),
    "no project": ('[[projects]]\nfile = "project.toml"\n', "", "projects", "missing"),
    "data": ('data = "data"', 'data = "people.csv"', "data", "not a folder"),
    "half a pair": ('"project.toml"', '"project.toml"\ncertificate = "a.pem"', "projects.0.key", "together"),
    "a seed": ("[listen]", "[demonstration]\nseed = 7\n[listen]", "demonstration", "--demonstration"),
}


@pytest.mark.parametrize("mistake", UNIT_MISTAKES)
def test_a_units_mistake_is_explained_by_its_key(folder: Path, mistake: str) -> None:
    """With what would be allowed."""
    right, wrong, key, words = UNIT_MISTAKES[mistake]
    assert right in UNIT
    with pytest.raises(ProjectError) as found:
        UnitConfig.load(unit_file(folder, UNIT.replace(right, wrong)))
    told = {problem.key: str(problem) for problem in found.value.problems}
    assert key in told
    assert words in told[key]
    assert set(told) <= {key, "tsl"}


def test_a_seed_is_taken_in_demonstrations(folder: Path) -> None:
    """Where nothing is to be protected."""
    path = unit_file(folder, UNIT + "[demonstration]\nseed = 7\n")
    assert 7 == UnitConfig.load(path, demonstration=True).seed


def test_a_unit_takes_part_under_its_certificate(folder: Path) -> None:
    """The one of [tls], or one for the project alone."""
    config = UnitConfig.load(unit_file(folder, UNIT))
    (member,) = unit_memberships(config, roles.RECORD_UNIT)
    assert ("trial", roles.RECORD_UNIT) == (member.project.name, member.address)
    own = UNIT + 'certificate = "review-unit.pem"\nkey = "review-unit.key"\n'
    (member,) = unit_memberships(UnitConfig.load(unit_file(folder, own)), roles.REVIEW_UNIT)
    assert (folder / "review-unit.pem", folder / "review-unit.key") == (member.certificate, member.key)


def test_a_unit_with_anothers_certificate_does_not_start(folder: Path) -> None:
    """A wrong role, or a stranger."""
    config = UnitConfig.load(unit_file(folder, UNIT))
    with pytest.raises(ProjectError, match="that of the record unit in trial, not that of the review unit"):
        unit_memberships(config, roles.REVIEW_UNIT)
    if not (folder / "stranger.pem").exists():
        pki.issue(folder, "stranger")
    config = UnitConfig.load(unit_file(folder, UNIT.replace("record-unit.", "stranger.")))
    with pytest.raises(ProjectError, match=r"projects\.0\.certificate: .*stranger.pem: is unknown in trial"):
        unit_memberships(config, roles.RECORD_UNIT)


def test_a_unit_takes_part_in_a_project_once(folder: Path) -> None:
    """Two files of one name would mix two logs."""
    config = UnitConfig.load(unit_file(folder, UNIT + '[[projects]]\nfile = "project.toml"\n'))
    with pytest.raises(ProjectError, match="trial is there already"):
        unit_memberships(config, roles.RECORD_UNIT)


def test_an_owner_is_told_everything_with_paths_resolved(folder: Path) -> None:
    """By the file or by its folder."""
    path = unit_file(folder, OWNER, "unveil.toml")
    config = OwnerConfig.load(folder)
    assert config == OwnerConfig.load(path)
    assert (folder / "people.csv", folder / "do.key", None, None) == (
        config.data,
        config.key,
        config.policy,
        config.seed,
    )
    assert f"sqlite:///{folder}/owner.sqlite" == config.database
    assert roles.owner("a") == owner_membership(config).address


OWNER_MISTAKES = {
    "name": ('name = "a"', 'name = "A"', "name", "small letters, digits, dashes"),
    "data": ("people.csv", "none.csv", "data", "no such file"),
    "key": ("do.key", "none.key", "key", "no such file"),
    "policy": ('name = "a"', 'name = "a"\npolicy = "none.toml"', "policy", "no such file"),
    "tls key": ('"a.key"', '"open.key"', "tls.key", "everybody"),
    "seed": ("[tls]", "[demonstration]\nseed = 1\n[tls]", "demonstration", "--demonstration"),
    "unknown": ('name = "a"', 'name = "a"\npolcy = "x"', "polcy", "did you mean policy"),
    "id": ('name = "a"', 'name = "a"\nid = ""', "id", "text, not empty"),
    "column": ("[tls]", '[columns]\ncity = ""\n[tls]', "columns.city", "not allowed"),
    "a column that steers the terminal": (
        "[tls]",
        '[columns]\ncity = "a\\u009b31m"\n[tls]',
        "columns.city",
        "without control characters",
    ),
    "an id that turns the writing round": ('name = "a"', 'name = "a"\nid = "a\\u202eb"', "id", "without control"),
}


@pytest.mark.parametrize("mistake", OWNER_MISTAKES)
def test_an_owners_mistake_is_explained_by_its_key(folder: Path, mistake: str) -> None:
    """With what would be allowed."""
    right, wrong, key, words = OWNER_MISTAKES[mistake]
    assert right in OWNER
    with pytest.raises(ProjectError) as found:
        OwnerConfig.load(unit_file(folder, OWNER.replace(right, wrong), "owner.toml"))
    assert [key] == [problem.key for problem in found.value.problems]
    assert words in str(found.value)


def test_an_owner_that_the_project_does_not_list_does_not_begin(folder: Path) -> None:
    """Neither under another's name nor with another's certificate."""
    config = OwnerConfig.load(unit_file(folder, OWNER.replace('name = "a"', 'name = "c"'), "owner.toml"))
    with pytest.raises(ProjectError, match="name: not an owner in trial; allowed: a, b"):
        owner_membership(config)
    config = OwnerConfig.load(unit_file(folder, OWNER.replace('name = "a"', 'name = "b"'), "owner.toml"))
    with pytest.raises(ProjectError, match="is that of the owner a in trial, not that of the owner b"):
        owner_membership(config)


def test_missing_files_are_said_so(folder: Path) -> None:
    """An owner's folder without its configuration."""
    with pytest.raises(ProjectError, match="no such file"):
        OwnerConfig.load(folder / "none")
    with pytest.raises(ProjectError, match="no such file"):
        UnitConfig.load(folder / "none.toml")


def test_an_owner_names_its_own_columns(folder: Path) -> None:
    """By attribute; what is not named is called by the attribute's name, as before there was such a table."""
    config = OwnerConfig.load(unit_file(folder, OWNER, "unveil.toml"))
    assert ColumnMapping() == config.columns
    assert built_in() == config.columns.of(built_in(), source="x")
    own = ColumnMapping("pid", {"city": "ort"})
    text = OWNER.replace("[tls]", document(columns_data(own)) + "[tls]")
    config = OwnerConfig.load(unit_file(folder, text, "other.toml"))
    assert own == config.columns
    schema = config.columns.of(built_in(), source="x")
    assert ("pid", "ort", "zip") == (schema.input.id, schema.attribute("city").source, schema.attribute("zip").source)
    assert built_in().fingerprint() == schema.fingerprint()


@pytest.mark.parametrize(
    ("columns", "key", "words"),
    [
        ({"cty": "ort"}, "columns.cty", "did you mean city"),
        ({"city": "zip"}, "columns.zip", "read twice"),
        ({"city": "record_id"}, "columns.city", "read twice"),
    ],
)
def test_columns_that_do_not_fit_the_project_are_explained(columns: dict[str, str], key: str, words: str) -> None:
    """By the owner's file, for it is the owner's mistake."""
    with pytest.raises(ProjectError) as found:
        ColumnMapping(columns=columns).of(built_in(), source="unveil.toml")
    assert [key] == [problem.key for problem in found.value.problems]
    assert words in str(found.value)
    assert "unveil.toml" == found.value.source
