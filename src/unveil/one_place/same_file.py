"""Whether both files hold the same records, as when somebody names one file twice or a copy of it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np
import pyarrow.compute as pc
from numpy.typing import NDArray

from unveil.one_place.tables import id_array

_MOST: Final = 0.5  # of the smaller file: registers of two organisations do not have so many ids and values in common


def same_records(
    left: tuple[Sequence[str], NDArray[Any]], right: tuple[Sequence[str], NDArray[Any]], *, most: float = _MOST
) -> int:
    """
    How many records stand in both files with the same id and the same contents; 0 where they are less than a share.

    A record's contents are a row of the array.
    """
    smaller, larger = sorted((left, right), key=lambda side: len(side[0]))
    places = pc.index_in(id_array(smaller[0]), value_set=id_array(larger[0])).fill_null(-1).to_numpy()
    ours = np.flatnonzero(places >= 0)
    contents = smaller[1][ours] == larger[1][places[ours]]
    same = int(contents.reshape(len(ours), smaller[1].shape[1]).all(axis=1).sum())
    return same if same > most * len(smaller[0]) else 0


def same_file_sentence(files: tuple[Path, Path], same: int) -> str | None:
    """What to tell whoever named one file twice, or a copy of it; None if nobody did."""
    if files[0].exists() and files[1].exists() and files[0].samefile(files[1]):
        return f"{files[0]} was named twice: every record is linked with itself; name the file of the other owner"
    if same:
        return (
            f"{same:,} records stand in both files with the same id and the same values: is one a copy of the other? "
            "Name the files of two owners"
        )
    return None
