"""One value is all that it takes to add an endpoint, and a value that is incomplete cannot be made."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Annotated, Any

import httpx
import pytest
from fastapi import Query
from live_unit import Live, listening
from pydantic import BaseModel, ConfigDict
from starlette.responses import HTMLResponse, Response
from trial_project import Trial

from tools.reference.http_page import http_page
from unveil.protocol.roles import Role
from unveil.transport.http.access import ANYONE
from unveil.transport.http.app import openapi_document
from unveil.transport.http.call import ProjectName, TheCall
from unveil.transport.http.endpoint import Answer, Body, Endpoint, Slots
from unveil.transport.http.endpoints import ENDPOINTS
from unveil.transport.http.limits import FRAME, TEXT, RequestLimits
from unveil.transport.http.tls import Credentials, client_context
from unveil.transport.port import OPERATOR

PATH = "/v1/projects/alpha/greeting"


class Greeting(BaseModel):
    """Whom to greet."""

    model_config = ConfigDict(extra="forbid", strict=True)
    whom: str


Times = Annotated[int, Query(ge=1, le=3, description="how often")]


async def _greet(call: TheCall, project: ProjectName, greeting: Greeting, times: Times = 1) -> Response:
    return HTMLResponse(f"{call.caller.role} of {project} greets {greeting.whom} " * times, status_code=201)


TOY = Endpoint(
    name="greet",
    method="POST",
    path="/v1/projects/{project}/greeting",
    description="Greet somebody.",
    callers={Role.RECORD_UNIT: frozenset({"owner", OPERATOR})},
    body=Body(TEXT, "text", Greeting),
    query=frozenset({"times"}),
    answers={201: Answer("Greeted.", "text/html", {"type": "string"}, headers={"Unveil-Greeted": {"required": False}})},
    problems=frozenset({425}),
    handler=_greet,
    guide="## Greetings\n\nGreet politely.\n",
)


async def _measure(call: TheCall) -> Response:
    return Response(str(len(await call.request.body())), media_type="text/plain")


BYTES = Endpoint(
    name="measure",
    method="PUT",
    path="/length",
    description="How long a body is.",
    callers={Role.RECORD_UNIT: frozenset({OPERATOR})},
    body=Body(FRAME, "frame", content="anything"),
    answers={200: Answer("Measured.", "text/plain", {"type": "string"})},
    slots=Slots.POLLS,
    handler=_measure,
)
TABLE = (*ENDPOINTS, TOY, BYTES)


@pytest.fixture(scope="module")
def unit(trial: Trial) -> Iterator[Live]:
    """A record unit with two endpoints more."""
    limits = RequestLimits(text=100, frame=1000)
    with listening(trial.unit(Role.RECORD_UNIT), trial.parties["record unit"], limits=limits, endpoints=TABLE) as live:
        yield live


def _client(trial: Trial, live: Live, *, party: str = "", token: str = "") -> httpx.Client:
    credentials = trial.parties[party].credentials if party else Credentials(trial.authority.file)
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    return httpx.Client(base_url=live.address, verify=client_context(credentials), headers=headers, trust_env=False)


@pytest.fixture
def north(trial: Trial, unit: Live) -> Iterator[httpx.Client]:
    with _client(trial, unit, party="north") as client:
        yield client


@pytest.fixture
def operator(trial: Trial, unit: Live) -> Iterator[httpx.Client]:
    with _client(trial, unit, token="operator-token") as client:
        yield client


def test_its_callers_get_its_answer(north: httpx.Client, operator: httpx.Client) -> None:
    """The handler is given who calls, the project, the body and the query."""
    found = north.post(PATH, json={"whom": "all"}, params={"times": 2})
    assert (201, "text/html; charset=utf-8") == (found.status_code, found.headers["Content-Type"])
    assert "owner of alpha greets all owner of alpha greets all " == found.text
    assert "operator of alpha greets all " == operator.post(PATH, json={"whom": "all"}).text


@pytest.mark.parametrize(
    "who",
    [{}, {"party": "south"}, {"party": "attribute unit"}, {"token": "reviewer-token"}, {"token": "expired-token"}],
    ids=["nobody", "of another project", "of another role", "another person", "no longer"],
)
def test_everybody_else_gets_the_uniform_refusal(trial: Trial, unit: Live, who: dict[str, str]) -> None:
    """Before anything is read: what is sent would be refused for its size, were they recognised."""
    with _client(trial, unit, **who) as client:
        refused = client.post(PATH, content=b"x" * 200)
        missing = client.post("/v1/nowhere", content=b"x" * 200)
    assert (403, {"problem": "refused"}) == (refused.status_code, refused.json())
    assert missing.content == refused.content


def test_units_that_do_not_have_it_refuse_it(trial: Trial) -> None:
    """The value says at which units it is."""
    identity = trial.parties["review unit"]
    with (
        listening(trial.unit(Role.REVIEW_UNIT), identity, endpoints=TABLE) as live,
        _client(trial, live, party="north") as client,
    ):
        assert 403 == client.post(PATH, json={"whom": "all"}).status_code


@pytest.mark.parametrize(
    ("status", "request_"),
    [
        (413, {"json": {"whom": "x" * 100}}),
        (415, {"content": b'{"whom": "all"}', "headers": {"Content-Type": "text/plain"}}),
        (415, {"content": b'{"whom": "all"}'}),
        (422, {"json": {"whom": "all", "why": ""}}),
        (422, {"content": b"[" * 9, "headers": {"Content-Type": TEXT}}),
        (422, {"json": {"whom": "all"}, "params": {"times": 4}}),
        (422, {"json": {"whom": "all"}, "params": {"wait": 1}}),
        (422, {"json": {"whom": "all"}, "params": [("times", 1), ("times", 1)]}),
    ],
    ids=["large", "other type", "no type", "unknown field", "deep", "out of bounds", "unknown query", "repeated query"],
)  # fmt: skip
def test_its_limits_hold(north: httpx.Client, status: int, request_: dict[str, Any]) -> None:
    """Body limit, media type, model and query are all read from the value."""
    assert status == north.post(PATH, **request_).status_code


@pytest.mark.parametrize(("size", "status"), [(0, 422), (1, 200), (1000, 200), (1001, 413)])
def test_a_body_of_bytes_has_the_limit_that_its_value_names(operator: httpx.Client, size: int, status: int) -> None:
    """And it is never empty, as the document says."""
    found = operator.put("/length", content=b"x" * size, headers={"Content-Type": FRAME})
    assert status == found.status_code
    assert status != 200 or str(size) == found.text


@pytest.mark.parametrize(("requests", "polls", "expected"), [(0, 8, (503, 200)), (8, 0, (201, 503))])
def test_it_takes_the_slots_that_its_value_names(
    trial: Trial, requests: int, polls: int, expected: tuple[int, int]
) -> None:
    """Requests that wait must not keep those that work from the unit, nor the other way round."""
    limits = RequestLimits(requests=requests, polls=polls)
    with (
        listening(trial.unit(Role.RECORD_UNIT), trial.parties["record unit"], limits=limits, endpoints=TABLE) as live,
        _client(trial, live, token="operator-token") as client,
    ):
        working = client.post(PATH, json={"whom": "all"}).status_code
        waiting = client.put("/length", content=b"x", headers={"Content-Type": FRAME}).status_code
    assert expected == (working, waiting)


def test_metrics_count_it_by_its_path(trial: Trial, unit: Live, north: httpx.Client) -> None:
    """By the template, so that nobody can add labels at will."""
    north.post(PATH, json={"whom": "all"})
    with _client(trial, unit, token="operator-token") as client:
        text = client.get("/metrics").text
    label = r'unveil_requests_total{method="POST",path="/v1/projects/{project}/greeting",status="201"}'
    assert re.search(re.escape(label) + r" [1-9]", text)


def test_the_document_describes_it(north: httpx.Client) -> None:
    """At the units that have it, and nowhere else."""
    served = north.get("/openapi.json").json()
    found = served["paths"]["/v1/projects/{project}/greeting"]["post"]
    assert ("greet", "Greet somebody.", ["operator", "owner"]) == (
        found["operationId"], found["description"], found["x-callers"],
    )  # fmt: skip
    assert ["project", "times"] == [parameter["name"] for parameter in found["parameters"]]
    assert {"application/json": {"schema": {"$ref": "#/components/schemas/Greeting"}}} == found["requestBody"][
        "content"
    ]
    assert ["201", "403", "410", "413", "415", "422", "425", "503"] == sorted(found["responses"])
    assert {"text/html": {"schema": {"type": "string"}}} == found["responses"]["201"]["content"]
    assert {"Unveil-Greeted"} == set(found["responses"]["201"]["headers"])
    raw = served["paths"]["/length"]["put"]["requestBody"]["content"][FRAME]["schema"]
    assert (1, 1000) == (raw["minLength"], raw["maxLength"])
    assert "greeting" not in json.dumps(openapi_document(Role.REVIEW_UNIT, TABLE))


def test_the_reference_page_describes_it() -> None:
    """Its row in the table, a section of its own and its guide; the rest of the page is the same."""
    added = http_page(TABLE)
    for line in (
        "| `POST /v1/projects/{project}/greeting` | record unit | owner, operator |\n",
        "\n### POST /v1/projects/{project}/greeting\n\nGreet somebody.\n",
        "* query `times`: how often; 1 to 3, 1 if not given\n",
        "* body: `application/json`, an object with exactly `whom` (text)\n",
        "* answers: 201 with `text/html` and the header `Unveil-Greeted`; or a problem (403, 410, 413, 415, 422, 425,",
        "* body: `application/octet-stream`, anything; at most 16 MiB unless the project file sets",
        "\n## Greetings\n\nGreet politely.\n",
    ):
        assert line in added
    assert [] == [line for line in http_page().splitlines() if line not in added.splitlines()]


def test_a_value_does_not_change_with_what_it_was_made_from() -> None:
    """Who may call is decided once."""
    callers = {Role.RECORD_UNIT: frozenset({OPERATOR})}
    endpoint = replace(TOY, callers=callers)
    callers[Role.RECORD_UNIT] = ANYONE
    assert not endpoint.is_open


async def _without_project(greeting: Greeting, times: Times = 1) -> Response:
    return Response(f"{greeting}{times}")


async def _unchecked_project(project: str, greeting: Greeting, times: Times = 1) -> Response:
    return Response(f"{project}{greeting}{times}")


async def _without_query(project: ProjectName, greeting: Greeting) -> Response:
    return Response(f"{project}{greeting}")


async def _without_body(project: ProjectName, times: Times = 1) -> Response:
    return Response(f"{project}{times}")


@pytest.mark.parametrize(
    ("change", "mistake"),
    [
        ({"callers": {}}, "it needs callers"),
        ({"callers": {Role.RECORD_UNIT: frozenset()}}, "it needs callers"),
        ({"callers": {Role.OWNER: frozenset({OPERATOR})}}, "only units have endpoints"),
        ({"callers": {Role.RECORD_UNIT: frozenset({"stranger"})}}, "its callers must be roles"),
        ({"callers": {Role.RECORD_UNIT: ANYONE | {OPERATOR}}}, "its callers must be roles"),
        ({"callers": {Role.RECORD_UNIT: ANYONE, Role.REVIEW_UNIT: frozenset({OPERATOR})}}, "its callers must be roles"),
        ({"callers": {Role.RECORD_UNIT: ANYONE}, "slots": Slots.POLLS}, "it must not wait"),
        ({"answers": {}}, "it needs an answer"),
        ({"answers": {403: Answer("Refused.")}}, "it needs an answer"),
        ({"problems": frozenset({418})}, "its problems must be among 403, 409"),
        ({"description": ""}, "it needs a description"),
        ({"name": "two words"}, "the name must be an identifier"),
        ({"method": "GET"}, "a body is taken with PUT and POST only"),
        ({"method": "DELETE"}, "a body is taken with PUT and POST only"),
        ({"method": "post"}, "the method must be one of GET, PUT"),
        ({"path": "greeting/{project}"}, "the path must consist of words"),
        ({"path": "/{project:path}"}, "the path must consist of words"),
        ({"path": "/{project}/{other}"}, "the handler must take the names in the path"),
        ({"path": "/greeting"}, "the handler must take the names in the path"),
        ({"handler": _without_project}, "the handler must take the names in the path"),
        ({"handler": _unchecked_project}, "where the handler's project should come from"),
        ({"handler": _without_query}, "the handler must take the query parameters"),
        ({"query": frozenset()}, "the handler must take the query parameters"),
        ({"handler": _without_body}, "the handler must take the body's model"),
        ({"body": None}, "the handler must take the body's model"),
        ({"body": Body(TEXT, "text", content="anything")}, "the handler must take the body's model"),
    ],
)
def test_an_incomplete_value_is_refused(change: dict[str, Any], mistake: str) -> None:
    """A mistake that showed only when somebody calls would show in the field."""
    with pytest.raises(ValueError, match=re.escape(mistake)) as raised:
        replace(TOY, **change)
    assert str(raised.value).startswith(f"endpoint {change.get('method', 'POST')} {change.get('path', TOY.path)}: ")


@pytest.mark.parametrize(
    ("arguments", "mistake"),
    [
        (("", "text", Greeting), "it needs a media type"),
        (("JSON", "text", Greeting), "it needs a media type"),
        ((TEXT, "", Greeting), "it needs a limit, one of frame, text"),
        ((TEXT, "depth", Greeting), "it needs a limit, one of frame, text"),
        ((FRAME, "frame", Greeting), "with a model it is read as application/json"),
        ((FRAME, "frame"), "it needs either a model or words"),
        ((TEXT, "text", Greeting, "anything"), "it needs either a model or words"),
    ],
)
def test_an_incomplete_body_is_refused(arguments: tuple[Any, ...], mistake: str) -> None:
    """Without a limit anything could be sent; without a media type nobody knows what."""
    with pytest.raises(ValueError, match=f"^a body: .*{re.escape(mistake)}"):
        Body(*arguments)


@pytest.mark.parametrize(
    ("arguments", "mistake"),
    [
        (("",), "it needs a description"),
        (("Found.", TEXT), "both a media type and a schema, or neither"),
        (("Found.", "", {"type": "string"}), "both a media type and a schema, or neither"),
        (("Found.", "HTML", {"type": "string"}), "it needs a media type"),
    ],
)
def test_an_incomplete_answer_is_refused(arguments: tuple[Any, ...], mistake: str) -> None:
    """The document would promise what nobody can check."""
    with pytest.raises(ValueError, match=f"^an answer: .*{re.escape(mistake)}"):
        Answer(*arguments)
