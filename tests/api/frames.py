"""Generated people as a file and as data frames of every library that offers Arrow streams."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.csv as pc

from unveil.lab.synthetic import Registers, generate, write


@cache
def people() -> Registers:
    return generate(records=500, overlap=0.4, errors=1, seed=9)


@cache
def folder() -> Path:
    made = Path(mkdtemp(prefix="unveil-people-"))
    write(people(), made)
    return made


def _arrow(path: Path) -> Any:
    names = path.read_text(encoding="utf-8").partition("\n")[0].split(",")
    return pc.read_csv(path, convert_options=pc.ConvertOptions(column_types=dict.fromkeys(names, pa.string())))


#: By library, how its users read a file of text.
READERS: dict[str, Callable[[Path], Any]] = {
    "path": lambda path: path,
    "polars": lambda path: pl.read_csv(path, infer_schema=False),
    "polars, lazily": lambda path: pl.scan_csv(path, infer_schema=False).collect(),
    "pandas": lambda path: pd.read_csv(path, dtype=str, keep_default_na=False),
    "duckdb": lambda path: duckdb.read_csv(str(path), all_varchar=True),
    "arrow": _arrow,
    "arrow reader": lambda path: _arrow(path).to_reader(),
}


def table(side: str, library: str = "arrow") -> Any:
    return READERS[library](folder() / f"{side}.csv")
