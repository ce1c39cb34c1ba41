"""Batches as columns: what messages and decisions have in common."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

ID_BYTES = 16


@dataclass(frozen=True, slots=True, repr=False)
class Columnar:
    """`KEY` names the column of ids that counts its entries, `WIDTHS` the bytes per entry of each column."""

    KEY: ClassVar[str] = ""
    WIDTHS: ClassVar[Mapping[str, int]] = {}
    #: The name under which it is written, if not the class's own: names in logs outlast those in the code.
    KIND: ClassVar[str] = ""

    def __post_init__(self) -> None:
        for name, width in self.widths().items():
            size = len(getattr(self, name))
            if width < 1 or size != len(self) * width:
                raise ValueError(f"{name} has {size} bytes for {len(self)} entries of {width}")

    def __len__(self) -> int:
        return len(getattr(self, self.KEY)) // ID_BYTES if self.KEY else 0

    def __repr__(self) -> str:
        return f"{type(self).__name__}(<{len(self)} entries>)"

    @classmethod
    def kind(cls) -> str:
        """The name under which it is written."""
        return cls.KIND or cls.__name__

    def widths(self) -> Mapping[str, int]:
        """Bytes per entry of each column."""
        return self.WIDTHS
