"""Fuzzes a unit that listens with the requests its own OpenAPI document describes, and with such as it does not."""

from __future__ import annotations

import json
import os
import random
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

import requests
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from schemathesis import Case, GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    negative_data_rejection,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from patience import PATIENCE
from unveil.transport.http.tls import Credentials

CASES = int(os.environ.get("UNVEIL_FUZZ_CASES", "1000"))
CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    negative_data_rejection,
]


@dataclass
class Target:
    """
    A unit to fuzz: where it is, its document, whom to call as, names that it knows, and messages that it might take.

    `callers` gives for each role that may call anything the files of a party or the token of a person; `frames` makes
    messages that this role may send.
    """

    address: str
    document: dict[str, Any]
    callers: Mapping[str, Sequence[tuple[Credentials, str | None]]]
    known: Mapping[str, Sequence[str]]
    frames: Callable[[str], Sequence[bytes]]
    seen: Counter[tuple[str, int]] = field(default_factory=Counter)  # operation and status -> how often


def fuzz(target: Target, cases: int = CASES) -> None:
    """Send this many requests, half of them as declared, and check every answer."""
    for mode in GenerationMode:
        _fuzz(target, mode, cases // 2)


def _fuzz(target: Target, mode: GenerationMode, cases: int) -> None:
    schema = schemathesis.openapi.from_dict(target.document)
    operations: list[Any] = [cast("Any", result).ok() for result in schema.get_all_operations()]
    sessions = {role: [_session(*who) for who in some] for role, some in target.callers.items()}

    @st.composite
    def requests_of_it(draw: Callable[..., Any]) -> tuple[Case[Any], str, int]:
        operation = draw(st.sampled_from(operations))
        used = {parameter.name for parameter in operation.path_parameters}
        # Names that nobody knows are all refused alike, so mostly the known ones are used.
        fixed = {
            name: draw(st.sampled_from(names)) for name, names in target.known.items() if name in used and draw(_MOSTLY)
        }
        case: Case[Any] = draw(operation.as_strategy(generation_mode=mode, path_parameters=fixed or None))
        roles = [role for role in operation.definition.raw.get("x-callers", ["anyone"]) if role in sessions]
        role = draw(st.sampled_from(roles or ["anyone"]))
        if mode is GenerationMode.POSITIVE and case.method == "PUT" and "{message_id}" in case.path and draw(_MOSTLY):
            case.body = draw(_mutated(target.frames(role)))
        if (
            mode is GenerationMode.POSITIVE
            and isinstance(case.body, dict)
            and "attribute" in case.body
            and draw(_MOSTLY)
        ):
            case.body["attribute"] = draw(st.sampled_from(target.known["attribute"]))
        return case, role, draw(st.integers(0, 7))

    @settings(
        max_examples=cases,
        deadline=None,
        database=None,
        phases=[Phase.generate, Phase.shrink],
        suppress_health_check=list(HealthCheck),
    )
    @given(drawn=requests_of_it())
    def check(drawn: tuple[Case[Any], str, int]) -> None:
        case, role, which = drawn
        session = sessions[role][which % len(sessions[role])]
        # The library decides about certificates by itself unless it is told with each call.
        files: dict[str, Any] = {"verify": session.verify, "cert": session.cert}
        response = case.call(base_url=target.address, session=session, timeout=PATIENCE, **files)
        target.seen[f"{case.method} {case.path}", response.status_code] += 1
        case.validate_response(response, checks=CHECKS)

    try:
        check()
    finally:
        for session in (one for some in sessions.values() for one in some):
            session.close()


_MOSTLY = st.integers(0, 9).map(bool)


@st.composite
def _mutated(draw: Callable[..., Any], frames: Sequence[bytes]) -> bytes:
    """A message as it should be, or with something wrong in its header or its bytes."""
    rng = random.Random(draw(st.integers(0, 1 << 32)))
    frame = draw(st.sampled_from(frames))
    match draw(st.sampled_from(["as it is", "as it is", "number", "length", "byte", "cut", "kind"])):
        case "byte":
            at = rng.randrange(len(frame))
            return frame[:at] + rng.randbytes(1) + frame[at + 1 :]
        case "cut":
            return frame[: rng.randrange(1, len(frame))]
        case "as it is":
            return frame
        case what:
            return _reheaded(frame, what, rng)


def _reheaded(frame: bytes, what: str, rng: random.Random) -> bytes:
    length = int.from_bytes(frame[4:8], "little")
    header = json.loads(frame[8 : 8 + length])
    if what == "kind":
        header["kind"] = rng.choice(["Labels", "Fingerprint", "AttributeValues", "Refusal", "ReviewTask", ""])
    elif what == "number" and header["fields"]:
        name = rng.choice([*header["fields"]])
        header["fields"][name] = rng.choice(
            [0, 1, 2, 7, 64, 65536, 1 << 31, (1 << 32) - 1, -1, 0.5, None, "", [], True]
        )
    elif header["columns"]:
        rng.choice(header["columns"])[1] = rng.choice([0, 1, 16, 32, 1 << 20, -1])
    text = json.dumps(header).encode()
    return frame[:4] + len(text).to_bytes(4, "little") + text + frame[8 + length :]


def _session(credentials: Credentials, token: str | None) -> requests.Session:
    session = requests.Session()
    session.trust_env = False
    session.verify = str(credentials.authority)
    if credentials.certificate is not None:
        session.cert = (str(credentials.certificate), str(credentials.key))
    if token is not None:
        session.headers["Authorization"] = f"Bearer {token}"
    return session
