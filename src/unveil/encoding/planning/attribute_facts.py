"""An attribute of an owner's records in numbers, once its values are normalised as the schema says."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import log2
from typing import Final

import numpy as np

from unveil.encoding.blocking_keys import field_codes
from unveil.encoding.planning.facts import sample_of_rows, some_values
from unveil.encoding.planning.fill import TokenCounts, token_counts
from unveil.encoding.planning.strangers import ChanceOfAgreement, PersonMarks
from unveil.records import Records
from unveil.schema import Attribute
from unveil.schema.attribute_roles import ROLES

_SAMPLE: Final = 50_000  # records that are enough to tell how many q-grams values have
_HIGHEST_WEIGHT: Final = 20.0  # one in a million: nothing that people type tells more


@dataclass(frozen=True, slots=True)
class AttributeFacts:
    """
    An attribute in numbers.

    `missing` is the share of records without a value, `distinct` counts values, `length` is a value's mean length,
    `agreement` the chance that two people agree, `tokens` the number of q-grams in the values of some records.
    """

    missing: float
    distinct: int
    length: float
    agreement: ChanceOfAgreement
    tokens: TokenCounts = field(repr=False)

    def weight(self, role: str) -> float:
        """log2((1 - error) / chance of agreement), at least 0, with the error that is assumed of the role."""
        return max(0.0, min(_HIGHEST_WEIGHT, log2((1 - ROLES[role].error) / self.agreement.chance)))


def attribute_facts(records: Records, attribute: Attribute, marks: PersonMarks) -> AttributeFacts:
    """The facts of one attribute of these records, of which `marks` tell who stands there twice."""
    values, codes = field_codes(records, attribute, None)
    counts, lengths = np.bincount(codes, minlength=len(values)), np.array([len(value) for value in values])
    there = lengths > 0
    present = int(counts[there].sum())
    sample = some_values(records.columns[attribute.name], sample_of_rows(len(records), _SAMPLE))
    return AttributeFacts(
        missing=1 - present / len(records),
        distinct=int(there.sum()),
        length=float((counts * lengths).sum() / max(1, present)),
        agreement=marks.agreement(np.where(there, np.arange(len(values)), -1)[codes], attribute.name),
        tokens=token_counts(sample, attribute),
    )
