"""A page in a real browser: everything that arrived at it, and whatever went wrong."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from playwright.sync_api import BrowserContext, Error, Page, Response

from tools.browser import axe

WATCH = """
document.addEventListener("securitypolicyviolation", (event) => window.policyBroken(event.violatedDirective));
"""
#: What axe looks for: everything of WCAG 2.2 A and AA that a program can check.
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]


class Watched:
    """A page, everything that arrived at it, and whatever went wrong."""

    def __init__(self, context: BrowserContext, *, keeps: bool = True) -> None:
        context.add_init_script(WATCH)
        self.page: Page = context.new_page()
        self.arrived: list[str] = []
        self.said: list[str] = []
        self.broken: list[str] = []  # on every page of the journey
        self.page.expose_function("policyBroken", self._note_broken)
        self.readers: list[Callable[[str, str], None]] = []  # are told address and text of whatever arrives
        self.left: list[str] = []  # addresses whose answers came while another page was asked for
        self._reading = 0
        if keeps:  # everything that arrives is read, so nothing should be left before it has: see `settled`
            self.page.on("response", self._keep)
        self.page.on("console", lambda message: self.said.append(message.text))
        self.page.on("pageerror", lambda error: self.said.append(str(error)))

    def _note_broken(self, directive: str) -> None:
        self.broken.append(directive)

    def _keep(self, response: Response) -> None:
        self.arrived.append(response.url + json.dumps(response.headers))
        if 300 <= response.status < 400:
            return
        self._reading += 1
        try:
            self.arrived.append(response.text())
            for each in self.readers:
                each(response.url, self.arrived[-1])
        except Error as error:
            if "navigated away" not in str(error):
                raise
            self.left.append(response.url)
        finally:
            self._reading -= 1

    def settled(self) -> None:
        """Wait until everything that has arrived was read."""
        self.page.wait_for_timeout(5)
        while self._reading:
            self.page.wait_for_timeout(5)

    def stage(self, name: str) -> None:
        self.page.wait_for_selector(f"#page[data-stage='{name}']")

    @contextmanager
    def step(self) -> Iterator[None]:
        """Until what follows from a step is drawn."""
        before = self.page.get_attribute("#page", "data-steps")
        yield
        self.page.wait_for_selector(f"#page[data-steps]:not([data-steps='{before}'])")

    def press(self, *keys: str) -> None:
        """Keys, each after the last one was answered."""
        for key in keys:
            if key in "mnskuah" or (key == "Enter" and self.page.locator("button:focus, a:focus").count() == 0):
                with self.step():
                    self.page.keyboard.press(key)
            else:
                self.page.keyboard.press(key)

    def complaints(self) -> list[str]:
        """Policies that were broken so far, and what the console said that is no news."""
        self.page.wait_for_timeout(30)
        return [*self.broken, *(each for each in self.said if not each.startswith("Clear-Site-Data header"))]

    def found_on_every_screen(self) -> list[str]:
        """What axe finds wide and light, and on a phone in dark colours; and what is wider than the screen."""
        found = []
        for scheme, width, height in (("dark", 390, 844), ("light", 1280, 900)):
            self.page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
            self.page.set_viewport_size({"width": width, "height": height})
            found += [f"{scheme}: {each}" for each in self.found_by_axe()]
            if not self.page.evaluate("document.documentElement.scrollWidth <= innerWidth"):
                found.append(f"wider than {width}")
        return found

    def found_by_axe(self) -> list[str]:
        self.page.wait_for_load_state("load")  # without its styles a page is another one
        self.page.evaluate(axe())
        found = self.page.evaluate("(rules) => axe.run(document, {runOnly: {type: 'tag', values: rules}})", RULES)[
            "violations"
        ]
        return [f"{each['id']}: {each['nodes'][0]['html'][:120]}" for each in found]
