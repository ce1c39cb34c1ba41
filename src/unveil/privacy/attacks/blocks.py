"""
Who shares a blocking key with whom, as a graph: seen among the records, expected among entries of a register.

An edge that is seen between two records speaks for entries between which one is expected, the more so the fewer records
share a key by chance. It is weighed beside similarities of filters: what each of them leaves open the other may tell.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import log
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from unveil.privacy.attacks.agreement import Matrix
from unveil.privacy.attacks.key_patterns import Codes

if TYPE_CHECKING:
    from scipy.sparse import csr_array

#: How often two records do not share a key whose entries do, for all that an attacker knows: they may be others'.
_MISSED: Final = 0.05


@dataclass(frozen=True, slots=True)
class KeyGraphs:
    """
    Who shares one key with whom: among records as it is sent, among entries by the value that it is made of.

    Both are square, 1 where two share it and 0 on the diagonal. `chance` is the share of pairs that share a key and no
    value.
    """

    seen: csr_array
    expected: csr_array
    chance: float


def sharing(codes: Codes) -> csr_array:
    """1 for every two that are in one block (-1: in none), 0 for one and itself."""
    from scipy.sparse import csr_array

    there = np.flatnonzero(codes >= 0)
    of = csr_array(
        (np.ones(len(there), np.float32), (there, codes[there])), shape=(len(codes), int(codes.max(initial=0)) + 1)
    )
    out = csr_array(of @ of.T)
    out.setdiag(0)
    out.eliminate_zeros()
    return out


def edges(blocks: KeyGraphs, believed: Any, trust: float) -> Any:
    """
    How much more likely edges make each record to be each entry's, sparse, if the others are whom they are believed.

    Every edge of a record that meets one of the entry's counts as much as it is unlikely by chance, and makes up for
    what the entry's lost by being expected (`lost`).
    """
    met = blocks.seen @ believed @ blocks.expected
    met *= np.float32(-trust * (log(blocks.chance) + log(_MISSED)))
    return met.tocoo()


def lost(blocks: KeyGraphs, held: Matrix, trust: float) -> Matrix:
    """How much less likely an entry is anybody's for each edge that is expected of it, until that edge is met."""
    return np.asarray(np.float32(trust * -log(_MISSED)) * (held @ blocks.expected), np.float32)


def degrees(graphs: list[csr_array]) -> NDArray[np.float64]:
    """What edges alone tell of each record: how many it has of each graph, and its neighbours in each have of each."""
    own = [np.asarray(graph.sum(axis=1), np.float64).ravel() for graph in graphs]
    told = [np.log1p(each) for each in own]
    for graph, count in zip(graphs, own, strict=True):
        told += [np.log1p((graph @ each) / np.maximum(1, count)) for each in own]
    return np.stack(told, axis=1)
