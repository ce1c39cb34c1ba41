"""What no page of ours would send, sent all the same: refused, or answered as to anybody else."""

from __future__ import annotations

import re
import threading
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
from review_site import FIRST, PASSWORD, Caller, LiveReview, live_review

from unveil.protocol.codec import decode
from unveil.roles.review_unit.machine import OPENINGS_PER_PAIR
from unveil.roles.review_unit.opinions import OpinionTerms
from unveil.roles.review_unit.practice import ROUND
from unveil.runtime.review_audit import review_acts
from unveil.web.guard import ALWAYS, POLICY

ELSEWHERE = {"origin": "https://elsewhere.example"}


@pytest.fixture
def fresh(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveReview]:
    """A unit that no other test has touched; no made-up pair is among the real ones."""
    with live_review(tmp_path_factory.mktemp("fresh")) as found:
        found.unit.steps["stroke"].gold = 0.0
        yield found


# Who is let in


@pytest.mark.parametrize("path", ["", "/keys", "/join"])
def test_whoever_is_not_logged_in_sees_a_form_and_nothing_else(live: LiveReview, path: str) -> None:
    caller = live.caller("zoe" + path.strip("/"))
    caller.http.cookies.clear()
    page = caller.http.get(f"/review{path}")
    assert 200 == page.status_code
    assert 'type="password"' in page.text
    assert live.project.name not in page.text
    assert 401 == caller.step("view").status_code
    assert 403 == caller.http.get("/v1/projects/stroke/tasks").status_code, "a cookie opens no other door"


def test_an_invitation_works_once_and_for_its_person(live: LiveReview) -> None:
    """The second one who comes by the link is not let in, and changes nothing."""
    link = live.invite("once")
    first = live.caller("another")
    assert 303 == first.join(link).status_code
    thief = live.caller("thief")
    assert 403 == thief.join(link, "the thief's own password").status_code
    assert 403 == thief.join(f"{live.address}/review/join#{'x' * 43}").status_code
    assert 422 == thief.join(live.invite("short"), "short").status_code


def test_tries_at_a_password_are_locked_out_and_names_stay_secret(live: LiveReview) -> None:
    """Five wrong ones; the right one then waits too. An unknown name is answered like a wrong password."""
    caller = live.caller("locked")
    answers = [caller.log_in("a wrong password, and long") for _ in range(5)]
    assert [403] * 5 == [each.status_code for each in answers]
    assert 429 == caller.log_in(PASSWORD).status_code
    stranger = live.caller("friend")
    known = stranger.log_in("a wrong password, and long").text
    stranger.name = "nobody"
    assert known == stranger.log_in("a wrong password, and long").text


def test_a_session_that_was_planted_before_log_in_is_worth_nothing(live: LiveReview) -> None:
    """Fixation: the secret after log-in is another, and the planted one never lets anybody in."""
    caller = live.caller("fixed")
    caller.http.cookies.clear()
    caller.http.cookies.set("__Host-unveil", "A" * 43, domain="127.0.0.1")
    answer = caller.http.post("/review/log-in", data={"name": "fixed", "password": PASSWORD}, headers=caller.origin)
    given = answer.headers["set-cookie"]
    assert "AAAA" not in given
    for part in ("__Host-unveil=", "HttpOnly", "Secure", "SameSite=strict", "Path=/"):
        assert part in given
    assert "domain" not in given.lower()
    thief = live.caller("thief2")
    thief.http.cookies.clear()
    thief.http.cookies.set("__Host-unveil", "A" * 43, domain="127.0.0.1")
    assert 401 == thief.step("view").status_code


# Other sites


@pytest.mark.parametrize(
    "headers",
    [ELSEWHERE, {"origin": "null"}, {"origin": ""}, {"sec-fetch-site": "cross-site"}, {"sec-fetch-site": "same-site"}],
)
@pytest.mark.parametrize("path", ["/step", "/log-in", "/log-out", "/join", "/language", "/keys", "/passkey/ask"])
def test_a_step_from_another_site_is_refused(live: LiveReview, path: str, headers: dict[str, str]) -> None:
    """Whatever the cookie says."""
    caller = live.caller(f"csrf{path[1:].replace('/', ' ')}{abs(hash(str(headers))) % 10_000}")
    sent = {**caller.origin, "unveil-mark": caller.mark, **headers}
    answer = caller.http.post(f"/review{path}", content=b"{}", headers=sent)
    assert (403, "refused") == (answer.status_code, answer.text)


def test_a_step_without_the_mark_of_its_page_is_refused(live: LiveReview) -> None:
    """Also with the mark of somebody else's."""
    ann, bob = live.caller("mark1"), live.caller("mark2")
    for mark in ("", "0" * 64, bob.mark):
        assert 403 == ann.step("view", headers={"unveil-mark": mark}).status_code
    ann.http.post("/review/log-out", data={"mark": bob.mark}, headers=ann.origin)
    assert 200 == ann.step("view").status_code, "nobody else can log somebody out"


def test_nothing_changes_by_looking(live: LiveReview) -> None:
    """No GET takes a step: links and pictures of other sites can make browsers send any."""
    caller = live.caller("get")
    for path in ("/step", "/log-in", "/log-out", "/language"):
        assert 303 == caller.http.get(f"/review{path}").status_code
    assert 200 == caller.step("view").status_code


def test_every_answer_forbids_frames_copies_and_what_comes_from_elsewhere(live: LiveReview) -> None:
    """Pages, steps, refusals and errors alike; styles and scripts may be kept, but are asked for again."""
    caller = live.caller("headers")
    paths = ("", "/keys", "/join", "/static/style.css", "/static/nothing", "/sentences/de.json", "/nowhere")
    answers = [caller.http.get(f"/review{path}") for path in paths]
    answers += [caller.step("view"), caller.step("view", headers=ELSEWHERE), caller.http.put("/review/step")]
    for answer in answers:
        expected = dict(ALWAYS)
        if "/static/style.css" in str(answer.url):
            expected["cache-control"] = "private, no-cache"
        assert expected == {name: answer.headers[name] for name in ALWAYS}, answer.url
    for part in ("default-src 'none'", "frame-ancestors 'none'", "require-trusted-types-for 'script'"):
        assert part in POLICY
    assert not re.search(r"<style|style=|<script(?![^>]* src=)| on\w+=", "".join(each.text for each in answers[:3]))


@pytest.mark.parametrize("path", ["../guard.py", "..%2fguard.py", "style.css%00", "/etc/passwd", "%2e%2e/site.py"])
def test_only_what_is_meant_to_be_read_is_read(live: LiveReview, path: str) -> None:
    caller = live.caller("files" + str(abs(hash(path)) % 1000))
    answer = caller.http.get(f"/review/static/{path}")
    assert "import" not in answer.text
    assert answer.status_code in (303, 403, 404)


# Steps that nobody offered


@pytest.mark.parametrize(
    "body",
    [
        b"", b"[]", b"{", b'{"do": "approve"}', b'{"do": "view", "reviewer": "bob"}', b'{"do": "label", "match": 1}',
        b'{"do": "label", "task": "../../x"}', b'{"do": "open", "stage": "all"}', b'{"do": "label", "confidence": 7}',
        b"[" * 3000, b'{"do": "' + b"x" * 5000 + b'"}',
    ],
)  # fmt: skip
def test_a_step_that_is_none_is_refused_without_an_echo(live: LiveReview, body: bytes) -> None:
    caller = live.caller("odd" + str(abs(hash(body)) % 10_000))
    headers = {**caller.origin, "unveil-mark": caller.mark, "content-type": "application/json"}
    answer = caller.http.post("/review/step", content=body, headers=headers)
    assert answer.status_code in (413, 422)
    assert answer.text in ('{"problem":"refused"}', "refused")


def test_practice_cannot_be_skipped(fresh: LiveReview) -> None:
    """No real pair is shown, opened or decided before enough made-up ones were right."""
    (task,) = fresh.ask(1)
    eve = fresh.caller("eve", practised=False)
    assert "practice begins" == eve.view()["stage"]
    for do in ("label", "skip", "open"):
        assert 409 == eve.step(do, task=task.hex(), match=True, attribute="zip", stage="full").status_code
    assert 409 == eve.step("undo", task=task.hex()).status_code
    eve.step("practise")
    for _ in range(ROUND):
        view = eve.step("label", task=task.hex(), match=None).json()
    assert ("practice again", 0) == (view["stage"], view["score"])
    assert (1, 0, 0) == fresh.host.look(
        lambda machine: (machine.open_tasks, machine.assigned.openings, len(machine.assigned.drafts))
    )


def test_forged_steps_open_nothing(fresh: LiveReview) -> None:
    """A stage that was not offered, one again, an attribute without values, one that is not worth showing."""
    fresh.ask(1)
    ann = fresh.caller("ann")
    task = ann.view()["pair"]["task"]
    steps = [
        ("year_of_birth", "full"), ("zip", "full"), ("last_name", "full"), ("middle_name", "full"), ("city", "full"),
        ("no such", "full"), ("first_name", "differing"), ("year_of_birth", ""),
    ]  # fmt: skip
    for attribute, stage in steps:
        assert 409 == ann.step("open", task=task, attribute=attribute, stage=stage).status_code, attribute
    assert 200 == ann.step("open", task=task, attribute="first_name", stage="full").status_code
    assert 409 == ann.step("open", task=task, attribute="first_name", stage="full").status_code
    assert 1 == fresh.host.look(lambda machine: machine.assigned.openings)


def test_somebody_elses_pair_is_nobodys_business(fresh: LiveReview) -> None:
    """Not opened, decided, undone or left to others; and no program with a token decides it either."""
    fresh.ask(2)
    ann, bob = fresh.caller("ann"), fresh.caller("bob")
    hers, his = (each.view()["pair"]["task"] for each in (ann, bob))
    assert hers != his
    before = fresh.host.look(lambda machine: machine.stages(bytes.fromhex(hers)))
    for do in ("label", "skip", "undo", "open"):
        answer = bob.step(do, task=hers, match=True, attribute="zip", stage="differing")
        assert 409 == answer.status_code
        assert his == answer.json()["pair"]["task"]
    assert before == fresh.host.look(lambda machine: machine.stages(bytes.fromhex(hers)))
    secret = fresh.database.tokens.issue("stroke", "reviewer", 4e9, 0.0)
    program = {"authorization": f"Bearer {secret}"}
    verdict = bob.http.put(f"/v1/projects/stroke/tasks/{hers}/verdict", json={"match": True, "p": 1.0}, headers=program)
    assert 409 == verdict.status_code
    cells = {"attribute": "zip", "stage": "full"}
    opened = bob.http.post(f"/v1/projects/stroke/tasks/{hers}/cells", json=cells, headers=program)
    assert 409 == opened.status_code


def test_people_of_another_project_are_not_let_in_here(fresh: LiveReview) -> None:
    """The project of a person is that of their invitation; here only one is served."""
    fresh.ask(1)
    mallory = fresh.caller("ann")
    mallory.http.cookies.clear()
    secret = fresh.invite("mallory", project="another").split("#")[1]
    answer = mallory.http.post(
        "/review/join", data={"invitation": secret, "password": PASSWORD}, headers=mallory.origin
    )
    assert 303 == answer.status_code
    assert 'type="password"' in mallory.http.get("/review").text
    assert 401 == mallory.step("view").status_code


# Many at once


def test_parallel_steps_cannot_overspend_labels_or_openings(fresh: LiveReview) -> None:
    """Twenty requests for each step at the same moment: one label, and no more openings than the project has."""
    count = 4
    fresh.ask(count)
    ann = fresh.caller("ann")
    opened = 0
    with ThreadPoolExecutor(20) as pool:
        for _ in range(count):
            pair = ann.view()["pair"]
            for cell in pair["cells"]:
                step = {
                    "task": pair["task"],
                    "attribute": cell["attribute"],
                    "stage": (cell["next"] or {}).get("stage", ""),
                }
                found = Counter(pool.map(lambda _, step=step: ann.step("open", **step).status_code, range(20)))
                assert found[200] <= 1
                opened += found[200]
            labels = Counter(
                pool.map(lambda _, pair=pair: ann.step("label", task=pair["task"], match=True).status_code, range(20))
            )
            assert 1 == labels[200]
        handed = Counter(pool.map(lambda _: bool(ann.step("hand in").json()["handed_in"]), range(20)))
    assert 1 == handed[True]
    assert opened == 3 * count == OPENINGS_PER_PAIR * count
    machine_says = fresh.host.look(lambda machine: (machine.labels_given, machine.openings_left, machine.open_tasks))
    assert (count, 0, 0) == machine_says
    outgoing = fresh.host.log.outgoing(recipient="attribute unit")
    assert 1 == len(outgoing)


def test_parallel_steps_cannot_ask_for_more_than_the_project_allows(fresh: LiveReview) -> None:
    """Twenty requests at the same moment for each of eight pairs: one wish each, and six in all."""
    fresh.ask(8)
    ann = fresh.caller("ann")
    answers: Counter[int] = Counter()
    with ThreadPoolExecutor(20) as pool:
        for _ in range(8):
            task = ann.view()["pair"]["task"]
            step = {"task": task, "attribute": "middle_name"}
            found = Counter(pool.map(lambda _, step=step: ann.step("ask", **step).status_code, range(20)))
            assert found[200] <= 1
            answers += found
            if not found[200]:
                ann.step("skip", task=task)
    assert 6 == answers[200]
    assert {200, 409} == set(answers)
    assert (0, 6) == fresh.host.look(lambda machine: (machine.further_left, machine.assigned.further))
    outgoing = fresh.host.log.outgoing(recipient="attribute unit", limit=1000)
    assert ["FurtherWish"] * 6 == [type(decode(message.body)).__name__ for message in outgoing]


def test_nobody_asks_owners_for_what_was_not_offered(fresh: LiveReview) -> None:
    """Equal, missing and shown attributes, somebody else's pair, a pair that waits for its answer already."""
    fresh.ask(2)
    ann, bob = fresh.caller("ann"), fresh.caller("bob")
    hers, his = (each.view()["pair"]["task"] for each in (ann, bob))
    for attribute in ("first_name", "last_name", "city", "no such", ""):
        assert 409 == ann.step("ask", task=hers, attribute=attribute).status_code, attribute
    assert 409 == ann.step("ask", task=his, attribute="middle_name").status_code
    assert 200 == ann.step("ask", task=hers, attribute="middle_name").status_code
    for caller in (ann, bob):
        for do in ("ask", "label", "open", "skip", "undo"):
            assert 409 == caller.step(do, task=hers, attribute="middle_name", stage="full", match=True).status_code
    eve = fresh.caller("eve", practised=False)
    eve.step("practise")
    assert 409 == eve.step("ask", attribute="middle_name").status_code
    assert 1 == fresh.host.look(lambda machine: machine.assigned.further)


def test_parallel_steps_cannot_give_two_opinions_in_one_name(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Two people label and hand in at once, twenty times each: every pair goes up once, with a word of either."""
    count = 12
    with live_review(tmp_path_factory.mktemp("opinions"), terms=OpinionTerms(share=1.0)) as unit:
        unit.unit.steps["stroke"].gold = 0.0
        unit.ask(count)
        people = [unit.caller("ann"), unit.caller("bob")]

        def work(caller: Caller) -> None:
            for _ in range(count):
                pair = caller.view()["pair"]
                if pair is not None:
                    caller.step("label", task=pair["task"], match=True)
                caller.step("hand in")

        with ThreadPoolExecutor(20) as pool:
            list(pool.map(work, people * 10))
        assert (count, 0) == unit.host.look(lambda machine: (machine.labels_given, machine.open_tasks))
        acts = review_acts(f"sqlite:///{unit.folder / 'data' / 'log.sqlite'}", "stroke")
        said = {(act.task, act.reviewer) for act in acts if act.act in ("decided", "gave an opinion")}
        assert 2 * count == len(said) == len([act for act in acts if act.act in ("decided", "gave an opinion")])
        up = [decode(message.body) for message in unit.host.log.outgoing(recipient="attribute unit", limit=1000)]
        assert count == sum(len(message) for message in up)


def test_fifty_reviewers_at_once_never_get_the_same_pair(fresh: LiveReview) -> None:
    """150 pairs, 50 people, each with a connection of their own: no error, no pair twice, no label lost."""
    fresh.ask(150)
    people = [fresh.caller(f"person {number}") for number in range(50)]
    seen: list[str] = []
    lock = threading.Lock()

    def work(caller: Caller) -> int:
        view, done = caller.view(), 0
        while view["stage"] == "pair":
            with lock:
                seen.append(view["pair"]["task"])
            answer = caller.step("label", task=view["pair"]["task"], match=True)
            assert 200 == answer.status_code, answer.text
            view, done = answer.json(), done + 1
        assert 200 == caller.step("hand in").status_code
        return done

    with ThreadPoolExecutor(50) as pool:
        done = list(pool.map(work, people))
    assert 150 == sum(done) == len(seen) == len(set(seen))
    assert (150, 0) == fresh.host.look(lambda machine: (machine.labels_given, machine.open_tasks))


def test_the_log_of_the_unit_holds_no_value_and_no_secret(live: LiveReview) -> None:
    live.ask(1)
    ann = live.caller("logged")
    ann.view()
    text = live.logged.getvalue()
    assert '"event": "page"' in text
    for secret in (*FIRST, PASSWORD, ann.mark, *ann.http.cookies.values()):
        assert secret not in text
