"""What the parties of a project agree on, line by line, so that they can compare it on the telephone."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from unveil.cli.door import notes
from unveil.joining.terms import JOINING, NOBODY, OWNERS
from unveil.projects.project import Project, ReviewOpinions
from unveil.roles.review_unit.opinions import LEAST_SURE
from unveil.schema import Hardening, LayerA, Schema
from unveil.schema.most_asked import MostAsked
from unveil.schema.presets import PRESETS, with_preset

_TOLD: Final = {
    OWNERS: "each owner, blurred so that no one person shows, and to whoever joins",
    JOINING: "whoever joins, and no owner alone",
    NOBODY: "nobody but the record unit's operator",
}


def terms(project: Project) -> Iterator[str]:
    """What the parties agree on beside themselves: where two fingerprints differ, one of these lines mostly does."""
    schema, protocol, limits = project.linkage, project.linkage.protocol, project.limits
    review, layer = protocol.review, schema.layer_r
    steps = [f"{step.method}{_given(step)}" for step in layer.hardening]
    yield f"schema       {schema.name}: {', '.join(schema.names)}"
    yield f"blocking     {', '.join(key.name for key in schema.blocking) or 'none: all pairs are compared'}"
    yield f"encoding     {layer.encoding} of {layer.m} bits, h {layer.h}; attributes of {_bits(schema.layer_a)}"
    yield f"hardening    {', '.join(steps) or 'none'}"
    yield f"layers       {protocol.layers}; {sum(protocol.batches)} pairs in {len(protocol.batches)} batches to layer A"
    yield f"reviews      {review.budget} labels in {review.batches} batches"
    most = MostAsked.of(protocol)
    yield (
        f"at most      {most.pairs} pairs, {most.record_pairs} with one record, {most.reviews} reviews, and "
        f"{most.further} further attributes that reviewers ask for: owners answer no more"
    )
    yield f"models       {protocol.models}, strategy {protocol.strategy}, p_t {protocol.p_t}, preset {_preset(schema)}"
    yield (
        f"decoys       {100 * protocol.decoys:g}% of wishes; evenness {protocol.evenness:g}, with {protocol.strangers} "
        "pairs of strangers at most for each pair"
    )
    links = project.links
    who = f"a research centre with key {links.public_key}" if links.public_key else "the owners together"
    yield f"joined by    {who}; {'each person once' if links.one_to_one else 'a record may be in more than one pair'}"
    if project.reviews != ReviewOpinions():
        yield f"opinions     {_opinions(project.reviews)}; a lead decides where two differ"
    yield f"quality      told to {_TOLD[links.quality]}"
    yield f"limits       {limits.records_per_owner} records per owner, {limits.message_bytes} bytes per message"
    yield f"copies       {limits.copies} of one filter, near_copies {limits.near_copies}"
    # Whatever has no line of its own is in here, so that a difference in it can be told by telephone too.
    yield f"schema hash  {schema.fingerprint()[:16]}"


def _opinions(reviews: ReviewOpinions) -> str:
    """Which pairs a second person decides about."""
    parts = [f"a second one on {100 * reviews.second_opinions:g}% of pairs"] if reviews.second_opinions else []
    if reviews.second_below > LEAST_SURE:
        parts.append(f"{'and' if parts else 'a second one'} where the first is less sure than {reviews.second_below:g}")
    return " ".join(parts)


def _bits(layer: LayerA) -> str:
    return f"{layer.signs} signs" if layer.signs else f"{layer.m} bits"


def _given(step: Hardening) -> str:
    """The settings of a hardening step that were given."""
    given = step.model_dump(exclude_unset=True, exclude_none=True, exclude={"method"})
    return f" ({', '.join(f'{name} {value}' for name, value in given.items())})" if given else ""


def _preset(schema: Schema) -> str:
    """The preset that the parameters are those of; a file does not say it, for its parameters may be changed."""
    return next((name for name in PRESETS if name != "schema" and with_preset(schema, name) == schema), "none")


def tell_columns(schema: Schema) -> None:
    """A project file names no columns; whoever has them in a schema is told where they go."""
    called = {each.name: each.sources for each in schema.attributes if each.sources != (each.name,)}
    own = [f"--column {attribute}={column}" for attribute, columns in called.items() for column in columns]
    ids = (schema.input.id, *schema.input.other_ids)
    own += [f"--id {column}" for column in ids if column != type(schema.input)().id]
    if own:
        what = "columns are not in the project file, for each owner names its own with unveil owner init"
        notes.print(f"note: {what}: {' '.join(own)}", markup=False, soft_wrap=True)
