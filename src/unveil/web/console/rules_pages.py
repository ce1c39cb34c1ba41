"""The owner's rules: edited as a form, tried on every past wish, and saved only after that was seen."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

from starlette.requests import Request
from starlette.responses import Response

from unveil.errors import SettingsFileError, UnveilError
from unveil.runtime.owner.inbox import WishKind
from unveil.runtime.owner.rules import EDITABLE, STANDING, RulesMoved
from unveil.settings.patching import KeyPath
from unveil.web.console.frame import ConsoleFrame
from unveil.web.forms import form_lists

_CHOICES: Final = ("none", "further", "review", "all")


class RulesPages:
    """The rules."""

    def __init__(self, frame: ConsoleFrame) -> None:
        self._frame, self._rules = frame, frame.console.rules

    async def page(self, request: Request) -> Response:
        """The rules as they are."""
        return await self._frame.page(request, "rules.html", lambda: self._values({}))

    async def try_out(self, request: Request) -> Response:
        """What rules as they were filled in would have done; nothing is saved."""
        form = await self._frame.step(request)
        if isinstance(form, Response):
            return form
        filled = _filled(await form_lists(request))

        return await self._frame.page(request, "rules.html", lambda: self._tried(filled))

    def _tried(self, filled: Mapping[KeyPath, Any]) -> dict[str, Any]:
        try:
            draft = self._rules.draft(filled)
        except SettingsFileError as error:
            return {**self._values(filled), "mistakes": [str(problem) for problem in error.problems]}
        trial = self._frame.console.try_rules(draft.policy)
        return {**self._values(filled), "trial": trial, "draft": draft}

    async def always(self, request: Request) -> Response:
        """What a standing answer to such wishes as were shown would have done; nothing is saved."""
        form = await self._frame.step(request)
        if isinstance(form, Response):
            return form
        answer = "approve" if form.get("do") == "approve" else "refuse"

        def found() -> dict[str, Any] | None:
            offered = self._frame.console.offered(form.get("offer", ""))
            if offered is None or offered.kind is not WishKind.VALUES:
                return None
            now = self._rules.now().values
            rule = {"answer": answer, "only": list(offered.attributes)}
            return self._tried({**now, STANDING: [*now[STANDING], rule]})

        return await self._frame.page(request, "rules.html", found, otherwise="/wishes")

    async def save(self, request: Request) -> Response:
        """Write the rules, if nobody else changed them meanwhile."""
        form = await self._frame.step(request)
        if isinstance(form, Response):
            return form
        filled, texts = _filled(await form_lists(request)), self._frame.texts(request)
        try:
            await self._frame.ask(self._save, filled, form.get("seen", ""))
        except RulesMoved:
            self._frame.tell("bad", texts.say("rules.moved"))
        except UnveilError as error:
            return self._frame.trouble(request, error)
        else:
            self._frame.tell("good", texts.say("rules.saved"))
        return self._frame.to("/rules")

    def _save(self, filled: Mapping[KeyPath, Any], seen: str) -> None:
        self._rules.save(self._rules.draft(filled), seen)

    def _values(self, filled: Mapping[KeyPath, Any]) -> dict[str, Any]:
        now = self._rules.now()
        return {
            "rules": now,
            "values": {".".join(path): filled.get(path, value) for path, value in now.values.items()},
            "kinds": {".".join(path): kind for path, kind in EDITABLE.items()},
            "names": self._frame.console.names,
            "choices": _CHOICES,
            "as_text": json.dumps,
            "trial": None,
            "draft": None,
            "mistakes": [],
        }


def _filled(form: Mapping[str, list[str]]) -> dict[KeyPath, Any]:
    """What a form says, by key; what is no number stays as it was typed, and is told as a mistake."""
    found: dict[KeyPath, Any] = {}
    for path, kind in EDITABLE.items():
        given = form.get(".".join(path), [])
        text = given[-1].strip() if given else ""
        if kind == "standing":
            found[path] = [_standing(each) for each in given]
        elif kind == "names":
            found[path] = given
        elif kind == "choice":
            found[path] = text or "none"
        elif kind == "share":
            found[path] = _number(text, float) if text else 1.0
        elif kind == "count":
            found[path] = _number(text, int) if text else 1
        else:
            found[path] = _number(text, int) if text else None
    return found


def _standing(text: str) -> Any:
    """A standing answer as the form carries it; what is none stays text, and is told as a mistake."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


def _number(text: str, kind: type[int | float]) -> int | float | str:
    try:
        return kind(text.replace(",", ".") if kind is float else text)
    except ValueError:
        return text
