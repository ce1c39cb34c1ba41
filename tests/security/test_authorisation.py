"""Who may call what at the real units: the table, and one refusal for everybody else."""

from __future__ import annotations

import base64
import hashlib
import itertools
import json
from collections.abc import Iterator

import pytest
from live_units import Line, LiveUnits, parted, undated
from planted import encodings_found, found_in_files, of_bytes
from two_projects import OWNERS, PARTIES, PROJECTS

from unveil.lab.local_parties.folder import UNIT_FOLDERS
from unveil.projects import pki
from unveil.transport.http.access import ANYONE
from unveil.transport.http.endpoint import Endpoint
from unveil.transport.http.endpoints import ENDPOINTS

REFUSAL = (
    b'HTTP/1.1 403 Forbidden\r\ncontent-length: 22\r\ncontent-type: application/json\r\n\r\n{"problem": "refused"}'
)
CERTIFIED = [f"{project}-{party}" for project in PROJECTS for party in PARTIES]
TOKENS = [
    "reviewer alpha", "operator alpha", "reviewer beta", "operator beta",
    "expired reviewer", "expired operator", "revoked reviewer", "revoked operator",
    "of another unit", "cut short", "with another secret", "of another kind", "empty", "very long",
]  # fmt: skip


@pytest.fixture(scope="module")
def unlisted(units: LiveUnits) -> str:
    """A certificate of the right authority that no project lists."""
    pki.issue(units.folder.root / "pki", "unlisted")
    return "unlisted"


def _token(units: LiveUnits, unit: str, name: str) -> str:
    own = units.tokens[unit]
    other = next(each for each in UNIT_FOLDERS if each != unit)
    mark, number, secret = own["operator alpha"].split(".")
    made = {
        "of another unit": units.tokens[other]["operator alpha"],
        "cut short": own["operator alpha"][:-1],
        "with another secret": f"{mark}.{number}.{secret[::-1]}",
        "of another kind": hashlib.sha256(secret.encode()).hexdigest(),
        "empty": "",
        "very long": own["operator alpha"] + "A" * 600,
    }
    return made.get(name) or own.get(name, "")


def _ask(line: Line, endpoint: Endpoint, project: str, token: str | None) -> bytes:
    path = endpoint.path.format(project=project, message_id="m1", task="0" * 32)
    if endpoint.body is None:
        return line.ask(endpoint.method, path, b"", "", token=token)
    body = b"no frame"
    if endpoint.body.model is not None:
        given = {"attribute": "city", "stage": "full"} if path.endswith("cells") else {"match": True, "p": 1.0}
        body = json.dumps(given).encode()
    return line.ask(endpoint.method, path, body, endpoint.body.media_type, token=token)


def _role(caller: str) -> tuple[str, str]:
    """Role and project of a caller that the units know; of others nothing."""
    if caller in CERTIFIED:
        project, party = caller.split("-", 1)
        return ("owner" if party in OWNERS else UNIT_FOLDERS[party].value), project
    role, _, project = caller.partition(" ")
    return (role, project) if caller in TOKENS[:4] else ("", "")


def _asked(units: LiveUnits, unit: str, caller: str) -> Iterator[tuple[Endpoint, str, bytes]]:
    token = _token(units, unit, caller) if caller in TOKENS else None
    identity = caller if caller in CERTIFIED or caller == "unlisted" else None
    with units.line(unit, identity) as line:
        for endpoint, project in itertools.product(ENDPOINTS, (*PROJECTS, "unknown")):
            yield endpoint, project, _ask(line, endpoint, project, token)


@pytest.mark.parametrize("unit", UNIT_FOLDERS)
@pytest.mark.parametrize("caller", ["nobody", "unlisted", *CERTIFIED, *TOKENS])
def test_the_table_decides_and_every_refusal_is_the_same(
    units: LiveUnits, unlisted: str, unit: str, caller: str
) -> None:
    """Every endpoint of every unit × project × caller; nothing can be told from a refusal, byte for byte."""
    assert "unlisted" == unlisted
    role, home = _role(caller)
    allowed = 0
    for endpoint, project, answer in _asked(units, unit, caller):
        callers = endpoint.callers.get(UNIT_FOLDERS[unit], frozenset())
        known = role in callers and (project == home or "{project}" not in endpoint.path)
        if callers == ANYONE or known:
            status, _ = parted(answer)
            assert status in {200, 204, 422, 425}, (endpoint.title, project)
            assert (status == 425) == (endpoint.name == "mail"), endpoint.title  # logs were not compared
            assert (status == 422) == (endpoint.body is not None), (endpoint.title, project)  # empty words
            allowed += 1
        else:
            assert REFUSAL == undated(answer), (endpoint.title, project)
    assert allowed >= 3  # the health of a unit is open to all


def test_a_certificate_and_a_token_together_give_no_more_than_either(units: LiveUnits) -> None:
    """An owner that shows a reviewer's token of its own project still calls as an owner."""
    token = units.tokens["review-unit"]["reviewer beta"]
    with units.line("review-unit", "alpha-north") as line:
        assert REFUSAL == undated(line.ask("GET", "/v1/projects/alpha/tasks", token=token))
        assert 200 == parted(line.ask("GET", "/v1/projects/beta/tasks", token=token))[0]


def test_tokens_are_stored_hashed(units: LiveUnits) -> None:
    """Whoever reads the database cannot call with what stands there; what does stand there is a hash."""
    for unit, tokens in units.tokens.items():
        folder = units.folder.root / unit
        for name, token in tokens.items():
            secret = token.split(".")[2]
            needles = of_bytes(secret.encode()) | {
                f"of the bytes {how}": one for how, one in of_bytes(_decoded(secret)).items()
            }
            assert [] == found_in_files(folder, needles), name
            stored = b"".join(path.read_bytes() for path in folder.glob("log.sqlite*"))
            live = not name.startswith("revoked")
            assert live == (hashlib.sha256(_decoded(secret)).digest() in stored), name
            assert [] == encodings_found((units.folder.root / "units.log").read_bytes(), needles)


def _decoded(secret: str) -> bytes:
    return base64.urlsafe_b64decode(secret + "=")
