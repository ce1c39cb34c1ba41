"""What waits for a person's word, in counts that a person can judge."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from unveil.cli.owner.folder import View
from unveil.cli.owner.lines import count
from unveil.cli.owner.standing import UNITS
from unveil.roles.owner.ledger import REVIEW_LAYER
from unveil.roles.owner.wishes import Wish


def report(view: View, wishes: Sequence[Wish]) -> dict[str, Any]:
    """By unit: how many pairs or tasks of how many records wait, and which attributes are asked for and may go."""
    of_layer = {layer: [wish for wish in wishes if wish.layer == layer] for layer in UNITS}
    return {unit: _layer(view, of_layer[layer], layer) for layer, unit in UNITS.items()}


def _layer(view: View, wishes: Sequence[Wish], layer: int) -> dict[str, Any]:
    folder = view.folder
    names = folder.member.project.linkage.names
    policy = folder.policy.fitted(names, len(folder.records))
    if not wishes:
        return {"wishes": 0, "records": 0, "without_consent": 0, "attributes": {}}
    rows = np.concatenate([wish.rows for wish in wishes])
    asked = np.concatenate([wish.asked for wish in wishes])
    present = np.stack([~folder.records.columns[name].missing()[rows] for name in names], axis=1)
    consent = np.ones(len(rows), bool) if policy.layers is None else policy.layers[rows] >= layer
    may_go = asked & present & policy.may_go(layer, len(names)) & consent[:, None]
    return {
        "wishes": len(rows),
        "records": len(np.unique(rows)),
        "without_consent": int(np.count_nonzero(~consent)),
        "attributes": {
            name: {"asked": int(asked[:, at].sum()), "may_go": int(may_go[:, at].sum())}
            for at, name in enumerate(names)
        },
    }


def lines(told: dict[str, Any]) -> Iterator[str]:
    """The same for people."""
    for layer, unit in UNITS.items():
        each = told[unit]
        if not each["wishes"]:
            continue
        what = "review" if layer == REVIEW_LAYER else "pair"
        form = "values in plain text" if layer == REVIEW_LAYER else "encoded attributes"
        yield f"{form} for the {unit}: {count(each['wishes'], what)}, {count(each['records'], 'record')} of ours"
        width = max(len(name) for name in each["attributes"])
        for name, number in each["attributes"].items():
            if number["asked"]:
                yield f"  {name:<{width}}  asked for {number['asked']:>7,}, may go {number['may_go']:>7,}"
        if each["without_consent"]:
            refused = count(each["without_consent"], "is", "are")
            yield f"  {refused} refused whatever you say: no consent to this layer"
    yield "caps and smallest_k of the policy apply when the wishes are answered"
