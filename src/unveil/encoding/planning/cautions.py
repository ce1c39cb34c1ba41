"""What a data manager should look at before the project begins: one sentence for each, with what to do."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from unveil.encoding.planning.figures import SchemaFigures

_LEAST_FILL, _MOST_FILL = 0.3, 0.5
_FILL_OFF: Final = 0.1
_MOST_MISSING: Final = 0.5
_MOST_STAND_INS: Final = 0.02
_WEIGHT_OFF: Final = 3.0
_MOST_PAIRS: Final = 50  # for each record
_MOST_LOST: Final = 0.05


def cautions(figures: SchemaFigures) -> list[str]:
    """The sentences, the most general last; none if all is well."""
    return [*_attributes(figures), *_weights(figures), *_fill(figures), *_keys(figures), *_loss(figures)]


def _attributes(figures: SchemaFigures) -> Iterator[str]:
    for one in figures.attributes:
        if not one.distinct:
            yield f"{one.name}: no record has a value after normalisation; look at normalise, or leave it out"
            continue
        if not _LEAST_FILL <= one.fill <= _MOST_FILL:
            yield f"{one.name}: filters are {one.fill:.0%} full with h = {one.h}; h = {one.fitting_h} makes it 40%"
        for whose, missing in (("", one.missing), (" of the other register", one.missing_other)):
            if missing is not None and missing > _MOST_MISSING:
                yield f"{one.name}: missing in {missing:.0%} of the records{whose}; it will seldom help"
        if one.stand_ins > _MOST_STAND_INS:
            said = "of the values stand for a missing one, such as NA or unknown; leave these cells empty"
            yield f"{one.name}: {one.stand_ins:.0%} {said}"


def _weights(figures: SchemaFigures) -> Iterator[str]:
    off = [
        f"{one.name} {one.weight:g} instead of {one.weight_by_data:.1f}{' or more' * one.weight_is_bound}"
        for one in figures.attributes
        if one.weight < one.weight_by_data - _WEIGHT_OFF
        or (one.weight > one.weight_by_data + _WEIGHT_OFF and not one.weight_is_bound)
    ]
    if off:
        yield f"weights are far from what the data say: {', '.join(off)}"


def _fill(figures: SchemaFigures) -> Iterator[str]:
    if abs(figures.fill - figures.wanted_fill) > _FILL_OFF:
        makes = f"h = {figures.fitting_h} makes it {figures.wanted_fill:.0%}"
        advice = "set the attributes' h" if figures.fitting_h is None else makes
        yield f"layer_r: filters are {figures.fill:.0%} full with h = {figures.h}; {advice}"


def _keys(figures: SchemaFigures) -> Iterator[str]:
    if not figures.keys:
        pairs = figures.records * (figures.records_other or figures.records)
        yield f"there is no blocking key: all {pairs:,} pairs are compared; unveil schema propose proposes keys"
    for key in figures.keys:
        if not key.has:
            yield f"key {key.name}: no record has it"
        if key.skipped_blocks:
            blocks = "a block holds" if key.skipped_blocks == 1 else f"{key.skipped_blocks:,} blocks hold"
            yield f"key {key.name}: {blocks} more pairs than max_block and will be passed over; add a field to the key"
        elif key.pairs_per_record > _MOST_PAIRS:
            yield f"key {key.name}: {key.pairs_per_record:,.0f} pairs for each record; add a field to the key"


def _loss(figures: SchemaFigures) -> Iterator[str]:
    if figures.lost is not None and figures.lost > _MOST_LOST:
        worst = max(figures.lost_to, key=lambda name: figures.lost_to[name], default="")
        yield (
            f"the keys lose about {figures.lost:.1%} of the people who stand in both registers, most of all those with "
            f"{worst}; add a key that does without, or set protocol.neighbours"
        )
