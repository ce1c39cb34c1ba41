"""What waits, and a person's word on it. A step names what was shown, so nothing is answered that nobody saw."""

from __future__ import annotations

from functools import partial
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from unveil.runtime.owner.console import OfferGone
from unveil.web.console.frame import ConsoleFrame


class WishPages:
    """The inbox."""

    def __init__(self, frame: ConsoleFrame) -> None:
        self._frame, self._console = frame, frame.console

    async def all(self, request: Request) -> Response:
        """What waits, grouped by what is asked for."""
        return await self._frame.page(request, "wishes.html", lambda: {"groups": self._console.groups()})

    async def group(self, request: Request, key: str) -> Response:
        """One group: each entry with the record's own values, and exactly what would leave."""
        page = request.query_params.get("page", "1")
        number = int(page) if page.isascii() and page.isdigit() and len(page) < 7 else 1  # noqa: PLR2004 - digits

        def found() -> dict[str, Any] | None:
            group = self._console.group(key, number)
            return None if group is None else {"found": group}

        return await self._frame.page(request, "group.html", found, otherwise="/wishes")

    async def answer(self, request: Request) -> Response:
        """Let go or refuse what was shown: one entry, or a group, which is asked about once more."""
        form = await self._frame.step(request)
        if isinstance(form, Response):
            return form
        granted, back = form.get("do") == "approve", _back(form)
        if form.get("group") and form.get("sure") != "yes":
            return await self._asked_again(request, form, granted=granted, back=back)
        texts = self._frame.texts(request)
        try:
            count = await self._frame.ask(partial(self._console.answer, form.get("offer", ""), granted=granted))
        except OfferGone:
            self._frame.tell("bad", texts.say("console.gone"))
        else:
            self._frame.tell("good", texts.say("console.approved" if granted else "console.turned_down", count))
        return self._frame.to(back)

    async def _asked_again(self, request: Request, form: dict[str, str], *, granted: bool, back: str) -> Response:
        """A group goes all at once and for good, so it is said once more how much that is."""

        def found() -> dict[str, Any] | None:
            offered = self._console.offered(form.get("offer", ""))
            if offered is None:
                return None
            return {"group": offered, "offer": form.get("offer", ""), "granted": granted, "back": back}

        return await self._frame.page(request, "sure.html", found, otherwise=back)


def _back(form: dict[str, str]) -> str:
    """Where a step came from: a group, or all of them."""
    back = form.get("back", "")
    return f"/wishes/{back}" if back.isascii() and back.replace("-", "").isalnum() else "/wishes"
