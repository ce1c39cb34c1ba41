"""Who gets in: the whole table of endpoints against every kind of caller, over real connections."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import replace

import httpx
import pytest
from live_unit import Live, listening
from starlette.responses import Response
from trial_project import Trial

from unveil.protocol.roles import UNITS, Role
from unveil.transport.http.access import ANYONE
from unveil.transport.http.call import MessageId
from unveil.transport.http.directory import Directory
from unveil.transport.http.endpoint import Endpoint
from unveil.transport.http.endpoints import ENDPOINTS
from unveil.transport.http.endpoints.about_unit import STATUS
from unveil.transport.http.endpoints.messages import MAIL
from unveil.transport.http.tls import Credentials, client_context

CALLERS = (
    "none", "north", "south", "record unit", "attribute unit", "review unit", "unlisted",
    "operator-token", "reviewer-token", "beta-token", "expired-token", "wrong-token",
)  # fmt: skip
PROJECTS = ("alpha", "beta", "unknown")
HOME = {"south": "beta", "beta-token": "beta"}
ROLE = {
    "north": "owner", "south": "owner", "record unit": "record unit", "attribute unit": "attribute unit",
    "review unit": "review unit", "operator-token": "operator", "beta-token": "operator", "reviewer-token": "reviewer",
}  # fmt: skip


def _client(trial: Trial, live: Live, caller: str) -> httpx.Client:
    credentials, headers = Credentials(trial.authority.file), {}
    if caller.endswith("-token"):
        headers = {"Authorization": f"Bearer {caller}"}
    elif caller == "unlisted":
        credentials = trial.authority.issue("unlisted").credentials
    elif caller != "none":
        credentials = trial.parties[caller].credentials
    return httpx.Client(base_url=live.address, verify=client_context(credentials), headers=headers, trust_env=False)


def _request(client: httpx.Client, endpoint: Endpoint, project: str) -> httpx.Response:
    method, body = endpoint.method, endpoint.body
    url = endpoint.path.format(project=project, message_id="m1", task="t1")
    if body is None:
        return client.request(method, url)
    if body.model is None:
        return client.request(method, url, content=b"frame", headers={"Content-Type": body.media_type})
    bodies = {"cells": {"attribute": "city", "stage": "full"}, "witness": {"noted": None}, "steps": {"do": "view"}}
    return client.request(method, url, json=bodies.get(url.rsplit("/", 1)[1], {"match": True, "p": 1.0}))


def _shape(response: httpx.Response) -> tuple[object, ...]:
    """All that an answer shows, except when it was given."""
    headers = [(name, value) for name, value in response.headers.raw if name.lower() != b"date"]
    return (response.status_code, response.http_version, headers, response.content)


REFUSAL = (
    403, "HTTP/1.1", [(b"content-length", b"22"), (b"content-type", b"application/json")], b'{"problem": "refused"}'
)  # fmt: skip


@pytest.fixture(scope="module", params=UNITS, ids=lambda role: role.value)
def unit(request: pytest.FixtureRequest, trial: Trial) -> Iterator[tuple[Role, Live]]:
    role: Role = request.param
    with listening(trial.unit(role), trial.parties[role.value]) as live:
        yield role, live


@pytest.mark.parametrize("caller", CALLERS)
def test_the_table_decides_and_every_refusal_is_the_same(trial: Trial, unit: tuple[Role, Live], caller: str) -> None:
    """Endpoint × caller × project; whoever is not let in cannot even tell why."""
    role, live = unit
    with _client(trial, live, caller) as client:
        for endpoint, project in itertools.product(ENDPOINTS, PROJECTS):  # also those that this unit does not have
            in_project = "{project}" in endpoint.path
            known = caller in ROLE and (not in_project or project == HOME.get(caller, "alpha"))
            allowed = endpoint.callers.get(role, frozenset())
            expected = allowed == ANYONE or (known and ROLE[caller] in allowed)
            response = _request(client, endpoint, project)
            if expected:
                assert response.status_code in {200, 204}, (endpoint.title, project)
            else:
                assert REFUSAL == _shape(response), (endpoint.title, project)


def test_what_does_not_exist_looks_like_what_is_forbidden(trial: Trial, unit: tuple[Role, Live]) -> None:
    """Paths, methods and slashes: nothing can be found out by trying."""
    _, live = unit
    odd = [
        ("GET", "/"), ("GET", "/v1/projects"), ("GET", "/v1/projects/"), ("GET", "/v1/projects/alpha/"),
        ("POST", "/v1/projects/alpha"), ("HEAD", "/v1/projects/alpha"), ("OPTIONS", "/v1/projects/alpha"),
        ("GET", "/v1/projects/alpha/messages/m1"), ("DELETE", "/healthz"), ("TRACE", "/metrics"), ("GET", "/healthz/"),
        ("GET", "/v1/projects/..%2Falpha"), ("GET", "/v1/projects/al%00pha"), ("GET", "/v1/projects/" + "a" * 65),
        ("PATCH", "/%FF"), ("GET", "//healthz"), ("GET", "/v1/projects/.alpha"), ("GET", "/v1/projects/alpha%0A"),
    ]  # fmt: skip
    with _client(trial, live, "north") as party, _client(trial, live, "none") as nobody:
        for client, (method, path) in itertools.product((party, nobody), odd):
            shape = _shape(client.request(method, path))
            assert (REFUSAL[:3] if method == "HEAD" else REFUSAL) == shape[: 3 if method == "HEAD" else 4], (
                method,
                path,
            )


@pytest.mark.parametrize(
    "header", ["Basic operator-token", "Bearer", "Bearer,", "operator-token", "Bearer " + "x" * 600]
)
def test_other_ways_to_say_who_one_is_are_refused_alike(trial: Trial, unit: tuple[Role, Live], header: str) -> None:
    """Only a bearer token of bounded length is looked up."""
    with _client(trial, unit[1], "none") as client:
        assert REFUSAL == _shape(client.get("/metrics", headers={"Authorization": header}))
        twice = [("Authorization", "Bearer operator-token"), ("Authorization", "Bearer operator-token")]
        assert REFUSAL == _shape(client.get("/metrics", headers=twice))


def test_only_units_that_write_to_owners_keep_mail_for_them() -> None:
    """The review unit tells owners nothing."""
    assert {Role.RECORD_UNIT, Role.ATTRIBUTE_UNIT} == {role for role in UNITS if role in MAIL.callers}


async def _of_message(message_id: MessageId) -> Response:
    return Response(message_id)


def _more(**changes: object) -> Endpoint:
    """Another endpoint: the status of a project, with something else about it."""
    return replace(STATUS, **{"name": "more"} | changes)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "added",
    [
        _more(),
        _more(path="/v1/projects/{message_id}", handler=_of_message),
        _more(path="/v1/{message_id}/alpha", handler=_of_message),
        _more(path="/v1/others/{project}", name="status"),
    ],
    ids=["the same path", "the same path in other words", "a path that may be the same", "the same name"],
)
def test_no_two_endpoints_can_be_meant_by_one_request(added: Endpoint) -> None:
    """Otherwise the order of the table would decide who may call; names are the ids of the OpenAPI document."""
    with pytest.raises(ValueError, match=r"two endpoints named status|could both mean"):
        Directory(Role.REVIEW_UNIT, (*ENDPOINTS, added))


def test_endpoints_of_different_methods_or_paths_live_side_by_side() -> None:
    """So that the check above refuses no more than it must."""
    added = (_more(path="/v1/others/{project}"), _more(name="less", path="/v1/projects/{project}/less"))
    assert added == Directory(Role.REVIEW_UNIT, (*ENDPOINTS, *added)).endpoints[-2:]
