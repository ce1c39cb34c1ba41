"""
With the shipped priors no single improvement of a pair lowers its odds.

For any schema, any pairs, whatever the pairs at hand taught about levels, and whatever anybody's labels taught.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from unveil.linkage.outcome import Flags, Outcomes, Reals
from unveil.models.attribute_evidence import WeighedAttributes, attribute_evidence
from unveil.models.choice import attribute_model
from unveil.models.levels import KINDS, LEVELS, Adapted
from unveil.models.logistic import LogisticModel
from unveil.models.priors import load_tables
from unveil.models.record_evidence import RECORD_EVIDENCE
from unveil.schema import Attribute, Schema
from unveil.schema.attribute_roles import ROLES
from unveil.schema.presets import with_preset

Classes = NDArray[np.uint8]
PAIRS = 24
TINY = 1e-9
seeds = st.integers(0, 2**32 - 1)
roles_of_schemas = st.lists(st.sampled_from(sorted(ROLES)), min_size=3, max_size=12)


def model_of(roles: list[str]) -> LogisticModel:
    """The attribute unit's model for a schema with these roles."""
    attributes = tuple(Attribute(name=f"a{at}", role=role) for at, role in enumerate(roles))
    model, features = attribute_model(with_preset(Schema(name="some", attributes=attributes), "unveil"))
    assert isinstance(model, LogisticModel)
    assert features is attribute_evidence
    return model


def drawn(width: int, rng: np.random.Generator) -> tuple[Reals, Classes]:
    """Similarities of pairs, some missing and some equal, and the classes of the equal ones."""
    similarity = rng.random((PAIRS, width)) ** rng.choice([0.3, 1.0, 3.0])
    similarity[rng.random((PAIRS, width)) < 0.3] = 1.0
    similarity[rng.random((PAIRS, width)) < 0.1] = np.nan
    return similarity, np.where(similarity == 1, rng.integers(0, 4, (PAIRS, width)), 0).astype(np.uint8)


def words(rng: np.random.Generator) -> Outcomes:
    """What the record unit thinks of the pairs."""
    return Outcomes(rng.random(PAIRS) < 0.5, rng.uniform(0.5, 1.0, PAIRS))


def taught(model: LogisticModel, features: Reals, rng: np.random.Generator) -> LogisticModel:
    """The model after labels that may say anything, and after a look at pairs or with shares that nobody expects."""
    prior = model.prior
    if rng.random() < 0.7:
        model = model.settled(np.repeat(features, 40, axis=0))
    elif isinstance(prior, WeighedAttributes):
        strange = rng.dirichlet(np.full(LEVELS, 0.3), (len(KINDS), len(prior.personal))) + 1e-4
        here = Adapted(strange, float(rng.uniform(0.001, 0.999)), float(rng.normal()))
        model = replace(model, prior=replace(prior, here=here))
    g: Flags = rng.random(len(features)) < rng.random()
    inertia = tuple(np.array(model.inertia) * rng.choice([0.001, 0.1, 1.0]))
    model = replace(model, error=float(rng.choice([0.0, 0.2])), inertia=inertia)
    return model.updated(features, g, rng.uniform(0.5, 1.0, len(features)))


@given(roles_of_schemas, seeds)
@settings(max_examples=40)
def test_no_better_agreement_of_one_attribute_lowers_the_odds(roles: list[str], seed: int) -> None:
    """A value that becomes more alike, equal, or equal and rare: each attribute of each pair in turn."""
    rng = np.random.default_rng(seed)
    (similarity, agreement), above = drawn(len(roles), rng), words(rng)
    features = attribute_evidence(similarity, agreement, above)
    model = taught(model_of(roles), features, rng)
    before = model.log_odds(features)
    for at in range(len(roles)):
        nearer, rarer = similarity.copy(), agreement.copy()
        nearer[:, at] += (1 - nearer[:, at]) * rng.choice([0.0, 0.3, 0.7, 1.0], PAIRS)
        rarer[:, at] = np.where(nearer[:, at] == 1, np.maximum(rarer[:, at], rng.integers(0, 4, PAIRS)), 0)
        after = model.log_odds(attribute_evidence(nearer, rarer, above))
        assert (after >= before - TINY).all(), roles[at]


@given(roles_of_schemas, seeds)
@settings(max_examples=25)
def test_no_better_word_of_the_record_unit_lowers_the_odds(roles: list[str], seed: int) -> None:
    """The other piece of evidence that the attribute unit has."""
    rng = np.random.default_rng(seed)
    (similarity, agreement), above = drawn(len(roles), rng), words(rng)
    features = attribute_evidence(similarity, agreement, above)
    model = taught(model_of(roles), features, rng)
    chance = np.where(above.g, above.p, 1 - above.p)
    chance += (1 - chance) * rng.random(PAIRS)
    better = Outcomes(chance >= 0.5, np.maximum(chance, 1 - chance))
    after = model.log_odds(attribute_evidence(similarity, agreement, better))
    assert (after >= model.log_odds(features) - TINY).all()


def record_rows(rng: np.random.Generator) -> Reals:
    """Evidence of the record unit, within the bounds at which its tables change and a little beyond."""
    edges = [np.append(column, [0.0, 1.0]) for column in load_tables("record").edges]
    return np.column_stack([rng.uniform(column.min() - 1, column.max() + 1, PAIRS) for column in edges])


@given(seeds)
@settings(max_examples=25)
def test_no_piece_of_evidence_of_the_record_unit_works_against_its_direction(seed: int) -> None:
    """More similarity, margin or keys never lower the odds, a worse rank never raises them; labels or not."""
    rng = np.random.default_rng(seed)
    model = LogisticModel(load_tables("record"))
    features = record_rows(rng)
    model = taught(model, features, rng)
    before = model.log_odds(features)
    for at, (name, direction) in enumerate(RECORD_EVIDENCE.items()):
        more = features.copy()
        more[:, at] += rng.exponential(1.0, PAIRS)
        change = model.log_odds(more) - before
        assert (direction * change >= -TINY).all(), name
