"""The experiment as a whole: what it runs, that it goes on after an interruption, that processes change nothing."""

from __future__ import annotations

import json
import multiprocessing
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from small_grid import PIECES, PLAN, REVIEWED, Seen, conducted, whole

from patience import PATIENCE, wait_until
from unveil.errors import InputError, SettingError, UnveilError
from unveil.lab.paper import cells
from unveil.lab.paper.cells import GRID, GridCell, Plan
from unveil.lab.paper.experiment import JOURNAL, RESULTS, Outcome
from unveil.lab.paper.fingerprint import fingerprint
from unveil.lab.paper.journal import Journal
from unveil.lab.paper.outputs import COLUMNS
from unveil.lab.paper.tasks import batches_of, tasks_of
from unveil.schema import built_in
from unveil.schema.presets import with_preset


@pytest.fixture(scope="module")
def sets(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return whole(tmp_path_factory.getbasetemp())[0]


@pytest.fixture(scope="module")
def outcome(tmp_path_factory: pytest.TempPathFactory) -> Outcome:
    return whole(tmp_path_factory.getbasetemp())[1]


def rows(folder: Path) -> list[dict[str, Any]]:
    """Every row of the results, without what the clock says."""
    found: list[dict[str, Any]] = pq.read_table(folder / RESULTS).to_pylist()
    return [{name: value for name, value in row.items() if name != "seconds"} for row in found]


def journal_lines(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / JOURNAL).read_text().splitlines()]


def test_the_grid_is_the_published_one() -> None:
    """16 cells from 11 starting thresholds with 3 seeds."""
    expected = [
        *((("E1M", "clk"), 100, error) for error in (0.0, 0.1, 0.2)),
        *((("E1M", "clk"), budget, 0.2) for budget in (200, 300)),
        *(((name, "clk"), budget, 0.2) for name in ("E1S", "E1L", "E2S", "E2M") for budget in (200, 300)),
        *(((name, "clk-xor"), 300, 0.2) for name in ("E1S", "E1M", "E1L")),
    ]
    assert sorted(expected) == sorted(((c.dataset, c.encoding), c.budget, c.error) for c in GRID)
    plan = cells.whole()
    assert 16 * 11 * 3 == plan.runs
    assert (-0.05, 0.0, 0.05) == (plan.offsets[0], plan.offsets[5], plan.offsets[-1])
    assert ("E1M", "E2M") == plan.datasets[:2]


def test_a_quick_run_is_at_most_a_tenth_of_the_grid_and_part_of_it() -> None:
    """What it computes is kept for the whole grid."""
    quick, whole = cells.quick(), cells.whole()
    assert quick.runs <= whole.runs / 10
    names = {task.key for task in tasks_of(whole, whole.datasets)}
    assert {task.key for task in tasks_of(quick, quick.datasets)} <= names


def test_every_task_has_a_key_of_its_own_and_studies_are_shared() -> None:
    """Two tasks under one key would count as one; a study prepared twice wastes time."""
    plan = cells.whole()
    tasks = tasks_of(plan, plan.datasets)
    assert len(tasks) == len({task.key for task in tasks})
    batches = batches_of(tasks, done=())
    assert (5 + 3) * 3 == len(batches)
    assert len(tasks) == sum(len(batch.tasks) for batch in batches)
    sizes = [len(batch.tasks) for batch in batches]
    assert sorted(sizes, reverse=True) == sizes
    assert [] == batches_of(tasks, done={task.key for task in tasks})


def test_results_hold_every_point_of_every_run(outcome: Outcome) -> None:
    """The table is for others to compute with: tidy, and consistent in itself."""
    table = pq.read_table(outcome.files[0])
    assert [name for name, _ in COLUMNS] == table.column_names
    found = table.to_pylist()
    assert 12 * 10 == len(found)
    for row in found:
        matched = row["true_positives"] + row["false_positives"]
        assert 160 == row["true_positives"] + row["false_negatives"]
        assert row["precision"] == pytest.approx(row["true_positives"] / matched)
        assert row["f1"] == pytest.approx(2 * row["true_positives"] / (matched + 160))
        assert row["t0"] == pytest.approx(row["t_opt"] + row["offset"])


def test_a_study_measures_layer_c_and_filters_where_it_should(outcome: Outcome) -> None:
    """These are the privacy figures of the report."""
    found = outcome.findings
    assert {"E1M"} == set(found.review)
    seen = found.review["E1M"]
    assert 0 < seen["kapr"]["kapr_between"] <= seen["kapr"]["kapr_unequal"] <= seen["kapr"]["kapr_all"] <= 1
    assert set(built_in().names) == set(seen["provided"])
    assert all(0 <= share <= 1 for share in seen["provided"].values())
    assert {"clk", "clk-xor"} == set(found.record_bits)
    assert found.record_bits["clk-xor"]["gini"] < found.record_bits["clk"]["gini"]
    opened = found.attribute_bits["kabf"]["last_name"]["count"]
    assert 0 < opened < found.attribute_bits["abf"]["last_name"]["count"] <= 1600
    assert opened <= 2 * max(step.reviewed_pairs for step in found.cells[REVIEWED].steps) + 200


def test_an_interrupted_experiment_goes_on_where_it_stopped(sets: Path, outcome: Outcome, tmp_path: Path) -> None:
    """Nothing that was finished is repeated, and the results are those of an experiment that was never interrupted."""
    stopped = Seen(stop_after=5)
    with pytest.raises(KeyboardInterrupt):
        conducted(sets, tmp_path, stopped)
    assert stopped.finished == [line["key"] for line in journal_lines(tmp_path)]
    assert not (tmp_path / RESULTS).exists()
    again = Seen()
    conducted(sets, tmp_path, again)
    assert (PIECES, 5) == (again.total, again.done)
    assert [f"going on after 5 of {PIECES} results"] == again.notes
    assert set() == set(again.finished) & set(stopped.finished)
    assert PIECES == len(journal_lines(tmp_path)) == len(again.finished) + 5
    assert rows(outcome.files[0].parent) == rows(tmp_path)


def test_a_finished_experiment_computes_nothing_again(sets: Path, outcome: Outcome, tmp_path: Path) -> None:
    """A line that the machine's failure cut short counts as not written."""
    shutil.copy(outcome.files[3], tmp_path / JOURNAL)
    with (tmp_path / JOURNAL).open("ab") as handle:
        handle.write(b'{"key":"run/E1M')
    seen = Seen()
    again = conducted(sets, tmp_path, seen)
    assert [] == seen.finished
    assert 0 == again.summary["computed_now"]
    assert PIECES == len(journal_lines(tmp_path))
    assert {**outcome.summary, "wall_seconds": 0, "computed_now": 0} == {**again.summary, "wall_seconds": 0}


def test_two_processes_find_what_one_does(sets: Path, outcome: Outcome, tmp_path: Path) -> None:
    """Where a run is computed must not matter."""
    seen = Seen()
    conducted(sets, tmp_path, seen, jobs=2)
    assert rows(outcome.files[0].parent) == rows(tmp_path)
    assert {"0", "1"} == {line.split(":")[0] for line in seen.started}
    assert PIECES == len(seen.finished)
    assert [] == multiprocessing.active_children()


def test_an_interrupt_ends_the_workers_and_keeps_what_they_finished(sets: Path, tmp_path: Path) -> None:
    """Workers that live on would eat the machine."""
    before = dict(os.environ)
    with pytest.raises(KeyboardInterrupt):
        conducted(sets, tmp_path, Seen(stop_after=3), jobs=2)
    assert [] == multiprocessing.active_children()
    assert 3 == len(journal_lines(tmp_path))
    assert before == dict(os.environ)


def test_a_mistake_in_the_data_is_told_as_the_worker_found_it(sets: Path, tmp_path: Path) -> None:
    """An error must cross the process with its hint and without a traceback."""
    data = tmp_path / "sets"
    shutil.copytree(sets, data)
    (data / "E2M" / "truth.csv").write_text("record_id_a,record_id_b\nnobody,nowhere\n", encoding="utf-8")
    plan = Plan(PLAN.cells, (0.0,), (1,))
    with pytest.raises(UnveilError, match="names a record that is not in the file of records"):
        conducted(data, tmp_path / "out", jobs=2, plan=plan)


def test_a_set_that_is_absent_is_left_out_with_a_note(sets: Path, tmp_path: Path) -> None:
    """Few people have all five sets."""
    plan = Plan((GridCell("E2M", 20, 0.0), GridCell("E2S", 20, 0.0)), (0.0,), (1,))
    seen = Seen()
    found = conducted(sets, tmp_path, seen, plan=plan)
    assert ["no data set E2S: its cells are left out"] == seen.notes
    assert ("E2S",) == found.findings.missing
    assert ["E2M b=20 err=0"] == [cell["name"] for cell in found.summary["cells"]]
    assert "E2S" in found.files[2].read_text(encoding="utf-8")
    with pytest.raises(InputError, match="holds none of the data sets"):
        conducted(tmp_path, tmp_path / "none", plan=plan)


def test_results_of_other_data_are_not_used(sets: Path, tmp_path: Path) -> None:
    """A changed record changes every figure."""
    data = tmp_path / "sets"
    shutil.copytree(sets, data)
    plan = Plan((GridCell("E2M", 20, 0.0),), (0.0,), (1,))
    conducted(data, tmp_path / "out", plan=plan)
    truth = data / "E2M" / "truth.csv"
    truth.write_text("\n".join(truth.read_text(encoding="utf-8").splitlines()[:-5]) + "\n", encoding="utf-8")
    seen = Seen()
    conducted(data, tmp_path / "out", seen, plan=plan)
    assert ["2 results of other data, settings or code are not used"] == seen.notes
    assert 2 == len(seen.finished)


def test_the_fingerprint_follows_data_schema_and_preset(sets: Path) -> None:
    """Whatever decides a result must be in it."""
    schema = built_in("paper")
    found = {
        fingerprint(schema, "paper", sets / "E1M"),
        fingerprint(schema, "paper", sets / "E2M"),
        fingerprint(schema, "schema", sets / "E1M"),
        fingerprint(with_preset(schema, "schema", budget=17), "paper", sets / "E1M"),
    }
    assert 4 == len(found)
    assert fingerprint(schema, "paper", sets / "E1M") in found


def test_two_experiments_cannot_write_into_one_folder(sets: Path, tmp_path: Path) -> None:
    """Their journals would mix."""
    with Journal(tmp_path / JOURNAL), pytest.raises(SettingError, match="another experiment is at work"):
        conducted(sets, tmp_path)


#: The command with more work than it can get through while a test looks on.
ENDLESS = """
import sys
from unittest.mock import patch
sys.path.insert(0, sys.argv[3])
import small_grid, unveil.cli
from unveil.lab.paper import cells
words = ['unveil', 'experiment', 'paper', '--data', sys.argv[1], '--out', sys.argv[2], '--jobs', '2', '--json']
with (
    patch.object(sys, 'argv', words),
    patch.object(cells, 'GRID', small_grid.PLAN.cells),
    patch.object(cells, 'SEEDS', tuple(range(500))),
):
    unveil.cli.main()
"""
INTERRUPTED = "unveil: error: interrupted\nhint: finished runs are kept: the same command goes on from there\n"

#: Read by every interpreter as it starts: workers tell what an interrupt would do, and come no further than this.
LATE = """
import os, pathlib, signal, sys, time
if "--multiprocessing-fork" in sys.orig_argv:
    here = pathlib.Path(__file__).with_name(f"part-{os.getpid()}")
    here.write_text(str(signal.getsignal(signal.SIGINT)))
    here.rename(here.with_name(f"worker-{os.getpid()}"))
    time.sleep(1000)
"""


@contextmanager
def endless(sets: Path, out: Path, **environment: str) -> Iterator[subprocess.Popen[str]]:
    """An experiment at work, in a group of its own as at a terminal; nothing of it is left when the block ends."""
    command = [sys.executable, "-c", ENDLESS, str(sets), str(out), str(Path(__file__).parent)]
    process = subprocess.Popen(
        command, stderr=subprocess.PIPE, text=True, start_new_session=True, env={**os.environ, **environment}
    )
    try:
        yield process
    finally:
        if not gone(process.pid):
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()


def gone(group: int) -> bool:
    """Whether the last process of a group has ended."""
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return True
    return False


def interrupted(process: subprocess.Popen[str]) -> str:
    """Press Ctrl-C, which the whole group gets, workers included; what was said on stderr until everybody had ended."""
    os.killpg(process.pid, signal.SIGINT)
    _, error = process.communicate(timeout=PATIENCE)
    wait_until(lambda: gone(process.pid), "the last process has ended")
    assert 130 == process.returncode
    return error


def test_control_c_at_the_terminal_leaves_no_process_behind(sets: Path, tmp_path: Path) -> None:
    """One line, exit 130, and the journal is sound."""
    journal = tmp_path / JOURNAL
    with endless(sets, tmp_path) as process:
        wait_until(lambda: process.poll() is not None or (journal.exists() and journal.stat().st_size), "a result")
        assert INTERRUPTED == interrupted(process)
    assert len(journal_lines(tmp_path)) > 0


def test_control_c_while_workers_are_starting_is_as_quiet(sets: Path, tmp_path: Path) -> None:
    """A worker that is not yet at work must not complain either; importing takes seconds."""
    (tmp_path / "sitecustomize.py").write_text(LATE)
    path = os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")]).strip(os.pathsep)
    with endless(sets, tmp_path / "out", PYTHONPATH=path) as process:
        wait_until(
            lambda: process.poll() is not None or len(list(tmp_path.glob("worker-*"))) == 2, "both workers start"
        )
        assert [str(signal.SIG_IGN)] * 2 == [told.read_text() for told in tmp_path.glob("worker-*")]
        assert INTERRUPTED == interrupted(process)
