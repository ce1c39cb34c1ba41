"""Every party is killed again and again while a linkage runs; its result is that of a run that nobody disturbed."""

from __future__ import annotations

import os
import random
from pathlib import Path

from fleet import Zygote, fleet
from killing import Killer
from log_checks import check_everything
from small_trial import new_trial

from postgres import PostgresServer
from unveil.lab.local_parties.folder import PARTY_FOLDERS

#: How often each party is killed.
SQLITE_KILLS = int(os.environ.get("UNVEIL_KILLS_SQLITE", "100"))
POSTGRESQL_KILLS = int(os.environ.get("UNVEIL_KILLS_POSTGRESQL", "20"))
SEED = int(os.environ.get("UNVEIL_KILLS_SEED", "1"))


def test_killed_parties_on_sqlite_come_to_the_undisturbed_links(zygote: Zygote, tmp_path: Path) -> None:
    """A party that dies at any moment loses nothing that was acknowledged and sends nothing that was not charged."""
    killer = Killer(SQLITE_KILLS, random.Random(SEED))
    while not killer.enough:
        small = new_trial(tmp_path / str(killer.linkages), seed=SEED + killer.linkages)
        with fleet(zygote, small) as parties:
            killer.disturb(parties)
        check_everything(small)
    print(killer)  # noqa: T201 - shown with -s


def test_killed_parties_on_postgresql_come_to_the_undisturbed_links(
    zygote: Zygote, postgres_server: PostgresServer, tmp_path: Path
) -> None:
    """The same where the database is a process of its own, which must not keep locks of the dead."""
    killer = Killer(POSTGRESQL_KILLS, random.Random(SEED))
    while not killer.enough:
        with postgres_server.databases(PARTY_FOLDERS) as databases:
            small = new_trial(tmp_path / str(killer.linkages), seed=SEED + killer.linkages, databases=databases)
            with fleet(zygote, small) as parties:
                killer.disturb(parties)
            check_everything(small)
    print(killer)  # noqa: T201 - shown with -s


def test_undisturbed_parties_pass_the_same_checks(zygote: Zygote, tmp_path: Path) -> None:
    """Else the checks would find fault with what killing did not do."""
    killer = Killer(0, random.Random(SEED))
    small = new_trial(tmp_path / "calm", seed=SEED)
    with fleet(zygote, small) as parties:
        killer.disturb(parties)
    check_everything(small)
    assert 0 == sum(killer.kills.values())
