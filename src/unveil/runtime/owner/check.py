"""What would leave an owner, layer by layer, before anything does."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from unveil.encoding.planning.column_signs import column_signs
from unveil.protocol.messages import HASH, ID, filter_bytes
from unveil.roles.owner.ledger import ATTRIBUTE_LAYER, REVIEW_LAYER
from unveil.roles.owner.lengths import short_enough
from unveil.runtime.owner.caps import caps_of
from unveil.runtime.owner.column_check import ColumnCheck, column_checks
from unveil.runtime.owner.exposure import (
    AttributeRepeats,
    BlockingGroups,
    blocking_groups,
    repeats,
    share,
    unique_records,
)
from unveil.runtime.owner.folder import OwnerFolder
from unveil.runtime.owner.report import OwnerReport
from unveil.schema import ProtocolSettings
from unveil.schema.most_asked import MostAsked, most_strangers, with_decoys
from unveil.schema.weaknesses import weaknesses


@dataclass(frozen=True, slots=True)
class RecordUnitCheck:
    """What would go to the record unit."""

    records: int
    bits: int
    encoding: str
    hardening: tuple[str, ...]
    bytes: int
    blocking_keys: tuple[BlockingGroups, ...]


@dataclass(frozen=True, slots=True)
class AttributeUnitCheck:
    """What may go to the attribute unit at most; a cap of None is no cap."""

    asks: bool
    pairs_asked: int
    strangers_asked: int
    most_pairs_asked: int
    records: int
    attributes: tuple[str, ...]
    never_encoded: tuple[str, ...]
    bits: int
    answered: float
    approval: bool
    caps: dict[str, int | None]


@dataclass(frozen=True, slots=True)
class ReviewUnitCheck:
    """What may go to the review unit at most; a cap of None is no cap."""

    asks: bool
    labels_asked: int
    reviews_asked: int
    records: int
    attributes: tuple[str, ...]
    never_shown: tuple[str, ...]
    too_long: dict[str, int]
    smallest_k: int
    answered: float
    approval: bool
    caps: dict[str, int | None]


@dataclass(frozen=True, slots=True)
class CheckReport(OwnerReport):
    """What would leave, read from which columns, and how often values repeat."""

    project: str
    owner: str
    fingerprint: str
    columns: tuple[ColumnCheck, ...]
    record_unit: RecordUnitCheck
    attribute_unit: AttributeUnitCheck
    review_unit: ReviewUnitCheck
    attributes: tuple[AttributeRepeats, ...]
    unique_records: int
    unique_share: float
    notes: tuple[str, ...]
    warnings: tuple[str, ...]

    @property
    def doubtful(self) -> tuple[ColumnCheck, ...]:
        """Columns that a person has yet to confirm; while there is one, nothing is sent."""
        return tuple(one for one in self.columns if one.doubtful)


def check_report(folder: OwnerFolder) -> CheckReport:
    """Everything that would leave; SettingError if the project does not take so many records."""
    folder.check_size()
    project = folder.member.project
    names = project.linkage.names
    alone = unique_records(folder.records, names)
    return CheckReport(
        project=project.name,
        owner=folder.config.name,
        fingerprint=folder.encoder.fingerprint().hex(),
        columns=column_checks(folder),
        record_unit=_record_unit(folder),
        attribute_unit=_attribute_unit(folder),
        review_unit=_review_unit(folder),
        attributes=repeats(folder.records, names),
        unique_records=alone,
        unique_share=share(alone, len(folder.records)),
        notes=(*folder.own.notes, *(one.words for one in folder.own.findings if not one.is_warning)),
        warnings=(*folder.own.warnings, *_signs(folder), *weaknesses(folder.member.project.linkage)),
    )


def _signs(folder: OwnerFolder) -> list[str]:
    """What speaks for values being lost before they came here."""
    return [
        f"{attribute.name}: {sentence}"
        for attribute in folder.member.project.linkage.attributes
        for sentence in column_signs(attribute, folder.records.columns[attribute.name])
    ]


def _record_unit(folder: OwnerFolder) -> RecordUnitCheck:
    schema = folder.member.project.linkage
    keys = [key.name for key in schema.blocking]
    each = ID + filter_bytes(folder.encoder.m) + HASH * len(keys)
    return RecordUnitCheck(
        records=len(folder.records),
        bits=folder.encoder.m,
        encoding=schema.layer_r.encoding,
        hardening=tuple(step.method for step in schema.layer_r.hardening),
        bytes=each * len(folder.records),
        blocking_keys=blocking_groups(folder.encoder.blocking_keys(folder.records), keys),
    )


def _attribute_unit(folder: OwnerFolder) -> AttributeUnitCheck:
    schema, policy = folder.member.project.linkage, folder.policy
    return AttributeUnitCheck(
        asks=schema.protocol.layers >= ATTRIBUTE_LAYER,
        pairs_asked=_pairs_asked(schema.protocol),
        strangers_asked=_strangers_asked(schema.protocol),
        most_pairs_asked=MostAsked.of(schema.protocol).pairs,
        records=_allowed(folder, ATTRIBUTE_LAYER),
        attributes=tuple(name for name in schema.names if name not in policy.never_encoded),
        never_encoded=tuple(name for name in schema.names if name in policy.never_encoded),
        bits=schema.layer_a.length,
        answered=policy.response_rate_a,
        approval=policy.needs_approval(ATTRIBUTE_LAYER),
        caps=caps_of(folder.caps, ATTRIBUTE_LAYER),
    )


def _review_unit(folder: OwnerFolder) -> ReviewUnitCheck:
    schema, policy = folder.member.project.linkage, folder.policy
    never = policy.never | policy.never_encoded
    long = (~short_enough(folder.records, schema.names)).sum(axis=0).tolist()
    return ReviewUnitCheck(
        asks=schema.protocol.layers >= REVIEW_LAYER,
        labels_asked=schema.protocol.review.budget,
        reviews_asked=MostAsked.of(schema.protocol).reviews,
        records=_allowed(folder, REVIEW_LAYER),
        attributes=tuple(name for name in schema.names if name not in never),
        never_shown=tuple(name for name in schema.names if name in never),
        too_long={name: number for name, number in zip(schema.names, long, strict=True) if number},
        smallest_k=policy.smallest_k,
        answered=policy.response_rate_c,
        approval=policy.needs_approval(REVIEW_LAYER, further=False),
        caps=caps_of(folder.caps, REVIEW_LAYER),
    )


def _pairs_asked(protocol: ProtocolSettings) -> int:
    """Pairs that the protocol asks about when nothing is refused, with as many pairs of strangers as there may be."""
    return sum(with_decoys(size, protocol.decoys) for size in protocol.batches) + _strangers_asked(protocol)


def _strangers_asked(protocol: ProtocolSettings) -> int:
    """Of them, pairs of strangers at most."""
    return sum(most_strangers(protocol, batch) for batch in range(len(protocol.batches)))


def _allowed(folder: OwnerFolder, layer: int) -> int:
    """How many records may go as far as that layer."""
    layers = folder.policy.layers
    return len(folder.records) if layers is None else int(np.count_nonzero(layers >= layer))
