"""`unveil schema`: show the built-in schemas and check one's own, on paper and against records."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from unveil.cli.app import app
from unveil.cli.door import print_json, say_lines, say_text
from unveil.cli.options import Json
from unveil.cli.table_options import reads_table
from unveil.files.reading import Reading

if TYPE_CHECKING:
    from unveil.schema import Attribute, LayerA, LayerR, Schema

commands = typer.Typer(help="the linkage schema: what a record is and how it is encoded", no_args_is_help=True)
app.add_typer(commands, name="schema")

_LAYERS = {1: "record level", 2: "record and attribute level", 3: "record level, attribute level, masked review"}


@commands.command("list")
def list_schemas(*, as_json: Json = False) -> None:
    """
    List the built-in schemas with their attributes.

    Wherever a schema is taken, its name may stand in the place of a file.

    Example: unveil schema list --json
    """
    from unveil.schema import built_in, built_in_names

    schemas = {name: built_in(name) for name in built_in_names()}
    if as_json:
        print_json([{"name": name, "attributes": list(each.names)} for name, each in schemas.items()])
        return
    width = max(map(len, schemas))
    say_lines(f"{name:<{width}}  {', '.join(each.names)}" for name, each in schemas.items())


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
        say_text(text)


@commands.command()
@reads_table
def check(
    file: Annotated[str, typer.Argument(metavar="NAME|FILE", help="a built-in schema or a file", show_default=False)],
    *,
    data: Annotated[
        Path | None, typer.Option(help="an owner's records, to say what the schema does with them", show_default=False)
    ] = None,
    other: Annotated[
        Path | None, typer.Option(help="the other owner's records, where both can be had", show_default=False)
    ] = None,
    reading: Reading,
    as_json: Json = False,
) -> None:
    """
    Check a schema file: print what it means, or every mistake by its key and what would be allowed.

    Settings that are known to be broken are warned of, with what attacks made of them.

    With --data it is held against records: how full filters are and which h would fit, what weights should be, how many
    pairs each key makes, and how many people the keys would lose, tried on copies of the records with the errors that
    are to be expected. What is far from good is warned of. Only numbers and names of columns are printed.

    Example: unveil schema check mine.toml --data people.csv
    """
    from unveil.cli.schema_figures import figures_as_json, figures_as_lines, measured
    from unveil.errors import SchemaError, SettingError
    from unveil.schema import named
    from unveil.schema.weaknesses import weaknesses

    if other is not None and data is None:
        raise SettingError("--other is held against --data", hint="give both, or --data alone")

    try:
        schema = named(file)
    except SchemaError as error:
        if not as_json:
            raise
        mistakes = [{"key": each.key, "what": each.what, "allowed": each.allowed} for each in error.problems]
        print_json({"valid": False, "file": str(file), "mistakes": mistakes})
        raise typer.Exit(1) from None
    figures = None if data is None else measured(schema, data, other, reading)
    weak = weaknesses(schema)
    if as_json:
        said = {
            "valid": True,
            "file": str(file),
            "name": schema.name,
            "fingerprint": schema.fingerprint(),
            "weak": weak,
        }
        print_json(said if figures is None else {**said, "figures": figures_as_json(figures)})
    else:
        say_lines(
            [
                *meaning(schema),
                *(f"warning: {one}" for one in weak),
                *([] if figures is None else ["", *figures_as_lines(figures)]),
            ]
        )


def meaning(schema: Schema) -> list[str]:
    """What a schema says, in a few lines."""
    lines = [f"schema {schema.name} is valid", f"record id    column {schema.input.id}", "attributes"]
    width = max(len(name) for name in schema.names)
    lines += [f"  {attribute.name:<{width}}  {_attribute(attribute)}" for attribute in schema.attributes]
    lines.append(f"layer R      {_encoding(schema.layer_r)}")
    lines.append(f"layer A      {_attribute_level(schema.layer_a)}")
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


def _attribute_level(layer: LayerA) -> str:
    return f"{layer.signs} signs per attribute" if layer.signs else f"one filter per attribute, m={layer.m}"


def _encoding(layer: LayerR) -> str:
    steps = "".join(f", then {step.method}" for step in layer.hardening)
    return f"{layer.encoding}, m={layer.m}, h={layer.h}{steps}"
