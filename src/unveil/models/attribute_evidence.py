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
from unveil.models.levels import UNLIKE, Levels, Shares, adapted, levels, summed, weights
from unveil.models.tables import Tables
from unveil.schema import Schema
from unveil.schema.attribute_roles import ROLES

#: What each column of `summary` means. More of any of them speaks for a match.
SUMMARY: Final = (
    "record unit's odds", "weight of person", "weight of home", "weight", "against, of person", "against, of home",
    "for, of person", "for, of home", "worst of person", "worst of home", "second worst", "best of person",
)  # fmt: skip
_LIKELY = 1.5  # log odds from above of a pair that is taken for a match
_ENOUGH = 30  # of such pairs tell how an attribute is written
_MOST, _NEARLY_ALL = 0.65, 0.85  # of these unlike: an attribute is heard less, and not at all
_SUREST = 12.0  # log odds from above that say no more beyond this


def attribute_evidence(similarity: Reals, agreement: NDArray[np.uint8], record_level: Outcomes) -> Reals:
    """The record unit's log odds, and the level of each attribute, one row for each pair."""
    odds = np.clip(log_odds(record_level), -_SUREST, _SUREST)
    return np.column_stack([odds, levels(similarity, agreement)])


def summary(odds: Reals, weight: Reals, personal: Flags) -> Reals:
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
    ]  # fmt: skip
    return np.stack(columns, axis=1)


@dataclass(frozen=True, slots=True)
class WeighedAttributes:
    """
    Prior knowledge of the attribute unit: tables over the summary of a pair's weights.

    `match` and `other` are the shares of levels as known before, `here` as found among the pairs at hand; `heard` says
    how far each attribute is listened to.
    """

    tables: Tables
    personal: Flags
    match: Reals
    other: Reals
    here: tuple[Reals, Reals]
    heard: Reals

    @classmethod
    def of(cls, schema: Schema, tables: Tables, shares: Shares) -> WeighedAttributes:
        """For the attributes of a schema, by their roles."""
        return cls.of_roles([attribute.meaning for attribute in schema.attributes], tables, shares)

    @classmethod
    def of_roles(cls, roles: Sequence[str], tables: Tables, shares: Shares) -> WeighedAttributes:
        """For attributes with these roles."""
        match, other = shares.of(roles)
        personal = np.array([ROLES[role].whose == "person" for role in roles], bool)
        return cls(tables, personal, match, other, (match, other), np.ones(len(roles)))

    def log_odds(self, features: Reals) -> Reals:
        """The log odds of a match for each row of `attribute_evidence`."""
        return self.tables.log_odds(self.summed_up(features))

    def summed_up(self, features: Reals) -> Reals:
        """What the tables look at."""
        return summary(features[:, 0], self.columns(features), self.personal)

    def columns(self, features: Reals) -> Reals:
        """The weight of each attribute, which labels may count for more."""
        return summed(weights(*self.here), _levels(features)) * self.heard

    def settled(self, features: Reals) -> WeighedAttributes:
        """The same, with shares adapted to these pairs; attributes that one owner writes otherwise are not heard."""
        found, above = _levels(features), features[:, 0]
        return replace(self, here=adapted(found, above, self.match, self.other), heard=_heard(found, above))


def _heard(found: Levels, above: Reals) -> Reals:
    """
    How far each attribute is listened to, from 0 to 1, by the pairs that the layer above takes for matches.

    An attribute that is unlike in nearly all of them is written otherwise by one owner, and says nothing here.
    """
    sure = found[above > _LIKELY]
    there = (sure > 0).sum(axis=0)
    unlike = ((sure > 0) & (sure <= UNLIKE)).sum(axis=0) / np.maximum(there, 1)
    heard = np.clip((_NEARLY_ALL - unlike) / (_NEARLY_ALL - _MOST), 0, 1)
    return np.where(there >= _ENOUGH, heard, 1.0)


def _levels(features: Reals) -> Levels:
    return features[:, 1:].astype(np.int64)
