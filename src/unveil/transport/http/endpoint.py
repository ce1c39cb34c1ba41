"""
An endpoint as one value: all that the gate, the application, the OpenAPI document, the metrics and the reference page
know about it.

To add one, write its handler and beside it such a value, and list the value in `endpoints`. A value with a mistake in
it cannot be made: the error names every mistake.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum
from types import MappingProxyType
from typing import Any, Final, Literal, get_args

from fastapi import Request, params
from pydantic import BaseModel
from starlette.responses import Response

from unveil.protocol.roles import UNITS, Role
from unveil.transport.http.access import ANYONE, PARTIES, PEOPLE, Callers
from unveil.transport.http.limits import TEXT, RequestLimits

Handler = Callable[..., Awaitable[Response]]
BodyLimit = Literal["frame", "text"]

#: What each problem means, whichever endpoint answers with it.
PROBLEMS: Final[Mapping[int, str]] = MappingProxyType(
    {
        403: "Refused: not recognised, not allowed, or nothing there. It looks the same whatever the reason.",
        409: "The id is known already, with other contents.",
        410: "The project is closed.",
        413: "Too large.",
        415: "Not of the media type that is taken, or encoded.",
        422: "Not acceptable as it stands.",
        425: "It refers to what has not come yet; send it again later.",
        503: "The unit is busy or cannot store anything now; try again.",
    }
)
_OF_ANY: Final = frozenset({413, 415, 422})  # what every endpoint may answer
_OF_RECOGNISED: Final = frozenset({403, 503})  # and what one may answer that not everybody may call
_OF_PROJECTS: Final = frozenset({410})  # and what one may answer that belongs to a project

_METHODS: Final = ("GET", "PUT", "POST", "DELETE")
_WITH_BODY: Final = ("PUT", "POST")
_PATH: Final = re.compile(r"/|(/([\w.-]+|\{\w+\}))+", re.ASCII)
_NAME_IN_PATH: Final = re.compile(r"\{(\w+)\}")
_MEDIA_TYPE: Final = re.compile(r"[a-z]+/[a-z0-9.+-]+")


class Slots(Enum):
    """Which of the slots a request holds while it is at work; they are counted apart."""

    REQUESTS = "requests"
    POLLS = "polls"  # it mostly waits, so there are many more of these


@dataclass(frozen=True, slots=True)
class Body:
    """
    A body that must be sent.

    `limit` names the entry of RequestLimits that bounds it. With a `model` it is JSON that the framework checks;
    without one it is bytes, at least one of them, and `content` says in words what they are.
    """

    media_type: str
    limit: BodyLimit
    model: type[BaseModel] | None = None
    content: str = ""

    def __post_init__(self) -> None:
        _refuse("a body", self._mistakes())

    def largest(self, limits: RequestLimits) -> int:
        """The most bytes that it may have."""
        return {"frame": limits.frame, "text": limits.text}[self.limit]

    def _mistakes(self) -> Iterator[str]:
        if not _MEDIA_TYPE.fullmatch(self.media_type):
            yield f"it needs a media type such as {TEXT}"
        if self.limit not in get_args(BodyLimit):
            yield f"it needs a limit, one of {', '.join(get_args(BodyLimit))}"
        if self.model is not None and self.media_type != TEXT:
            yield f"with a model it is read as {TEXT}"
        if (self.model is None) == (not self.content):
            yield "it needs either a model or words that say what its bytes are"


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer when all is well; what it holds and its headers are described as in OpenAPI."""

    description: str
    media_type: str = ""
    schema: Mapping[str, Any] = field(default_factory=dict)
    headers: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        _refuse("an answer", self._mistakes())

    def _mistakes(self) -> Iterator[str]:
        if not self.description:
            yield "it needs a description"
        if self.media_type and not _MEDIA_TYPE.fullmatch(self.media_type):
            yield f"it needs a media type such as {TEXT}, or none if it has no body"
        if bool(self.media_type) != bool(self.schema):
            yield "it has both a media type and a schema, or neither"


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoint:
    """
    What a unit does when a method is called on a path, and for whom.

    `name` is its operation id in the OpenAPI document. `callers` says at which units it exists and, for each, who may
    call it. `problems` are statuses besides those that follow from the rest. `description` and `guide` are printed by
    the reference page: what it does in a sentence or two, and how it is used, as Markdown with its own heading.
    """

    name: str
    method: str
    path: str
    description: str
    callers: Mapping[Role, Callers]
    handler: Handler
    answers: Mapping[int, Answer]
    body: Body | None = None
    query: frozenset[str] = frozenset()
    problems: frozenset[int] = frozenset()
    slots: Slots = Slots.REQUESTS
    guide: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "callers", MappingProxyType(dict(self.callers)))
        object.__setattr__(self, "answers", MappingProxyType(dict(self.answers)))
        mistakes = [*self._own_mistakes(), *self._mistakes_about_callers(), *self._mistakes_about_handler()]
        _refuse(f"endpoint {self.title}", mistakes)

    @property
    def title(self) -> str:
        """Method and path, as it is headed on the reference page."""
        return f"{self.method} {self.path}"

    @property
    def in_project(self) -> bool:
        """Whether it belongs to a project, which its path names."""
        return "project" in self.names_in_path

    @property
    def names_in_path(self) -> list[str]:
        """The parts of the path that stand for something else."""
        return _NAME_IN_PATH.findall(self.path)

    @property
    def is_open(self) -> bool:
        """Whether nobody needs to say who they are."""
        return ANYONE in self.callers.values()

    @property
    def all_problems(self) -> list[int]:
        """The status of every problem that it may answer with."""
        follows = (frozenset() if self.is_open else _OF_RECOGNISED) | (_OF_PROJECTS if self.in_project else frozenset())
        return sorted(_OF_ANY | follows | self.problems)

    def _own_mistakes(self) -> Iterator[str]:
        if not self.name.isidentifier():
            yield "the name must be an identifier"
        if self.method not in _METHODS:
            yield f"the method must be one of {', '.join(_METHODS)}"
        if not _PATH.fullmatch(self.path):
            yield "the path must consist of words and of names in braces, each after a slash"
        if not self.description:
            yield "it needs a description"
        if not self.answers or not all(200 <= status < 400 for status in self.answers):  # noqa: PLR2004 - all is well
            yield "it needs an answer for when all is well, with a status from 200 to 399"
        if not self.problems <= PROBLEMS.keys():
            yield f"its problems must be among {', '.join(map(str, PROBLEMS))}"
        if self.body and self.method not in _WITH_BODY:
            yield f"a body is taken with {' and '.join(_WITH_BODY)} only"

    def _mistakes_about_callers(self) -> Iterator[str]:
        if not self.callers or not all(self.callers.values()):
            yield "it needs callers, for each unit that has it"
        if not self.callers.keys() <= set(UNITS):
            yield "only units have endpoints"
        named = frozenset().union(*self.callers.values())
        if named != ANYONE and not named <= PARTIES | PEOPLE:
            yield "its callers must be roles and kinds of people, or everywhere anyone"
        if self.is_open and self.slots is not Slots.REQUESTS:
            yield "what is open to anyone takes no slot, so it must not wait"

    def _mistakes_about_handler(self) -> Iterator[str]:
        """The framework reads the handler's signature, the gate reads this value: they must say the same."""
        found = _parameters(self.handler)
        if sorted(self.names_in_path) != sorted(found["path"]):
            yield "the handler must take the names in the path, each once and with Path(...)"
        if self.query != frozenset(found["query"]):
            yield "the handler must take the query parameters, each with Query(...)"
        if ([self.body.model] if self.body and self.body.model else []) != list(found["body"].values()):
            yield "the handler must take the body's model, and no other"
        if found["unknown"]:
            yield f"nobody can tell where the handler's {', '.join(found['unknown'])} should come from"


def _refuse(what: str, mistakes: Iterable[str]) -> None:
    if found := list(mistakes):
        raise ValueError(f"{what}: {'; '.join(found)}")


def _parameters(handler: Handler) -> Mapping[str, dict[str, Any]]:
    """The handler's parameters and their types, by where the framework takes them from."""
    found: dict[str, dict[str, Any]] = {"path": {}, "query": {}, "body": {}, "call": {}, "unknown": {}}
    for name, parameter in inspect.signature(handler, eval_str=True).parameters.items():
        found[_source(parameter.annotation)][name] = parameter.annotation
    return found


def _source(kind: Any) -> str:
    for note in getattr(kind, "__metadata__", ()):
        match note:
            case params.Path():
                return "path"
            case params.Query():
                return "query"
            case params.Depends():
                return "call"
    if isinstance(kind, type) and issubclass(kind, BaseModel):
        return "body"
    return "call" if kind is Request else "unknown"
