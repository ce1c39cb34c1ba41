"""`simulate`: the whole protocol in one process, on records with known truth or on generated people."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pyarrow as pa

from unveil.api.results import ResultTable
from unveil.api.tables import missing_names, schema_named, table_named, warn
from unveil.charts.figures import count, score
from unveil.charts.markup import el
from unveil.engines import choose
from unveil.errors import SettingError
from unveil.files.atomic import replacing
from unveil.files.open_table import TableSource
from unveil.files.read import OwnTable, read_own
from unveil.files.reading import Reading
from unveil.lab.evaluation.dataset import read_truth
from unveil.lab.evaluation.report import render
from unveil.lab.evaluation.result import RunResult
from unveil.lab.simulation.run import simulate as run_simulation
from unveil.lab.simulation.run import starting_threshold
from unveil.lab.simulation.study import Study
from unveil.lab.simulation.world import SimulationSettings
from unveil.lab.synthetic import generate
from unveil.linkage.estimate import Estimate
from unveil.one_place.stopwatch import Stopwatch
from unveil.schema import Schema, built_in
from unveil.schema.presets import with_preset

_PRESET = "unveil"


class SimulationResult:
    """
    What came of a simulation, held against the truth.

    `trajectory` has a row for each batch: pairs opened, labels given, precision, recall, F1; it offers an Arrow stream,
    and so does the result itself. `estimate` is what the units could tell without the truth.
    """

    def __init__(self, run: RunResult) -> None:
        self._run = run
        names = ("reviewed_pairs", "clerical_labels", "threshold", "precision", "recall", "f1")
        columns = {name: [getattr(point, name) for point in run.trajectory] for name in names}
        self._trajectory = ResultTable(pa.table(columns))

    @property
    def trajectory(self) -> ResultTable:
        """The quality before any review, and after every batch."""
        return self._trajectory

    @property
    def precision(self) -> float:
        """The share of the links that are right, at the end."""
        return self._run.trajectory[-1].precision

    @property
    def recall(self) -> float:
        """The share of the true pairs that were found, at the end."""
        return self._run.trajectory[-1].recall

    @property
    def f1(self) -> float:
        """F1 at the end."""
        return self._run.final_f1

    @property
    def estimate(self) -> Estimate | None:
        """Low, likely and high of `precision`, `recall` and `f1` as the units can tell without the truth."""
        return self._run.estimate

    def summary(self) -> dict[str, Any]:
        """Every figure, as `unveil simulate --json` prints it."""
        return self._run.summary()

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """The trajectory."""
        return self._trajectory.__arrow_c_stream__(requested_schema)

    def report(self) -> str:
        """The report as one HTML page that loads nothing; no reviewed pair is in it."""
        return render(self._run)

    def save_report(self, path: Path | str, *, overwrite: bool = False) -> None:
        """Save the report."""
        with replacing(Path(path), overwrite=overwrite) as temporary:
            temporary.write_text(self.report(), encoding="utf-8")

    def __repr__(self) -> str:
        return f"SimulationResult(F1 {self._run.initial_f1:.3f} to {self.f1:.3f})"

    def _repr_html_(self) -> str:
        """How a notebook shows it: figures, no value."""
        last = self._run.trajectory[-1]
        rows = [
            ("true pairs", count(self._run.true_pairs)),
            ("precision, recall, F1", ", ".join(map(score, (self.precision, self.recall, self.f1)))),
            ("F1 before any review", score(self._run.initial_f1)),
            ("pairs opened, labels given", f"{count(last.reviewed_pairs)}, {count(last.clerical_labels)}"),
        ]
        if self.estimate is not None:
            low, likely, high = self.estimate.f1
            rows.append(("F1 as estimated without truth", f"{score(likely)} (between {score(low)} and {score(high)})"))
        return el("table", *(el("tr", el("th", name, scope="row"), el("td", value)) for name, value in rows))


def simulate(
    a: TableSource | None = None,
    b: TableSource | None = None,
    truth: TableSource | None = None,
    *,
    people: int = 5_000,
    schema: Schema | Path | str | None = None,
    budget: int = 100,
    error: float = 0.0,
    seed: int = 1,
    full: bool = False,
    reading_a: Reading | None = None,
    reading_b: Reading | None = None,
) -> SimulationResult:
    """
    Run the whole protocol in one process, with a simulated reviewer: on your records, or on generated people.

    `a` and `b` are tables of records with the columns of the `schema`, the built-in `person` unless another is named;
    `truth` has the columns record_id_a and record_id_b, a row for each pair that is one person. Without tables, so many
    `people` are generated for each owner. `budget` is how many labels the reviewer is asked for, `error` the share of
    them that is wrong; the same `seed` gives the same result. `full` counts what only the report draws. `reading_a` and
    `reading_b` say how the files of records are written, where that is not to be found.
    """
    chosen = with_preset(schema_named(schema) or built_in(), _PRESET, budget=budget)
    if a is None and b is None and truth is None:
        made = generate(records=people, overlap=0.2, errors=1, seed=seed)
        study = Study("generated people", chosen, made.a, made.b, made.truth, choose(), seed=seed)
    elif a is None or b is None or truth is None:
        raise SettingError("two tables and the truth are needed, or none of them", hint="simulate(a, b, truth)")
    else:
        own = _read(a, "a", chosen, reading_a), _read(b, "b", chosen, reading_b)
        pairs = read_truth(truth, own[0].records.ids, own[1].records.ids)
        study = Study("tables", chosen, own[0].records, own[1].records, pairs, choose(), seed=seed)
    watch = Stopwatch.start(time.perf_counter)
    settings = SimulationSettings(seed=seed, error=error, t0=starting_threshold(study, offset=None, threshold=None))
    run, _ = run_simulation(study, chosen, settings, watch, preset=_PRESET, full=full)
    return SimulationResult(run)


def _read(table: TableSource, name: str, schema: Schema, reading: Reading | None) -> OwnTable:
    side = table_named(table, name, reading=reading)
    own = read_own(side.source, schema, side.reading)
    warn([*missing_names(side), *(f"{side.name}, {one}" for one in own.warnings)], level=4)
    return own
