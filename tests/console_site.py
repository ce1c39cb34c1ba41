"""The console of an owner whose process is played by the test, and somebody at it without a browser."""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Generic, TypeVar

import httpx

from patience import PATIENCE
from tools.console_trial import RULES, ConsoleTrial, console_trial
from unveil.runtime.owner.console import OwnerConsole
from unveil.transport.logs import logger
from unveil.web.console.serve import console_on_loopback

__all__ = ["RULES", "ConsoleAddress", "ConsoleCaller", "ConsoleTrial", "LiveConsole", "console_trial", "live_console"]

A = TypeVar("A", bound="ConsoleAddress")


@dataclass
class ConsoleAddress:
    """Where a console listens."""

    link: str

    @property
    def root(self) -> str:
        """The address that everything lies below."""
        return self.link.split("/join#")[0]

    @property
    def origin(self) -> str:
        """Scheme, host and port."""
        return "/".join(self.root.split("/")[:3])


@dataclass
class LiveConsole(ConsoleAddress):
    """A console that listens in this process, and what it logged."""

    console: OwnerConsole
    logged: io.StringIO


@contextmanager
def live_console(trial: ConsoleTrial) -> Iterator[LiveConsole]:
    """Serve the console of that folder."""
    logged = io.StringIO()
    with (
        OwnerConsole.open(trial.path, demonstration=True) as console,
        console_on_loopback(console, log=logger(logged)) as page,
    ):
        yield LiveConsole(page.link, console, logged)


class ConsoleCaller(Generic[A]):
    """A client that does what a browser does, or something else."""

    def __init__(self, live: A) -> None:
        self.live = live
        self.http = httpx.Client(base_url=live.root, timeout=PATIENCE, trust_env=False)
        self.headers = {"origin": live.origin}

    def join(self, link: str | None = None) -> httpx.Response:
        """Come by the link."""
        form = {"invitation": (link or self.live.link).split("#")[1]}
        return self.http.post("/join", data=form, headers=self.headers)

    def fields(self, path: str) -> dict[str, str]:
        """The hidden fields of the last form on a page that answers something."""
        text = self.http.get(path).text.split("<main")[1].split("</main>")[0]
        form = [each for each in text.split("<form")[1:] if 'name="offer"' in each][-1]
        hidden = [each.split('"') for each in form.split('type="hidden" name=')[1:]]
        return {each[1]: each[3] for each in hidden}

    def answer_groups(self, do: str) -> int:
        """Answer every group that waits, as its page shows it; how many there were."""
        forms = [each for each in self.http.get("/wishes").text.split("<form")[1:] if 'name="group"' in each]
        for form in forms:
            hidden = [each.split('"') for each in form.split('type="hidden" name=')[1:]]
            fields = {each[1]: each[3] for each in hidden}
            assert self.post("/answer", {**fields, "sure": "yes", "do": do}).status_code == 303
        return len(forms)

    def post(self, path: str, fields: dict[str, str], headers: dict[str, str] | None = None) -> httpx.Response:
        """Send a form."""
        return self.http.post(path, data=fields, headers={**self.headers, **(headers or {})})
