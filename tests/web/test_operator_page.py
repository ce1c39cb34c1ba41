"""The operator's page: in a real browser, to whom it is shown, and what never stands on it."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Literal

import pytest
from operated_units import Looking, Operated, record_unit
from playwright.sync_api import BrowserContext, Page
from review_site import CLASSES, FIRST, TOWN, YEAR, ZIP, LiveReview

from small_unit import PROJECT
from tools.browser import axe
from unveil.web.guard import ALWAYS
from unveil.web.operator_visits import IDLE, LONGEST, OperatorVisits

WATCH = """
window.broken = [];
document.addEventListener("securitypolicyviolation", (event) => window.broken.push(event.violatedDirective));
"""
PICTURES = "performance.getEntriesByType('resource').filter((each) => each.name.includes('.svg')).length"
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]


@pytest.fixture(scope="module")
def unit(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Operated]:
    """A record unit over real TLS."""
    with record_unit(tmp_path_factory.mktemp("record-unit")) as found:
        yield found


def found_by_axe(page: Page) -> list[str]:
    page.wait_for_load_state("load")  # without its styles a page is another one
    page.evaluate(axe())
    found = page.evaluate("(rules) => axe.run(document, {runOnly: {type: 'tag', values: rules}})", RULES)
    return [f"{each['id']}: {each['nodes'][0]['html'][:120]}" for each in found["violations"]]


@contextmanager
def refreshed(page: Page) -> Iterator[None]:
    """Until the page has drawn itself anew after what is done here: when somebody looks at it again, at once."""
    before = page.get_attribute("body", "data-refreshed")
    yield
    page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    page.wait_for_selector(f"body[data-refreshed]:not([data-refreshed='{before}'])")


def test_an_operators_day_at_the_page_by_keyboard(unit: Operated, browser: BrowserContext) -> None:
    """Log in, read, wait until something moves, pause, log out; nothing breaks the policy or keeps anybody out."""
    browser.add_init_script(WATCH)
    page = browser.new_page()
    said: list[str] = []
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.goto(f"{unit.address}/operate")
    page.wait_for_selector("input[name=token]:focus")
    assert [] == found_by_axe(page)
    page.keyboard.insert_text(unit.token())
    page.keyboard.press("Enter")
    page.wait_for_selector("#live")
    _is_whole_and_for_everybody(page)
    _draws_itself_anew_without_flicker(unit, page)
    assert [] == page.evaluate("window.broken")
    page.get_by_role("button", name="Log out").focus()
    page.keyboard.press("Enter")
    page.wait_for_selector("input[name=token]")
    page.go_back()
    page.wait_for_selector("input[name=token]")
    assert PROJECT not in page.content().split("unveil token")[0].split()
    assert [] == [each for each in said if not each.startswith("Clear-Site-Data header")]
    page.close()


def _is_whole_and_for_everybody(page: Page) -> None:
    text = page.inner_text("#live")
    for part in ("learns; it waits for the attribute unit", "0 of 5 batches", "wait for owner a", "ends in 89 d"):
        assert part in text
    page.evaluate("document.querySelector('figure img').decode()")  # waits for it, and fails if it cannot be drawn
    assert page.evaluate("document.querySelector('figure img').naturalWidth") > 0, "the picture was drawn"
    ways: tuple[tuple[Literal["light", "dark"], int], ...] = (("light", 1280), ("dark", 1280), ("dark", 390))
    for scheme, width in ways:
        page.emulate_media(color_scheme=scheme)
        page.set_viewport_size({"width": width, "height": 844})
        assert [] == found_by_axe(page), scheme
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), f"nothing is cut off at {width}"


def _draws_itself_anew_without_flicker(unit: Operated, page: Page) -> None:
    """What stayed the same is the same node; what somebody opened stays open; the focus stays where it is."""
    page.get_by_text("The same as a table").click()
    page.evaluate("document.querySelector('figure img').kept = document.getElementById('unit-store').kept = true")
    before = page.evaluate(PICTURES)
    host = unit.unit.workers[PROJECT].host
    waiting = list(host.log.outgoing(recipient="owner a", limit=100))
    with refreshed(page):
        for one in waiting:
            host.log.delivered(one.message_id, recipient="owner a")
    assert "wait for owner a" not in page.inner_text(f"#project-{PROJECT}-messages")
    assert page.evaluate("document.querySelector('figure img').kept && document.getElementById('unit-store').kept")
    assert page.evaluate("document.querySelector('figure details').open")
    assert before == page.evaluate(PICTURES), "the picture is not fetched again"
    pause = page.get_by_role("button", name="Pause")
    pause.focus()
    with refreshed(page):
        assert "Pause" == page.evaluate("document.activeElement.textContent")
    page.keyboard.press("Enter")
    assert "true" == pause.get_attribute("aria-pressed")


def test_the_page_is_whole_without_scripts_and_speaks_german(unit: Operated) -> None:
    """Everything is in the page as it comes; the script changes figures in it and adds none."""
    looking = unit.operator()
    page = looking.page()
    for part in ("The record unit asks about pairs", 'href="/operate"', f"/operate/projects/{PROJECT}/similarity.svg"):
        assert part in page
    german = looking.page(**{"accept-language": "de-AT"})
    for part in (
        '<html lang="de">',
        "fragt nach Paaren und lernt; sie wartet auf die Merkmal-Stelle",
        "0 von 5 Stapeln",
    ):
        assert part in german
    picture = looking.http.get(f"/operate/projects/{PROJECT}/similarity.svg", headers={"accept-language": "de"})
    assert "image/svg+xml" == picture.headers["content-type"].split(";")[0]
    for part in ("Ähnlichkeit", "Schwelle 0,"):
        assert part in picture.text
    assert "style" not in picture.text, "the policy forbids styles within"


# To whom it is shown


def test_only_operators_tokens_in_force_let_anybody_in(unit: Operated) -> None:
    """A reviewer's, an expired, a revoked one, one of another shape: all are answered alike."""
    revoked = unit.token()
    unit.database.tokens.revoke(revoked.split(".")[1])
    answers = []
    for token in (unit.token(role="reviewer"), unit.token(seconds=1e-6), revoked, "unveil.0.x", "", "x" * 4000):
        looking = Looking(unit)
        answers.append(looking.log_in(token))
        assert PROJECT not in looking.page().split()
    assert {(403, answers[0].text)} == {(each.status_code, each.text) for each in answers}


def test_a_token_that_is_revoked_ends_the_visit_at_once(unit: Operated) -> None:
    looking, token = Looking(unit), unit.token()
    looking.log_in(token)
    assert "Progress" in looking.page()
    unit.database.tokens.revoke(token.split(".")[1])
    assert "Progress" not in looking.page()
    assert 303 == looking.http.get(f"/operate/projects/{PROJECT}/similarity.svg").status_code


def test_each_operator_sees_the_projects_of_the_tokens_they_have_shown(unit: Operated) -> None:
    """Of others not even the name; and a second token adds its project to the first one's page."""
    looking = unit.operator("another")
    assert f'id="project-{PROJECT}"' not in looking.page()
    for path in (f"/projects/{PROJECT}/similarity.svg", "/projects/nowhere/similarity.svg"):
        answer = looking.http.get(f"/operate{path}")
        assert (303, "/operate") == (answer.status_code, answer.headers["location"])
    assert 303 == looking.log_in(unit.token(), mark=looking.mark).status_code
    assert f'id="project-{PROJECT}"' in looking.page()


def test_a_visit_ends_by_itself_although_the_page_refreshes_itself(unit: Operated) -> None:
    """Two hours after the last step of a person: a screen that nobody watches must not stay open for ever."""
    visits, now = OperatorVisits(unit.database.tokens), time.time()
    token = unit.token(seconds=10 * LONGEST)
    secret = visits.begin(token, now) or ""
    assert (PROJECT,) == visits.projects(secret, now + IDLE, step=False)
    assert () == visits.projects(secret, now + IDLE + 1, step=False)
    assert () == visits.projects(secret, now, step=True), "what has ended does not come back"
    secret = visits.begin(token, now) or ""
    for hours in range(12):
        assert (PROJECT,) == visits.projects(secret, now + 3600 * hours, step=True)
    assert () == visits.projects(secret, now + LONGEST + 1, step=True)


@pytest.mark.parametrize(
    "headers", [{"origin": "https://elsewhere.example"}, {"origin": "null"}, {"sec-fetch-site": "cross-site"}]
)
@pytest.mark.parametrize("path", ["/log-in", "/log-out", "/language"])
def test_a_step_from_another_site_is_refused(unit: Operated, path: str, headers: dict[str, str]) -> None:
    looking = unit.operator()
    sent = {**looking.origin, **headers}
    answer = looking.http.post(f"/operate{path}", data={"token": unit.token(), "mark": looking.mark}, headers=sent)
    assert (403, "refused") == (answer.status_code, answer.text)


def test_nobody_logs_somebody_out_or_adds_a_project_without_the_mark_of_their_page(unit: Operated) -> None:
    ann, bob = unit.operator(), unit.operator("another")
    for mark in ("", bob.mark):
        ann.http.post("/operate/log-out", data={"mark": mark}, headers=ann.origin)
        assert 403 == ann.log_in(unit.token("another"), mark=mark).status_code
    assert "Progress" in ann.page()


def test_every_answer_forbids_frames_copies_and_what_comes_from_elsewhere(unit: Operated) -> None:
    """And the cookie is for this host alone, kept from scripts and other sites."""
    looking = Looking(unit)
    given = looking.log_in(unit.token()).headers["set-cookie"]
    for part in ("__Host-unveil-operator=", "HttpOnly", "Secure", "SameSite=strict", "Path=/"):
        assert part in given
    for path in ("", f"/projects/{PROJECT}/similarity.svg", "/static/operate.js", "/nowhere"):
        answer = looking.http.get(f"/operate{path}")
        expected = dict(ALWAYS) | ({"cache-control": "private, no-cache"} if "static" in path else {})
        assert expected == {name: answer.headers[name] for name in ALWAYS}, path
    out = looking.log_out()
    assert '"cache", "storage"' == out.headers["clear-site-data"]
    assert "Progress" not in looking.page()


def test_a_way_back_from_the_choice_of_a_language_leads_nowhere_else(unit: Operated) -> None:
    looking = unit.operator()
    for wish in ("https://elsewhere.example", "//elsewhere.example", "/operate/../x", "/operated", "/operate\\x"):
        answer = looking.http.post("/operate/language", data={"from": wish, "language": "de"}, headers=looking.origin)
        assert "/operate" == answer.headers["location"]


# What never stands on it


def test_no_page_of_an_operator_holds_anything_about_a_record(unit: Operated, live: LiveReview) -> None:
    """Values, handles, filters, pairs, tasks and reviewers are planted; no page, picture or gauge has any of them."""
    live.ask(3)
    reviewer = live.caller("Wilhelmine Planted")
    task = reviewer.view()["pair"]["task"]
    reviewer.step("label", task=task, match=True)
    now = time.time()
    token = live.database.tokens.issue("stroke", "operator", now + 600, now - 1)
    reviewer.http.post("/operate/log-in", data={"token": token}, headers=reviewer.origin)
    review_page = reviewer.http.get("/operate").text
    assert "reviewers at work" in review_page
    gauges = reviewer.http.get("/metrics", headers={"authorization": f"Bearer {token}"}).text
    assert "unveil_reviews_last_hour" in gauges
    planted = [*FIRST, *YEAR, *ZIP, *TOWN, "Wilhelmine", live.person("Wilhelmine Planted"), task, task[:8]]
    assert CLASSES
    for text in (review_page, gauges, live.logged.getvalue().replace(live.person("Wilhelmine Planted"), "")):
        assert [] == [each for each in planted if each in text]
    looking = unit.operator()
    machine = unit.unit.workers[PROJECT].host.machine
    upload = next(iter(machine.intake.uploads.values()))
    handles = upload.handles.column
    pages = looking.page() + looking.http.get(f"/operate/projects/{PROJECT}/similarity.svg").text
    pages += looking.http.get("/metrics", headers={"authorization": f"Bearer {unit.token()}"}).text
    for start in range(0, len(handles), 16):
        assert handles[start : start + 16].hex() not in pages
    assert json.dumps(machine.t)[:4] in pages, "while figures about all pairs together are there"


def test_the_log_of_the_unit_holds_no_token(unit: Operated) -> None:
    token = unit.token()
    Looking(unit).log_in(token)
    assert '"event": "page"' in unit.logged.getvalue()
    assert token.split(".")[2] not in unit.logged.getvalue()
