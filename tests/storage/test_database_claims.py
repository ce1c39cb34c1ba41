"""A database is one party's own, for its owner's eyes, and made for this release or an earlier one."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest
from databases import path_of, raw

from unveil.errors import ClaimedError, SettingError, StorageError
from unveil.storage.database import Database
from unveil.storage.migrations import MIGRATIONS, Migration, migrate


def test_another_role_is_refused(url: str) -> None:
    """Two units on one database could join what the protocol keeps apart."""
    with Database.open(url, role="record unit"):
        pass
    with pytest.raises(ClaimedError, match="claimed by record unit, this is attribute unit") as caught:
        Database.open(url, role="attribute unit")
    assert "only a demonstration may share one" in str(caught.value.hint)
    with Database.open(url, role="record unit") as again:
        assert "record unit" == again.role


def test_another_party_of_the_same_role_is_refused(url: str) -> None:
    """Two owners have two disclosure ledgers; one that names itself later is taken for the one that is there."""
    with Database.open(url, role="owner", identity="clinic a") as database:
        database.project("flu").append(kind="decision", body=b"", time=0.0)
    with pytest.raises(ClaimedError, match="claimed by another owner, clinic a"):
        Database.open(url, role="owner", identity="clinic b")
    with Database.open(url, role="owner") as database:
        assert ("clinic a", 1) == (database.identity, len(list(database.project("flu").entries())))


def test_a_demonstration_may_share_and_its_logs_stay_apart(url: str) -> None:
    """Each role's log of the same project is its own, even in one database; so are its tokens."""
    parties = [("record unit", ""), ("owner", "a"), ("owner", "b")]
    for number, (role, identity) in enumerate(parties):
        with Database.open(url, role=role, identity=identity, demonstration=True) as database:
            for _ in range(number + 1):
                database.project("flu").append(kind="decision", body=role.encode(), time=0.0)
            secret = database.tokens.issue("flu", "operator", 10.0, 1.0)
    with Database.open(url, role="owner", identity="a", demonstration=True) as database:
        assert 2 == len(list(database.project("flu").entries()))
    with Database.inspect(url) as auditor:
        assert [*parties] == [(log.role, log.identity) for log in auditor.logs()]
        assert [[], [], []] == [log.verify() for log in auditor.logs()]
    with Database.open(url, role="record unit", demonstration=True) as database:
        assert database.tokens.check(secret, 2.0) is None
    with pytest.raises(ClaimedError, match="several parties"):
        Database.open(url, role="owner", demonstration=True)
    with pytest.raises(ClaimedError):
        Database.open(url, role="record unit")


def test_a_later_release_s_database_is_refused_untouched(url: str) -> None:
    """Its rows may mean what this release does not know."""
    with Database.open(url, role="owner"):
        pass
    raw(url, "UPDATE meta SET value = '99' WHERE name = 'version'")
    with pytest.raises(StorageError, match="later release"):
        Database.open(url, role="owner")
    with pytest.raises(StorageError, match="later release"):
        Database.inspect(url)
    assert [("99",)] == raw(url, "SELECT value FROM meta")


def test_steps_that_are_lacking_are_applied_once_and_keep_what_is_there(url: str) -> None:
    """An update of Unveil finds the databases of the release before."""
    added = Migration(("CREATE TABLE added (n BIGINT)", "INSERT INTO added VALUES (7)"))
    with Database.open(url, role="owner") as database:
        database.project("flu").append(kind="decision", body=b"kept", time=0.0)
        for _ in range(2):
            with database._backend.write() as transaction:
                migrate(transaction, database._backend.kind, "here", (*MIGRATIONS, added))
        assert [b"kept"] == [entry.body for entry in database.project("flu").entries()]
    expected = str(len(MIGRATIONS) + 1)
    assert ([(7,)], [(expected,)]) == (raw(url, "SELECT n FROM added"), raw(url, "SELECT value FROM meta"))


def test_a_step_that_fails_leaves_the_tables_as_they_were(url: str) -> None:
    """A crash half way through an update must not leave a database that nobody can open."""
    wrong = Migration(("CREATE TABLE added (n BIGINT)", "CREATE TABLE added (n BIGINT)"))
    with Database.open(url, role="owner") as database:
        with pytest.raises(StorageError), database._backend.write() as transaction:
            migrate(transaction, database._backend.kind, "here", (*MIGRATIONS, wrong))
        with database._backend.write() as transaction:
            transaction.run("CREATE TABLE added (n BIGINT)")
    assert [(str(len(MIGRATIONS)),)] == raw(url, "SELECT value FROM meta")


def test_an_auditor_changes_nothing(url: str) -> None:
    """Not even where the log would take an entry."""
    with Database.open(url, role="owner") as database:
        head = database.project("flu").head
    with Database.inspect(url) as auditor:
        (log,) = auditor.logs()
        with pytest.raises(StorageError):
            log.append(kind="decision", body=b"", time=0.0)
        with pytest.raises(StorageError):
            auditor.project("new")
        assert head == log.head


def test_sqlite_files_are_readable_by_their_owner_alone(tmp_path: Path) -> None:
    """Others on the machine must not read what a unit holds, not even while it runs."""
    with Database.open(tmp_path / "unit.db", role="owner") as database:
        database.project("flu")
        files = sorted(tmp_path.iterdir())
        assert ["unit.db", "unit.db-shm", "unit.db-wal"] == [path.name for path in files]
        assert {0o600} == {stat.S_IMODE(path.stat().st_mode) for path in files}


def test_a_bare_path_and_a_url_mean_the_same_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As people know it from elsewhere: three slashes are relative, four absolute."""
    monkeypatch.chdir(tmp_path)
    Path("a #?%.db").touch(mode=0o600)
    urls: list[str | Path] = [
        f"sqlite:///{tmp_path}/a #?%.db",
        "sqlite:///a #?%.db",
        str(tmp_path / "a #?%.db"),
        tmp_path / "a #?%.db",
    ]
    for url in urls:
        with Database.open(url, role="owner") as database:
            database.project("flu").append(kind="decision", body=b"", time=0.0)
    with Database.inspect(urls[0]) as auditor:
        assert [4] == [log.head[0] for log in auditor.logs()]
    assert path_of(str(urls[0])).exists()


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://me:hunter2@127.0.0.1:1/none",
        "postgresql://me:hunter2@nowhere.invalid/none",
        "postgresql://127.0.0.1:1/none?user=me&password=hunter2",
        "postgresql://me:12/hunter2@127.0.0.1:1/none",
        "postgresql://me:%zzhunter2@127.0.0.1/none",
        "postgresql://me@127.0.0.1:hunter2/none",
        "mysql://me:hunter2@host/none",
    ],
)
def test_no_error_shows_a_password(url: str) -> None:
    """Errors go to logs and screens."""
    with pytest.raises((StorageError, SettingError)) as caught:
        Database.open(url, role="owner")
    assert "hunter2" not in f"{caught.value} {caught.value.hint} {caught.value.__cause__}"
    assert caught.value.__suppress_context__ or caught.value.__context__ is None


@pytest.mark.parametrize("name", ["", "a\0b", "a\nb"])
def test_a_project_needs_a_name_that_can_be_printed(url: str, name: str) -> None:
    """It is shown in errors and held by both databases."""
    with Database.open(url, role="owner") as database, pytest.raises(SettingError):
        database.project(name)


def test_rows_of_a_removed_project_are_reported(url: str) -> None:
    """Whoever removes a whole project must remove every row of it."""
    with Database.open(url, role="owner") as database:
        database.project("flu").append(kind="decision", body=b"x", time=0.0)
        assert [] == database.strays()
        raw(url, "DELETE FROM projects")
        assert ["1 rows of log", "1 rows of bodies", "1 rows of nonces"] == [
            problem.removesuffix(" belong to no project") for problem in database.strays()
        ]
