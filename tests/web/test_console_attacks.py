"""What no page of the console would send, sent all the same; and what leaves no trace."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from console_site import ConsoleCaller, ConsoleTrial, LiveConsole, console_trial, live_console
from unveil.web.console.visit import IDLE, ConsoleVisit
from unveil.web.guard import ALWAYS, POLICY

Caller = ConsoleCaller[LiveConsole]


@pytest.fixture(scope="module")
def trial(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ConsoleTrial]:
    with console_trial(tmp_path_factory.mktemp("console") / "trial") as made:
        made.ask(range(25))
        yield made


@pytest.fixture
def live(trial: ConsoleTrial) -> Iterator[LiveConsole]:
    with live_console(trial) as found:
        yield found


@pytest.fixture
def caller(live: LiveConsole) -> Iterator[Caller]:
    made = ConsoleCaller(live)
    assert 303 == made.join().status_code
    yield made
    made.http.close()


def test_the_link_lets_one_browser_in_once(trial: ConsoleTrial, live: LiveConsole) -> None:
    """Nobody without it sees anything; who comes second by it is refused; another path is no console."""
    stranger, first, second = (ConsoleCaller(live) for _ in range(3))
    before = stranger.http.get("")
    assert (401, False) == (before.status_code, trial.session.folder.config.name + "</b>" in before.text)
    assert 403 == stranger.join("#" + "A" * 43).status_code
    joined = first.join()
    assert 303 == joined.status_code
    path = live.root.removeprefix(live.origin)
    for part in ("HttpOnly", "SameSite=strict", f"Path={path}"):
        assert part in joined.headers["set-cookie"]
    assert 403 == second.join().status_code
    assert 200 == first.http.get("/wishes").status_code
    assert 401 == second.http.get("/wishes").status_code
    assert 404 == first.http.get(f"{live.origin}/console/wishes").status_code
    for each in (stranger, first, second):
        each.http.close()


@pytest.mark.parametrize("host", ["rebound.example", "localhost", "127.0.0.1", "127.0.0.1:1", ""])
def test_a_name_of_somebody_else_that_leads_here_is_refused(caller: Caller, host: str) -> None:
    """DNS rebinding: a page elsewhere may call this port by its own name, with a browser's cookies for that name."""
    port = caller.live.origin.rsplit(":", 1)[1]
    named = f"{host}:{port}" if host in {"rebound.example", "localhost"} else host
    for path in ("", "/wishes", "/pulse", "/static/style.css"):
        assert 421 == caller.http.get(path, headers={"host": named}).status_code
    fields = caller.fields("/wishes/encodings")
    origin = {"host": named, "origin": f"http://{named}"}
    assert 421 == caller.post("/answer", {**fields, "do": "approve"}, origin).status_code


@pytest.mark.parametrize(
    "headers", [{"origin": "http://elsewhere.example"}, {"origin": "null"}, {"sec-fetch-site": "cross-site"}]
)
def test_another_site_can_answer_nothing(trial: ConsoleTrial, caller: Caller, headers: dict[str, str]) -> None:
    """Whatever the cookie says, and whatever was learnt of the form."""
    fields = {**caller.fields("/wishes/encodings"), "do": "approve"}
    for path in ("/answer", "/pause", "/rules/try", "/rules/always", "/rules/save", "/language", "/log-out", "/join"):
        assert 403 == caller.post(path, fields, headers).status_code
    assert {} == caller.live.console._approvals.given()
    trial.work()
    assert 25 == len(trial.host.machine.waiting()[0].ids)


@pytest.mark.parametrize("mark", ["", "0" * 64, "ä"])
def test_a_step_without_the_mark_of_its_page_does_nothing(caller: Caller, mark: str) -> None:
    fields = {**caller.fields("/wishes/encodings"), "do": "approve", "mark": mark}
    assert 403 == caller.post("/answer", fields).status_code
    for path in ("/pause", "/rules/try", "/rules/always", "/rules/save", "/log-out"):
        assert 403 == caller.post(path, {"mark": mark, "do": "pause"}).status_code
    assert not caller.live.console.pause.is_on()
    assert 200 == caller.http.get("/wishes").status_code
    assert {} == caller.live.console._approvals.given()


@pytest.mark.parametrize("path", ["/answer", "/pause", "/rules/save", "/log-out", "/language"])
def test_nothing_is_done_by_looking(caller: Caller, path: str) -> None:
    assert 404 == caller.http.get(path).status_code


def test_an_offer_that_nobody_made_answers_nothing(caller: Caller) -> None:
    """Entries are named by what a page showed, and by nothing that a page could make up."""
    fields = {**caller.fields("/wishes/encodings"), "do": "approve"}
    for offer in ("", "encodings", "A" * 16):
        assert 303 == caller.post("/answer", {**fields, "offer": offer}).status_code
        assert "Nothing was done" in caller.http.get("/wishes").text
    assert {} == caller.live.console._approvals.given()


def test_every_answer_forbids_frames_copies_and_what_comes_from_elsewhere(caller: Caller) -> None:
    shown = ("", "/wishes", "/wishes/encodings", "/rules", "/ledger", "/pictures/pairs-dark.svg", "/pulse", "/join")
    for path in (*shown, "/static/console.css", "/static/x", "/pictures/x-light.svg", "/nowhere"):
        headers = caller.http.get(path).headers
        assert POLICY == headers["content-security-policy"]
        for name in set(ALWAYS) - {"cache-control"}:
            assert ALWAYS[name] == headers[name], (path, name)
        kept = "private, no-cache" if path == "/static/console.css" else "no-store"
        assert kept == headers["cache-control"], path


def test_after_log_out_the_browser_is_nobody(caller: Caller) -> None:
    """The old secret opens nothing, and the browser is told to forget what it kept."""
    kept = dict(caller.http.cookies)
    answer = caller.post("/log-out", {"mark": caller.fields("/wishes/encodings")["mark"]})
    assert (303, '"cache", "storage"') == (answer.status_code, answer.headers["clear-site-data"])
    caller.http.cookies.update(kept)
    for path in ("", "/wishes", "/wishes/encodings", "/rules", "/ledger", "/pictures/pairs-light.svg", "/pulse"):
        assert 401 == caller.http.get(path).status_code
    assert 403 == caller.join().status_code


def test_no_value_and_no_secret_is_in_the_log_or_in_an_address(trial: ConsoleTrial, caller: Caller) -> None:
    page = caller.http.get("/wishes/encodings").text
    assert trial.value(0, "last_name") in page
    logged = caller.live.logged.getvalue()
    assert '"event": "page"' in logged
    ids = trial.session.folder.records.ids
    for planted in (trial.value(0, "last_name"), ids[0], caller.live.link.split("#")[1], *caller.http.cookies.values()):
        assert planted not in logged
    assert not any(one in page.split("</head>")[0] for one in ids[:25])


def test_nobody_sits_there_after_two_hours_without_a_page() -> None:
    """What a page asks by itself does not count; half a day is the end in any case."""
    visit = ConsoleVisit("stroke", "north")
    secret = visit.begin(visit.link, 0.0)
    assert secret is not None
    assert visit.is_let_in(secret, IDLE)
    for asked in range(10):
        visit.is_let_in(secret, IDLE + asked * IDLE / 5, by_itself=True)
    assert not visit.is_let_in(secret, 2 * IDLE + 1)
    late = ConsoleVisit("stroke", "north")
    secret = late.begin(late.link, 0.0) or ""
    assert [True] * 6 == [late.is_let_in(secret, hours * 2 * 3600) for hours in range(1, 7)]
    assert not late.is_let_in(secret, 12 * 3600 + 1)


def test_the_console_needs_a_port_that_is_free(trial: ConsoleTrial, live: LiveConsole, tmp_path: Path) -> None:
    from unveil.errors import SettingError
    from unveil.transport.logs import logger
    from unveil.web.console.serve import console_on_loopback

    del trial, tmp_path
    taken = int(live.origin.rsplit(":", 1)[1])
    with (
        pytest.raises(SettingError, match=f"port {taken} of 127.0.0.1 cannot be used"),
        console_on_loopback(live.console, log=logger(live.logged), port=taken),
    ):
        pass
