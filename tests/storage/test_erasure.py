"""What was erased is gone from the disk, not only from the answers."""

from __future__ import annotations

import random
from pathlib import Path
from time import sleep

import pytest
from databases import connection, file_bytes, let_go, raw

from postgres import PostgresServer
from unveil.storage.database import Database
from unveil.storage.log import chain, contents
from unveil.storage.log.outbox import Outgoing

CANARY = b"Featherstonehaugh-1931-02-29"


@pytest.fixture
def sqlite_url(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path}/unit.db"


#: Of what `planted` finds in an entry with sender "a" and id "m".
LABEL = contents.Label(chain.genesis("review unit", "", "flu"), 1, contents.OWN, ("message", "a", "m"))


def planted(url: str, seq: int, part: int = 0) -> tuple[bytes, bytes]:
    """The nonce and the sealed bytes of a content, as they lie in the database."""
    key = [seq, part]
    ((nonce,),) = raw(url, "SELECT nonce FROM nonces WHERE seq = ? AND part = ?", key)
    ((sealed,),) = raw(url, "SELECT body FROM bodies WHERE seq = ? AND part = ?", key)
    return nonce, sealed


@pytest.mark.parametrize("size", [1, 500])
def test_an_erased_value_cannot_be_had_from_the_files_any_more(sqlite_url: str, size: int) -> None:
    """Before: nonce and sealed value are in the files and give the value. After: neither file nor log holds them."""
    with Database.open(sqlite_url, role="review unit") as database:
        log = database.project("flu")
        seq = log.append(kind="message", sender="a", message_id="m", body=CANARY * size, time=1.0)
        nonce, sealed = planted(sqlite_url, seq)
        let_go(sqlite_url)
        before = file_bytes(sqlite_url)
        assert (True, True) == (nonce in before, sealed[:1000] in before)
        stored = contents.Stored(nonce, contents.AUTHENTICATED, sealed)
        assert CANARY * size == contents.unseal(stored, LABEL, b"")
        log.erase([seq], time=7.0)
        after = file_bytes(sqlite_url)
        assert (False, False, False) == (nonce in after, sealed[:1000] in after, log.residue)
        assert [] == log.verify()


def test_values_never_lie_open_in_the_files(sqlite_url: str) -> None:
    """Only what a closed project keeps is written as it is; it shows that the search would find a value."""
    with Database.open(sqlite_url, role="review unit") as database:
        log = database.project("flu")
        sent = [Outgoing("a", "w", CANARY)]
        log.append(kind="decision", body=CANARY, stub=CANARY, time=1.0, outgoing=sent)
        assert CANARY not in file_bytes(sqlite_url)
        log.close({}, {"table": CANARY})
        assert CANARY in file_bytes(sqlite_url)


def test_no_copy_stays_behind_as_rows_come_and_go(sqlite_url: str) -> None:
    """
    SQLite moves rows between pages and leaves their bytes where they were, so nonces must never be moved.

    One in a thousand deleted rows of mixed sizes leaves a copy, whatever secure_delete says: enough for a surname.
    """
    rng = random.Random(5)
    with Database.open(sqlite_url, role="review unit") as database:
        live, gone, count = {}, [], 0
        for _ in range(60):
            with database._backend.write() as transaction:
                for _ in range(100):
                    count += 1
                    sealed = contents.seal(rng.randbytes(rng.choice([1, 60, 900])), LABEL)
                    contents.insert(transaction, 1, count, 0, sealed)
                    live[count] = sealed.nonce
                old = rng.sample(sorted(live), 90)
                contents.erase(transaction, 1, [(seq, 0) for seq in old])
            gone += [live.pop(seq) for seq in old]
        database._residue.remove()
        files = file_bytes(sqlite_url)
    assert (600, 0) == (sum(nonce in files for nonce in live.values()), sum(nonce in files for nonce in gone))


def test_closing_a_project_erases_stubs_and_messages_too(sqlite_url: str) -> None:
    """Nothing but the chain, the summary and what was kept remains."""
    with Database.open(sqlite_url, role="review unit") as database:
        log = database.project("flu")
        log.append(kind="decision", body=b"d", stub=CANARY, time=1.0, outgoing=[Outgoing("a", "w", CANARY)])
        nonces = [planted(sqlite_url, 1, part)[0] for part in (contents.STUB, contents.OWN, 1)]
        let_go(sqlite_url)
        assert [True] * 3 == [nonce in file_bytes(sqlite_url) for nonce in nonces]
        log.close({}, {})
        assert [False] * 3 == [nonce in file_bytes(sqlite_url) for nonce in nonces]


def test_a_delivered_message_cannot_be_had_from_the_files_any_more(sqlite_url: str) -> None:
    """Wishes carry pair keys, which the record unit must not hold once they were fetched."""
    with Database.open(sqlite_url, role="record unit") as database:
        log = database.project("flu")
        log.append(kind="decision", body=b"d", time=1.0, outgoing=[Outgoing("a", "w", CANARY * 99)])
        nonce, sealed = planted(sqlite_url, 1, 1)
        let_go(sqlite_url)
        before = file_bytes(sqlite_url)
        assert (True, True) == (nonce in before, sealed[:1000] in before)
        log.delivered("w", recipient="a")
        after = file_bytes(sqlite_url)
        assert (False, False, False) == (nonce in after, sealed[:1000] in after, log.residue)


@pytest.mark.parametrize("then", ["an entry", "a look into the outbox", "closing the database"])
def test_of_deliveries_in_close_succession_nothing_stays_for_long(
    sqlite_url: str, monkeypatch: pytest.MonkeyPatch, then: str
) -> None:
    """The write-ahead log is not cut with each of them; whatever comes next makes up for it."""
    now = 0.0
    with Database.open(sqlite_url, role="record unit") as database, Database.inspect(sqlite_url) as auditor:
        monkeypatch.setattr(database._residue, "_clock", lambda: now)
        log = database.project("flu")
        sent = [Outgoing("a", str(n), CANARY) for n in range(9)]
        log.append(kind="decision", body=b"d", time=1.0, outgoing=sent)
        assert [[]] == [each.verify() for each in auditor.logs()]  # whoever reads keeps SQLite's log when it is closed
        nonces = [planted(sqlite_url, 1, 1 + n)[0] for n in range(9)]
        let_go(sqlite_url)
        monkeypatch.setattr(database._residue, "_rest_until", 1.0)
        for one in sent:
            log.delivered(one.message_id, recipient="a")
        files = file_bytes(sqlite_url)
        assert (True, True) == (log.residue, all(nonce in files for nonce in nonces))
        now = 2.0
        if then == "an entry":
            log.append(kind="decision", body=b"next", time=2.0)
        elif then == "a look into the outbox":
            assert [] == log.outgoing(recipient="a")
        else:
            database.close()
        files = file_bytes(sqlite_url)
        assert (False, False) == (log.residue, any(nonce in files for nonce in nonces))


def test_a_reader_delays_the_removal_and_the_next_entry_makes_up_for_it(url: str) -> None:
    """Another process may hold an old state open; what it can still read goes as soon as it lets go."""
    with Database.open(url, role="review unit") as database:
        log = database.project("flu")
        seq = log.append(kind="message", sender="a", message_id="m", body=CANARY, time=1.0)
        nonce, _ = planted(url, seq)
        reader = connection(url)
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM nonces").fetchall()
        log.erase([seq], time=7.0)
        assert (True, None) == (log.residue, next(log.entries()).body)
        assert url.startswith("postgresql") or nonce in file_bytes(url)
        log.append(kind="decision", body=b"next", time=2.0)
        assert log.residue
        let_go(url)
        for tries in range(600):  # a server takes a moment to notice that its reader is gone
            log.append(kind="decision", body=b"next but one", time=3.0 + tries)
            if not log.residue:
                break
            sleep(0.1)
        assert not log.residue
        assert url.startswith("postgresql") or nonce not in file_bytes(url)
        assert [] == log.verify()


def test_a_crash_between_erasure_and_cut_is_made_up_for_at_the_next_start(
    sqlite_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The erasure is durable before the write-ahead log is cut; the power may fail in between."""
    database = Database.open(sqlite_url, role="review unit")
    log = database.project("flu")
    seq = log.append(kind="message", sender="a", message_id="m", body=CANARY, time=1.0)
    nonce, _ = planted(sqlite_url, seq)
    monkeypatch.setattr(log._residue, "remove", lambda: None)
    log.erase([seq], time=7.0)
    assert nonce in file_bytes(sqlite_url)
    with Database.open(sqlite_url, role="review unit"):
        assert nonce not in file_bytes(sqlite_url)
    database.close()


def test_postgresql_keeps_no_nonce_in_its_tables(postgres_url: str, postgres_server: PostgresServer) -> None:
    """Neither of what was erased nor of what was delivered; its write-ahead log is another matter, see its scrub."""

    def tables() -> bytes:
        postgres_server.administer("CHECKPOINT")
        return b"".join(path.read_bytes() for path in (postgres_server.data / "base").rglob("*") if path.is_file())

    with Database.open(postgres_url, role="review unit") as database:
        log = database.project("flu")
        sent = [Outgoing("a", "w", CANARY)]
        seq = log.append(kind="message", sender="a", message_id="m", body=CANARY, stub=CANARY, time=1.0, outgoing=sent)
        nonce, _ = planted(postgres_url, seq)
        stub, _ = planted(postgres_url, seq, contents.STUB)
        wish, _ = planted(postgres_url, seq, 1)
        assert (True, True, True) == (nonce in tables(), stub in tables(), wish in tables())
        log.delivered("w", recipient="a")
        assert (True, False) == (nonce in tables(), wish in tables())
        log.erase([seq], time=7.0)
        assert (False, True) == (nonce in tables(), stub in tables())
        log.close({}, {})
        assert stub not in tables()
    let_go(postgres_url)
