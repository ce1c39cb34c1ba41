"""`unveil experiment membership`: how well owners can guess who is in the other register, and what hiding it costs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from unveil.cli.door import notes, print_json, results
from unveil.cli.experiment import commands
from unveil.cli.options import EngineName, JsonObject

if TYPE_CHECKING:
    from unveil.lab.simulation.membership import MembershipGuesses
    from unveil.schema import Schema


@commands.command()
def membership(
    *,
    data: Annotated[
        Path | None,
        typer.Option(help="folder with a.csv, b.csv and truth.csv; else people are made", show_default=False),
    ] = None,
    records: Annotated[int, typer.Option(help="people per owner, where they are made", min=100)] = 2_000,
    overlap: Annotated[float, typer.Option(help="share of them that are in both registers", min=0, max=1)] = 0.2,
    evenness: Annotated[str, typer.Option(help="values to try, separated by commas")] = "0,0.5,0.8,0.9,1",
    shares: Annotated[str, typer.Option(help="shares of the preset's pairs to ask about, separated by commas")] = "1",
    decoys: Annotated[float, typer.Option(help="share of wishes that are decoys", min=0, max=0.9)] = 0.1,
    strangers: Annotated[int, typer.Option(help="pairs of strangers at most for each planned pair", min=0)] = 4,
    error: Annotated[float, typer.Option(help="share of the reviewer's labels that are wrong", min=0, max=1)] = 0.1,
    seed: Annotated[int, typer.Option(help="same seed, same result", min=0)] = 1,
    engine: EngineName = "auto",
    as_json: JsonObject = False,
) -> None:
    """
    Play both owners: guess from all wishes who is in the other register, for every price that may be paid for hiding.

    Example: unveil experiment membership --records 1000 --evenness 0,0.9
    """
    import tempfile

    from unveil.cli.progress import Stages
    from unveil.engines import choose
    from unveil.lab.evaluation.dataset import read_dataset
    from unveil.lab.simulation.membership import guessed
    from unveil.lab.simulation.study import Study
    from unveil.lab.simulation.world import SimulationSettings
    from unveil.lab.synthetic import generate, write
    from unveil.schema import built_in

    tried = [(share, even) for share in _numbers(shares, "--shares") for even in _numbers(evenness, "--evenness")]
    schemas = [_schema(built_in(), share, even, decoys=decoys, strangers=strangers) for share, even in tried]
    found = []
    with Stages(notes) as stages, tempfile.TemporaryDirectory() as made:
        stages.begin("guessing", total=len(tried))
        if data is None:
            write(generate(records=records, overlap=overlap, errors=1, seed=seed), Path(made))
        study = Study("people", schemas[0], *read_dataset(data or Path(made), schemas[0]), choose(engine), seed=seed)
        settings = SimulationSettings(seed=seed, error=error, t0=study.best[0])
        for schema in schemas:
            found.append(guessed(study, schema, settings))
            stages.advance()
    if as_json:
        print_json({"membership": [one.as_json() for one in found]})
    else:
        _print(found)


def _numbers(text: str, option: str) -> list[float]:
    try:
        found = [float(part) for part in text.split(",")]
    except ValueError:
        raise typer.BadParameter("numbers, separated by commas", param_hint=option) from None
    if not all(0 <= one <= 1 for one in found):
        raise typer.BadParameter("numbers from 0 to 1", param_hint=option)
    return found


def _schema(schema: Schema, share: float, evenness: float, *, decoys: float, strangers: int) -> Schema:
    from unveil.schema.presets import with_preset

    chosen = with_preset(schema, "unveil")
    batches = tuple(max(1, round(share * size)) for size in chosen.protocol.batches)
    # Even without pairs of strangers the usual decoys are there, as in a project.
    changes = {"batches": batches, "evenness": evenness, "decoys": decoys, "strangers": strangers}
    return chosen.model_copy(update={"protocol": chosen.protocol.model_copy(update=changes)})


def _print(found: list[MembershipGuesses]) -> None:
    from rich.table import Table

    table = Table(box=None, pad_edge=False)
    headings = (
        "pairs", "evenness", "wishes", "members wished", "others wished", "AUC, counts", "logistic", "trees",
        "with reviews", "F1",
    )  # fmt: skip
    for name in headings:
        table.add_column(name, justify="right")
    for one in found:
        for side in one.owners:
            figures = (
                side.members, side.others, side.counts, side.logistic_without_reviews, side.trees_without_reviews,
                max(side.logistic, side.trees),
            )  # fmt: skip
            cells = (f"{figure:.3f}" for figure in figures)
            table.add_row(f"{one.planned:,}", f"{one.evenness:g}", f"{side.wishes:,}", *cells, f"{one.f1:.4f}")
    results.print(table)
