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
from unveil.models.attribute_evidence import ATTRIBUTE_EVIDENCE
from unveil.models.choice import assessor, attribute_model, record_model
from unveil.models.forest import Forest
from unveil.models.logistic import LogisticModel
from unveil.models.priors import FORMAT, as_data, load_prior, prior_from
from unveil.models.record_evidence import RECORD_EVIDENCE
from unveil.models.threshold import ThresholdModel
from unveil.schema import Schema, built_in, built_in_names
from unveil.schema.presets import with_preset

GOOD: dict[str, Any] = {
    "format": FORMAT,
    "about": "two pieces of evidence",
    "intercept": -1.5,
    "evidence": [
        {"name": "x", "mean": 0.5, "scale": 2.0, "weight": 3.0},
        {"name": "y", "mean": 0.0, "scale": 0.1, "weight": -1.0},
    ],
}


def unveil(name: str = "person") -> Schema:
    return with_preset(built_in(name), "unveil")


@pytest.mark.parametrize(("name", "evidence"), [("record", RECORD_EVIDENCE), ("attribute", ATTRIBUTE_EVIDENCE)])
def test_shipped_priors_fit_the_evidence(name: str, evidence: tuple[str, ...]) -> None:
    """A column added to the evidence without learning the prior anew would shift every weight after it."""
    prior = load_prior(name)
    assert evidence == prior.names
    assert np.isfinite([*prior.mean, *prior.scale, *prior.weight, prior.intercept]).all()
    assert (prior.scale > 0).all()
    assert np.abs(prior.weight).max() > 0


def test_a_closer_pair_is_likelier_under_the_shipped_priors() -> None:
    """The least that can be asked of them: identical people match, typical candidates do not."""
    attribute, record = load_prior("attribute"), load_prior("record")
    far, close = (
        np.array([[values.get(name, 0.0) for name in ATTRIBUTE_EVIDENCE]])
        for values in (
            {"weight dissimilar": 7, "share dissimilar": 7, "heaviest dissimilar": 2, "several dissimilar": 1},
            {
                "weighted similarity": 1, "weighted similarity²": 1, "weight equal": 7, "share equal": 7,
                "lowest similarity": 1, "second lowest": 1, "third lowest": 1, "fourth lowest": 1,
                "none dissimilar": 1, "at most one differs": 1,
            },
        )
    )  # fmt: skip
    assert attribute.log_odds(far)[0] < 0 < attribute.log_odds(close)[0]
    typical = np.zeros((1, len(RECORD_EVIDENCE)))
    assert record.log_odds(typical)[0] < 0


def test_a_prior_survives_writing_and_reading() -> None:
    prior = prior_from(GOOD)
    assert GOOD == json.loads(json.dumps(as_data(prior, GOOD["about"])))
    assert [3 * 1.0 - 1 * 10.0 - 1.5] == prior.log_odds(np.array([[2.5, 1.0]])).tolist()


def spoiled(change: Callable[[dict[str, Any]], object]) -> dict[str, Any]:
    data = copy.deepcopy(GOOD)
    change(data)
    return data


@pytest.mark.parametrize(
    "change",
    [
        lambda data: data.pop("format"),
        lambda data: data.update(format="unveil-prior-0"),
        lambda data: data.pop("intercept"),
        lambda data: data.update(intercept=float("nan")),
        lambda data: data.update(intercept=float("inf")),
        lambda data: data.update(intercept="a few"),
        lambda data: data.pop("evidence"),
        lambda data: data.update(evidence=[]),
        lambda data: data.update(evidence={"x": 1}),
        lambda data: data.update(evidence=[1, 2]),
        lambda data: data["evidence"][1].pop("name"),
        lambda data: data["evidence"][1].pop("weight"),
        lambda data: data["evidence"][1].update(mean=float("nan")),
        lambda data: data["evidence"][1].update(weight=float("-inf")),
        lambda data: data["evidence"][0].update(scale=0.0),
        lambda data: data["evidence"][0].update(scale=-1.0),
        lambda data: data["evidence"][0].update(scale=None),
    ],
)
def test_what_is_no_prior_is_refused(change: Callable[[dict[str, Any]], object]) -> None:
    """A NaN would make every pair a coin toss, in silence."""
    with pytest.raises(ModelError):
        prior_from(spoiled(change))


def test_a_prior_of_another_version_is_told_apart() -> None:
    with pytest.raises(ModelError, match="version") as error:
        prior_from(spoiled(lambda data: data.update(format="unveil-prior-9")))
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
