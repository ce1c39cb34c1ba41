"""A party can be killed at any moment: what it acknowledged is there afterwards."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import time

from unveil.storage.database import Database

WRITER = """
import random, sys
from unveil.storage.database import Database
from unveil.storage.log.outbox import Outgoing

log = Database.open(sys.argv[1], role="record unit").project("flu")
rng = random.Random(sys.argv[2])
while True:
    number = f"{sys.argv[2]}.{rng.random()}"
    body = rng.randbytes(rng.choice([10, 2000, 300_000]))
    sent = [Outgoing("owner", number, body[:100])] * rng.randint(0, 1)
    seq = log.append(kind="message", sender="a", message_id=number, body=body, time=1.0, outgoing=sent)
    sys.stdout.write(f"{seq} {number} {len(body)}\\n")
    sys.stdout.flush()
    if rng.random() < 0.1:
        log.erase([seq - 1], time=7.0)
"""


def test_every_acknowledged_entry_survives_a_kill(url: str) -> None:
    """Twenty kills of SQLite's only process; fewer with PostgreSQL, whose server lives on."""
    rng = random.Random(3)
    acknowledged: dict[int, tuple[str, int]] = {}
    rounds = 20 if url.startswith("sqlite") else 5
    for number in range(rounds):
        command = [sys.executable, "-c", WRITER, url, str(number)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as writer:
            assert writer.stdout is not None
            first = writer.stdout.readline()
            time.sleep(rng.random() * 0.08)
            writer.send_signal(signal.SIGKILL)
            lines = [first, *writer.stdout.readlines()]
        assert -signal.SIGKILL == writer.returncode
        for number_of, name, length in (line.split() for line in lines if line.endswith("\n")):
            acknowledged[int(number_of)] = (name, int(length))
        with Database.open(url, role="record unit") as database:
            log = database.project("flu")
            found = {entry.seq: (entry.message_id, entry.body) for entry in log.entries()}
            problems = log.verify()
        assert [] == problems
        for seq, (name, size) in acknowledged.items():
            message_id, body = found[seq]
            assert (name, size) == (message_id, size if body is None else len(body))
    assert len(acknowledged) >= rounds
