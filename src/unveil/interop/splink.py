"""
Predictions and labels of Splink, as CSV or Parquet.

A prediction has `match_weight`, `match_probability`, `source_dataset_l`, `unique_id_l`, `source_dataset_r` and
`unique_id_r`; a label the last four and `clerical_match_score`. Which side is left differs from row to row: the dataset
tells.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from unveil.errors import InputError, SettingError
from unveil.interop.links import ForeignLinks, LinkedSide
from unveil.interop.result_columns import columns_of, figures_of

_ID: Final = "unique_id"
PROBABILITY: Final = "match_probability"
SCORE: Final = "clerical_match_score"
#: Of a probability that is 0 or 1 the weight would have no end; that of Splink ends where its numbers do, too.
_SUREST: Final = 2.0**-50
_SURE: Final = 0.5  # a label from this score on says match


def read_predictions(path: Path, sides: tuple[LinkedSide, LinkedSide] | None, *, id_column: str | None) -> ForeignLinks:
    """Pairs with the probability that Splink gives them; `id_column` is what its settings call the ids."""
    left, right, probability, said = _pairs(path, PROBABILITY, sides, id_column or _ID)
    return ForeignLinks(left, right, probability=probability, notes=said)


def read_labels(path: Path, sides: tuple[LinkedSide, LinkedSide] | None, *, id_column: str | None) -> ForeignLinks:
    """Pairs that a person called a match, with their score as the probability."""
    left, right, scores, said = _pairs(path, SCORE, sides, id_column or _ID)
    some = [at for at, score in enumerate(scores) if score >= _SURE]
    if others := len(scores) - len(some):
        said = (*said, f"{others} labels say no match, and make no links")
    chosen = [left[at] for at in some], [right[at] for at in some]
    return ForeignLinks(*chosen, probability=[scores[at] for at in some], notes=said)


def predictions_table(links: ForeignLinks, sides: tuple[LinkedSide, LinkedSide]) -> Any:
    """Links as an Arrow table of predictions."""
    if links.probability is None:
        raise SettingError(
            "these links have no probability: a threshold made them, or a tool that gives none",
            hint="link without --threshold, or convert them to splink-labels",
        )
    import pyarrow as pa

    weights = [match_weight(one) for one in links.probability]
    figures = {"match_weight": pa.array(weights, pa.float64()), PROBABILITY: pa.array(links.probability, pa.float64())}
    return pa.table({**figures, **_id_columns(links, sides)})


def labels_table(links: ForeignLinks, sides: tuple[LinkedSide, LinkedSide]) -> Any:
    """Links as an Arrow table of labels: certain ones where they have no probability."""
    import pyarrow as pa

    scores = [1.0] * len(links) if links.probability is None else links.probability
    return pa.table({**_id_columns(links, sides), SCORE: pa.array(scores, pa.float64())})


def match_weight(probability: float) -> float:
    """log₂ of the odds."""
    bounded = min(max(probability, _SUREST), 1 - _SUREST)
    return math.log2(bounded / (1 - bounded))


def _id_columns(links: ForeignLinks, sides: tuple[LinkedSide, LinkedSide]) -> dict[str, Any]:
    """Both ids with their datasets; Splink puts the dataset left whose name comes first."""
    import pyarrow as pa

    if sides[0].name == sides[1].name:
        raise SettingError("both datasets have the same name", hint="--name-a and --name-b")
    pair = ((sides[0].name, links.left), (sides[1].name, links.right))
    columns: list[Any] = []
    for name, ids in sorted(pair, key=lambda one: one[0]):
        columns += [pa.array([name] * len(links), pa.string()), pa.array(ids, pa.string())]
    return dict(zip(_id_names(_ID), columns, strict=True))


def _id_names(column: str) -> tuple[str, str, str, str]:
    return "source_dataset_l", f"{column}_l", "source_dataset_r", f"{column}_r"


def _pairs(
    path: Path, figure: str, sides: tuple[LinkedSide, LinkedSide] | None, id_column: str
) -> tuple[list[str], list[str], list[float], tuple[str, ...]]:
    """The ids of both datasets in their order, the figure, and which dataset is which."""
    columns, numbers = columns_of(path, _id_names(id_column)), figures_of(path, figure)
    names, said = _datasets(path, columns, sides)
    left, right = [], []
    for row, (one, one_id, other, other_id) in enumerate(zip(*columns, strict=True), 1):
        if (one, other) == names:
            pair = one_id, other_id
        elif (other, one) == names:
            pair = other_id, one_id
        else:
            hint = "links are between two datasets: leave pairs within one out, and name the two"
            raise InputError(path, f"is no pair of {names[0]} and {names[1]}", row=row, hint=hint)
        left.append(pair[0])
        right.append(pair[1])
    return left, right, numbers, said


def _datasets(
    path: Path, columns: Sequence[Sequence[str]], sides: tuple[LinkedSide, LinkedSide] | None
) -> tuple[tuple[str, str], tuple[str, ...]]:
    if sides is not None:
        return (sides[0].name, sides[1].name), ()
    names = sorted({*columns[0], *columns[2]})
    if len(names) != 2:  # noqa: PLR2004 - links are between two
        raise InputError(
            path, f"has {len(names)} datasets, and links are between two", hint="--name-a and --name-b say which"
        )
    return (names[0], names[1]), (f"a is {names[0]}, and b is {names[1]}",)
