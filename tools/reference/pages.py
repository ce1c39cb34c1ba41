"""
The reference pages, written from the code: `python -m tools.reference docs`, or `make docs`.

Commands come from the command line itself, settings from the schema's models, messages from the table of flows, the
HTTP interface (`reference_http`) from the table of access. With `--check` nothing is written: a page that is out of
date ends with 1. The pages do not depend on the terminal.
"""

from __future__ import annotations

import argparse
import inspect
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from types import NoneType
from typing import Annotated, Any, Final, get_args, get_origin, get_type_hints

import typer
from pydantic import BaseModel
from pydantic.fields import FieldInfo

from tools.reference.http_page import http_page
from tools.reference.markdown import GENERATED, page, table
from tools.reference.python_page import python_page
from unveil.cli.app import app
from unveil.cli.commands import register
from unveil.protocol import frames
from unveil.protocol.flows import FLOWS
from unveil.protocol.messages import Message
from unveil.protocol.roles import Role
from unveil.schema import TRANSFORMS, Schema, built_in_text
from unveil.settings.choices import Choice, rows_of

# The words that errors use for what a setting takes: the page and the error cannot disagree.
from unveil.settings.mistakes import allowed_values, settings_in

_KINDS: Final = {bool: "", int: "whole number", float: "number", str: "text", Path: "path"}
_EXAMPLE: Final = "Example: "
_EXIT: Final = """\
Results go to stdout; progress and notes go to stderr. An error is one line, `unveil: error: …`, with a `hint:` line
where there is one; it never shows a record's value or a key.

| exit status | meaning |
|---|---|
| 0 | done |
| 1 | failed, and the error says why |
| 2 | wrong usage |
| 75 | not yet: a review was left before its end, or the links have not come; try the same command again |
| 130, 143 | interrupted from the keyboard, or told to stop; nothing is half done |
"""


# Commands


def commands_page() -> str:
    """Every command: purpose, usage, arguments and options, example."""
    found = dict(documented_commands())
    lines = ["# Commands", "", GENERATED, "", _EXIT]
    lines += [f"* [`{name}`](#{name.replace(' ', '-')}): {_sentences(command)[0]}" for name, command in found.items()]
    for name, command in found.items():
        lines += ["", *_command_section(name, command)]
    return page(lines)


def documented_commands() -> Iterator[tuple[str, Any]]:
    """Every command under its full name, such as "unveil schema show", in the order of the help."""
    register()
    pending: list[tuple[str, Any]] = [("unveil", typer.main.get_command(app))]
    while pending:
        name, command = pending.pop(0)
        inner: Mapping[str, Any] = getattr(command, "commands", {})
        if not inner:
            yield name, command
        pending = [(f"{name} {word}", below) for word, below in inner.items()] + pending


def example_of(command: Any) -> str:
    """The command line that the command's help gives as an example; empty if it gives none."""
    return next((part.removeprefix(_EXAMPLE) for part in _paragraphs(command) if part.startswith(_EXAMPLE)), "")


def _command_section(name: str, command: Any) -> list[str]:
    arguments = [each for each in command.params if each.param_type_name == "argument"]
    options = [each for each in command.params if each.param_type_name == "option"]
    usage = " ".join([name, *(_placeholder(each) for each in arguments), *(["[OPTIONS]"] if options else [])])
    lines = [f"## {name}", ""]
    lines += [line for sentence in _sentences(command) for line in (sentence, "")]
    lines += ["```sh", usage, "```", ""]
    kinds = _kinds(command.callback)
    rows = [(f"`{_placeholder(each)}`", *_parameter(each, kinds)) for each in arguments]
    rows += [(", ".join(f"`{word}`" for word in each.opts), *_parameter(each, kinds)) for each in options]
    lines += table(("argument or option", "takes", "default", "meaning"), rows)
    return [*lines, "", "Example:", "", "```sh", example_of(command), "```"]


def _paragraphs(command: Any) -> list[str]:
    return [" ".join(part.split()) for part in (command.help or "").split("\n\n")]


def _sentences(command: Any) -> list[str]:
    return [part for part in _paragraphs(command) if not part.startswith(_EXAMPLE)]


def _placeholder(argument: Any) -> str:
    name = argument.metavar or argument.name.upper()
    return name if argument.required else f"[{name}]"


def _kinds(callback: Callable[..., Any]) -> dict[str, str]:
    """What each parameter takes, in words."""
    kinds = {}
    for name, hint in get_type_hints(inspect.unwrap(callback), include_extras=True).items():
        annotation = get_args(hint)[0] if get_origin(hint) is Annotated else hint
        plain = next((part for part in get_args(annotation) if part is not NoneType), annotation)
        kinds[name] = _KINDS.get(plain, "")
    return kinds


def _parameter(parameter: Any, kinds: Mapping[str, str]) -> tuple[str, str, str]:
    """What a parameter takes, its default and its meaning."""
    takes = kinds.get(parameter.name, "")
    least, most = getattr(parameter, "min", None), getattr(parameter, "max", None)
    takes += "".join(
        f", at {word} {bound:,}" for word, bound in (("least", least), ("most", most)) if bound is not None
    )
    if parameter.required:
        default = "required"
    elif isinstance(parameter.show_default, str):
        default = parameter.show_default
    elif parameter.default is None or isinstance(parameter.default, bool):
        default = ""
    else:
        default = f"`{parameter.default}`"
    return takes, default, parameter.help or ""


# The schema


def schema_page() -> str:
    """Every setting of the schema: what is allowed, the default, the meaning."""
    lines = [
        "# The linkage schema",
        "",
        GENERATED,
        "",
        "A schema is a TOML file that says what a record is, how each layer encodes it and how the protocol runs.",
        "All owners of a project use the same one: their fingerprints differ otherwise, and nothing is linked. A key",
        "that is left out has its default; an unknown key is a mistake. `unveil schema check FILE` names every mistake",
        "by its key. Symbols (m, h, q, p_t, x, t, dt, dt_step) are those of the publication.",
    ]
    for title, model, description in schema_sections(Schema):
        lines += ["", f"## {title}", "", (model.__doc__ or "").strip().split("\n")[0]]
        if description:
            lines[-1] += f" A list of tables: {description}."
        lines += ["", *table(("key", "allowed", "default", "meaning"), _settings(model))]
        for name, field in model.model_fields.items():
            lines += _explained(f"`{name}`", _choices(field.annotation, field.metadata))
        if title == "[[blocking]]":
            lines += _explained("Transforms", TRANSFORMS)
            lines += ["", "A key is omitted for a record in which one of its fields is empty."]
    lines += ["", "## The built-in schema `person`", "", "```toml", built_in_text().rstrip("\n"), "```"]
    return page(lines)


def schema_sections(model: type[BaseModel], path: str = "") -> Iterator[tuple[str, type[BaseModel], str]]:
    """Every table of the schema: its title as TOML writes it, its model, and what is said about it."""
    if not path:
        yield "Top level", model, ""
    for name, field in model.model_fields.items():
        inner = settings_in(field.annotation)
        if inner is not None:
            key = f"{path}.{name}" if path else name
            title = f"[[{key}]]" if get_origin(field.annotation) is tuple else f"[{key}]"
            yield title, inner, (field.description or "") if title.startswith("[[") else ""
            yield from schema_sections(inner, key)


def _settings(model: type[BaseModel]) -> Iterator[tuple[str, ...]]:
    for name, field in model.model_fields.items():
        if settings_in(field.annotation) is None:
            words = re.sub(r"matching (\S+)", r"matching `\1`", allowed_values(field.annotation, field.metadata))
            yield f"`{name}`", words, _default(field), field.description or ""


def _choices(annotation: Any, metadata: Sequence[Any] = ()) -> Mapping[str, object]:
    """The rows of the table whose names a setting takes, alone or in a list; none if it takes something else."""
    if get_origin(annotation) is Annotated:
        return _choices(get_args(annotation)[0], get_args(annotation)[1:])
    found = [rows_of(metadata), *(_choices(inner) for inner in get_args(annotation))]
    return next((rows for rows in found if rows), {})


def _explained(title: str, rows: Mapping[str, object]) -> Iterator[str]:
    """What each choice means, as a list."""
    if rows:
        yield from ("", f"{title}:", "")
    for name, row in rows.items():
        assert isinstance(row, Choice), f"{name} has no sentence"
        settings = ", ".join(f"`{key}`" for key in sorted(getattr(row, "takes", ())))
        yield f"* `{name}`: {row.sentence}" + (f"; takes {settings}" if settings else "")


def _default(field: FieldInfo) -> str:
    if field.is_required():
        return "required"
    value = field.default
    if value is None:
        return ""
    return f"`{_toml(value)}`"


def _toml(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, tuple):
        return f"[{', '.join(_toml(part) for part in value)}]"
    return f'"{value}"' if isinstance(value, str) else str(value)


# The protocol


def protocol_page() -> str:
    """The table of flows: each message, who may send it to whom, what it carries."""
    lines = [
        "# The protocol",
        "",
        GENERATED,
        "",
        "Disclosure goes down (owner, record unit, attribute unit, review unit); labels come up. What is not in this",
        "table is refused by sender and recipient alike. [How it works](how-it-works.md) tells the story in order.",
        "",
        *_diagram(),
        "",
        *table(("message", "from → to", "carries", "fields"), map(_message, FLOWS)),
        "",
        "A message carries a batch: its fields, but for counts and values, are columns of equal-sized entries, one per",
        "pair or record. Handles, ids and key_pair are random bytes. A handle is known to its owner and to the",
        "record unit alone; the two upper units share pair ids, the two lower ones task ids. g is one byte, 1 a match;",
        "p is a little-endian 64-bit float.",
        "",
        "Messages may arrive in any order and more than once. An upload and a link table come in parts, numbered from",
        "0. A message that refers to what has not come yet is to be sent again later. Every message has an id of its",
        "own, chosen by its sender; [the HTTP interface](http.md) says how it travels.",
        "",
        f"## On the wire, version {frames.VERSION}",
        "",
        *_docstring(frames.__doc__),
    ]
    return page(lines)


def _message(kind: type[Message]) -> tuple[str, ...]:
    order = list(Role)
    routes = sorted(FLOWS[kind], key=lambda route: [order.index(role) for role in route])
    said = " ".join((kind.__doc__ or "").split())
    # "Owner to record unit: every record …" repeats the second column.
    carries = re.sub(r"^[A-Z][a-z ]+ to [a-z ]+[:,] ", "", said)
    names = ", ".join(f"`{field.name}`" for field in fields(kind))
    return f"`{kind.__name__}`", "<br>".join(f"{one.value} → {two.value}" for one, two in routes), carries, names


def _diagram() -> list[str]:
    """A mermaid flowchart with one arrow for every pair of roles that may talk."""
    lines = ["```mermaid", "flowchart TB"]
    lines += [f'    {role.name.lower()}["{role.value}"]' for role in Role]
    for one in Role:
        for two in Role:
            kinds = [kind.__name__ for kind, routes in FLOWS.items() if (one, two) in routes]
            if kinds:
                lines.append(f'    {one.name.lower()} -->|"{"<br>".join(kinds)}"| {two.name.lower()}')
    return [*lines, "```"]


def _docstring(text: str | None) -> Iterator[str]:
    """A docstring as Markdown: indented lines are shown as they are."""
    for paragraph in inspect.cleandoc(text or "").split("\n\n"):
        if paragraph.startswith("    "):
            yield from ("```text", inspect.cleandoc(paragraph), "```", "")
        else:
            yield from (paragraph, "")


# Pages and files

PAGES: Final[Mapping[str, Callable[[], str]]] = {
    "commands.md": commands_page,
    "schema.md": schema_page,
    "protocol.md": protocol_page,
    "http.md": http_page,
    "python-api.md": python_page,
}


def outdated(folder: Path) -> list[str]:
    """Names of the pages in the folder that are missing or differ from what the code says now."""
    return [name for name, made in PAGES.items() if _text(folder / name) != made()]


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8") if path.is_file() else ""


def main(words: Sequence[str] | None = None) -> int:
    """Write or check the pages; the exit status."""
    parser = argparse.ArgumentParser(prog="python -m tools.reference", description="write the reference pages")
    parser.add_argument("folder", type=Path, help="folder of the pages")
    parser.add_argument("--check", action="store_true", help="write nothing; fail if a page is out of date")
    given = parser.parse_args(words)
    old = outdated(given.folder)
    if given.check:
        for name in old:
            typer.echo(f"{given.folder / name} is out of date: run make docs", err=True)
        return 1 if old else 0
    given.folder.mkdir(parents=True, exist_ok=True)
    for name in old:
        (given.folder / name).write_text(PAGES[name](), encoding="utf-8", newline="\n")
        typer.echo(f"{given.folder / name} written")
    return 0


if __name__ == "__main__":
    sys.exit(main())
