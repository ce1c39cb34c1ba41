"""Kills parties at random moments until each was killed often enough, over as many linkages as that takes."""

from __future__ import annotations

import random
import time
from collections import Counter
from dataclasses import dataclass, field
from typing import Final

from fleet import Fleet, ReviewerAtWork, addresses
from wire_tap import read_tap

from unveil.lab.local_parties.folder import PARTY_FOLDERS

_YOUNG: Final = 0.25  # share of processes that are killed while they start
_YOUNG_SECONDS: Final = 0.15
_OLD_SECONDS: Final = 2.0
_SUDDEN: Final = 0.05  # chance of a sudden death at each point where there may be one; less if few kills are wanted
_MANY: Final = 50
_ON_A_MESSAGE: Final = 0.05  # chance that a message on the wire is the death of its sender or recipient
_TOGETHER: Final = 0.1  # chance that another dies with it
_ALL: Final = 0.03  # chance that all do
_AT_ONCE: Final = 0.1  # share of the kills that may come before the first message
_PATIENCE: Final = 15.0  # seconds after which lives are twice as long, so that every linkage ends
_DISTURBED: Final = 60.0  # seconds after which a linkage is left alone; the next one gets the rest of the kills
_LONGEST: Final = 1200.0


@dataclass
class Killer:
    """
    `wanted` kills of each party from outside; `kills` counts those that hit a running process before the linkage ended.

    Sudden deaths at exact points between two steps come on top and are counted by themselves.
    """

    wanted: int
    rng: random.Random
    kills: Counter[str] = field(default_factory=Counter)
    sudden: int = 0
    linkages: int = 0
    seconds: float = 0.0

    @property
    def enough(self) -> bool:
        """Whether every party was killed often enough."""
        return all(self.kills[party] >= self.wanted for party in PARTY_FOLDERS)

    def __str__(self) -> str:
        total = sum(self.kills.values()) + self.sudden
        between = 1000 * self.seconds / max(1, total)
        return (
            f"{dict(self.kills)} and {self.sudden} sudden deaths, in {self.linkages} linkages and {self.seconds:.0f} s:"
            f" one every {between:.0f} ms"
        )

    def disturb(self, parties: Fleet) -> None:
        """One linkage to its end, with as many kills as it takes."""
        with ReviewerAtWork(parties.small):
            _OneLinkage(self, parties).run()
        self.linkages += 1


class _OneLinkage:
    def __init__(self, killer: Killer, parties: Fleet) -> None:
        self._killer, self._rng, self._parties = killer, killer.rng, parties
        self._tap, self._place = parties.root / "wire.jsonl", 0
        self._unit_at = addresses(parties.small)
        self._began = time.monotonic()
        self._expected = sum(parties.small.world.traffic.messages.values())
        self._arrived: set[str] = set()
        self._kills: Counter[str] = Counter()
        self._death: dict[str, float] = {}

    def run(self) -> None:
        """Kill and start again until the owners have their links."""
        self._parties.on_death = self._died
        for party in PARTY_FOLDERS:
            self._live(party)
        while not self._parties.finished:
            now = time.monotonic()
            assert now - self._began < _LONGEST, f"no end in sight: {self._killer}"
            for victim in self._victims(now):
                self._kill(victim)
            self._parties.watch()
            time.sleep(0.004)
        self._killer.seconds += time.monotonic() - self._began

    def _victims(self, now: float) -> set[str]:
        """Whose time has come, who is on the wire at the wrong moment, and sometimes others with them."""
        found = {party for party, when in self._death.items() if when <= now}
        lines, self._place = read_tap(self._tap, self._place)
        self._arrived.update(line.message_id for line in lines)
        for line in lines:
            if self._rng.random() < _ON_A_MESSAGE:
                found.add(self._rng.choice([line.party, self._unit_at[line.address]]))
        if found and self._rng.random() < _TOGETHER:
            found.add(self._rng.choice(PARTY_FOLDERS))
        if found and self._rng.random() < _ALL:
            found.update(PARTY_FOLDERS)
        return {party for party in found if party in self._parties.pids and self._needed(party)}

    def _needed(self, party: str) -> bool:
        """Whether a party may be killed now: not faster than the linkage goes on, so that kills hit all its stages."""
        if not self._wanted(party):
            return False
        progress = _AT_ONCE + len(self._arrived) / self._expected
        return self._kills[party] < progress * self._killer.wanted

    def _wanted(self, party: str) -> bool:
        late = time.monotonic() - self._began > _DISTURBED
        return not late and self._killer.kills[party] < self._killer.wanted

    def _kill(self, party: str) -> None:
        if self._parties.kill(party):
            self._killer.kills[party] += 1
            self._kills[party] += 1
            self._live(party)

    def _died(self, party: str) -> None:
        self._killer.sudden += 1
        self._live(party)

    def _live(self, party: str) -> None:
        """Start a party and draw how long it lives. Nobody waits until it is ready."""
        chance = _SUDDEN * min(1.0, self._killer.wanted / _MANY) if self._wanted(party) else 0.0
        self._parties.start(party, chance=chance, seed=self._rng.getrandbits(32))
        young = self._rng.random() < _YOUNG
        patience = 1 + (time.monotonic() - self._began) / _PATIENCE
        span = _YOUNG_SECONDS if young else _OLD_SECONDS * patience
        self._death[party] = time.monotonic() + self._rng.uniform(0, span)
