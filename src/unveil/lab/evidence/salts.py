"""An attack on salts: which records have the same one, which is to say the same year of birth or sound of a name."""

from __future__ import annotations

from typing import Final

import numpy as np

from unveil.encoding.bits import unpack
from unveil.encoding.blocking_keys import field_codes
from unveil.errors import SettingError
from unveil.lab.evaluation.guessing import auc
from unveil.lab.evidence.attack import AttackSettings, Played
from unveil.lab.evidence.codings import fields_of
from unveil.lab.evidence.finding import Guesses, OnStep
from unveil.lab.evidence.record_filters import filters_of, left_out
from unveil.privacy.attacks.agreement import signs
from unveil.privacy.attacks.salt_groups import alike, directions, pairs_by_salt
from unveil.schema.fields import parse_field
from unveil.schema.hardening import parts

#: Pairs of either kind that are ranked.
_PAIRS: Final = 20_000


def groups_of_salts(setting: AttackSettings, told: OnStep) -> Played:
    """Pairs of records ranked by how alike one part of their filters is: all of it, and where filters are spread."""
    schema = setting.coded
    fields = fields_of(schema)
    if not fields:
        raise SettingError(f"the record encoding of {schema.name} is salted by no field, so there are no groups")
    people = setting.scene()
    filters = filters_of(people, schema, setting.seed)
    bits, tries, notes = unpack(filters.words, filters.m), [], []
    for number, (name, (start, end)) in enumerate(zip(fields, parts(filters.m, len(fields)), strict=True)):
        field = parse_field(name)
        codes = field_codes(people.targets, schema.attribute(field.attribute), field.transform)[1]
        part = signs(bits[:, start:end])
        pairs = pairs_by_salt(codes, np.random.default_rng([setting.seed, 12, number]), count=_PAIRS)
        is_same = np.repeat([True, False], [len(each) for each in pairs])
        both = np.concatenate(pairs)
        tries.append(Guesses(auc(alike(part, both).astype(np.float64), is_same)))
        found = directions(part)
        if found.shape[1]:
            tries.append(Guesses(auc(alike(part, both, found).astype(np.float64), is_same)))
        notes.append(f"{name}: {found.shape[1]} directions stand out of chance")
        told(number + 1, len(fields))
    return Played(tuple(tries), _PAIRS, 0.5, (*notes, *left_out(people)))
