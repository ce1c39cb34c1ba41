"""Prior knowledge that tests can see through: the log odds are the first column, any further columns are for labels."""

from __future__ import annotations

from dataclasses import dataclass

from unveil.linkage.outcome import Reals


@dataclass(frozen=True, slots=True)
class KnownOdds:
    """Log odds = the first column of the features; labels may give the other columns a weight."""

    def log_odds(self, features: Reals) -> Reals:
        """The first column."""
        return features[:, 0]

    def columns(self, features: Reals) -> Reals:
        """The other columns."""
        return features[:, 1:]

    def settled(self, features: Reals) -> KnownOdds:
        """Nothing here follows the pairs at hand."""
        del features
        return self
