"""Which values are short enough for review: the review unit takes no longer ones, so they stay at home."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from unveil.protocol.messages import LONGEST_VALUE
from unveil.records import Records


def short_enough(records: Records, names: Sequence[str]) -> NDArray[np.bool_]:
    """Return for each record and attribute whether its value has LONGEST_VALUE characters at most."""
    columns = [records.columns[name] for name in names]
    return np.stack(
        [
            np.array([len(value) <= LONGEST_VALUE for value in column.distinct], bool)[column.codes]
            for column in columns
        ],
        axis=1,
    )
