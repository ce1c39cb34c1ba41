"""The numbers of a linkage in one place, for its report and whoever asks for them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

import numpy as np

from unveil.one_place.figures import DecidedBySimilarity, Flow, OnePlaceFigures
from unveil.one_place.linked import LinkedRecords
from unveil.one_place.measured import disclosures, kept_out, peak_rss_mb, risk, states, with_advice
from unveil.one_place.records import LinkageInOnePlace
from unveil.roles.record_unit.machine import RecordUnit

_BIN: Final = 0.01
_LEAST: Final = 0.5  # similarity from which on pairs are counted


def figures_of_encodings(
    unit: RecordUnit, found: LinkedRecords, names: tuple[str, str], sizes: tuple[int, int], timings: Mapping[str, float]
) -> OnePlaceFigures:
    """What the record unit alone knows."""
    return OnePlaceFigures(
        names=names,
        records=sizes,
        candidate_pairs=found.compared_pairs,
        kept_pairs=unit.kept_pairs,
        links=len(found),
        linked_persons=found.linked_persons,
        as_if_cut_at=unit.t,
        uncertain_band=unit.uncertain_band(),
        decided=_decided(unit),
        estimate=found.estimate,
        kept_out=kept_out(unit),
        warnings=found.warnings,
        timings=dict(timings),
        seconds=sum(timings.values()),
        peak_rss_mb=peak_rss_mb(),
    )


def figures_of_records(
    linkage: LinkageInOnePlace, found: LinkedRecords, names: tuple[str, str], timings: Mapping[str, float]
) -> OnePlaceFigures:
    """What all units know together."""
    parties, schema, records = linkage.parties, linkage.schema, linkage.records
    sizes = (len(records[0]), len(records[1]))
    messages, sent = linkage.network.messages, linkage.network.bytes
    figures = replace(
        figures_of_encodings(parties.record_unit, found, names, sizes, timings),
        reviewed_pairs=len(parties.attribute_unit.layer),
        clerical_labels=parties.attribute_unit.spent,
        course=tuple(linkage.course),
        flows=tuple(Flow(*flow, messages=count, bytes=sent[flow]) for flow, count in messages.items()),
        disclosures=disclosures(parties, schema, records),
        review_states=states(schema, linkage.answered) if linkage.answered else {},
        kapr=risk(parties, schema, records, linkage.answered),
        reviewer_error=parties.attribute_unit.layer.reviewer_error if linkage.answered else None,
    )
    return with_advice(figures, parties, schema)


def _decided(unit: RecordUnit) -> DecidedBySimilarity:
    similarity, linked = unit.candidates.pairs.similarity, unit.matches()
    edges = np.round(np.arange(_LEAST, 1 + _BIN, _BIN), 10)
    counts = [tuple(np.histogram(similarity[some], edges)[0].tolist()) for some in (linked, ~linked)]
    return DecidedBySimilarity(tuple(edges.tolist()), *counts)
