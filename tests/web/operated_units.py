"""Units that really listen over TLS, with their operators' pages: a record unit that has linked, and any other."""

from __future__ import annotations

import io
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import httpx
import numpy as np

from patience import PATIENCE
from small_unit import PROJECT, A, B, agree, host, people, project, upload
from unveil.projects import pki
from unveil.protocol.roles import Role
from unveil.runtime.operations import Surroundings, UsedCertificate
from unveil.runtime.units import RecordUnitService, UnitService
from unveil.runtime.worker import Worker
from unveil.storage.database import Database
from unveil.transport.http.app import application
from unveil.transport.http.limits import RequestLimits
from unveil.transport.http.server import UnitServer
from unveil.transport.http.tls import Credentials, client_context, server_context
from unveil.transport.logs import logger
from unveil.web.of_unit import add_pages


@dataclass
class Operated:
    """A unit, where it listens, and what it logged."""

    folder: Path
    unit: UnitService
    database: Database
    logged: io.StringIO
    address: str = ""
    looking: list[Looking] = field(default_factory=list)

    def token(self, project: str = PROJECT, role: str = "operator", *, seconds: float = 600) -> str:
        """A token of this unit."""
        now = time.time()
        return self.database.tokens.issue(project, role, now + seconds, now - 1)

    def operator(self, project: str = PROJECT) -> Looking:
        """Somebody who is logged in, without a browser."""
        looking = Looking(self)
        assert 303 == looking.log_in(self.token(project)).status_code
        return looking


class Looking:
    """A client that does what a browser does at the operator's page, or something else."""

    def __init__(self, live: Operated) -> None:
        live.looking.append(self)
        context = client_context(Credentials(live.folder / "authority.pem"))
        self.http = httpx.Client(base_url=live.address, verify=context, timeout=PATIENCE, trust_env=False)
        self.origin = {"origin": live.address}

    def page(self, **headers: str) -> str:
        """The page, as text."""
        return self.http.get("/operate", headers=headers).text

    @property
    def mark(self) -> str:
        """What the page sends with every step."""
        return self.page().split('name="mark" value="')[1].split('"')[0]

    def log_in(self, token: str, **form: str) -> httpx.Response:
        """Show a token."""
        return self.http.post("/operate/log-in", data={"token": token, **form}, headers=self.origin)

    def log_out(self) -> httpx.Response:
        """End the visit."""
        return self.http.post("/operate/log-out", data={"mark": self.mark}, headers=self.origin)


@contextmanager
def listening(folder: Path, unit: UnitService, database: Database, logged: io.StringIO) -> Iterator[Operated]:
    """Serve this unit until the block ends."""
    live, ready = Operated(folder, unit, database, logged), threading.Event()
    credentials = Credentials(folder / "authority.pem", folder / "unit.pem", folder / "unit.key")

    def on_ready(host_name: str, port: int) -> None:
        live.address = f"https://{host_name}:{port}"
        ready.set()

    log = logger(logged)
    app = application(unit, limits=RequestLimits(), clock=time.time, log=log)
    add_pages(app, unit, log)
    server = UnitServer(app, server_context(credentials), "127.0.0.1", 0, on_ready)
    thread = threading.Thread(target=server.run)
    thread.start()
    try:
        assert ready.wait(PATIENCE)
        yield live
    finally:
        for each in live.looking:
            each.http.close()
        server.stop()
        thread.join(PATIENCE)


@contextmanager
def record_unit(folder: Path) -> Iterator[Operated]:
    """A record unit that has compared two uploads of which a half is the same people, and asked about some."""
    pki.new_authority(folder)
    pki.issue(folder, "unit")
    (folder / "data").mkdir(mode=0o700)
    with Database.open(folder / "data" / "log.sqlite", role="record unit") as database:
        of, logged = project(), io.StringIO()
        at = host(database, folder / "data", of)
        agree(at)
        rng, same = np.random.default_rng(4), people(1, 60)
        written_twice = same ^ np.packbits(rng.random((60, 2048)) < rng.random((60, 1)) / 4, axis=1)
        upload(at, A, np.concatenate([same, people(2, 30)]))
        upload(at, B, np.concatenate([written_twice, people(3, 30)]))
        at.advance()
        worker = Worker(of, at, logger(logged))
        around = Surroundings((UsedCertificate("", folder / "unit.pem"),), folder / "data")
        unit = RecordUnitService(Role.RECORD_UNIT, {PROJECT: worker}, database, around)
        with listening(folder, unit, database, logged) as live:
            yield live
