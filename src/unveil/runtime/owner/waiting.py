"""What waits for a person's approval, in counts that a person can judge."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from unveil.roles.owner.wishes import Wish
from unveil.runtime.owner.progress import UNIT_OF_LAYER
from unveil.runtime.owner.view import OwnerView


@dataclass(frozen=True, slots=True)
class AskedAttribute:
    """For how many wishes an attribute is asked for, and for how many it may go."""

    asked: int
    may_go: int


@dataclass(frozen=True, slots=True)
class WaitingLayer:
    """How many pairs or tasks of how many records wait at a unit, and which attributes are asked for and may go."""

    wishes: int = 0
    records: int = 0
    without_consent: int = 0
    attributes: dict[str, AskedAttribute] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class WaitingWishes:
    """The wishes that wait, and by unit what they are about; nothing if none does."""

    wishes: tuple[Wish, ...] = ()
    layers: dict[str, WaitingLayer] = field(default_factory=dict)

    def as_json(self) -> dict[str, Any]:
        """By unit, in counts."""
        return {unit: asdict(each) for unit, each in self.layers.items()}


def waiting_wishes(view: OwnerView, wishes: Sequence[Wish]) -> WaitingWishes:
    """These wishes, counted."""
    if not wishes:
        return WaitingWishes()
    of_layer = {layer: [wish for wish in wishes if wish.layer == layer] for layer in UNIT_OF_LAYER}
    return WaitingWishes(
        tuple(wishes), {unit: _layer(view, of_layer[layer], layer) for layer, unit in UNIT_OF_LAYER.items()}
    )


def _layer(view: OwnerView, wishes: Sequence[Wish], layer: int) -> WaitingLayer:
    folder = view.folder
    names = folder.member.project.linkage.names
    policy = folder.policy.fitted(names, len(folder.records))
    if not wishes:
        return WaitingLayer()
    rows = np.concatenate([wish.rows for wish in wishes])
    asked = np.concatenate([wish.asked for wish in wishes])
    present = np.stack([~folder.records.columns[name].missing()[rows] for name in names], axis=1)
    consent = np.ones(len(rows), bool) if policy.layers is None else policy.layers[rows] >= layer
    may_go = asked & present & policy.may_go(layer, len(names)) & consent[:, None]
    return WaitingLayer(
        wishes=len(rows),
        records=len(np.unique(rows)),
        without_consent=int(np.count_nonzero(~consent)),
        attributes={
            name: AskedAttribute(int(asked[:, at].sum()), int(may_go[:, at].sum())) for at, name in enumerate(names)
        },
    )
