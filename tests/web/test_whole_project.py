"""A whole project by people: from the invitations to the links, with five processes, over TLS, in a real browser."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import BrowserContext
from review_site import PASSWORD
from watched_page import Watched
from whole_project import LABELS, WholeProject, whole_project

from patience import wait_until
from unveil import web
from unveil.lab.local_parties.folder import UNIT_FOLDERS
from unveil.web.languages import languages

PEOPLE = {"ann": "reviewer", "bob": "reviewer", "eve": "lead"}
SCREENS = (("light", 1280, 900), ("dark", 390, 844))


class Reviewers:
    """Ann, Bob and Eve, one after the other at one browser; what they see is judged by what is on the page alone."""

    def __init__(self, project: WholeProject, seen: Watched) -> None:
        self.project, self.seen = project, seen
        self.decided: dict[str, dict[str, str]] = {name: {} for name in PEOPLE}  # name -> task -> key
        self.opened: set[tuple[str, str, str]] = set()  # task, attribute, stage
        self.views: list[dict[str, Any]] = []
        self._cookies: dict[str, Any] = {}
        self._who = ""
        seen.readers.append(self._keep)

    def _keep(self, address: str, text: str) -> None:
        if address.endswith("/step") and '"stage"' in text:
            self.views.append(json.loads(text))

    def join(self, name: str) -> None:
        """Come by the link, choose a password, and practise, all by keyboard."""
        page = self.seen.page
        self._leave()
        page.goto(self.project.invite(name, PEOPLE[name]))
        page.wait_for_selector("input[name=password]:focus")
        page.keyboard.type(PASSWORD)
        page.keyboard.press("Enter")
        self._who = name
        self.seen.stage("practice begins")
        while self.stage.startswith("practice"):
            if self.stage == "practice":
                self.seen.press(self.judged())
            else:
                page.keyboard.press("Enter")
                self.seen.stage("practice")

    def come(self, name: str) -> None:
        """Sit down as somebody who has joined; the page shows what is before them."""
        if name == self._who:
            return
        self._leave()
        self.seen.page.context.add_cookies([self._cookies[name]])
        self._who = name
        self.look()

    def look(self) -> None:
        """Open the page anew."""
        self.seen.settled()
        self.seen.page.goto(f"{self.project.address}/review")
        self.seen.page.wait_for_selector("#page[data-stage]")

    def _leave(self) -> None:
        self.seen.settled()
        for cookie in self.seen.page.context.cookies():
            if cookie["name"] == "__Host-unveil":
                self._cookies[self._who] = cookie
        self.seen.page.context.clear_cookies()

    @property
    def stage(self) -> str:
        """What is before them."""
        return self.seen.page.get_attribute("#page", "data-stage") or ""

    @property
    def task(self) -> str:
        """The pair before them."""
        return self.seen.page.get_attribute("#page", "data-task") or ""

    def states(self) -> dict[str, str]:
        """The state of each attribute, as the page draws it."""
        classes = self.seen.page.eval_on_selector_all(".attribute", "all => all.map(one => one.className)")
        names = [cell["labels"] for cell in self.views[-1]["pair"]["cells"]]
        return {name: one.split()[1] for each, one in zip(names, classes, strict=True) for name in each}

    def judged(self) -> str:
        """What a sensible person says: one who is born at another time is another person."""
        states = self.states()
        unlike = sum(state == "dissimilar" for state in states.values())
        born = states["year_of_birth"]
        return "m" if born == "equal" or (born == "shown" and unlike <= 1) else "n"

    def decide(self) -> None:
        """One label; Ann and Bob contradict whatever the other said of a pair, as far as they are asked about it."""
        other = {"ann": "bob", "bob": "ann"}.get(self._who)
        before = self.decided[other].get(self.task) if other else None
        key = self.judged() if before is None else {"m": "n", "n": "m"}[before]
        self.decided[self._who][self.task] = key
        self.seen.press(key)

    def work(self) -> None:
        """Decide whatever waits, and hand it in."""
        while self.stage == "pair":
            self.decide()
        if self.stage == "end":
            self.seen.press("h")

    def choose(self, selector: str) -> None:
        """Move to the first attribute with such a button by the arrow keys."""
        at = self.seen.page.eval_on_selector(f".attribute:has({selector})", "one => Number(one.dataset.at)")
        chosen = int(self.seen.page.get_attribute(".attribute[aria-current]", "data-at") or 0)
        for _ in range(abs(at - chosen)):
            self.seen.page.keyboard.press("ArrowDown" if at > chosen else "ArrowUp")
        # From a button nothing is opened by Enter but what the button says.
        self.seen.page.focus(f".attribute[data-at='{at}']")

    def until(self, selector: str) -> None:
        """Decide pairs until one has such a button."""
        while self.seen.page.locator(selector).count() == 0:
            assert self.stage == "pair", f"no pair of this batch has {selector}"
            self.decide()


OPENS, ASKS = ".opener:not([data-asks])", ".opener[data-asks]"


# One journey: each of these goes on where the one before it stopped, so they are one test.


def units_and_owners_begin_and_two_reviewers_and_a_lead_are_invited(people: Reviewers) -> None:
    people.project.serve(*UNIT_FOLDERS)
    people.project.begin()
    for name in PEOPLE:
        people.join(name)
    wait_until(lambda: not people.project.owners["owner-a"].poll(), "the owners are at work")


def a_pair_is_opened_at_the_price_that_was_said(people: Reviewers) -> None:
    people.come("ann")
    people.seen.stage("pair")
    people.until(OPENS)
    people.choose(OPENS)
    page, task = people.seen.page, people.task
    cell = next(one for one in people.views[-1]["pair"]["cells"] if one["next"])
    promised = page.inner_text(".attribute[aria-current] .price").split("→")[1].strip()
    people.seen.press("Enter")
    people.opened.add((task, cell["attribute"], cell["next"]["stage"]))
    assert promised == page.inner_text(".meter:last-child .figure")
    assert [] == people.seen.found_by_axe()


def a_label_is_taken_back(people: Reviewers) -> None:
    task, drafts = people.task, people.seen.page.locator(".drafts li").count()
    people.decide()
    assert drafts + 1 == people.seen.page.locator(".drafts li").count()
    people.seen.press("u")
    assert (task, drafts) == (people.task, people.seen.page.locator(".drafts li").count())


def one_more_attribute_is_asked_for_and_the_pair_waits(people: Reviewers) -> None:
    """Of a real pair: a made-up one would not come back."""
    while True:
        people.until(ASKS)
        before = len(people.project.acts("asked owners for"))
        task = people.task
        people.choose(ASKS)
        people.seen.press("a")
        assert "comes back to the queue" in people.seen.page.inner_text(".note.good")
        assert task != people.task
        asked = people.project.acts("asked owners for")
        assert before + 1 == len(asked)
        if not any(act.what == "a made-up pair" for act in people.project.acts("was handed") if act.task == task):
            people.opened.add((task, "", "asked"))
            return


def the_review_unit_is_killed_and_nothing_is_lost(people: Reviewers) -> None:
    """Ann's page waits by itself, and goes on where it was: the same pair, the same drafts."""
    people.decide()
    page = people.seen.page
    task, drafts = people.task, page.inner_text(".drafts")
    people.project.kill("review-unit")
    page.keyboard.press("n")
    wait_until(lambda: "Nothing is lost" in (page.text_content("#told") or ""), "the page says so", look=0.1)
    people.project.serve("review-unit")
    people.look()
    people.seen.stage("pair")
    assert (task, drafts) == (people.task, page.inner_text(".drafts"))


def the_owner_lets_the_further_attribute_go_in_the_console(people: Reviewers, owner: Watched) -> None:
    """Only what the reviewer asked for waits there, with the record's own value beside what would leave."""
    (task,) = [task for task, _, stage in people.opened if stage == "asked"]
    owner.page.goto(people.project.console("owner-a"))
    owner.page.wait_for_selector("button:focus")
    owner.page.keyboard.press("Enter")
    owner.page.wait_for_selector("[data-live=stage]")
    wait_until(lambda: owner.page.inner_text("[data-live=waiting]") != "0", "the wish has come", look=0.2)
    wait_until(lambda: "reviewers" in owner.page.inner_text("[data-live=stage]"), "it waits for reviewers", look=0.2)
    owner.page.get_by_role("link", name="Look at the wishes").press("Enter")
    owner.page.wait_for_selector(".groups > section")
    assert "a reviewer asks for one more attribute" in owner.page.inner_text("main")
    owner.page.get_by_role("link", name="Look at each").first.press("Enter")
    owner.page.wait_for_selector(".entries > li")
    for scheme, width, height in SCREENS:
        owner.page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
        owner.page.set_viewport_size({"width": width, "height": height})
        assert [] == owner.found_by_axe()
    owner.page.get_by_role("button", name="Let it go").first.press("Enter")
    assert "Approved: 1." in owner.page.inner_text(".note.good")
    attribute = people.project.acts("asked owners for")[-1].what
    assert attribute.startswith("attribute ")
    wait_until(lambda: _handed_again(people, task), "the pair comes back to the queue", look=0.2)
    states = people.states()
    name = list(states)[int(attribute.split()[1]) - 1]
    cell = next(one for one in people.views[-1]["pair"]["cells"] if name in one["labels"])
    assert not cell["ask"]
    assert cell["state"] in ("shown", "dissimilar"), "both values came; those that agree nowhere stay different"
    assert owner.complaints() == []


def _handed_again(people: Reviewers, task: str) -> bool:
    if people.task == task:
        return True
    if people.stage == "pair":
        people.decide()
    else:
        people.look()
    return people.task == task


def thirty_labels_are_given_and_what_two_differ_on_is_decided_by_the_lead(people: Reviewers) -> None:
    """By single keys; whoever is not at the browser has their drafts kept. Then the links have come."""
    page = people.seen.page
    disagreements, owners = 0, people.project.owners.values()
    while any(owner.poll() is None for owner in owners):
        elsewhere, before = [], sum(map(len, people.decided.values()))
        for name in ("ann", "bob"):
            people.come(name)
            people.work()
            elsewhere.append(people.views[-1]["progress"]["elsewhere"])
        if all(elsewhere) and before == sum(map(len, people.decided.values())):  # neither may decide what waits
            people.come("eve")
            if people.stage == "pair" and people.views[-1]["opinions"]:
                disagreements += 1
                assert "Reviewers disagree about this pair" in page.inner_text("main")
            people.work()
    assert [0, 0] == [owner.returncode for owner in owners]
    assert disagreements > 0
    people.come("eve")
    assert people.stage == "finished"
    people.seen.settled()
    page.goto(f"{people.project.address}/review/team")
    assert {"ann", "bob"} <= set(page.locator("tbody th").all_inner_texts())
    assert [] == people.seen.found_by_axe()


def every_act_is_in_the_log_under_its_author(people: Reviewers) -> None:
    handed_in = people.project.acts("decided", "gave an opinion")
    real = {act.task for act in handed_in} - {
        act.task for act in people.project.acts("was handed") if act.what == "a made-up pair"
    }
    final = {act.task for act in handed_in if act.act == "decided"} & real
    assert LABELS == len(final)
    assert any(", a lead is asked" in act.what for act in handed_in)
    assert 3 == len({act.reviewer for act in handed_in})


def both_owners_have_their_links(people: Reviewers) -> None:
    """A link id for every record, and pairs about as many as there are people in both registers."""
    tables, pairs = people.project.results()
    assert 2 * 200 == len(tables)
    assert 70 < len(pairs) < 130


def nothing_but_opened_characters_came_to_the_browser(people: Reviewers) -> None:
    """Of what owners sent no whole value is anywhere, and of each cell no more than its stage lets show."""
    seen = people.seen
    kept = seen.page.evaluate(
        "JSON.stringify([{...localStorage}, {...sessionStorage}, document.cookie, location.href, history.length])"
    )
    storage = json.dumps(seen.page.context.storage_state())
    text = "\n".join([*seen.arrived, *seen.said, kept, storage, seen.page.content()])
    ours = "".join(path.read_text(encoding="utf-8") for path in Path(web.__file__).parent.glob("*/*.*s")).lower()
    ours += "".join(str(language.sentences) for language in languages().values()).lower()
    sent = {value for _, value in people.project.shown_values() if len(value) > 4 and value.isalpha()}
    assert len(sent) > 20
    assert [] == sorted(value for value in sent if value.lower() in text.lower() and value.lower() not in ours)
    open_cells = 0
    for view in people.views:
        for cell in (view.get("pair") or {}).get("cells", ()):
            open_cells += _only_what_is_open(view["pair"]["task"], cell, people.opened)
    assert open_cells > 5


def _only_what_is_open(task: str, cell: dict[str, Any], opened: set[tuple[str, str, str]]) -> int:
    """Check a cell as it came; whether it holds open characters at all."""
    glyphs = [(sign, sort) for row in cell["rows"] for sign, sort in row]
    assert {sign for sign, sort in glyphs if sort == "agrees"} <= {"*"}
    assert not re.search(r"\w", "".join(sign for sign, sort in glyphs if sort == "hidden"))
    columns = list(zip(*cell["rows"], strict=True))
    both_open = [one[0] == two[0] for one, two in columns if one[1] == two[1] == "open"]
    if cell["stage"] == "masked":
        assert "open" not in {sort for _, sort in glyphs}
    if cell["stage"] == "differing":
        assert not any(both_open), "a character that both values share"
    if cell["stage"] == "full":
        assert (task, cell["attribute"], "full") in opened
    return "open" in {sort for _, sort in glyphs}


def no_policy_was_broken_on_the_whole_way(people: Reviewers) -> None:
    """All else that the console says: the unit was away when it was killed, and who left was logged out."""
    away = "Failed to load resource: net::ERR_CONNECTION_REFUSED"
    logged_out = "Failed to load resource: the server responded with a status of 401 (Unauthorized)"
    assert [] == [each for each in people.seen.complaints() if each not in (away, logged_out)]


BEFORE_THE_CONSOLE = (
    units_and_owners_begin_and_two_reviewers_and_a_lead_are_invited,
    a_pair_is_opened_at_the_price_that_was_said,
    a_label_is_taken_back,
    one_more_attribute_is_asked_for_and_the_pair_waits,
    the_review_unit_is_killed_and_nothing_is_lost,
)
AFTER_IT = (
    thirty_labels_are_given_and_what_two_differ_on_is_decided_by_the_lead,
    every_act_is_in_the_log_under_its_author,
    both_owners_have_their_links,
    nothing_but_opened_characters_came_to_the_browser,
    no_policy_was_broken_on_the_whole_way,
)


@pytest.fixture
def project(tmp_path: Path) -> Iterator[WholeProject]:
    with whole_project(tmp_path) as found:
        yield found


@pytest.mark.slow
def test_a_whole_project_by_people(project: WholeProject, browser: BrowserContext) -> None:
    """Invitations, practice, thirty labels, an opening, an undo, a further attribute, a killed unit, a lead, links."""
    people = Reviewers(project, Watched(browser))
    owner = Watched(browser, keeps=False)
    people.seen.page.bring_to_front()
    for step in BEFORE_THE_CONSOLE:
        _named(step.__name__, lambda step=step: step(people))
    _named("the owner at the console", lambda: the_owner_lets_the_further_attribute_go_in_the_console(people, owner))
    owner.page.close()
    for step in AFTER_IT:
        _named(step.__name__, lambda step=step: step(people))


def _named(name: str, step: Any) -> None:
    try:
        step()
    except BaseException as error:
        error.add_note(f"on the way: {name.replace('_', ' ')}")
        raise
