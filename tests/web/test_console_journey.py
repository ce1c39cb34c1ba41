"""An owner's way through the console in a real browser: what waits, what would leave, and what a word does."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import BrowserContext
from watched_page import Watched

from console_site import ConsoleTrial, LiveConsole, console_trial, live_console
from unveil.roles.owner.ledger import ATTRIBUTE_LAYER, REVIEW_LAYER


@pytest.fixture(scope="module")
def trial(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ConsoleTrial]:
    with console_trial(tmp_path_factory.mktemp("console") / "trial") as made:
        yield made


@pytest.fixture(scope="module")
def live(trial: ConsoleTrial) -> Iterator[LiveConsole]:
    with live_console(trial) as found:
        yield found


def the_link_lets_the_browser_in_and_stays_in_no_history(live: LiveConsole, seen: Watched, trial: ConsoleTrial) -> None:
    del trial
    seen.page.goto(live.link)
    seen.page.wait_for_selector("button:focus")
    assert seen.page.url.endswith("/join")
    assert [] == seen.found_by_axe()
    seen.page.keyboard.press("Enter")
    seen.page.wait_for_selector("[data-live=stage]")
    assert "0" == seen.page.inner_text("[data-live=waiting]")


def news_come_by_themselves_and_move_nothing(live: LiveConsole, seen: Watched, trial: ConsoleTrial) -> None:
    """A number changes where it stands; what is listed stays until somebody asks for more."""
    del live
    trial.ask(range(24))
    seen.page.wait_for_selector("#news:not([hidden])")
    assert "24" == seen.page.inner_text("[data-live=waiting]")
    seen.page.get_by_role("link", name="Show it").press("Enter")
    seen.page.get_by_role("link", name="Look at the wishes").press("Enter")
    seen.page.get_by_role("link", name="Look at each").press("Enter")


def the_records_own_values_stand_beside_what_would_leave(live: LiveConsole, seen: Watched, trial: ConsoleTrial) -> None:
    """Values are the owner's own; what leaves at this layer is filters, of which only the ones are told."""
    del live
    text = seen.page.inner_text("main")
    for row in range(20):
        assert trial.session.folder.records.ids[row] in text
        assert trial.value(row, "last_name") in text
    assert "1,024 signs" in text
    assert "page 1 of 2" in text
    assert "for 24 of them, 1" in text


def one_wish_goes_and_one_is_refused_at_once(live: LiveConsole, seen: Watched, trial: ConsoleTrial) -> None:
    """The others go on waiting."""
    del live
    cards = seen.page.locator(".entries > li")
    cards.nth(0).get_by_role("button", name="Let it go").press("Enter")
    assert "Approved: 1." in seen.page.inner_text(".note.good")
    cards.nth(0).get_by_role("button", name="Refuse").press("Enter")
    assert "Refused: 1." in seen.page.inner_text(".note.good")
    trial.work()
    assert 1 == trial.host.machine.ledger.pairs(ATTRIBUTE_LAYER)
    assert [0] == trial.host.machine.ledger.times(ATTRIBUTE_LAYER).nonzero()[0].tolist()
    assert 22 == len(trial.host.machine.waiting()[0].ids)


def a_group_goes_after_one_more_question_and_takes_nothing_along(
    live: LiveConsole, seen: Watched, trial: ConsoleTrial
) -> None:
    """A wish that came after the page was drawn is not what the person said yes to."""
    del live
    seen.page.reload()
    seen.page.get_by_role("button", name="Let all go (22)").press("Enter")
    seen.page.wait_for_selector("text=Let 22 wishes go?")
    assert [] == seen.found_by_axe()
    trial.ask([30, 31])
    seen.page.get_by_role("button", name="Let all go").press("Enter")
    assert "Approved: 22." in seen.page.inner_text(".note.good")
    trial.work()
    assert 23 == trial.host.machine.ledger.pairs(ATTRIBUTE_LAYER)
    assert [2] == [len(wish.ids) for wish in trial.host.machine.waiting()]


def values_are_shown_exactly_as_they_would_leave(live: LiveConsole, seen: Watched, trial: ConsoleTrial) -> None:
    """Grouped by what they ask for; what a rule keeps at home is not among what leaves."""
    pairs = [(number + 1).to_bytes(16, "big") for number in range(6) if number != 1]
    trial.show(pairs[:2], "first_name", "zip")
    trial.show(pairs[2:5], "last_name")
    seen.page.goto(f"{live.root}/wishes")
    assert 3 == seen.page.locator(".groups > section").count()
    seen.page.get_by_role("link", name="Values in plain text: first name, postcode").press("Enter")
    rows = seen.page.locator(".entries > li").nth(0).locator("tbody tr")
    name, place = trial.value(0, "first_name"), trial.value(0, "zip")
    assert ["first name", name, name] == [part.strip(" →\n") for part in rows.nth(0).inner_text().split("\t")]
    assert [place, "– stays: your rules keep this attribute at home"] == rows.nth(1).inner_text().split("\t")[1:]
    column = trial.session.folder.records.columns["first_name"]
    assert f"(k): {column.values().count(name)}." in seen.page.locator(".entries > li").nth(0).inner_text()
    seen.page.locator(".entries > li").nth(0).get_by_role("button", name="Let it go").press("Enter")
    trial.work()
    assert [(1, 1)] == [
        (trial.host.machine.ledger.pairs(REVIEW_LAYER), trial.host.machine.ledger.disclosures(REVIEW_LAYER))
    ]


def rules_are_tried_before_they_are_saved(live: LiveConsole, seen: Watched, trial: ConsoleTrial) -> None:
    """How many past wishes they would have refused is said first; the owner's process follows what was saved."""
    del live
    page = seen.page
    page.get_by_role("link", name="Rules").press("Enter")
    assert page.locator("input[name='attributes.never_shown'][value=zip]").is_checked()
    page.get_by_label("Pairs in all").fill("3")
    page.get_by_label("Nothing: the rules decide alone").check()
    page.get_by_role("button", name="Try on past wishes").press("Enter")
    # Of 24 pairs people refused one, three of the others and the one review would have gone; the pairs of two of three
    # reviews that a rule refused would not have been.
    assert "They would have refused 22 of 28 past wishes." == page.inner_text("#result .big")
    assert [] == seen.found_by_axe()
    assert 'approval = "all"' in (trial.path / "policy.toml").read_text()
    page.get_by_role("button", name="Save these rules").press("Enter")
    assert "Saved." in page.inner_text(".note.good")
    text = (trial.path / "policy.toml").read_text()
    assert 'approval = "none"' in text
    assert 'never_shown = ["zip"]  # nobody needs it' in text
    trial.work()
    assert [] == trial.host.machine.waiting()
    assert 23 == trial.host.machine.ledger.pairs(ATTRIBUTE_LAYER), "a cap below what went already lets nothing go"


def what_is_no_rule_is_not_tried(live: LiveConsole, seen: Watched, trial: ConsoleTrial) -> None:
    seen.page.goto(f"{live.root}/rules")
    seen.page.evaluate("document.querySelector('form.rules').noValidate = true")
    seen.page.get_by_label("Smallest k").fill("0")
    seen.page.get_by_role("button", name="Try on past wishes").press("Enter")
    assert "review.smallest_k" in seen.page.inner_text("[role=alert]")
    assert "smallest_k" not in (trial.path / "policy.toml").read_text()
    assert [] == seen.found_by_axe()


def a_pause_holds_until_it_is_lifted(live: LiveConsole, seen: Watched, trial: ConsoleTrial) -> None:
    """For the process that answers, whatever page somebody is on."""
    seen.page.goto(live.root)
    seen.page.get_by_role("button", name="Pause everything").press("Enter")
    assert "Paused. Nothing leaves." in seen.page.inner_text(".note.good")
    assert [] == seen.found_by_axe()
    (trial.path / "policy.toml").write_text('approval = "none"\n')
    before = trial.host.machine.ledger.pairs(ATTRIBUTE_LAYER)
    trial.ask([40])
    trial.work()
    assert before == trial.host.machine.ledger.pairs(ATTRIBUTE_LAYER)
    seen.page.goto(f"{live.root}/wishes")
    assert "Paused: nothing leaves." in seen.page.inner_text("main")
    seen.page.goto(live.root)
    seen.page.get_by_role("button", name="Let things leave again").press("Enter")
    trial.work()
    assert before + 1 == trial.host.machine.ledger.pairs(ATTRIBUTE_LAYER)


def the_ledger_is_shown_in_pictures_with_their_numbers(live: LiveConsole, seen: Watched, trial: ConsoleTrial) -> None:
    """Every picture is drawn; KAPR and counts are those of the ledger."""
    page = seen.page
    page.goto(f"{live.root}/ledger")
    page.wait_for_load_state("networkidle")
    widths = page.evaluate("[...document.querySelectorAll('picture img')].map((one) => one.naturalWidth)")
    assert [480] * 6 == widths
    ledger = live.console.ledger()
    assert ledger is not None
    assert f"{ledger.kapr:.4f}" in page.inner_text(".tiles")
    assert [str(trial.host.machine.ledger.pairs(ATTRIBUTE_LAYER))] == page.locator(".tiles b").nth(1).all_inner_texts()


def wishes_of_a_kind_are_answered_by_a_rule(live: LiveConsole, seen: Watched, trial: ConsoleTrial) -> None:
    """What it would do is shown first, to past wishes and to those that wait; it can be taken out again."""
    page = seen.page
    page.goto(f"{live.root}/wishes")
    page.get_by_role("link", name="Values in plain text: last name").press("Enter")
    page.get_by_role("button", name="refuse such wishes without me").press("Enter")
    assert "Of those that wait now, 3 would go on waiting, 0 would go without you, and 3 would be refused." in (
        page.inner_text("#result")
    )
    page.get_by_role("button", name="Save these rules").press("Enter")
    assert "Refuse wishes for nothing but: last name" in page.inner_text("form.rules")
    assert [] == seen.found_by_axe()
    trial.work()
    assert 3 == sum(len(wish.ids) for wish in trial.host.machine.waiting())
    page.get_by_label("Refuse wishes for nothing but: last name").uncheck()
    page.get_by_role("button", name="Try on past wishes").press("Enter")
    page.get_by_role("button", name="Save these rules").press("Enter")
    assert "standing" not in (trial.path / "policy.toml").read_text()


def axe_finds_nothing_on_any_page(live: LiveConsole, seen: Watched, trial: ConsoleTrial) -> None:
    """Light and wide, dark and a phone; and nothing is wider than the screen."""
    del trial
    page = seen.page
    for scheme, width, height in (("light", 1280, 900), ("dark", 390, 844)):
        page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
        page.set_viewport_size({"width": width, "height": height})
        for path in ("", "/wishes", "/wishes/encodings", "/rules", "/ledger"):
            page.goto(f"{live.root}{path}")
            assert [] == seen.found_by_axe(), (path, scheme, width)
            assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), (path, width)


def german_is_the_same_page_in_other_words(live: LiveConsole, seen: Watched, trial: ConsoleTrial) -> None:
    del trial
    seen.page.goto(f"{live.root}/wishes")
    seen.page.get_by_role("button", name="Deutsch").press("Enter")
    assert "de" == seen.page.get_attribute("html", "lang")
    assert "Werte im Klartext: Vorname, Postleitzahl" in seen.page.inner_text("main")
    assert seen.page.url.endswith("/wishes")
    assert [] == seen.found_by_axe()
    seen.page.get_by_role("button", name="English").press("Enter")


def after_logging_out_the_way_back_shows_nothing(live: LiveConsole, seen: Watched, trial: ConsoleTrial) -> None:
    del live
    seen.page.get_by_role("button", name="Log out").press("Enter")
    seen.page.wait_for_selector("#join")
    seen.page.go_back()
    seen.page.wait_for_load_state()
    assert trial.value(2, "last_name") not in seen.page.content()
    assert 0 == seen.page.locator(".groups, .entries").count()


def no_policy_was_broken_on_the_whole_way(live: LiveConsole, seen: Watched, trial: ConsoleTrial) -> None:
    refused = "Failed to load resource: the server responded with a status of 401 (Unauthorized)"
    assert [] == [each for each in seen.complaints() if each != refused]
    for planted in (trial.value(0, "last_name"), live.link.split("#")[1]):
        assert planted not in live.logged.getvalue()


JOURNEY = (
    the_link_lets_the_browser_in_and_stays_in_no_history,
    news_come_by_themselves_and_move_nothing,
    the_records_own_values_stand_beside_what_would_leave,
    one_wish_goes_and_one_is_refused_at_once,
    a_group_goes_after_one_more_question_and_takes_nothing_along,
    values_are_shown_exactly_as_they_would_leave,
    wishes_of_a_kind_are_answered_by_a_rule,
    axe_finds_nothing_on_any_page,
    german_is_the_same_page_in_other_words,
    rules_are_tried_before_they_are_saved,
    what_is_no_rule_is_not_tried,
    a_pause_holds_until_it_is_lifted,
    the_ledger_is_shown_in_pictures_with_their_numbers,
    after_logging_out_the_way_back_shows_nothing,
    no_policy_was_broken_on_the_whole_way,
)


def test_an_owners_whole_way(trial: ConsoleTrial, live: LiveConsole, browser: BrowserContext) -> None:
    """From the link to logging out; the step that failed is named."""
    seen = Watched(browser, keeps=False)
    for step in JOURNEY:
        try:
            step(live, seen, trial)
        except BaseException as error:
            error.add_note(f"on the way: {step.__name__.replace('_', ' ')}")
            raise
