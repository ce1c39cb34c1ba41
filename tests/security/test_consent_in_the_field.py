"""Records that opted out stay at the record unit; if all do, the result is that of the record layer alone."""

from __future__ import annotations

import numpy as np
import pytest
from field_run import CONSENT, FieldRun, field_schema
from planted import codes_in

from unveil.engines.reference.engine import ReferenceEngine
from unveil.lab.simulation.study import Study
from unveil.lab.simulation.world import SimulationSettings, World
from unveil.lab.synthetic import generate
from unveil.protocol import frames
from unveil.protocol.messages import (
    ID,
    KEY_PAIR,
    AttributeEncodings,
    AttributeValues,
    AttributeWish,
    EncodingWish,
    Refusal,
)
from unveil.roles.columns import entries
from unveil.roles.handles import Handles
from unveil.roles.owner.decisions import KINDS, Prepared
from unveil.roles.owner.policy import Policy
from unveil.schema.presets import with_preset
from unveil.storage.database import Database


class Wished:
    """What owner a was asked: the row behind each pair and task, and the key of each pair."""

    def __init__(self, run: FieldRun) -> None:
        self.rows: dict[bytes, int] = {}
        self.keys: dict[bytes, bytes] = {}
        with Database.inspect(run.trial.database("owner-a")) as database:
            bodies = [entry.body for entry in database.logs()[0].entries() if entry.kind == "decision"]
        prepared = next(frames.read(body, KINDS) for body in bodies if body)
        assert isinstance(prepared, Prepared)
        handles = Handles(prepared.handles)
        for exchange in run.traffic():
            message = exchange.message if exchange.recipient == "owner a" else None
            if isinstance(message, EncodingWish):
                pairs = entries(message.pair_ids, ID)
                self.rows |= dict(zip(pairs, handles.rows(message.handles).tolist(), strict=True))
                self.keys |= dict(zip(pairs, entries(message.key_pairs, KEY_PAIR), strict=True))
            elif isinstance(message, AttributeWish):
                for pair, task in zip(entries(message.pair_ids, ID), entries(message.task_ids, ID), strict=True):
                    self.rows[task] = self.rows[pair]


@pytest.fixture(scope="module")
def wished(decoy_run: FieldRun) -> Wished:
    return Wished(decoy_run)


def _ids_sent(run: FieldRun, kind: type) -> set[bytes]:
    sent = [one.message for one in run.traffic() if one.sender == "owner a" and isinstance(one.message, kind)]
    columns = [getattr(one, getattr(one, "KEY")) for one in sent]  # noqa: B009 - named by the class
    return {one for column in columns for one in entries(column, ID)}


def test_not_one_byte_of_an_opted_out_record_goes_past_the_record_unit(decoy_run: FieldRun, wished: Wished) -> None:
    """Its pairs are refused, its values are in no message, and neither is any encoding that the wish would have got."""
    out = {pair for pair in wished.keys if CONSENT.get(wished.rows[pair]) == 1}
    assert len(out) >= 5  # it was asked for
    assert out <= _ids_sent(decoy_run, Refusal)
    assert set() == out & _ids_sent(decoy_run, AttributeEncodings)
    owner = decoy_run.owner("owner-a")
    beyond = b"".join(one.everything for unit in ("attribute-unit", "review-unit") for one in decoy_run.recording(unit))
    pairs = sorted(wished.keys)
    filters = owner.encoder.pair_level(
        owner.records, np.array([wished.rows[pair] for pair in pairs]), [wished.keys[pair] for pair in pairs]
    )
    found = {
        pair
        for pair, own in zip(pairs, filters, strict=True)
        if any(one.tobytes() in beyond for one in own if one.any())
    }
    assert set(pairs) - out == found  # those that consented are there, which shows that the search works
    columns = owner.records.columns.values()
    rows = [row for row, layer in CONSENT.items() if layer == 1]
    codes = {code for row in rows for column in columns for code in codes_in(column[row].encode())}
    assert len(codes) > 300
    assert set() == codes & codes_in(beyond)


def test_records_that_consented_to_encodings_alone_are_shown_to_nobody(decoy_run: FieldRun, wished: Wished) -> None:
    """Layer 2 is compared by attributes and no further."""
    sent, refused = _ids_sent(decoy_run, AttributeEncodings), _ids_sent(decoy_run, Refusal)
    limited = {one for one, row in wished.rows.items() if CONSENT.get(row) == 2}
    tasks = limited - wished.keys.keys()
    assert len(limited & sent) >= 5
    assert tasks <= refused
    shown = _ids_sent(decoy_run, AttributeValues)
    assert shown
    assert {3} == {CONSENT.get(wished.rows[one], 3) for one in shown}


def test_if_all_opt_out_the_links_are_those_of_the_record_layer_alone() -> None:
    """Byte for byte: whoever withholds consent does not change what others' encodings say."""
    people = generate(records=300, overlap=0.4, errors=2, seed=11)
    schema = field_schema(decoys=0.2)
    single = with_preset(schema, "unveil", layers=1)
    single = single.model_copy(update={"protocol": schema.protocol.model_copy(update={"layers": 1})})
    silent = tuple(Policy(layers=np.ones(300, np.uint8)) for _ in range(2))
    assert 2 == len(silent)
    results = []
    for used, policies in ((single, (Policy(), Policy())), (schema, silent), (schema, (Policy(), Policy()))):
        study = Study("people", used, people.a, people.b, people.truth, ReferenceEngine())
        world = World(study, used, SimulationSettings(seed=4, policies=(policies[0], policies[1])))
        world.run()
        results.append((world, world.joined()))
    (alone, links), (opted_out, same), (_, others) = results
    assert links == same
    assert alone.record_unit.requested_pairs == 0 < opted_out.record_unit.requested_pairs
    assert others != links  # the control: with consent the other layers do change the result
    assert 0 == len(opted_out.attribute_unit.layer)
