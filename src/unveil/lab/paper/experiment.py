"""The whole experiment: find out which results exist, compute the missing ones, write tables and report."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from unveil.errors import InputError, SettingError
from unveil.files.atomic import replacing
from unveil.lab.paper.cells import Plan
from unveil.lab.paper.findings import Findings, findings
from unveil.lab.paper.fingerprint import fingerprint
from unveil.lab.paper.journal import Journal, Result
from unveil.lab.paper.outputs import summary, write_results, write_summary
from unveil.lab.paper.pool import run_batches
from unveil.lab.paper.report import render
from unveil.lab.paper.tasks import StudyTasks, batches_of, tasks_of
from unveil.lab.paper.work import Bench
from unveil.schema import Schema
from unveil.schema.presets import with_preset

JOURNAL, RESULTS, SUMMARY, REPORT = "journal.jsonl", "results.parquet", "summary.json", "report.html"


class ExperimentProgress(Protocol):
    """Who wants to know how far it is."""

    def begin(self, total: int, done: int) -> None:
        """There are so many pieces of work, of which so many are done already."""
        ...

    def start(self, worker: int, batch: StudyTasks) -> None:
        """A worker takes a study."""
        ...

    def finish(self, worker: int, result: Result) -> None:
        """A worker has finished a piece of work, which is in the journal."""
        ...


@dataclass(frozen=True, slots=True)
class Outcome:
    """What an experiment leaves: its findings, its summary and its files."""

    findings: Findings
    summary: dict[str, Any]
    files: tuple[Path, ...]


def available(data: Path, plan: Plan) -> tuple[list[str], list[str]]:
    """The data sets of the plan that are there, and those that are not."""
    if not data.is_dir():
        raise InputError(data, "is not a directory", hint="give the folder that holds E1M, E2M, …")
    there = [name for name in plan.datasets if (data / name).is_dir()]
    if not there:
        hint = f"it needs folders named {', '.join(plan.datasets)}, each with a.csv, b.csv and truth.csv"
        raise InputError(data, "holds none of the data sets", hint=hint)
    return there, [name for name in plan.datasets if name not in there]


def conduct(
    data: Path,
    out: Path,
    plan: Plan,
    schema: Schema,
    *,
    preset: str,
    jobs: int,
    engine: str,
    progress: ExperimentProgress,
    note: Callable[[str], None],
    clock: Callable[[], float] = time.perf_counter,
) -> Outcome:
    """
    Run what is not in the journal yet and write results.parquet, summary.json and report.html into `out`.

    An interrupt leaves the journal as it is; the same call goes on from there. `note` takes what a person should know.
    """
    if jobs < 1:
        raise SettingError("--jobs must be at least 1")
    began = clock()
    there, missing = available(data, plan)
    for name in missing:
        note(f"no data set {name}: its cells are left out")
    prints = {name: fingerprint(with_preset(schema, preset), preset, data / name) for name in there}
    _make(out)
    with Journal(out / JOURNAL) as journal:
        results, others = journal.read(prints)
        if others:
            note(f"{others} results of other data, settings or code are not used")
        tasks = tasks_of(plan, there)
        wanted = {task.key for task in tasks}
        results = {key: result for key, result in results.items() if key in wanted}
        done = len(results)
        if done:
            note(f"going on after {done} of {len(tasks)} results")
        progress.begin(len(tasks), done)

        def keep(worker: int, result: Result) -> None:
            stamped = {**result, "fingerprint": prints[result["dataset"]]}
            journal.append(stamped)
            results[result["key"]] = stamped
            progress.finish(worker, stamped)

        bench = Bench(data, schema, preset, engine, threads=max(1, (os.cpu_count() or 1) // jobs))
        run_batches(bench, batches_of(tasks, results), jobs=jobs, on_start=progress.start, on_result=keep)
        found = findings(results, plan, preset, missing=missing)
        content = summary(found, wall_seconds=clock() - began, computed=len(results) - done)
        files = _write(out, results, found, content)
    return Outcome(found, content, files)


def _make(out: Path) -> None:
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise SettingError(f"{out}: cannot be made: {error.strerror}") from None


def _write(out: Path, results: dict[str, Result], found: Findings, content: dict[str, Any]) -> tuple[Path, ...]:
    write_results(out / RESULTS, results)
    write_summary(out / SUMMARY, content)
    with replacing(out / REPORT) as temporary:
        temporary.write_text(render(found, content), encoding="utf-8")
    return tuple(out / name for name in (RESULTS, SUMMARY, REPORT, JOURNAL))
