"""
What is known before the first label: models learnt on generated worlds, shipped as numbers.

`record.json` and `attribute.json` hold tables (`models.tables`), `levels.json` how often values of each role agree how
well (`models.levels`) by their filters, `levels_of_signs.json` by their signs. `python -m tools.train_priors` makes
them anew, and `python -m tools.train_sign_levels` the last one. Nothing in them comes from a real person.
"""

from __future__ import annotations

import hashlib
import json
from functools import cache
from importlib import resources
from typing import Any

import numpy as np

from unveil.errors import ModelError
from unveil.models.levels import KINDS, LEVELS, Shares
from unveil.models.tables import Tables, Term

FORMAT = "unveil-prior-3"


@cache
def load_tables(name: str) -> Tables:
    """The shipped tables of that name: record or attribute."""
    return tables_from(_read(name))


@cache
def load_levels(*, signs: bool = False) -> Shares:
    """The shipped shares of levels, by role: of similarities by filters, or by signs."""
    return shares_from(_read("levels_of_signs" if signs else "levels"))


@cache
def prior_digest(name: str) -> str:
    """A hash of what is shipped under that name: whatever was computed with another is out of date."""
    return hashlib.sha256((resources.files("unveil.models.priors") / f"{name}.json").read_bytes()).hexdigest()


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
        shares = {role: np.array([row[kind] for kind in KINDS], np.float64) for role, row in roles.items()}
        firm = {role: np.array(row["firm"], np.float64) for role, row in roles.items()}
    except (KeyError, TypeError, ValueError, AttributeError, IndexError):
        raise ModelError("not a prior") from None
    for row in shares.values():
        if row.shape != (len(KINDS), LEVELS) or not (row > 0).all() or not np.isfinite(row).all():
            raise ModelError("a prior needs a share above 0 for every level")
    if not all(one.shape == (len(KINDS),) and np.isfinite(one).all() and (one > 0).all() for one in firm.values()):
        raise ModelError("a prior must be worth some pairs")
    return Shares(shares, firm)


def shares_data(shares: Shares, about: str) -> dict[str, Any]:
    """The shares of levels as a plain object."""
    roles = {
        role: {
            **{kind: row.tolist() for kind, row in zip(KINDS, rows, strict=True)},
            "firm": shares.firm[role].tolist(),
        }
        for role, rows in shares.shares.items()
    }
    return {"format": FORMAT, "about": about, "roles": roles}


def _check_format(data: dict[str, Any]) -> None:
    if data.get("format") != FORMAT:
        raise ModelError("not a prior of this version", hint=f"expected {FORMAT}")
