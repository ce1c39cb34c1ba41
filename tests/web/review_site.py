"""A review unit that really listens over TLS, with its pages, and pairs that wait for people."""

from __future__ import annotations

import io
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import httpx

from patience import PATIENCE
from unveil.linkage.shown import DISSIMILAR, EQUAL, SHOWN
from unveil.projects import pki
from unveil.projects.project import Party, Project
from unveil.protocol.codec import encode
from unveil.protocol.machine import Step
from unveil.protocol.messages import AttributeValues, BatchLearnt, ReviewTask
from unveil.protocol.roles import ATTRIBUTE_UNIT, Role, owner
from unveil.roles.chance import SeededChance
from unveil.roles.review_unit.decisions import Practised
from unveil.roles.review_unit.machine import ReviewUnit
from unveil.roles.review_unit.opinions import ONE_OPINION, OpinionTerms
from unveil.runtime.host import Host
from unveil.runtime.reviews import ReviewUnitService
from unveil.runtime.worker import Worker
from unveil.schema import Schema, built_in
from unveil.schema.presets import with_preset
from unveil.storage.database import Database
from unveil.transport.http.app import application
from unveil.transport.http.limits import RequestLimits
from unveil.transport.http.server import UnitServer
from unveil.transport.http.tls import Credentials, client_context, server_context
from unveil.transport.logs import logger
from unveil.web.of_unit import add_pages

OWNERS = (owner("north"), owner("south"))
PASSWORD = "a sentence is easy to keep"
_PLAIN: Schema = with_preset(built_in(), "unveil", budget=60)
#: Reviewers may ask owners for six further attributes.
SCHEMA: Schema = _PLAIN.model_copy(update={"protocol": _PLAIN.protocol.model_copy(update={"further_attributes": 0.1})})
#: States by attribute: first name, middle name, last name, year of birth, city, zip, place of birth.
STATES = (SHOWN, DISSIMILAR, EQUAL, SHOWN, SHOWN, SHOWN, EQUAL)
CLASSES = (0, 0, 3, 0, 0, 0, 1)
#: Planted values: no page may hold a character of them that was not opened. The letters occur nowhere else.
FIRST = ("QATHARIJNA", "QATARIJNA")
YEAR = ("1976", "1967")
ZIP = ("83517", "83571")
TOWN = ("XYLOPHON", "BUTTERKEGS")  # agree in nothing: sent, and never shown


@dataclass
class LiveReview:
    """The unit, where it listens, and what it logged."""

    folder: Path
    project: Project
    database: Database
    unit: ReviewUnitService
    logged: io.StringIO
    address: str = ""
    tasks: int = 0
    callers: list[Caller] = field(default_factory=list)

    @property
    def host(self) -> Host[ReviewUnit]:
        """The machine and its log."""
        return self.unit.workers[self.project.name].host

    def ask(self, count: int) -> list[bytes]:
        """More pairs for people."""
        ids = [(self.tasks + at + 1).to_bytes(16, "big") for at in range(count)]
        self.tasks += count
        column = b"".join(ids)
        task = ReviewTask(len(SCHEMA.names), column, bytes(STATES) * count, bytes(CLASSES) * count)
        self.host.take(ATTRIBUTE_UNIT, f"task {self.tasks}", encode(task))
        for side, party in enumerate(OWNERS):
            values = {
                "first_name": FIRST[side], "year_of_birth": YEAR[side], "city": TOWN[side], "zip": ZIP[side],
            }  # fmt: skip
            self.host.take(party, f"values {self.tasks}", encode(AttributeValues(column, (values,) * count)))
        return ids

    def learnt(self, labels: int) -> None:
        """The attribute unit says what so many labels changed."""
        word = encode(BatchLearnt(labels, 90, 30, 4, 1, 9_000, 9_100))
        self.host.take(ATTRIBUTE_UNIT, f"learnt {self.tasks}", word)

    def invite(self, name: str, *, role: str = "reviewer", project: str | None = None) -> str:
        """The link of an invitation."""
        secret = self.database.people.invite(project or self.project.name, role, name, until=time.time() + 600)
        return f"{self.address}/review/join#{secret}"

    def person(self, name: str) -> str:
        """The id by which the log knows somebody."""
        return next(each.id for each in self.database.people.list() if each.name == name)

    def practised(self, name: str) -> None:
        """As if they had practised already."""
        self.host.deciding(lambda _: Step(Practised(8, 8, self.person(name).encode())))

    def caller(self, name: str, *, practised: bool = True, role: str = "reviewer") -> Caller:
        """Somebody who is logged in, without a browser."""
        caller = Caller(self, name)
        caller.join(self.invite(name, role=role))
        if practised:
            self.practised(name)
        return caller


class Caller:
    """A client that does what the pages do, or something else."""

    def __init__(self, live: LiveReview, name: str) -> None:
        self.live, self.name = live, name
        live.callers.append(self)
        context = client_context(Credentials(live.folder / "authority.pem"))
        self.http = httpx.Client(base_url=live.address, verify=context, timeout=PATIENCE, trust_env=False)
        self.origin = {"origin": live.address}
        self.mark = ""

    def join(self, link: str, password: str = PASSWORD) -> httpx.Response:
        """Use an invitation."""
        form = {"invitation": link.split("#")[1], "password": password}
        return self._in(self.http.post("/review/join", data=form, headers=self.origin))

    def log_in(self, password: str = PASSWORD) -> httpx.Response:
        """Log in."""
        form = {"name": self.name, "password": password}
        return self._in(self.http.post("/review/log-in", data=form, headers=self.origin))

    def _in(self, answer: httpx.Response) -> httpx.Response:
        if answer.status_code == 303:
            text = self.http.get("/review").text
            self.mark = text.split('name="unveil-mark" content="')[1].split('"')[0]
        return answer

    def step(self, do: str, *, headers: dict[str, str] | None = None, **more: object) -> httpx.Response:
        """Take a step."""
        sent = {**self.origin, "unveil-mark": self.mark, **(headers or {})}
        return self.http.post("/review/step", json={"do": do, **more}, headers=sent)

    def view(self) -> dict:  # type: ignore[type-arg]
        """What is before them."""
        return self.step("view").json()


@contextmanager
def live_review(folder: Path, *, terms: OpinionTerms = ONE_OPINION) -> Iterator[LiveReview]:
    """Serve until the block ends."""
    pki.new_authority(folder)
    pki.issue(folder, "review-unit")
    credentials = Credentials(folder / "authority.pem", folder / "review-unit.pem", folder / "review-unit.key")
    parties = tuple(Party(role="owner", name=one.name, public_key=f"sha256:{one.name[0] * 42}A") for one in OWNERS)
    project = Project(name="stroke", parties=parties, schema=SCHEMA)
    (folder / "data").mkdir(mode=0o700)
    with Database.open(folder / "data" / "log.sqlite", role="review unit") as database:
        logged, ready = io.StringIO(), threading.Event()
        log = logger(logged)
        chance = SeededChance(1, "review unit")
        host = Host(
            lambda: ReviewUnit(SCHEMA, OWNERS, chance=chance, terms=terms),
            database.project(project.name),
            clock=time.time,
        )
        unit = ReviewUnitService(Role.REVIEW_UNIT, {project.name: Worker(project, host, log)}, database)
        live = LiveReview(folder, project, database, unit, logged)

        def on_ready(host_name: str, port: int) -> None:
            live.address = f"https://{host_name}:{port}"
            ready.set()

        app = application(unit, limits=RequestLimits(), clock=time.time, log=log)
        add_pages(app, unit, log)
        server = UnitServer(app, server_context(credentials), "127.0.0.1", 0, on_ready)
        thread = threading.Thread(target=server.run)
        thread.start()
        try:
            assert ready.wait(PATIENCE)
            yield live
        finally:
            for caller in live.callers:
                caller.http.close()
            server.stop()
            thread.join(PATIENCE)
