"""Which attribute each bit of a record's filter is of: a record and an attribute unit in one hand."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from unveil.encoding.bits import unpack
from unveil.encoding.encoder import Encoder
from unveil.encoding.keys import OwnerKey
from unveil.encoding.rbf import rbf_layout
from unveil.lab.evaluation.dataset import read_dataset
from unveil.lab.evidence.attack import AttackSettings, Played
from unveil.lab.evidence.attribute_filters import without_signs
from unveil.lab.evidence.codings import PLAIN
from unveil.lab.evidence.finding import Guesses, OnStep
from unveil.lab.evidence.scene import as_schema_reads
from unveil.lab.synthetic import Registers
from unveil.linkage.attributes import attribute_similarities
from unveil.privacy.attacks.bit_map import attribute_of_bits
from unveil.schema import Schema

_PROJECT: Final = "attacked"
#: Of the pairs whose similarities are known so many are of two records of one person; as many are of any two.
_OVERLAP: Final = 0.5


def bits_to_attributes(setting: AttackSettings, told: OnStep) -> Played:
    """
    The attacker knows the filters of some pairs, and how alike each attribute of theirs is.

    Bits of an RBF are of one attribute, which is what must be found. Bits of other encodings are of none or of many:
    there the pairs are halved, and the figure is for how many bits both halves name the same attribute.
    """
    people = _people(setting)
    schema = _rbf(setting.schema) if setting.weak else setting.coded
    key = OwnerKey(np.random.default_rng([setting.seed, 7]).bytes(32))
    left, right, similarity = _pairs(people, schema, key, setting.seed)
    told(1, 3)
    names = len(setting.schema.names)
    if schema.layer_r.encoding == "rbf" and not schema.layer_r.hardening:
        named = attribute_of_bits(left, right, similarity)
        other = rbf_layout(schema, key, project=_PROJECT).attribute
        notes: tuple[str, ...] = ()
    else:
        half = np.random.default_rng([setting.seed, 8]).integers(0, 2, len(left)) == 1
        named, other = (attribute_of_bits(left[some], right[some], similarity[some]) for some in (half, ~half))
        notes = ("no bit is of one attribute: for how many two halves of the pairs name the same one",)
    told(3, 3)
    often = [np.bincount(each, minlength=names) / len(each) for each in (named, other)]
    chance = float(often[0] @ often[1])
    return Played((Guesses(float((named == other).mean())),), len(named), chance, notes)


def _people(setting: AttackSettings) -> Registers:
    if setting.data is not None:
        return Registers(*read_dataset(setting.data, setting.schema))
    return as_schema_reads(setting.schema, setting.people, setting.seed, overlap=_OVERLAP, errors=1)[0]


def _rbf(schema: Schema) -> Schema:
    """The control: as full as plain filters, each bit sampled from one attribute."""
    plain = PLAIN.of(schema)
    return plain.model_copy(update={"layer_r": plain.layer_r.model_copy(update={"encoding": "rbf"})})


def _pairs(
    people: Registers, schema: Schema, key: OwnerKey, seed: int
) -> tuple[NDArray[np.uint8], NDArray[np.uint8], NDArray[np.float64]]:
    """Bits of both records of each pair, and how alike their attributes are."""
    rng, truth = np.random.default_rng([seed, 9]), np.asarray(people.truth, np.int64)
    sent = Encoder(schema, key, project=_PROJECT)
    plain = Encoder(without_signs(schema), key, project=_PROJECT)
    bits, filters = [], []
    for side, records in enumerate((people.a, people.b)):
        rows = np.concatenate([truth[:, side], rng.integers(0, len(records), len(truth))])
        bits.append(unpack(sent.record_level(records, rng=rng)[rows], sent.m))
        filters.append(plain.attribute_level(records)[rows])
    return bits[0], bits[1], attribute_similarities(filters[0], filters[1])
