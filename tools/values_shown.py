"""
How many values reach reviewers, how many show in full at once, and at what risk: before the rule that nothing is shown
in vain, and with it.

    python -m tools.values_shown --records 20000 --budget 100 --seeds 3

The people are the demo's. Before: the attribute unit goes by the learnt bound alone, and the review unit shows whatever
it gets. With it: the bound is corrected for chance, and values that hardly agree are "different". Prints one line for
each seed and both ways.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from unittest.mock import patch

from unveil.engines import choose
from unveil.lab.simulation.run import simulate, starting_threshold
from unveil.lab.simulation.study import Study
from unveil.lab.simulation.world import SimulationSettings
from unveil.lab.synthetic import generate
from unveil.linkage import attributes
from unveil.one_place.stopwatch import Stopwatch
from unveil.roles.review_unit import display
from unveil.roles.review_unit.rows import Row, Sort
from unveil.schema import Schema, built_in
from unveil.schema.presets import with_preset

_OFFSET, _ERROR = 0.03, 0.1  # what `unveil demo` takes if nobody says otherwise


@dataclass(frozen=True, slots=True)
class ValuesShown:
    """What one linkage showed: values sent, those that stood there in full unopened, KAPR both ways, and final F1."""

    sent: int
    in_full: int
    held: float
    seen: float
    f1: float

    def __str__(self) -> str:
        return (
            f"{self.sent:4} values sent, {self.in_full:3} shown in full at once, KAPR held {self.held:.3f}, "
            f"seen {self.seen:.3f}, F1 {self.f1:.3f}"
        )


@contextmanager
def as_before() -> Iterator[None]:
    """Without the correction for chance, and whatever is sent is shown."""
    with ExitStack() as stack:
        nothing = patch.object(attributes, "chance_of_signs", lambda *_: 0.0)
        stack.enter_context(nothing)
        stack.enter_context(patch.object(display, "are_worth_showing", lambda *_: True))
        yield


def values_shown(study: Study, schema: Schema, seed: int) -> ValuesShown:
    """The figures of one linkage, as the demo runs it."""
    t0 = starting_threshold(study, offset=_OFFSET, threshold=None)
    settings = SimulationSettings(seed=seed, t0=t0, error=_ERROR)
    run, world = simulate(study, schema, settings, Stopwatch.start(time.perf_counter), preset="unveil")
    sent = sum(one.ledger.disclosures(3) for one in world.owners)
    unopened = [display.cells(one.pair, schema, {}) for one in world.answered]
    in_full = sum(_is_open(row) for cells in unopened for cell in cells for row in cell.rows)
    return ValuesShown(sent, in_full, run.kapr["held"], run.kapr["seen"], run.final_f1)


def _is_open(row: Row) -> bool:
    """Whether a row shows a whole value."""
    sorts = {glyph.sort for glyph in row} - {Sort.GAP, Sort.LAYOUT}
    return sorts == {Sort.OPEN}


def study_of(records: int, seed: int) -> Study:
    """The demo's people."""
    people = generate(records=records, overlap=0.2, errors=1, seed=seed)
    return Study("people", built_in(), people.a, people.b, people.truth, choose(), seed=seed)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.strip().splitlines()[0])
    parser.add_argument("--records", type=int, default=20_000)
    parser.add_argument("--budget", type=int, default=100)
    parser.add_argument("--seeds", type=int, default=3)
    given = parser.parse_args()
    schema = with_preset(built_in(), "unveil", budget=given.budget)
    for seed in range(1, given.seeds + 1):
        study = study_of(given.records, seed)
        with as_before():
            print(f"seed {seed}, before:  {values_shown(study, schema, seed)}", flush=True)  # noqa: T201 - its output
        print(f"seed {seed}, with it: {values_shown(study, schema, seed)}", flush=True)  # noqa: T201 - its output


if __name__ == "__main__":
    main()
