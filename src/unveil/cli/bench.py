"""`unveil bench`: speed on this machine, beside the tools that people use today."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Annotated, Any

import typer

from unveil.cli.app import app
from unveil.cli.door import notes, print_json, results
from unveil.cli.options import Json

#: What can be measured: one module of the room `bench` each.
WHAT = ("compare", "blocks", "encode", "keyed")


@app.command()
def bench(
    what: Annotated[str, typer.Argument(help="compare, blocks, encode or keyed", show_default=False)],
    *,
    quick: Annotated[bool, typer.Option("--quick", help="small sizes: seconds instead of minutes")] = False,
    peers: Annotated[Path, typer.Option(help="Python that has the tools to measure against")] = Path(
        ".venv-peers/bin/python"
    ),
    programs: Annotated[Path, typer.Option(help="folder of the repository with the programs that call these tools")] = (
        Path("benchmarks/peers")
    ),
    as_json: Json = False,
) -> None:
    """
    Measure how fast this machine compares or encodes.

    Example: unveil bench compare --quick
    """
    from unveil.errors import SettingError
    from unveil.lab.bench.peers import Peers

    if what not in WHAT:
        raise SettingError(f"there is no benchmark {what}", hint=f"choose one of {', '.join(WHAT)}")
    module = importlib.import_module(f"unveil.lab.bench.{what}")
    with notes.status(f"measuring {what}"):
        found = module.run(quick=quick, peers=Peers(peers, programs))
    if as_json:
        print_json(found)
    else:
        _print(found)


def _print(found: dict[str, Any]) -> None:
    _line(found["name"])
    _line(f"  ours     {_number(found['ours'])} {found['unit']}, {found['threads']} thread(s)")
    if found["peer"] is not None:
        _line(f"  peer     {_number(found['peer'])} {found['unit']}, {found['peer_name']}")
        _line(f"  ratio    {found['ratio']:.2f}")
    if found.get("ceiling") is not None:
        _line(f"  ceiling  {_number(found['ceiling'])} {found['ceiling_unit']}")
    for size in found["sizes"]:
        rate = f"{_number(size['rate'])} {found['unit']}"
        _line(f"  {size['records']:>10,} records  {size['seconds']:>9.3f} s  {rate}")
    if found.get("hint"):
        notes.print(f"hint: {found['hint']}", markup=False)


def _line(text: str) -> None:
    results.print(text, markup=False, soft_wrap=True)


def _number(value: float) -> str:
    return f"{value:,.0f}"
