"""A pair as JSON for pages and programs: all that a display may hold, and what the next opening would cost."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass

from unveil.roles.review_unit.display import Cell, ReviewablePair, cells, opened_further, share_opened
from unveil.roles.review_unit.masking import Stage
from unveil.roles.review_unit.rows import Row
from unveil.schema import Schema
from unveil.transport.port import JSON

Risk = Callable[[ReviewablePair, Mapping[str, Stage]], float]


@dataclass(frozen=True, slots=True)
class PairView:
    """How pairs of this schema are shown. `risk` prices an opening; without it the share of characters shown does."""

    schema: Schema
    risk: Risk | None = None

    def shown(
        self, pair: ReviewablePair, stages: Mapping[str, Stage], may_ask: Collection[str] = ()
    ) -> dict[str, JSON]:
        """
        The pair, opened as far as `stages` says; a character that was not opened is not in it.

        Owners may still be asked for the attributes in `may_ask`.
        """
        price = self._price(pair, stages)
        return {
            "task": pair.task_id.hex(),
            "cells": [
                {
                    "attribute": cell.attribute,
                    "labels": list(cell.attributes),
                    "state": cell.state,
                    "icon": cell.icon,
                    "said": [[phrase.key, phrase.count, phrase.noun] for phrase in cell.said],
                    "rows": [_row(row) for row in cell.rows],
                    "stage": cell.stage.name.lower(),
                    "next": self._next(pair, stages, cell) if cell.can_open else None,
                    "ask": cell.attribute in may_ask,
                }
                for cell in cells(pair, self.schema, stages)
            ],
            "held": len(pair.values) / len(self.schema.names),
            "seen": price,
            "in": "characters" if self.risk is None else "risk",
        }

    def _next(self, pair: ReviewablePair, stages: Mapping[str, Stage], cell: Cell) -> dict[str, JSON]:
        """The next step of a cell, and what it costs."""
        after = opened_further(pair, self.schema, stages, cell.attribute)
        return {"stage": after[cell.attribute].name.lower(), "seen": self._price(pair, after)}

    def _price(self, pair: ReviewablePair, stages: Mapping[str, Stage]) -> float:
        price = self.risk(pair, stages) if self.risk else share_opened(pair, self.schema, stages)
        return round(price, 5)


def _row(row: Row) -> list[JSON]:
    return [[glyph.sign, glyph.sort.value] for glyph in row]
