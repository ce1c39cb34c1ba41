"""
What the owner's console shows and does, without a page: where the linkage stands, what waits, and answers to it.

It works beside the process that answers wishes, and without one: it only looks at the log, and what a person decides
here is left in the folder, where that process takes it up. It is told nothing about outcomes, since owners know none.
"""

from __future__ import annotations

import secrets
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from unveil.errors import UnveilError
from unveil.protocol.stages import StageStatus
from unveil.roles.owner.policy import Policy
from unveil.roles.owner.wishes import Wish
from unveil.runtime.claim import is_held
from unveil.runtime.owner.approvals import Approvals, undecided
from unveil.runtime.owner.console_ledger import ConsoleLedger, LedgerBook
from unveil.runtime.owner.dry_run import RulesTrial, try_rules
from unveil.runtime.owner.folder import home
from unveil.runtime.owner.inbox import PAGE, Inbox, InboxEntry, WishGroup
from unveil.runtime.owner.live_view import LiveView
from unveil.runtime.owner.observer import OwnerObserver, Unwatched
from unveil.runtime.owner.past_wishes import PastWishes
from unveil.runtime.owner.pause import Pause
from unveil.runtime.owner.progress import WishProgress
from unveil.runtime.owner.rules import Rules
from unveil.runtime.owner.status import UnitAnswer, stage_by_units, unit_answers
from unveil.runtime.owner.view import OwnerView

_OFFERS: Final = 200  # lists of entries that were shown and may be answered
_ASK_EVERY: Final = 4.0  # seconds between questions to the units, while somebody looks
_LOOKED_AT: Final = 30.0  # seconds after which nobody looks any more


class OfferGone(UnveilError):
    """What was answered was shown too long ago, or was answered already."""

    def __init__(self) -> None:
        super().__init__("this was answered already, or shown too long ago")


@dataclass(frozen=True, slots=True)
class ConsoleStatus:
    """Where the owner and the linkage stand."""

    project: str
    owner: str
    records: int
    begun: bool  #: whether anything was done in the folder
    working: bool | None  #: whether a process answers wishes; None: this system cannot tell
    stage: StageStatus | None  #: where the linkage stands, by what units say; None: they do not say
    units: dict[str, UnitAnswer]  #: empty before they were asked
    wishes: dict[str, WishProgress]
    waiting: int  #: entries that wait for a person
    to_take_up: int  #: answers of a person that no process has taken up
    to_send: int
    paused_since: float | None  #: since when nothing leaves; None: things do
    rules_unreadable: str  #: why the policy cannot be read, so that nothing is answered; empty if it can
    linked: bool  #: whether the results have come; nothing else is known of them here


@dataclass(frozen=True, slots=True, repr=False)
class GroupPage:
    """One group, some of its entries, and what to name when they are answered."""

    group: WishGroup
    entries: tuple[InboxEntry, ...]
    page: int
    pages: int
    whole: str  #: the offer of the whole group
    single: tuple[str, ...]  #: the offer of each entry


class OwnerConsole:
    """The console of one owner's folder. Threads may share it."""

    def __init__(
        self,
        view: LiveView,
        *,
        clock: Callable[[], float] = time.time,
        ask: Callable[[], dict[str, UnitAnswer]] | None = None,
    ) -> None:
        self._view, self._clock = view, clock
        self.home = home(view.folder.config)
        self._past, self._book = PastWishes(), LedgerBook(view.folder)
        self.rules = Rules(view.folder, lambda: view.rules.config)
        self.pause = Pause(self.home)
        self._approvals = Approvals(self.home)
        self._offers: OrderedDict[str, Sequence[Wish]] = OrderedDict()
        self._lock = threading.Lock()
        self._units = _UnitsWatch(ask or (lambda: unit_answers(view.folder.member, view.folder.config)))

    @classmethod
    @contextmanager
    def open(
        cls, path: Path, *, demonstration: bool = False, observer: OwnerObserver | None = None
    ) -> Iterator[OwnerConsole]:
        """The console of that folder, until the block ends."""
        with LiveView.open(path, demonstration=demonstration, observer=observer or Unwatched()) as view:
            for note in view.folder.member.notes:
                (observer or Unwatched()).note(note)
            console = cls(view)
            try:
                yield console
            finally:
                console.stop()

    def stop(self) -> None:
        """Ask the units no more."""
        self._units.stop()

    @property
    def project(self) -> str:
        """The project's name."""
        return self._view.folder.member.project.name

    @property
    def names(self) -> tuple[str, ...]:
        """The attributes, in the order of the schema."""
        return tuple(self._view.folder.member.project.linkage.names)

    @property
    def owner(self) -> str:
        """The owner's name."""
        return self._view.folder.config.name

    def status(self) -> ConsoleStatus:
        """Where things stand now; the units are asked beside it, so it never waits for them."""
        units = self._units.latest()
        return self._view.look(lambda view: self._status(view, units))

    def _status(self, view: OwnerView | None, units: dict[str, UnitAnswer]) -> ConsoleStatus:
        folder, progress = self._view.folder, self._view.progress
        return ConsoleStatus(
            project=self.project,
            owner=self.owner,
            records=len(folder.records),
            begun=view is not None,
            working=is_held(self.home, str(folder.member.address)),
            stage=stage_by_units(units),
            units=units,
            wishes=progress.wishes_by_unit(),
            waiting=sum(len(wish.ids) for wish in self._waiting(view)),
            to_take_up=len(self._approvals.given()),
            to_send=0 if view is None else view.log.counts()["waiting"],
            paused_since=self.pause.since,
            rules_unreadable="" if self._view.rules.problem is None else self._view.rules.problem.message,
            linked=progress.linked,
        )

    def stop_everything(self) -> None:
        """Let nothing leave any more."""
        self.pause.begin(self._clock())

    # What left, and what other rules would have let go

    def ledger(self) -> ConsoleLedger | None:
        """What left so far; None if nothing was begun."""
        return self._view.look(lambda view: None if view is None else self._book.read(view, self._view.progress))

    def try_rules(self, policy: Policy) -> RulesTrial:
        """What this policy would have done with every past wish, and would do with those that wait."""
        return self._view.look(lambda view: self._tried(view, policy))

    def _tried(self, view: OwnerView | None, policy: Policy) -> RulesTrial:
        if view is None:
            return RulesTrial.of_nothing()
        return try_rules(
            view.machine,
            self._past.read(view.log),
            policy,
            records=len(view.folder.records),
            names=view.folder.member.project.linkage.names,
            waiting=self._waiting(view),
            now=self._clock(),
        )

    # What waits

    def groups(self) -> list[tuple[WishGroup, str]]:
        """What waits, grouped, and the offer of each group."""
        return self._view.look(
            lambda view: [(group, self._offer([group.wish])) for group in self._inbox(view).groups()] if view else []
        )

    def group(self, key: str, page: int) -> GroupPage | None:
        """One group and a page of its entries, the first page if there is no such; None if nothing of it waits."""
        return self._view.look(lambda view: None if view is None else self._group(view, key, page))

    def _group(self, view: OwnerView, key: str, page: int) -> GroupPage | None:
        inbox = self._inbox(view)
        group = next((one for one in inbox.groups() if one.key == key), None)
        if group is None:
            return None
        pages = -(-group.entries // PAGE)
        page = page if 1 <= page <= pages else 1
        shown = group.wish.some(range((page - 1) * PAGE, min(page * PAGE, group.entries)))
        return GroupPage(
            group=group,
            entries=tuple(inbox.entries(shown)),
            page=page,
            pages=pages,
            whole=self._offer([group.wish]),
            single=tuple(self._offer([shown.some([at])]) for at in range(len(shown.ids))),
        )

    def offered(self, offer: str) -> WishGroup | None:
        """What was offered and still waits, as one group; None if nothing of it does."""
        with self._lock:
            wishes = self._offers.get(offer, ())
        return self._view.look(lambda view: self._still_offered(view, wishes) if view and wishes else None)

    def _still_offered(self, view: OwnerView, wishes: Sequence[Wish]) -> WishGroup | None:
        names, still = view.folder.member.project.linkage.names, _still(wishes, self._waiting(view))
        groups = Inbox(view.machine, view.folder.records, names, still, now=self._clock()).groups()
        return groups[0] if groups else None

    def answer(self, offer: str, *, granted: bool) -> int:
        """
        Let go what was offered, as far as the policy allows, or refuse it; how many entries that are.

        An offer names exactly what was shown, so that no wish is answered which came later. OfferGone if nothing of it
        waits any more.
        """
        with self._lock:
            wishes = self._offers.pop(offer, None)
        if wishes is None:
            raise OfferGone
        some = _still(wishes, self._view.look(self._waiting))
        if not some:
            raise OfferGone
        self._approvals.give(some, granted=granted)
        return sum(len(wish.ids) for wish in some)

    def _inbox(self, view: OwnerView) -> Inbox:
        names = view.folder.member.project.linkage.names
        return Inbox(view.machine, view.folder.records, names, self._waiting(view), now=self._clock())

    def _waiting(self, view: OwnerView | None) -> list[Wish]:
        return [] if view is None else undecided(view.machine.waiting(), self._approvals.given())

    def _offer(self, wishes: Sequence[Wish]) -> str:
        offer = secrets.token_urlsafe(12)
        with self._lock:
            self._offers[offer] = wishes
            while len(self._offers) > _OFFERS:
                self._offers.popitem(last=False)
        return offer


def _still(wishes: Sequence[Wish], waiting: Sequence[Wish]) -> list[Wish]:
    """What of these wishes still waits."""
    ids = {(wish.layer, one) for wish in waiting for one in wish.ids}
    places = [[at for at, one in enumerate(wish.ids) if (wish.layer, one) in ids] for wish in wishes]
    return [wish.some(some) for wish, some in zip(wishes, places, strict=True) if some]


class _UnitsWatch:
    """What units say, asked in a thread of its own while somebody looks."""

    def __init__(self, ask: Callable[[], dict[str, UnitAnswer]]) -> None:
        self._ask, self._found = ask, dict[str, UnitAnswer]()
        self._looked, self._wake, self._stop = 0.0, threading.Event(), threading.Event()
        self._thread = threading.Thread(target=self._run, name="what units say", daemon=True)
        self._thread.start()

    def latest(self) -> dict[str, UnitAnswer]:
        """What they said last; nothing before the first answer."""
        self._looked = time.monotonic()
        self._wake.set()
        return self._found

    def stop(self) -> None:
        """Ask no more; a question that is under way is not waited for."""
        self._stop.set()
        self._wake.set()

    def _run(self) -> None:
        while not self._stop.is_set():
            self._wake.wait()
            self._wake.clear()
            while not self._stop.is_set() and time.monotonic() - self._looked < _LOOKED_AT:
                self._found = self._ask()
                self._stop.wait(_ASK_EVERY)
