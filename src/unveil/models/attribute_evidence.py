"""
What the attribute unit knows about a pair, as numbers that mean the same for every schema.

A pair comes with the record unit's log odds and the level on which each attribute agrees. The weights of these levels
(`models.levels`) are summed up by whose the attributes are: what tells one person from another, and what all members of
a household share. So a model learnt on one set of attributes carries over to another.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from unveil.linkage.outcome import Flags, Outcomes, Reals, log_odds
from unveil.models.levels import (
    EQUAL,
    KIN,
    LEVELS,
    UNLIKE,
    Adapted,
    KnownShares,
    Levels,
    Shares,
    adapted,
    against_either,
    forgetting,
    levels,
    seeming_without,
    summed,
)
from unveil.models.tables import Tables
from unveil.schema import Schema
from unveil.schema.attribute_roles import ROLES

#: What each column of `summary` means. More of any of them speaks for a match.
SUMMARY: Final = (
    "record unit's odds", "weight of person", "weight of home", "weight", "against, of person", "against, of home",
    "for, of person", "for, of home", "worst of person", "worst of home", "second worst", "best of person",
    "against kin", "against strangers", "against either",
)  # fmt: skip
_ENOUGH = 30  # of such pairs tell how an attribute is written
_MOST, _NEARLY_ALL = 0.65, 0.85  # of these unlike: what is known of an attribute is heard less, and not at all
_NEVER, _HARDLY_EVER = 0.01, 0.07  # of these equal: known shares of equal values do not hold, and hold in full
_SOME = 0.05  # of the other pairs equal: both owners write it in one form
_SUREST = 12.0  # log odds from above that say no more beyond this
#: Levels that labels may set apart from those below: somewhat alike, alike, equal, and equal with a rarer value.
STEPS: Final = (5, 7, 9, 11, 12)
_STEPS_LOOSER = (10 / 3) ** 0.5  # steps are held a good third as firmly as the weights of whole attributes


def attribute_evidence(similarity: Reals, agreement: NDArray[np.uint8], record_level: Outcomes) -> Reals:
    """The record unit's log odds, and the level of each attribute, one row for each pair."""
    odds = np.clip(log_odds(record_level), -_SUREST, _SUREST)
    return np.column_stack([odds, levels(similarity, agreement)])


def summary(odds: Reals, weight: Reals, against: Reals, kin: float, personal: Flags) -> Reals:
    """Return one row of numbers per pair, with the columns of SUMMARY, from the weights of its attributes."""
    nothing = np.zeros((len(weight), 1))
    person = np.hstack([weight[:, personal], nothing])
    home = np.hstack([weight[:, ~personal], nothing])
    worst = np.sort(np.hstack([weight, nothing, nothing]), axis=1)
    columns = [
        odds, person.sum(axis=1), home.sum(axis=1), weight.sum(axis=1),
        np.minimum(person, 0).sum(axis=1), np.minimum(home, 0).sum(axis=1),
        np.maximum(person, 0).sum(axis=1), np.maximum(home, 0).sum(axis=1),
        person.min(axis=1), home.min(axis=1), worst[:, 1], person.max(axis=1),
        *against, against_either(against, kin),
    ]  # fmt: skip
    return np.stack(columns, axis=1)


@dataclass(frozen=True, slots=True)
class WeighedAttributes:
    """
    Prior knowledge of the attribute unit: tables over the summary of a pair's weights.

    `known` are the shares of levels as known before, `here` as found among the pairs at hand; `heard` says how far what
    is known of each attribute is listened to; `centre` is what uncertain pairs have in the further columns.
    """

    tables: Tables
    personal: Flags
    known: KnownShares
    here: Adapted
    heard: Reals
    centre: Reals

    @classmethod
    def of(cls, schema: Schema, tables: Tables, shares: Shares) -> WeighedAttributes:
        """For the attributes of a schema, by their roles."""
        return cls.of_roles([attribute.meaning for attribute in schema.attributes], tables, shares)

    @classmethod
    def of_roles(cls, roles: Sequence[str], tables: Tables, shares: Shares) -> WeighedAttributes:
        """For attributes with these roles."""
        known = shares.of(roles)
        personal = np.array([ROLES[role].whose == "person" for role in roles], bool)
        further = len(roles) * (1 + len(STEPS))
        here = Adapted(known.shares, KIN, 0.0)
        return cls(tables, personal, known, here, np.ones(len(roles)), np.zeros(further))

    def log_odds(self, features: Reals) -> Reals:
        """The log odds of a match for each row of `attribute_evidence`."""
        return self.tables.log_odds(self.summed_up(features))

    def summed_up(self, features: Reals) -> Reals:
        """What the tables look at."""
        found = _levels(features)
        against = np.stack([summed(weight, found).sum(axis=1) for weight in self.here.against()])
        return summary(features[:, 0] + self.here.shift, self._weighed(features), against, self.here.kin, self.personal)

    def columns(self, features: Reals) -> Reals:
        """The weight of each attribute and the steps that its level has reached, from what uncertain pairs have."""
        found = _levels(features)
        steps = [(found >= step) * _STEPS_LOOSER for step in STEPS]
        return np.hstack([self._weighed(features), *steps]) - self.centre

    def settled(self, features: Reals) -> WeighedAttributes:
        """The same, with shares adapted to these pairs, of attributes written otherwise by these alone."""
        found, above = _levels(features), features[:, 0]
        here = adapted(found, above, self.known)
        heard, equal = _heard(found, above, here, self.known)
        if min(heard.min(), equal.min()) < 1:
            here = adapted(found, above, forgetting(self.known, found, heard, equal))
        settled = replace(
            self,
            here=here,
            heard=heard,
            centre=np.zeros_like(self.centre),
        )
        return replace(settled, centre=_among_uncertain(settled.log_odds(features)) @ settled.columns(features))

    def _weighed(self, features: Reals) -> Reals:
        return summed(self.here.together(), _levels(features))


def _among_uncertain(odds: Reals) -> Reals:
    """For each pair its share in a mean over uncertain pairs."""
    p = 1 / (1 + np.exp(-np.clip(odds, -_SUREST, _SUREST)))
    return p * (1 - p) / max(float((p * (1 - p)).sum()), 1e-12)


def _heard(found: Levels, above: Reals, here: Adapted, known: KnownShares) -> tuple[Reals, Reals]:
    """
    How far what is known of each attribute is listened to, and of its equal values, by pairs that seem to be matches.

    These are the pairs that all other attributes take for matches. An attribute that is unlike in nearly all of them is
    written otherwise by one owner, and what other worlds say of it does not hold here: 0. So is one that is alike and
    never equal, but what is known of unequal values holds. If it is equal in some of the other pairs, it is written in
    one form, and those who were opened have moved or married: 1.
    """
    heard, equal = np.ones(found.shape[1]), np.ones(found.shape[1])
    for at in range(found.shape[1]):
        seeming = seeming_without(at, found, above, here, known)
        matches, others = (_counts(found[:, at], each)[1:] for each in (seeming, 1 - seeming))
        if matches.sum() < _ENOUGH or others[EQUAL - 1 :].sum() >= _SOME * others.sum():
            continue
        shares = matches / matches.sum()
        heard[at] = _within(_NEARLY_ALL - shares[:UNLIKE].sum(), _NEARLY_ALL - _MOST)
        equal[at] = _within(shares[EQUAL - 1 :].sum() - _NEVER, _HARDLY_EVER - _NEVER)
    return heard, equal


def _within(value: float, most: float) -> float:
    return float(np.clip(value / most, 0, 1))


def _counts(found: Levels, each: Reals) -> Reals:
    """How often each level occurs, if each pair counts for so much."""
    return np.bincount(found, each, LEVELS).astype(np.float64)


def _levels(features: Reals) -> Levels:
    return features[:, 1:].astype(np.int64)
