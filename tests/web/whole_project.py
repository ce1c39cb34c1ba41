"""A whole project as processes: three units, two owners and a console, and people who come to them by browser."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from patience import PATIENCE, wait_until
from unveil.lab.local_parties import folder
from unveil.lab.local_parties.folder import OWNERS, PROJECT, UNIT_FOLDERS, Trial
from unveil.lab.local_parties.processes import ports_held
from unveil.lab.synthetic import generate, write
from unveil.projects import project_file
from unveil.projects.owner_config import OwnerConfig
from unveil.projects.project import ReviewOpinions
from unveil.records import Records
from unveil.roles.owner.ledger import REVIEW_LAYER
from unveil.runtime.owner.folder import OwnerFolder
from unveil.runtime.review_audit import ReviewAct, review_acts
from unveil.schema import Schema, built_in
from unveil.schema.presets import with_preset

LABELS = 30
#: Owner a lets a person look at what reviewers ask for besides; owner b has no policy.
POLICY = 'approval = "further"\n'


@dataclass
class WholeProject:
    """The parties' folder, their processes, and what both owners hold."""

    trial: Trial
    records: tuple[Records, Records]
    _stack: ExitStack
    units: dict[str, subprocess.Popen[bytes]] = field(default_factory=dict)
    owners: dict[str, subprocess.Popen[bytes]] = field(default_factory=dict)

    @property
    def address(self) -> str:
        """Where reviewers go."""
        return self.trial.project().address("review unit")

    def serve(self, *names: str) -> None:
        """Start units, and wait until they listen."""
        for name in names:
            ready = self.trial.root / f"{name}.ready"
            ready.unlink(missing_ok=True)
            words = ["serve", name, "--config", str(self.trial.config(name)), "--ready", str(ready)]
            self.units[name] = self._start(name, [*words, "--demonstration"])
        ready_files = [self.trial.root / f"{name}.ready" for name in names]
        wait_until(lambda: all(path.exists() for path in ready_files), "the units listen")

    def begin(self) -> None:
        """Start both owners."""
        for name in OWNERS:
            words = ["owner", "run", str(self.trial.config(name)), "--demonstration"]
            self.owners[name] = self._start(name, words)

    def kill(self, unit: str) -> None:
        """Kill a unit, as a machine that loses its power does."""
        self.units[unit].kill()
        self.units[unit].wait(PATIENCE)

    def invite(self, name: str, role: str = "reviewer") -> str:
        """The link that the organiser's command writes for somebody."""
        out = self.trial.root / f"{name}.link"
        config = str(self.trial.config("review-unit"))
        words = ["reviewer", "invite", name, "--config", config, "--project", PROJECT, "--url", self.address]
        words += ["--role", role, "--out", str(out), "--demonstration"]
        _command(words)
        return out.read_text(encoding="ascii").strip()

    def results(self) -> tuple[list[str], list[str]]:
        """The lines of both link tables, and those of the pairs that both owners' parts say belong together."""
        tables, parts = [], []
        for name in OWNERS:
            out, part = self.trial.root / f"{name}.links.csv", self.trial.root / f"{name}.join"
            _command(
                [
                    "owner",
                    "results",
                    str(self.trial.config(name)),
                    "--out",
                    str(out),
                    "--join",
                    str(part),
                    "--demonstration",
                ]
            )
            tables += out.read_text(encoding="utf-8").splitlines()[1:]
            parts.append(str(part))
        pairs = self.trial.root / "pairs.csv"
        _command(["join", "pairs", *parts, "--out", str(pairs)])
        return tables, pairs.read_text(encoding="utf-8").splitlines()[1:]

    def console(self, owner: str) -> str:
        """The link of an owner's console, which is at work until the project ends."""
        words = ["owner", "console", str(self.trial.config(owner)), "--no-browser", "--demonstration"]
        out = self.trial.root / f"{owner}.console"
        self._start(f"{owner}.console", words, out=out)
        wait_until(lambda: out.exists() and out.read_text(encoding="utf-8").strip(), "the console prints its link")
        return out.read_text(encoding="utf-8").split()[0]

    def acts(self, *kinds: str) -> list[ReviewAct]:
        """What reviewers did so far, as the unit's log holds it."""
        return [act for act in review_acts(self.trial.database("review-unit"), PROJECT) if act.act in kinds]

    def shown_values(self) -> Iterator[tuple[str, str]]:
        """Attribute and value of everything that owners sent to reviewers, by their ledgers; when they are done."""
        for owner, records in zip(OWNERS, self.records, strict=True):
            config = OwnerConfig.load(self.trial.config(owner), demonstration=True)
            loaded = OwnerFolder.load(config, demonstration=True)
            with loaded.open(demonstration=True) as database:
                entries = loaded.host(database).machine.ledger.entries()
            names = loaded.member.project.linkage.names
            for at in (entries.layer == REVIEW_LAYER).nonzero()[0].tolist():
                row = int(entries.rows[at])
                for name, sent in zip(names, entries.attributes[at].tolist(), strict=True):
                    if sent:
                        yield name, records.columns[name][row]

    def _start(self, name: str, words: list[str], *, out: Path | None = None) -> subprocess.Popen[bytes]:
        log = self._stack.enter_context((self.trial.root / f"{name}.log").open("ab"))
        target = log if out is None else self._stack.enter_context(out.open("ab"))
        environment = os.environ | {"PYTHONUNBUFFERED": "1"}
        process = subprocess.Popen([sys.executable, "-m", "unveil", *words], stdout=target, stderr=log, env=environment)
        self._stack.callback(_end, process)
        return process


def _command(words: list[str]) -> None:
    subprocess.run([sys.executable, "-m", "unveil", *words], check=True, capture_output=True, timeout=PATIENCE)


def _end(process: subprocess.Popen[bytes]) -> None:
    if process.poll() is None:
        process.kill()
    process.wait(PATIENCE)


def schema() -> Schema:
    """Most pairs are uncertain, thirty labels are asked for, and reviewers may ask for a few further attributes."""
    made = with_preset(built_in(), "unveil", budget=LABELS)
    changes = {"p_t": 0.9999, "batches": (60, 60, 60), "decoys": 0.1, "further_attributes": 0.2}
    return made.model_copy(update={"protocol": made.protocol.model_copy(update=changes)})


@contextmanager
def whole_project(root: Path) -> Iterator[WholeProject]:
    """The folders of a project whose parties are not at work yet."""
    people = generate(records=200, overlap=0.5, errors=2, seed=5)
    (root / "people").mkdir(parents=True)
    write(people, root / "people")
    trial = folder.make(root, schema(), seed=5, key=bytes(range(32)), policies={"owner-a": POLICY})
    project = trial.project().model_copy(update={"reviews": ReviewOpinions(second_opinions=0.4, second_below=0.7)})
    trial.project_path.unlink()
    project_file.write_new(trial.project_path, project)
    with ExitStack() as stack:
        stack.enter_context(ports_held(project.address(role) for role in UNIT_FOLDERS.values()))
        yield WholeProject(trial, (people.a, people.b), stack)
