"""Arrays in an .npz file. Reading executes nothing: pickled objects are refused."""

from __future__ import annotations

import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from unveil.errors import ModelError
from unveil.files.atomic import replacing

_MOST_BYTES: Final = 64 << 20


def write_arrays(path: Path, arrays: Mapping[str, NDArray[Any]]) -> None:
    """Write the arrays; an existing file is replaced only when the new one is complete."""
    with replacing(path) as temporary, temporary.open("wb") as file:
        np.savez(file, **dict(arrays))  # type: ignore[arg-type]


def read_arrays(path: Path) -> dict[str, NDArray[Any]]:
    """Every array in the file; ModelError if it is too large, or no such file."""
    try:
        if path.stat().st_size > _MOST_BYTES:
            raise ModelError(f"{path}: too large for a model")
        with zipfile.ZipFile(path) as archive:
            if sum(entry.file_size for entry in archive.infolist()) > _MOST_BYTES:
                raise ModelError(f"{path}: too large for a model")
        with np.load(path, allow_pickle=False) as data:
            return {name: data[name] for name in data.files}
    except OSError as error:
        raise ModelError(f"{path}: {error.strerror or 'cannot be read'}") from None
    except (ValueError, KeyError, TypeError, AttributeError, EOFError, zipfile.BadZipFile):
        raise ModelError(f"{path}: not a saved model", hint="unveil simulate --save-model writes one") from None
