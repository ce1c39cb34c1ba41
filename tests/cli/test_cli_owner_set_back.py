"""Older copies of each party's database, as real processes over TLS find them: noticed before anything is sent."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from command_line import unveil
from owner_trial import OwnerTrial

from patience import wait_until
from unveil.lab.local_parties.folder import PARTY_FOLDERS, PROJECT, UNIT_FOLDERS
from unveil.lab.local_parties.reviewer import visitor
from unveil.protocol.roles import owner
from unveil.runtime.witness import LogWitness
from unveil.storage.database import Database
from unveil.transport.failures import UnitSetBack
from unveil.transport.http.client import UnitClient
from unveil.transport.http.tls import Credentials, client_context

SET_BACK = "knows of entries that are missing in this party's log"


class Copies:
    """The parties' databases as they were at some moment; all processes must have ended."""

    def __init__(self, trial: OwnerTrial, name: str) -> None:
        self._trial, self._place = trial, trial.root / name
        for party in PARTY_FOLDERS:
            (self._place / party).mkdir(parents=True)
            for path in (trial.root / party).glob("log.sqlite*"):
                shutil.copy(path, self._place / party / path.name)

    def put_back(self, party: str) -> None:
        """Let a party have this copy for its database."""
        for path in (self._trial.root / party).glob("log.sqlite*"):
            path.unlink()
        for path in (self._place / party).iterdir():
            shutil.copy(path, self._trial.root / party / path.name)


def entries(trial: OwnerTrial, party: str) -> int:
    """How many entries a party's log has."""
    with Database.inspect(trial.trial.database(party)) as database:
        return database.logs()[0].head[0]


@pytest.fixture(scope="module")
def linked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[OwnerTrial, Copies, Copies]]:
    """A linkage that is through, and every database after the uploads and in the end."""
    with OwnerTrial(tmp_path_factory.mktemp("set back") / "trial") as trial:
        trial.start_units()
        for process in [trial.start("upload", name) for name in "ab"]:
            trial.end(process)
        trial.kill_units()
        earlier = Copies(trial, "earlier")
        trial.start_units()
        trial.start_reviewer()
        for process in [trial.start("run", name) for name in "ab"]:
            trial.end(process)
        trial.kill_units()
        yield trial, earlier, Copies(trial, "latest")


@contextmanager
def older(linked: tuple[OwnerTrial, Copies, Copies], party: str) -> Iterator[OwnerTrial]:
    """The trial with one party's older database, its units at work."""
    trial, earlier, latest = linked
    earlier.put_back(party)
    trial.start_units()
    try:
        yield trial
    finally:
        trial.kill_units()
        latest.put_back(party)


@pytest.mark.parametrize("command", ["run", "upload"])
def test_an_owner_with_an_older_database_answers_nothing(
    linked: tuple[OwnerTrial, Copies, Copies], command: str
) -> None:
    """It would answer under used keys, and its ledger has forgotten what left."""
    with older(linked, "owner-a") as trial:
        before = {unit: entries(trial, unit) for unit in UNIT_FOLDERS}
        own = entries(trial, "owner-a")
        done = unveil("owner", command, trial.owner("a"), "--demonstration")
        assert (1, True) == (done.returncode, SET_BACK in done.stderr), done.stderr
        assert "put the newest database back" in done.stderr
        assert "Traceback" not in done.stderr
        assert before == {unit: entries(trial, unit) for unit in UNIT_FOLDERS}
        assert own == entries(trial, "owner-a"), "nothing was decided either"


def test_an_owner_in_a_new_folder_answers_nothing(linked: tuple[OwnerTrial, Copies, Copies]) -> None:
    """A folder without memory is like a database that was set back to its beginning."""
    trial = linked[0]
    trial.owner("c").mkdir()
    text = (trial.owner("a") / "unveil.toml").read_text()
    (trial.owner("c") / "unveil.toml").write_text(text.replace("owner-a/log.sqlite", "owner-c/log.sqlite"))
    trial.start_units()
    try:
        before = {unit: entries(trial, unit) for unit in UNIT_FOLDERS}
        done = unveil("owner", "run", trial.owner("c"), "--demonstration")
        assert (1, True) == (done.returncode, SET_BACK in done.stderr), done.stderr
        assert "go on in the folder where the linkage began" in done.stderr
        assert before == {unit: entries(trial, unit) for unit in UNIT_FOLDERS}
    finally:
        trial.kill_units()


@pytest.mark.parametrize("unit", UNIT_FOLDERS)
def test_a_unit_with_an_older_database_is_noticed_and_sends_nothing(
    linked: tuple[OwnerTrial, Copies, Copies], unit: str
) -> None:
    """Its owners know better, and it goes no further when they say so."""
    with older(linked, unit) as trial:
        others = [party for party in UNIT_FOLDERS if party != unit]
        before = {party: entries(trial, party) for party in others}
        certificate = trial.root / "pki" / "owner-b.pem"
        credentials = Credentials(trial.trial.authority, certificate, certificate.with_suffix(".key"))
        address = trial.trial.project().address(UNIT_FOLDERS[unit])
        with (
            Database.open(
                trial.trial.database("owner-b"), role="owner", identity=owner("b").name, demonstration=True
            ) as database,
            UnitClient(address, client_context(credentials), PROJECT) as client,
        ):
            client.witness = LogWitness(database.project(PROJECT), UNIT_FOLDERS[unit].value)
            with pytest.raises(UnitSetBack, match="was set back"):
                client.mail()
        with visitor(trial.trial, unit, "operator") as operator:
            wait_until(lambda: bool(operator.status().set_back), "the unit says that it was set back")
        assert before == {party: entries(trial, party) for party in others}


def test_a_unit_notices_itself_before_it_calls_another(linked: tuple[OwnerTrial, Copies, Copies]) -> None:
    """After the uploads the record unit is about to wish; the attribute unit knows that it has done so before."""
    with older(linked, "record-unit") as trial:
        before = entries(trial, "attribute-unit")
        with visitor(trial.trial, "record-unit", "operator") as operator:
            wait_until(lambda: bool(operator.status().set_back), "the record unit has noticed")
        assert before == entries(trial, "attribute-unit")


def test_the_newest_databases_go_on(linked: tuple[OwnerTrial, Copies, Copies]) -> None:
    """The control: nobody is accused whose log is as it was."""
    trial = linked[0]
    trial.start_units()
    try:
        for name in "ab":
            assert 0 == unveil("owner", "run", trial.owner(name), "--demonstration").returncode
        for unit in UNIT_FOLDERS:
            with visitor(trial.trial, unit, "operator") as operator:
                assert operator.status().set_back is False
    finally:
        trial.kill_units()
