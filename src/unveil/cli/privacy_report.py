"""`unveil privacy report`: one page for a board, and every figure behind it."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from unveil.cli.door import notes, print_json, say
from unveil.cli.options import Force, JsonObject, SchemaName, Seed
from unveil.cli.owner.options import AllowUnprotected
from unveil.cli.privacy import commands

if TYPE_CHECKING:
    from unveil.lab.evidence.report.gathered import Subject


@commands.command()
def report(
    owner: Annotated[
        Path | None, typer.Argument(metavar="[OWNER]", help="an owner's folder, with its ledger", show_default=False)
    ] = None,
    *,
    out: Annotated[Path, typer.Option(metavar="FILE", help="HTML file to write; JSON goes beside it")] = Path(
        "privacy-report.html"
    ),
    schema: SchemaName = None,
    data: Annotated[
        Path | None, typer.Option(help="folder with a.csv, b.csv and truth.csv to measure", show_default=False)
    ] = None,
    evidence: Annotated[
        Path | None, typer.Option(help="folder of unveil privacy evidence, to show its figures", show_default=False)
    ] = None,
    people: Annotated[int, typer.Option(metavar="N", help="generated people who are attacked", min=100)] = 1_000,
    seed: Seed = 1,
    force: Force = False,
    demonstration: AllowUnprotected = False,
    as_json: JsonObject = False,
) -> None:  # fmt: skip
    """
    Say what this linkage could tell, and to whom: parties, disclosures, measures, attacks, what is left.

    It is about an owner's folder, or a data set, or a schema with generated people. Attacks are played on generated
    people with the same schema. The page holds no value of a record.

    Example: unveil privacy report --schema person --people 200 --out report.html
    """
    from unveil.cli.progress import Stages
    from unveil.files.atomic import check_target, replacing
    from unveil.lab.evidence.report.gathered import gathered
    from unveil.lab.evidence.report.larger import larger_figures
    from unveil.lab.evidence.report.page import render

    beside = out.with_suffix(".json")
    for path in (out, beside):
        check_target(path, overwrite=force)
    with Stages(notes) as stages:
        stages.begin("reading", total=1000)
        subject = _subject(owner, schema, data, people=people, seed=seed, demonstration=demonstration)
        found, traded, choice = larger_figures(evidence, subject.schema)

        def told(name: str, share: float) -> None:
            stages.begin(name, total=1000)
            stages.reach(round(1000 * share))

        figures = gathered(
            subject, people=people, seed=seed, command=_again(owner, schema, data, people, seed), stage=told,
            larger=found, traded=traded, choice=choice,
        )  # fmt: skip
    content = figures.as_json()
    for path, text in ((out, render(figures)), (beside, json.dumps(content, indent=1) + "\n")):
        with replacing(path) as temporary:
            temporary.write_text(text, encoding="utf-8")
    if as_json:
        print_json(content)
    else:
        say(f"report: {out}, figures: {beside}")


def _subject(
    owner: Path | None, schema: str | None, data: Path | None, *, people: int, seed: int, demonstration: bool
) -> Subject:
    from unveil.errors import SettingError
    from unveil.lab.evidence.report import gathered
    from unveil.schema import named

    if owner is not None:
        if schema is not None or data is not None:
            raise SettingError("an owner's folder has its own schema and data", hint="leave --schema and --data out")
        return gathered.owners_folder(owner, demonstration=demonstration)
    if data is not None:
        return gathered.data_set(data, named(schema))
    return gathered.schema_alone(named(schema), people=people, seed=seed)


def _again(owner: Path | None, schema: str | None, data: Path | None, people: int, seed: int) -> str:
    words = ["unveil", "privacy", "report"]
    words += [str(owner)] if owner is not None else []
    words += ["--schema", schema] if schema is not None else []
    words += ["--data", str(data)] if data is not None else []
    return shlex.join([*words, "--people", str(people), "--seed", str(seed)])
