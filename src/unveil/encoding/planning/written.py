"""A proposed schema as a TOML file that explains itself. It names columns, never a value."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping

import numpy as np

from unveil.encoding.planning.figures import SchemaFigures
from unveil.encoding.planning.proposal import ProposedSchema
from unveil.schema import Attribute, Hardening
from unveil.schema.attribute_roles import ROLES
from unveil.schema.attribute_types import TEXT

_COMMENT = 34  # the column at which comments begin
_REASONS = {"name": "by the column's name", "contents": "by the column's contents", "word": "as --column says"}
_WORST = 3  # misfortunes that are named


def schema_text(
    proposed: ProposedSchema, figures: SchemaFigures, *, source: str, other: str | None, unreadable: Mapping[str, str]
) -> str:
    """The schema with comments, for a file `source` and perhaps another owner's file."""
    schema = proposed.schema
    command = f"unveil schema new --from {source}{'' if other is None else f' {other}'}"
    lines = [
        f"# Proposed by `{_plain(command)}` from {figures.records:,} records.",
        "# Change what you know better; `unveil schema check` with --data says what the changed schema would do.",
        f"name = {_quoted(schema.name)}",
        f"version = {schema.version}",
        "",
        "[input]",
        _commented(f"id = {_quoted(schema.input.id)}", "the column that identifies a record"),
        *(f"other_ids = [{_quoted(name)}]" for name in schema.input.other_ids),
        "",
        *_explanation(proposed),
        *_left_out(proposed, unreadable),
    ]
    for attribute in schema.attributes:
        lines += ["", *_attribute(attribute, proposed)]
    lines += ["", *_keys(figures), *_rest(proposed)]
    return "\n".join(lines) + "\n"


def _explanation(proposed: ProposedSchema) -> Iterator[str]:
    schema = proposed.schema
    yield "# h fills plain filters of layer A to about 40 %; B is the mean number of different bigrams in a value."
    yield "# weight is log2((1 - e) / f): e is the share of people whose value differs between two registers, as is"
    yield "# assumed of its role; f is the chance that two people have the same value, by these records."
    yield "#"
    width = max(len(name) for name in schema.names)
    yield f"#   {'':<{width}}       B    h      e        f  weight  missing"
    for attribute in schema.attributes:
        facts = proposed.measured[attribute.name]
        counts = np.concatenate([side.tokens for side in facts])
        bigrams = float(counts[counts > 0].mean()) if counts.any() else 0.0
        chance = max(side.agreement.chance for side in facts)
        yield (
            f"#   {attribute.name:<{width}}  {bigrams:6.2f}  {attribute.h:3d}  {ROLES[attribute.meaning].error:5.3f}  "
            f"{chance:7.1e}  {attribute.weight:6.2f}  {max(side.missing for side in facts):7.1%}"
        )


def _left_out(proposed: ProposedSchema, unreadable: Mapping[str, str]) -> Iterator[str]:
    reasons = {name: column.left_out for name, column in proposed.columns.items() if column.left_out}
    reasons |= unreadable
    if reasons:
        yield "#"
        yield "# Left out:"
        yield from (f"#   {_plain(name)}: {reason}" for name, reason in reasons.items())


def _attribute(attribute: Attribute, proposed: ProposedSchema) -> Iterator[str]:
    role = proposed.columns[attribute.source]
    if role.remark:
        yield f"# {role.remark}"
    yield "[[attributes]]"
    yield f"name = {_quoted(attribute.name)}"
    if attribute.column is not None:
        yield f"column = {_quoted(attribute.column)}"
    if attribute.other_columns:
        line = f"other_columns = [{', '.join(map(_quoted, attribute.other_columns))}]"
        yield _commented(line, "as the other file calls it")
    yield _commented(f"role = {_quoted(attribute.meaning)}", _REASONS[role.by])
    if attribute.type != TEXT:
        order = proposed.facts[attribute.source].order if attribute.type == "date" else None
        line = f"type = {_quoted(attribute.type)}"
        yield _commented(line, f"written {order} here; the other owner may write it otherwise") if order else line
    if attribute.length is not None:
        yield _commented(f"length = {attribute.length}", "digits; shorter codes have lost zeros")
    if attribute.normalise != Attribute.model_fields["normalise"].default:
        yield f"normalise = [{', '.join(map(_quoted, attribute.normalise))}]"
    if attribute.show != Attribute.model_fields["show"].default:
        yield f"show = {_quoted(attribute.show)}"
    yield f"h = {attribute.h}"
    if attribute.in_record != Attribute.model_fields["in_record"].default:
        yield f"in_record = {attribute.in_record:g}"
    yield f"weight = {attribute.weight:.2f}"
    if attribute.frequency:
        yield "frequency = true"


def _keys(figures: SchemaFigures) -> Iterator[str]:
    if not figures.keys:
        yield "# No key is rare enough in these records, so there is none, and every pair is compared."
        return
    yield "# A pair is a candidate if it agrees on any one of these keys. They were tried on copies of these records"
    yield "# with the errors that are assumed of each role. People who share no key with their copy:"
    yield f"#   {figures.lost or 0:.2%} as assumed, {figures.lost_worse or 0:.2%} with four times as many errors"
    worst = [name for name in sorted(figures.lost_to, key=lambda name: -figures.lost_to[name]) if figures.lost_to[name]]
    for name in worst[:_WORST]:
        yield f"#   {figures.lost_to[name]:.1%} if this befell everybody: {_plain(name)}"
    others = len(figures.lost_to) - len(worst[:_WORST])
    said = "no more than that if any one of the other" if worst else "nobody if any one of"
    yield f"#   {said} {others} things did: a value missing, a letter or digit wrong, names exchanged, a move, …"
    for key in figures.keys:
        yield ""
        yield f"# {key.has:.0%} of the records have it, and it makes {key.pairs_per_record:.2g} pairs for each."
        yield "[[blocking]]"
        yield f"fields = [{', '.join(_quoted(field) for field in key.name.split('+'))}]"


def _rest(proposed: ProposedSchema) -> Iterator[str]:
    layer, smaller = proposed.schema.layer_r, proposed.schema.layer_a
    yield ""
    yield "# h is chosen for filters that are half full with the bigrams of all attributes. An attribute's in_record"
    yield "# says how many times h each of its bigrams has: so all have the same share, however long their values are."
    yield "[layer_r]"
    yield f"encoding = {_quoted(layer.encoding)}"
    yield f"m = {layer.m}"
    yield f"h = {layer.h}"
    line = f"key_bits = {layer.key_bits}"
    yield _commented(line, "of hashed keys: several values share one, and no pattern of keys tells a person")
    for step in layer.hardening:
        yield from _hardening(step)
    yield ""
    yield "# Of each attribute signs are sent: what two values have in common tells how alike they are, and those of"
    yield "# one value nothing. The attributes' h and this m are those of plain filters, which are not sent."
    yield "[layer_a]"
    yield f"m = {smaller.m}"
    yield f"signs = {smaller.signs}"
    yield ""
    yield "[protocol]"
    yield f"layers = {proposed.schema.protocol.layers}"


def _hardening(step: Hardening) -> Iterator[str]:
    yield ""
    if step.by:
        yield f"# Each bit sent is the XOR of {step.t}, other ones for every value of these fields: kin are not alike,"
        yield "# and whoever holds a similar register does not recognise people. They should seldom change."
    else:
        yield f"# Each bit sent is the XOR of {step.t}, against whoever holds a similar register. A date of birth and a"
        yield "# given name would protect better, and tell people apart better."
    yield "[[layer_r.hardening]]"
    yield f"method = {_quoted(step.method)}"
    yield f"t = {step.t}"
    yield f"m = {step.m}"
    if step.by:
        yield f"by = [{', '.join(map(_quoted, step.by))}]"


def _commented(line: str, comment: str) -> str:
    return f"{line:<{_COMMENT - 1}} # {comment}"


def _quoted(text: str) -> str:
    """The text as a TOML string; JSON's escapes are TOML's, but for one character."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _plain(text: str) -> str:
    """The text as a comment may hold it: on one line."""
    return "".join(letter if letter.isprintable() else " " for letter in text)
