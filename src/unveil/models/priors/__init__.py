"""
What is known before the first label: models learnt on generated worlds, shipped as numbers.

`record.json` and `attribute.json` hold tables (`models.tables`), `levels.json` how often values of each role agree how
well (`models.levels`). `python -m tools.train_priors` makes them anew. Nothing in them comes from a real person.
"""

from __future__ import annotations

import json
from functools import cache
from importlib import resources
from typing import Any

import numpy as np

from unveil.errors import ModelError
from unveil.models.levels import LEVELS, Shares
from unveil.models.tables import Tables, Term

FORMAT = "unveil-prior-2"


@cache
def load_tables(name: str) -> Tables:
    """The shipped tables of that name: record or attribute."""
    return tables_from(_read(name))


@cache
def load_levels() -> Shares:
    """The shipped shares of levels, by role."""
    return shares_from(_read("levels"))


def _read(name: str) -> dict[str, Any]:
    return json.loads((resources.files("unveil.models.priors") / f"{name}.json").read_text(encoding="utf-8"))


def tables_from(data: dict[str, Any]) -> Tables:
    """The tables in that object."""
    _check_format(data)
    try:
        evidence = data["evidence"]
        return Tables(
            names=tuple(str(row["name"]) for row in evidence),
            directions=tuple(row["direction"] for row in evidence),
            edges=tuple(np.array(row["edges"], np.float64) for row in evidence),
            terms=tuple(
                Term(int(term["first"]), int(term["second"]), np.array(term["values"], np.float64))
                for term in data["tables"]
            ),
            intercept=float(data["intercept"]),
        )
    except (KeyError, TypeError, ValueError, IndexError) as error:
        raise ModelError("not a prior", hint=str(error)) from None


def tables_data(tables: Tables, about: str) -> dict[str, Any]:
    """The tables as a plain object."""
    evidence = [
        {"name": name, "direction": direction, "edges": edges.tolist()}
        for name, direction, edges in zip(tables.names, tables.directions, tables.edges, strict=True)
    ]
    terms = [{"first": term.first, "second": term.second, "values": term.values.tolist()} for term in tables.terms]
    return {
        "format": FORMAT,
        "about": about,
        "intercept": tables.intercept,
        "evidence": evidence,
        "tables": terms,
    }


def shares_from(data: dict[str, Any]) -> Shares:
    """The shares of levels in that object."""
    _check_format(data)
    try:
        roles = data["roles"]
        match, other = ({role: np.array(row[kind], np.float64) for role, row in roles.items()} for kind in _KINDS)
        firm = {role: (float(row["firm"][0]), float(row["firm"][1])) for role, row in roles.items()}
    except (KeyError, TypeError, ValueError, AttributeError, IndexError):
        raise ModelError("not a prior") from None
    for row in (*match.values(), *other.values()):
        if row.shape != (LEVELS,) or not (row > 0).all() or not np.isfinite(row).all():
            raise ModelError("a prior needs a share above 0 for every level")
    if not all(np.isfinite(both).all() and min(both) > 0 for both in firm.values()):
        raise ModelError("a prior must be worth some pairs")
    return Shares(match, other, firm)


def shares_data(shares: Shares, about: str) -> dict[str, Any]:
    """The shares of levels as a plain object."""
    roles = {
        role: {"match": shares.match[role].tolist(), "other": shares.other[role].tolist(), "firm": shares.firm[role]}
        for role in shares.match
    }
    return {"format": FORMAT, "about": about, "roles": roles}


_KINDS = ("match", "other")


def _check_format(data: dict[str, Any]) -> None:
    if data.get("format") != FORMAT:
        raise ModelError("not a prior of this version", hint=f"expected {FORMAT}")
