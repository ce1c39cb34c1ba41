"""`unveil privacy`: what each party could learn, found out by attacking ourselves."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from unveil.cli.app import app
from unveil.cli.door import notes, print_json, results
from unveil.cli.options import JsonObject, SchemaName, Seed

if TYPE_CHECKING:
    from unveil.lab.evidence.finding import AttackFinding

commands = typer.Typer(help="what each party could learn: attacks, evidence, reports", no_args_is_help=True)
app.add_typer(commands, name="privacy")


@commands.command()
def attacks(*, as_json: JsonObject = False) -> None:
    """
    List the attacks that can be played: who holds what, and where each must succeed or it proves nothing.

    Example: unveil privacy attacks --json
    """
    from unveil.lab.evidence.attack import MEASURES
    from unveil.lab.evidence.catalogue import ATTACKS
    from unveil.lab.evidence.codings import CODINGS, OWN

    if as_json:
        listed = [
            {
                "name": each.name, "title": each.title, "attacker": each.attacker, "holds": each.holds,
                "target": each.target, "measure": MEASURES[each.measure], "control": each.control,
                "at_least": each.at_least, "at_most": each.at_most, "asked": each.asked(),
            }
            for each in ATTACKS
        ]  # fmt: skip
        encodings = {OWN: "the schema's own"} | {each.name: each.title for each in CODINGS}
        print_json({"attacks": listed, "encodings": encodings})
        return
    for each in ATTACKS:
        results.print(f"{each.name}: {each.title.lower()}", markup=False, soft_wrap=True)
        results.print(f"  {each.attacker}, holding {each.holds}", markup=False, soft_wrap=True)
        figure = f"{MEASURES[each.measure]}: {each.asked()} is asked of the default"
        results.print(f"  {figure}; control, {each.control}: at least {each.at_least:g}", markup=False, soft_wrap=True)
    results.print(f"encodings: {', '.join((OWN, *(each.name for each in CODINGS)))}", markup=False, soft_wrap=True)


@commands.command()
def attack(
    name: Annotated[str, typer.Argument(help="one of those that `unveil privacy attacks` lists", show_default=False)],
    *,
    people: Annotated[int, typer.Option(metavar="N", help="people attacked, and in the register", min=50)] = 2_000,
    shared: Annotated[
        float | None,
        typer.Option(
            metavar="SHARE", help="people whose entry the attacker holds; with --data, by default as in the files",
            min=0.01, max=1, show_default="1",
        ),
    ] = None,
    known: Annotated[int, typer.Option(metavar="N", help="people known beforehand, if any are", min=1)] = 200,
    tries: Annotated[int, typer.Option(metavar="N", help="starts; the best counts", min=1, max=50)] = 3,
    encoding: Annotated[
        str, typer.Option(metavar="NAME", help="record encoding instead of the schema's own, as `attacks` lists them")
    ] = "own",
    schema: SchemaName = None,
    data: Annotated[
        Path | None,
        typer.Option(help="folder with a.csv, b.csv and truth.csv; else people are made", show_default=False),
    ] = None,
    weak: Annotated[bool, typer.Option("--weak", help="play the control, which must succeed")] = False,
    seed: Seed = 1,
    as_json: JsonObject = False,
) -> None:  # fmt: skip
    """
    Play one attack on generated people, or on real files.

    Example: unveil privacy attack graph-matching --people 300 --tries 1
    """
    from unveil.cli.progress import Stages
    from unveil.lab.evidence.attack import AttackSettings
    from unveil.lab.evidence.catalogue import attack_named, control_of, play
    from unveil.schema import named

    chosen = attack_named(name)
    setting = AttackSettings(
        schema=named(schema), coding=encoding, people=people, shared=1.0 if shared is None and data is None else shared,
        known=known, tries=tries, seed=seed, data=data,
    )  # fmt: skip
    if weak:
        setting = control_of(chosen, setting)
    with Stages(notes) as stages:
        stages.begin(chosen.title.lower(), total=1000)
        found = play(chosen, setting, told=lambda done, of: stages.reach(1000 * done // max(1, of)))
    if as_json:
        print_json(found.as_json())
    else:
        _print(found)


def _print(found: AttackFinding) -> None:
    """A finding, for people."""
    shared = "" if found.shared is None else f", {found.shared:.0%} of them shared"
    results.print(f"{found.attack} on {found.coding}: {found.people:,} people{shared}", markup=False, soft_wrap=True)
    for number, each in enumerate(found.tries, start=1):
        ten = "" if each.ten is None else f", in the first ten {each.ten:.4f}"
        results.print(f"  try {number}: {each.first:.4f}{ten}", markup=False, soft_wrap=True)
    ten = "" if found.ten is None else f", in the first ten {found.ten:.4f}"
    results.print(f"{found.measure}: {found.first:.4f}{ten}; chance {found.chance:.4f}", markup=False, soft_wrap=True)
    for note in found.notes:
        notes.print(f"note: {note}", markup=False, soft_wrap=True)
