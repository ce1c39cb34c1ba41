"""The demo's story: what each party does and sees, told while it happens."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console
from rich.table import Table

if TYPE_CHECKING:
    from unveil.lab.evaluation.result import Point, RunResult
    from unveil.lab.simulation.machines import Machines
    from unveil.lab.simulation.study import Study

_BITS_SHOWN = 48


class DemoStory:
    """Prints one chapter per layer."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._points = 0

    def owners(self, study: Study) -> None:
        """Two owners, and one of their records: plain at home, bits elsewhere."""
        self._chapter("Two owners", f"hold {len(study.a):,} records each; {len(study.truth):,} people are in both.")
        row = int(study.truth[0, 0])
        record = ", ".join(study.a.columns[name][row] or "–" for name in study.schema.names)
        words = study.encoder.record_level(study.a)[row]
        bits = "".join(str(int(words[i // 64]) >> (i % 64) & 1) for i in range(_BITS_SHOWN))
        self.say(f"At home, one record of owner a reads    [bold]{record}[/bold]")
        self.say(f"What leaves of it is one filter         [bold]{bits}…[/bold] ({study.encoder.m} bits)")

    def record_unit(self, study: Study) -> None:
        """What the record unit found."""
        found = study.comparison
        compared = f"compares {found.compared:,} pairs of filters that share a hashed blocking key."
        if found.near is not None:
            compared = (
                f"compares all {found.compared:,} pairs of filters and keeps {len(found.pairs):,} that share a hashed "
                "blocking key or are each other's nearest."
            )
        self._chapter("The record unit", f"{compared} It sees no name.")

    def point(self, point: Point) -> None:
        """One line per iteration of the loop."""
        if not self._points:
            self.say(
                f"By itself it finds {point.recall:.0%} of the people in both, and {1 - point.precision:.0%} of its "
                f"links are wrong: F1 {point.f1:.3f}."
            )
            self._chapter(
                "The attribute unit and the reviewer",
                "are asked about uncertain pairs only. Labels flow back up and improve the decisions on all others.",
            )
            self.say("  pairs compared by attribute   labels by the reviewer   links wrong   people found     F1")
        else:
            counts = f"{point.reviewed_pairs:>27,}   {point.clerical_labels:>22,}"
            shares = f"{1 - point.precision:>11.1%}   {point.recall:>12.1%}"
            self.say(f"  {counts}   {shares}  {point.f1:.3f}")
        self._points += 1

    def end(self, run: RunResult, world: Machines) -> None:
        """What came out, and what it cost."""
        final = run.trajectory[-1]
        self._chapter(
            "The result",
            f"F1 rose from {run.initial_f1:.3f} to {run.final_f1:.3f}: {final.recall:.0%} of the people in both are "
            f"found, {1 - final.precision:.0%} of the links are wrong.",
        )
        table = Table(box=None, pad_edge=False, title="who saw what, of how many records", title_justify="left")
        table.add_column("attribute")
        for layer in ("record unit", "attribute unit", "review unit"):
            table.add_column(layer, justify="right")
        for name in world.schema.names:
            counts = {entry.layer: entry for entry in run.disclosures if entry.attribute == name}
            table.add_row(
                name.replace("_", " "),
                "inside a filter",
                f"{counts['attribute'].records:,} keyed filters",
                f"{counts['review'].records:,} values",
            )
        self._console.print()
        self._console.print(table)
        for warning in run.warnings:
            self._console.print(f"warning: {warning.sentence}", markup=False, soft_wrap=True)

    def where(self, out: Path) -> None:
        """Where to look next."""
        self._console.print()
        self.say(f"Report: [bold]{out / 'report.html'}[/bold] (opens in any browser, offline)")
        self.say(f"Links:  {out / 'links-a.csv'}, {out / 'links-b.csv'}, joined by {out / 'links.csv'}")
        self.say(f"People: {out / 'people'} — try: unveil simulate --data {out / 'people'} --budget 300 --error 0.2")

    def _chapter(self, who: str, what: str) -> None:
        self._console.print(f"\n[bold cyan]{who}[/bold cyan] {what}", soft_wrap=True)

    def say(self, line: str) -> None:
        """A line."""
        self._console.print(line, soft_wrap=True)
