"""The files of an experiment: every point of every run as a table, and the summary as JSON."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

import unveil
from unveil.files.atomic import replacing
from unveil.lab.paper import published
from unveil.lab.paper.averages import PairCounts
from unveil.lab.paper.deviations import explanation, privacy_deviations, quality_deviations
from unveil.lab.paper.findings import Findings
from unveil.lab.paper.journal import Result

#: Columns of results.parquet: one row for each run and point.
COLUMNS = (
    ("dataset", pa.string()), ("encoding", pa.string()), ("budget", pa.int32()), ("error", pa.float64()),
    ("offset", pa.float64()), ("seed", pa.int32()), ("t_opt", pa.float64()), ("t0", pa.float64()),
    ("step", pa.int32()), ("reviewed_pairs", pa.int32()), ("clerical_labels", pa.int32()),
    ("threshold", pa.float64()), ("true_positives", pa.int32()), ("false_positives", pa.int32()),
    ("false_negatives", pa.int32()), ("precision", pa.float64()), ("recall", pa.float64()), ("f1", pa.float64()),
    ("seconds", pa.float64()),
)  # fmt: skip


def write_results(path: Path, results: Mapping[str, Result]) -> int:
    """Write every point of every run and return how many there were."""
    rows = [row for _, result in sorted(results.items()) if result["kind"] == "run" for row in _rows(result)]
    table = pa.Table.from_pylist(rows, schema=pa.schema(list(COLUMNS)))
    with replacing(path) as temporary:
        pq.write_table(table, temporary, compression="zstd")
    return len(rows)


def _rows(run: Result) -> Iterable[dict[str, Any]]:
    shared = {name: run[name] for name, _ in COLUMNS if name in run}
    for step, (reviewed, labels, threshold, found, matched) in enumerate(run["points"]):
        true_pairs = run["true_pairs"]
        yield {
            **shared, "step": step, "reviewed_pairs": reviewed, "clerical_labels": labels, "threshold": threshold,
            "true_positives": found, "false_positives": matched - found, "false_negatives": true_pairs - found,
            "precision": found / matched if matched else 1.0, "recall": found / true_pairs if true_pairs else 1.0,
            "f1": PairCounts(found, matched, true_pairs).f1,
        }  # fmt: skip


def summary(found: Findings, *, wall_seconds: float, computed: int) -> dict[str, Any]:
    """Everything in summary.json."""
    return {
        "version": unveil.__version__,
        "preset": found.preset,
        "quick": found.plan.quick,
        "thresholds": list(found.plan.offsets),
        "seeds": list(found.plan.seeds),
        "missing": list(found.missing),
        "runs": found.runs,
        "planned_runs": found.plan.runs,
        "computed_now": computed,
        "wall_seconds": round(wall_seconds, 2),
        "work_seconds": round(found.work_seconds, 2),
        "explanation": explanation(found),
        "cells": [_cell(found, cell) for cell in found.cells],
        "baselines": {
            name: {**values, "records": list(found.records[name]), "published": _plain(published.BASELINES.get(name))}
            for name, values in found.baselines.items()
        },
        "privacy": _privacy(found),
        "deviations": [
            asdict(row) for rows in (quality_deviations(found), privacy_deviations(found)) for row in rows
        ],
    }  # fmt: skip


def _cell(found: Findings, cell: Any) -> dict[str, Any]:
    figures = found.figures(cell)
    printed = published.QUALITY.get(cell.name, {})
    return {
        "name": cell.name,
        **asdict(cell),
        **found.cells[cell].summary(),
        "figures": figures,
        "rounds_to_record_level": found.rounds_to_record_level(cell),
        "published": _plain(printed),
        "deviations": {key: figure.deviation(figures[key]) for key, figure in printed.items() if key in figures},
    }


def _privacy(found: Findings) -> dict[str, Any]:
    return {
        "record_filters": found.record_bits,
        "attribute_filters": found.attribute_bits,
        "review": found.review,
        "published": {
            "record_filters": {name: _plain(figures) for name, figures in published.RECORD_BITS.items()},
            "attribute_filters": {
                kind: {name: _plain(figures) for name, figures in attributes.items()}
                for kind, attributes in published.ATTRIBUTE_BITS.items()
            },
            "review": {name: _plain(figures) for name, figures in published.REVIEW.items()},
        },
    }


def _plain(figures: Mapping[str, published.Figure] | None) -> dict[str, Any]:
    return {name: {"value": figure.value, "how": figure.how} for name, figure in (figures or {}).items()}


def write_summary(path: Path, content: Mapping[str, Any]) -> None:
    """Write summary.json."""
    with replacing(path) as temporary:
        temporary.write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
