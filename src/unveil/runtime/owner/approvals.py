"""
A person's answer to wishes that wait for approval, on its way to the process that runs.

`unveil owner approve` writes a small file into the owner's folder; `unveil owner run` takes it up, now or when it is
started next, writes the decision into the log and removes the file. The file names exactly the pairs or tasks that the
person was asked about, so an answer never covers a wish that came later. If the process dies in between, the file is
read again and changes nothing: what was decided waits no more.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Final

from unveil.errors import SettingError
from unveil.files.atomic import replacing
from unveil.protocol.machine import Step
from unveil.roles.owner.machine import Owner
from unveil.roles.owner.wishes import Wish
from unveil.runtime.host import Host

FOLDER: Final = "approvals"
Key = tuple[int, bytes]  # layer, pair or task


class Approvals:
    """The answers that were given and not taken up yet."""

    def __init__(self, home: Path) -> None:
        self._folder = home / FOLDER

    def give(self, wishes: Sequence[Wish], *, granted: bool) -> Path:
        """Write down a person's answer to these wishes; it is on the disk on return."""
        self._folder.mkdir(mode=0o700, exist_ok=True)
        path = self._folder / f"{time.time_ns():020}.json"
        entries = [{"layer": wish.layer, "ids": [one.hex() for one in wish.ids]} for wish in wishes]
        with replacing(path, overwrite=False) as temporary:
            temporary.write_text(json.dumps({"granted": granted, "wishes": entries}), encoding="ascii")
        return path

    def given(self) -> dict[Key, bool]:
        """Every answer that waits to be taken up; of two to the same wish, the first."""
        answers: dict[Key, bool] = {}
        for path in self._paths():
            for key, granted in _read(path).items():
                answers.setdefault(key, granted)
        return answers

    def take_up(self, host: Host[Owner]) -> bool:
        """Decide what people answered, and forget the answers; whether there were any."""
        paths = self._paths()
        for path in paths:
            answers = _read(path)
            for wish in host.look(Owner.waiting):
                host.deciding(_decision(wish, answers))
            path.unlink()
        return bool(paths)

    def _paths(self) -> list[Path]:
        return sorted(self._folder.glob("*.json"))


def undecided(wishes: Sequence[Wish], answers: dict[Key, bool]) -> list[Wish]:
    """The entries that nobody has answered yet, wish by wish."""
    places = [[at for at, one in enumerate(wish.ids) if (wish.layer, one) not in answers] for wish in wishes]
    return [wish.some(some) for wish, some in zip(wishes, places, strict=True) if some]


def _decision(wish: Wish, answers: dict[Key, bool]) -> Callable[[Owner], Step | None]:
    answered = wish.some([at for at, one in enumerate(wish.ids) if (wish.layer, one) in answers])

    def decide(owner: Owner) -> Step | None:
        given = [answers[wish.layer, one] for one in answered.ids]
        return owner.approval(answered, given) if given else None  # none among them: the answer is to other wishes

    return decide


def _read(path: Path) -> dict[Key, bool]:
    try:
        found = json.loads(path.read_bytes())
        if type(found["granted"]) is bool:
            return dict.fromkeys(_keys(found["wishes"]), found["granted"])
    except FileNotFoundError:  # taken up just now
        return {}
    except (OSError, ValueError, TypeError, KeyError, RecursionError):
        pass
    raise SettingError(f"{path}: is not an approval", hint="remove the file, then run unveil owner approve again")


def _keys(wishes: list[dict[str, object]]) -> Iterator[Key]:
    for wish in wishes:
        layer, ids = wish["layer"], wish["ids"]
        if not isinstance(layer, int) or not isinstance(ids, list):
            raise TypeError
        yield from ((layer, bytes.fromhex(one)) for one in ids)
