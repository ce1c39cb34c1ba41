"""`unveil schema`: show the built-in schemas and check one's own."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from unveil.cli.app import app, print_json
from unveil.cli.options import Json

if TYPE_CHECKING:
    from unveil.schema import Attribute, LayerR, Schema

commands = typer.Typer(help="the linkage schema: what a record is and how it is encoded", no_args_is_help=True)
app.add_typer(commands, name="schema")

_LAYERS = {1: "record level", 2: "record and attribute level", 3: "record level, attribute level, masked review"}


@commands.command()
def show(
    schema: Annotated[str, typer.Argument(metavar="NAME|FILE", help="a built-in schema or a file")] = "person",
    *,
    as_json: Json = False,
) -> None:
    """
    Print a schema: as TOML with its comments, or with --json with every default filled in.

    Example: unveil schema show > mine.toml
    """
    from unveil.schema import built_in_text, is_built_in, load_text, parse

    text = built_in_text(schema) if is_built_in(schema) else load_text(schema)
    resolved = parse(text, source=schema)
    if as_json:
        print_json(resolved.model_dump(mode="json"))
    else:
        typer.echo(text, nl=not text.endswith("\n"))


@commands.command()
def check(
    file: Annotated[Path, typer.Argument(help="schema file (TOML)", show_default=False)],
    *,
    as_json: Json = False,
) -> None:
    """
    Check a schema file: print what it means, or every mistake by its key and what would be allowed.

    Example: unveil schema check mine.toml
    """
    from unveil.errors import SchemaError
    from unveil.schema import load

    try:
        schema = load(file)
    except SchemaError as error:
        if not as_json:
            raise
        mistakes = [{"key": each.key, "what": each.what, "allowed": each.allowed} for each in error.problems]
        print_json({"valid": False, "file": str(file), "mistakes": mistakes})
        raise typer.Exit(1) from None
    if as_json:
        print_json({"valid": True, "file": str(file), "name": schema.name, "fingerprint": schema.fingerprint()})
    else:
        typer.echo("\n".join(meaning(schema)))


def meaning(schema: Schema) -> list[str]:
    """What a schema says, in a few lines."""
    lines = [f"schema {schema.name} is valid", f"record id    column {schema.input.id}", "attributes"]
    width = max(len(name) for name in schema.names)
    lines += [f"  {attribute.name:<{width}}  {_attribute(attribute)}" for attribute in schema.attributes]
    lines.append(f"layer R      {_encoding(schema.layer_r)}")
    lines.append(f"layer A      one filter per attribute, m={schema.layer_a.m}")
    lines.append("blocking     " + ("; ".join(key.name for key in schema.blocking) or "none: every pair is compared"))
    lines.append(f"layers       {schema.protocol.layers}: {_LAYERS[schema.protocol.layers]}")
    review, threshold = schema.protocol.review, schema.protocol.threshold
    lines.append(f"decisions    threshold {threshold.t}, moving at most {threshold.dt}")
    if schema.protocol.layers == max(_LAYERS):
        lines.append(f"review       {review.budget} labels in {review.batches} batches")
    return lines


def _attribute(attribute: Attribute) -> str:
    source = "" if attribute.source == attribute.name else f", from column {attribute.source}"
    counted = ", frequency counts" if attribute.frequency else ""
    return f"q={attribute.q}, h={attribute.h}, shown as {attribute.show}{counted}{source}"


def _encoding(layer: LayerR) -> str:
    steps = "".join(f", then {step.method}" for step in layer.hardening)
    return f"{layer.encoding}, m={layer.m}, h={layer.h}{steps}"
