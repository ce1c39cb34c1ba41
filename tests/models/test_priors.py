"""The shipped priors, and what is refused in their place."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from unveil.errors import ModelError, SettingError
from unveil.linkage.model import similarity_alone
from unveil.linkage.outcome import Outcomes, Reals
from unveil.models.attribute_evidence import SUMMARY
from unveil.models.choice import assessor, attribute_model, record_model
from unveil.models.forest import Forest
from unveil.models.levels import KINDS, LEVELS, weights
from unveil.models.logistic import LogisticModel
from unveil.models.priors import (
    FORMAT,
    load_levels,
    load_tables,
    shares_data,
    shares_from,
    tables_data,
    tables_from,
)
from unveil.models.record_evidence import RECORD_EVIDENCE
from unveil.models.tables import Direction
from unveil.models.threshold import ThresholdModel
from unveil.schema import Schema, built_in, built_in_names
from unveil.schema.attribute_roles import ROLES
from unveil.schema.presets import with_preset

TABLES: dict[str, Any] = {
    "format": FORMAT,
    "about": "two pieces of evidence",
    "intercept": -1.5,
    "evidence": [
        {"name": "x", "direction": 1, "edges": [0.0, 2.0]},
        {"name": "y", "direction": -1, "edges": [0.5]},
    ],
    "tables": [
        {"first": 0, "second": 0, "values": [[-1.0], [0.0], [1.0]]},
        {"first": 0, "second": 1, "values": [[1.0, 0.0], [1.0, 0.0], [3.0, 2.5]]},
    ],
}
LEVELS_DATA: dict[str, Any] = {
    "format": FORMAT,
    "about": "one role",
    "roles": {
        "sex": {
            "match": [1 / LEVELS] * LEVELS,
            "kin": [3 / LEVELS] + [0.04] * (LEVELS - 1),
            "other": [2 / LEVELS] + [0.05] * (LEVELS - 1),
            "firm": [3.0, 4.0, 5.0],
        }
    },
}


def unveil(name: str = "person") -> Schema:
    return with_preset(built_in(name), "unveil")


@pytest.mark.parametrize(("name", "evidence"), [("record", RECORD_EVIDENCE), ("attribute", dict.fromkeys(SUMMARY, 1))])
def test_shipped_tables_fit_the_evidence(name: str, evidence: dict[str, Direction]) -> None:
    """A column added to the evidence without learning the prior anew would shift every one after it."""
    tables = load_tables(name)
    assert tuple(evidence) == tables.names
    assert tuple(evidence.values()) == tables.directions
    assert max(float(np.ptp(term.values)) for term in tables.terms) > 0.5


@pytest.mark.parametrize("signs", [False, True])
def test_shipped_levels_know_every_role(signs: bool) -> None:  # noqa: FBT001 - pytest passes it so
    """A role that is added without learning the levels anew would end a run with an error."""
    known = load_levels(signs=signs)
    assert set(ROLES) <= set(known.shares)
    assert set(known.shares) == set(known.firm)
    for rows in known.shares.values():
        assert (len(KINDS), LEVELS) == rows.shape
        np.testing.assert_allclose(rows.sum(axis=1), 1.0, atol=1e-4)


def _weights(role: str) -> Reals:
    match, _, other = load_levels().of([role]).shares
    return weights(match, other)


@pytest.mark.parametrize("role", sorted(ROLES))
def test_agreement_weighs_more_than_difference_in_every_role(role: str) -> None:
    """The least that can be asked of the shipped levels; of a region nothing more, for kin live in the same one."""
    weight = _weights(role)[0]
    assert weight[1] <= 0
    assert weight[1] <= weight[-1]
    assert role == "region" or weight[1] < min(0, weight[-1])


def test_what_is_one_persons_alone_weighs_more_than_what_many_share() -> None:
    range_of = {role: float(np.ptp(_weights(role))) for role in ROLES}
    assert min(range_of["id_number"], range_of["birth_date"]) > 2 * max(range_of["town"], range_of["sex"])


def differing_and_equal(name: str) -> Reals:
    """The log odds of a pair that differs everywhere and of one that agrees everywhere; no word from above."""
    model, evidence = attribute_model(unveil(name))
    width = len(unveil(name).attributes)
    similarity = np.stack([np.full(width, 0.1), np.ones(width)])
    agreement = np.where(similarity == 1, 3, 0).astype(np.uint8)
    return model.log_odds(evidence(similarity, agreement, Outcomes(np.zeros(2, bool), np.full(2, 0.5))))


@pytest.mark.parametrize("name", built_in_names())
def test_equal_people_match_and_different_ones_do_not_under_the_shipped_priors(name: str) -> None:
    """The least that can be asked of the attribute unit's prior."""
    far, close = differing_and_equal(name).tolist()
    assert far < -2
    assert close > 2


def test_a_typical_candidate_is_no_match_under_the_shipped_priors_and_a_clear_one_is() -> None:
    """The least that can be asked of the record unit's."""
    usual = {
        "similarity in spreads": 1.0, "number of keys": 3.0, "worse rank": 3.0, "fewer ones": 1.0, "records": 8.0,
        "spread of strangers": 0.08, "keys shared": 1 / 3, "rarest key": 3.0, "rarity of keys": 3.0,
    }  # fmt: skip
    clear = usual | {
        "similarity": 0.95, "similarity in spreads": 12.0, "above the best stranger": 8.0, "keys shared": 1.0,
        "rarest key": 8.0, "rarity of keys": 20.0, "smaller margin": 0.6, "larger margin": 0.7, "best of both": 1.0,
        "worse rank": 0.0,
    }  # fmt: skip
    rows = np.array([[values.get(name, 0.0) for name in RECORD_EVIDENCE] for values in (usual, clear)])
    stranger, match = load_tables("record").log_odds(rows).tolist()
    assert stranger < -2
    assert match > 2


def test_tables_survive_writing_and_reading() -> None:
    tables = tables_from(TABLES)
    assert TABLES == json.loads(json.dumps(tables_data(tables, TABLES["about"])))
    assert [1 + 3 - 1.5, -1 + 0 - 1.5] == tables.log_odds(np.array([[2.5, 0.0], [-1.0, 1.0]])).tolist()


def test_levels_survive_writing_and_reading() -> None:
    shares = shares_from(LEVELS_DATA)
    assert LEVELS_DATA == json.loads(json.dumps(shares_data(shares, LEVELS_DATA["about"])))


def spoiled(good: dict[str, Any], change: Callable[[dict[str, Any]], object]) -> dict[str, Any]:
    data = copy.deepcopy(good)
    change(data)
    return data


@pytest.mark.parametrize(
    "change",
    [
        lambda data: data.pop("format"),
        lambda data: data.update(format="unveil-prior-2"),
        lambda data: data.pop("intercept"),
        lambda data: data.update(intercept=float("nan")),
        lambda data: data.update(intercept=float("inf")),
        lambda data: data.update(intercept="a few"),
        lambda data: data.pop("evidence"),
        lambda data: data.update(evidence=[]),
        lambda data: data.update(evidence={"x": 1}),
        lambda data: data.update(evidence=[1, 2]),
        lambda data: data["evidence"][1].pop("name"),
        lambda data: data["evidence"][1].pop("direction"),
        lambda data: data["evidence"][1].update(direction=1),
        lambda data: data["evidence"][1].update(direction=3),
        lambda data: data["evidence"][1].update(direction="down"),
        lambda data: data["evidence"][0].update(edges=[2.0, 0.0]),
        lambda data: data["evidence"][0].update(edges=[0.0, float("nan")]),
        lambda data: data["evidence"][0].update(edges=None),
        lambda data: data.pop("tables"),
        lambda data: data["tables"][0].update(first=7, second=7),
        lambda data: data["tables"][0].update(values=[[-1.0], [0.0]]),
        lambda data: data["tables"][0].update(values=[[-1.0], [0.0], [float("nan")]]),
        lambda data: data["tables"][0].update(values=[[-1.0], [0.0], [-0.5]]),
        lambda data: data["tables"][1].update(second="y"),
    ],
)
def test_what_are_no_tables_is_refused(change: Callable[[dict[str, Any]], object]) -> None:
    """A NaN would make every pair a coin toss, in silence; a table that falls would count agreement against a match."""
    with pytest.raises(ModelError):
        tables_from(spoiled(TABLES, change))


@pytest.mark.parametrize(
    "change",
    [
        lambda data: data.pop("format"),
        lambda data: data.pop("roles"),
        lambda data: data.update(roles=[1, 2]),
        lambda data: data["roles"]["sex"].pop("other"),
        lambda data: data["roles"]["sex"].pop("kin"),
        lambda data: data["roles"]["sex"].update(match=[0.5, 0.5]),
        lambda data: data["roles"]["sex"].update(match=[0.1] * (LEVELS - 1) + [0.0]),
        lambda data: data["roles"]["sex"].update(match=[0.1] * (LEVELS - 1) + [float("nan")]),
        lambda data: data["roles"]["sex"].update(match=[0.1] * (LEVELS - 1) + [float("inf")]),
        lambda data: data["roles"]["sex"].update(match="many"),
        lambda data: data["roles"]["sex"].pop("firm"),
        lambda data: data["roles"]["sex"].update(firm=[1.0, 1.0]),
        lambda data: data["roles"]["sex"].update(firm=[0.0, 1.0, 1.0]),
        lambda data: data["roles"]["sex"].update(firm=[1.0, 1.0, float("nan")]),
    ],
)
def test_what_are_no_levels_is_refused(change: Callable[[dict[str, Any]], object]) -> None:
    """A share of 0 would weigh infinitely much."""
    with pytest.raises(ModelError):
        shares_from(spoiled(LEVELS_DATA, change))


def test_a_prior_of_another_version_is_differing_and_equal() -> None:
    for read, good in ((tables_from, TABLES), (shares_from, LEVELS_DATA)):
        with pytest.raises(ModelError, match="version") as error:
            read(spoiled(good, lambda data: data.update(format="unveil-prior-9")))
        assert FORMAT in str(error.value.hint)


@pytest.mark.parametrize("name", built_in_names())
def test_the_schema_chooses_the_models(name: str) -> None:
    """The published ones by default, those with prior knowledge under the preset."""
    plain, known = built_in(name), unveil(name)
    model, features = record_model(plain, t0=0.66)
    assert isinstance(model, ThresholdModel)
    assert (0.66, True) == (model.t, features is similarity_alone)
    assert isinstance(attribute_model(plain)[0], Forest)
    for chosen, _ in (record_model(known), attribute_model(known), assessor(plain)):
        assert isinstance(chosen, LogisticModel)
        assert (True, 1.0, 0.0) == (chosen.ready, chosen.slope, chosen.shift)


def test_a_saved_forest_is_refused_where_nobody_would_use_it() -> None:
    """Ignored in silence, it would leave a person believing in a model that never spoke."""
    forest = Forest(built_in().protocol.forest)
    assert forest is attribute_model(built_in(), forest=forest)[0]
    with pytest.raises(SettingError, match="forest"):
        attribute_model(unveil(), forest=forest)
