"""Logging in by passkeys: a real browser with a device that is made up, and answers that no device gave."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from playwright.sync_api import BrowserContext, CDPSession
from review_site import PASSWORD, LiveReview
from watched_page import Watched

from patience import PATIENCE
from unveil.transport.http.tls import Credentials, client_context
from unveil.web.passkeys import are_possible


def named(address: str) -> str:
    """The same unit by a name: numerals can have no passkey."""
    return address.replace("127.0.0.1", "localhost")


@pytest.fixture
def device(browser: BrowserContext) -> Iterator[tuple[Watched, CDPSession]]:
    """A page, and the made-up device of its browser, which says that it has made sure who holds it."""
    seen = Watched(browser, keeps=False)
    session = browser.new_cdp_session(seen.page)
    session.send("WebAuthn.enable")
    options = {
        "protocol": "ctap2", "transport": "internal", "hasResidentKey": True, "hasUserVerification": True,
        "isUserVerified": True, "automaticPresenceSimulation": True,
    }  # fmt: skip
    session.send("WebAuthn.addVirtualAuthenticator", {"options": options})
    yield seen, session
    seen.page.close()
    browser.clear_cookies()


def test_an_invitation_and_then_a_passkey_let_somebody_in(live: LiveReview, device: tuple[Watched, CDPSession]) -> None:
    """Without a password; logged out they come back by the same passkey, and the invitation is used."""
    seen, _ = device
    page, link = seen.page, named(live.invite("pia"))
    page.goto(link)
    page.get_by_role("button", name="Begin with a passkey").press("Enter")
    seen.stage("practice begins")
    assert "pia" in page.inner_text(".whose")
    page.get_by_role("button", name="Log out").press("Enter")
    page.wait_for_selector("input[name=password]")
    assert [] == seen.found_by_axe()
    page.get_by_role("button", name="Log in with a passkey").press("Enter")
    seen.stage("practice begins")
    assert "pia" in page.inner_text(".whose")
    assert [] == seen.complaints()
    page.context.clear_cookies()
    page.goto(link)
    page.get_by_role("button", name="Begin with a passkey").press("Enter")
    page.wait_for_selector("#passkey-trouble:not([hidden])")


def test_a_new_invitation_ends_the_passkey_and_a_password_may_replace_it(
    live: LiveReview, device: tuple[Watched, CDPSession]
) -> None:
    """As after a lost telephone; until then no password of theirs is right."""
    seen, _ = device
    page = seen.page
    page.goto(named(live.invite("quin")))
    page.get_by_role("button", name="Begin with a passkey").press("Enter")
    seen.stage("practice begins")
    caller = live.caller("somebody")
    caller.http.cookies.clear()
    caller.name = "quin"
    assert 403 == caller.log_in(PASSWORD).status_code
    assert 303 == caller.join(live.invite("quin")).status_code
    page.context.clear_cookies()
    page.goto(f"{named(live.address)}/review")
    page.get_by_role("button", name="Log in with a passkey").press("Enter")
    page.wait_for_selector("#passkey-trouble:not([hidden])")
    assert 303 == caller.log_in(PASSWORD).status_code


def test_a_device_that_does_not_know_who_holds_it_is_refused(
    live: LiveReview, device: tuple[Watched, CDPSession]
) -> None:
    """A passkey stands in place of a password: whoever finds the device must not be let in by it."""
    seen, session = device
    session.send("WebAuthn.disable")
    session.send("WebAuthn.enable")
    options = {
        "protocol": "ctap2", "transport": "internal", "hasResidentKey": True, "hasUserVerification": False,
        "isUserVerified": False, "automaticPresenceSimulation": True,
    }  # fmt: skip
    session.send("WebAuthn.addVirtualAuthenticator", {"options": options})
    seen.page.goto(named(live.invite("rob")))
    seen.page.get_by_role("button", name="Begin with a passkey").press("Enter")
    seen.page.wait_for_selector("#passkey-trouble:not([hidden])")


class Forger:
    """Somebody without a browser who has seen what a device answered."""

    def __init__(self, live: LiveReview) -> None:
        context = client_context(Credentials(live.folder / "authority.pem"))
        self.address = named(live.address)
        self.http = httpx.Client(base_url=self.address, verify=context, timeout=PATIENCE, trust_env=False)

    def post(self, path: str, body: Any, **headers: str) -> httpx.Response:
        sent = {"origin": self.address, **headers}
        return self.http.post(f"/review/passkey/{path}", json=body, headers=sent)


@pytest.fixture
def forger(live: LiveReview) -> Iterator[Forger]:
    found = Forger(live)
    yield found
    found.http.close()


def test_answers_are_good_once_and_for_the_question_they_were_given_to(
    live: LiveReview, device: tuple[Watched, CDPSession], forger: Forger
) -> None:
    """What a device signed cannot be sent again, nor under another question, name or origin."""
    seen, _ = device
    sent: list[str] = []
    seen.page.on("request", lambda request: sent.append(request.post_data or "") if "log-in" in request.url else None)
    seen.page.goto(named(live.invite("sue")))
    seen.page.get_by_role("button", name="Begin with a passkey").press("Enter")
    seen.stage("practice begins")
    seen.page.context.clear_cookies()
    seen.page.goto(f"{named(live.address)}/review")
    seen.page.get_by_role("button", name="Log in with a passkey").press("Enter")
    seen.stage("practice begins")
    again = json.loads(sent[-1])
    assert 403 == forger.post("log-in", again).status_code
    asked = forger.post("ask", {}).json()["challenge"]
    client = {"type": "webauthn.get", "challenge": asked, "origin": forger.address}
    again["answer"]["response"]["clientDataJSON"] = base64.urlsafe_b64encode(json.dumps(client).encode()).decode()
    assert 403 == forger.post("log-in", again).status_code


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("new", {"invitation": "x" * 43}), ("new", {"invitation": 1}), ("new", []), ("join", {"invitation": "x" * 43}),
        ("join", {"answer": {"id": "x", "response": {"clientDataJSON": "e30"}}}), ("log-in", {}),
        ("log-in", {"answer": {"id": 7, "response": 7}}), ("log-in", {"answer": {"response": {"clientDataJSON": "!"}}}),
    ],
)  # fmt: skip
def test_what_is_no_answer_is_refused_like_any_other(forger: Forger, path: str, body: Any) -> None:
    """Nothing tells whether there is such a person, invitation or passkey."""
    answer = forger.post(path, body)
    assert (403, '{"problem":"refused"}') == (answer.status_code, answer.text)
    assert 403 == forger.post(path, body, origin="https://elsewhere.example").status_code


def test_passkeys_are_offered_where_a_browser_would_take_them(live: LiveReview, forger: Forger) -> None:
    """Under a name. In numerals there is the password alone, and so it is without the library."""
    assert [True, True, False, False, False] == [
        are_possible(host) for host in ("localhost", "review.example.org", "127.0.0.1", "[::1]", "")
    ]
    assert 'id="passkey"' in forger.http.get("/review").text
    caller = live.caller("numerals")
    caller.http.cookies.clear()
    assert 'id="passkey"' not in caller.http.get("/review").text
    refused = caller.http.post("/review/passkey/ask", json={}, headers=caller.origin)
    assert 403 == refused.status_code
