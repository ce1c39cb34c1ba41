"""What an owner remembers lasts as long as the linkage, and asking again gets nobody further."""

from __future__ import annotations

import numpy as np
import pytest
from asked_owner import keys, show, values, wish
from hypothesis import given, settings
from hypothesis import strategies as st
from logged_run import SCHEMAS, LoggedRun
from small_project import (
    KEY,
    OWNERS,
    ROOMY,
    SCHEMA,
    A,
    B,
    handles,
    ids,
    make_introduced_owner,
    records,
    refuses,
    sent,
    uploaded,
    with_protocol,
)

from unveil.encoding.encoder import Encoder
from unveil.encoding.keys import OwnerKey
from unveil.errors import SettingError
from unveil.protocol.flows import Envelope
from unveil.protocol.machine import receive, settle
from unveil.protocol.messages import AttributeEncodings, AttributeWish, EncodingWish, Fingerprint, LinkTable, Refusal
from unveil.protocol.roles import ATTRIBUTE_UNIT, RECORD_UNIT
from unveil.roles.chance import SeededChance
from unveil.roles.owner.ledger import ATTRIBUTE_LAYER
from unveil.roles.owner.machine import Owner
from unveil.roles.owner.policy import Caps, Policy
from unveil.runtime.system_chance import system_chance
from unveil.schema.most_asked import MostAsked


def anew(party: Owner) -> Owner:
    """Begin anew and come as far as before."""
    party.apply(party.begin_anew().decision)
    settle(party)
    return party


# Beginning anew


def test_an_upload_is_begun_anew_in_the_same_log_before_any_wish() -> None:
    """Mended data get other handles and show their fingerprint again; old handles mean nothing any more."""
    party = make_introduced_owner()
    uploaded(party)
    before, old = party.upload_id, handles(party)
    step = party.begin_anew()
    party.apply(step.decision)
    (shown,) = sent(settle(party), RECORD_UNIT)
    assert isinstance(shown, Fingerprint)
    assert before != party.upload_id
    assert set(old).isdisjoint(handles(party))
    assert uploaded(party)[0].upload == party.upload_id
    message = EncodingWish(0, party.upload_id, ids(1), old[0], keys(1))
    refuses(party, Envelope(RECORD_UNIT, A, message), "does not hold")


def test_nothing_is_begun_anew_after_a_wish_whatever_a_unit_says() -> None:
    """An owner that forgets what it answered answers again, ten times over."""
    party = make_introduced_owner()
    uploaded(party)
    receive(party, wish(party, [0], [1], [1]))
    with pytest.raises(SettingError, match="nothing can be begun anew"):
        party.begin_anew()
    refuses(party, wish(party, [0], [2], [1]), "used before")


def test_nothing_is_begun_anew_without_end() -> None:
    """Each upload shows the records once more: noise that is drawn afresh would cancel out."""
    party = make_introduced_owner()
    for _ in range(9):
        anew(party)
    with pytest.raises(SettingError, match="9 times"):
        party.begin_anew()


# Keys are bound


def bound_owner(address: object, *, chance: object = system_chance, agreed: str = "one") -> Owner:
    encoder = Encoder(ROOMY, OwnerKey(KEY), project="small", agreed=agreed)
    party = Owner(address, records(), ROOMY, encoder, chance=chance)  # type: ignore[arg-type]
    settle(party)
    return party


def encoded(party: Owner, uploads: bytes, key: int = 1) -> bytes:
    """The filters of record 0 under that key."""
    message = EncodingWish(0, uploads, ids(key), handles(party)[0], keys(key))
    (found,) = sent(receive(party, Envelope(RECORD_UNIT, party.address, message)), ATTRIBUTE_UNIT)
    assert isinstance(found, AttributeEncodings)
    return found.filters


def test_both_owners_of_a_run_have_the_same_keys_and_no_other_run_has_them() -> None:
    """A key_pair that was used once is worthless afterwards: in another run it leads to other keys."""
    seen = []
    for _ in range(3):
        a, b = bound_owner(A), bound_owner(B)
        uploads = b"".join(sorted([a.upload_id, b.upload_id]))
        seen.append(encoded(a, uploads))
        assert seen[-1] == encoded(b, uploads)
    assert 3 == len(set(seen))


def test_a_run_is_fixed_by_the_first_wish_and_holds_the_owners_own_upload() -> None:
    """Whatever a record unit tells one owner of the other's upload, it cannot bring an old run back."""
    party = bound_owner(A)
    foreign = EncodingWish(0, ids(7), ids(1), handles(party)[0], keys(1))
    refuses(party, Envelope(RECORD_UNIT, A, foreign), "not about this owner's upload")
    mine = b"".join(sorted([party.upload_id, ids(7)]))
    first = encoded(party, mine)
    other = EncodingWish(0, b"".join(sorted([party.upload_id, ids(8)])), ids(2), handles(party)[0], keys(2))
    refuses(party, Envelope(RECORD_UNIT, A, other), "other uploads than before")
    assert first


def test_another_project_file_gives_other_keys_and_is_told_before_the_upload() -> None:
    """The budget stands in the project file: under another one nothing is comparable."""
    chance = SeededChance(1, "owner a")
    one, other = (bound_owner(A, chance=chance, agreed=agreed) for agreed in ("one", "another"))
    assert one.upload_id == other.upload_id
    assert encoded(one, one.upload_id) != encoded(other, other.upload_id)
    assert one._fingerprint != other._fingerprint


def test_keys_are_bound_to_run_and_project_together_or_to_nothing() -> None:
    """Half a binding would be a mistake that nobody notices."""
    people, row = records(), np.array([0])
    for agreed, run in (("", b"run"), ("one", b"")):
        with pytest.raises(SettingError, match="or to neither"):
            Encoder(SCHEMA, OwnerKey(KEY), project="p", agreed=agreed).pair_level(people, row, [bytes(32)], run=run)


def test_a_whole_linkage_under_bound_keys_finds_equal_values_equal() -> None:
    """Both owners hear of the same uploads from the record unit, so they derive the same keys."""
    schema = SCHEMAS["prior"]
    run = LoggedRun(schema)
    for address in OWNERS:
        party = run.machine(address)
        party._encoder = Encoder(schema, OwnerKey(KEY), project="small", agreed="a fingerprint")
        party._fingerprint = party._encoder.presented()
    run.run()
    assert run.joined
    similarity = run.machine(ATTRIBUTE_UNIT).similarity
    assert (similarity == 1).mean() > 0.3, "most values of likely pairs are equal"


# The project's numbers


def test_a_record_is_encoded_for_so_many_pairs_as_the_project_says_without_any_policy() -> None:
    """Further ones are refused, one by one: an honest record unit does not count them."""
    party = make_introduced_owner(schema=with_protocol(ROOMY, pairs_per_record=3))
    out = receive(party, wish(party, [0] * 5 + [1], list(range(6)), list(range(6))))
    (refusal,) = [message for message in sent(out, ATTRIBUTE_UNIT) if isinstance(message, Refusal)]
    assert ids(3, 4) == refusal.ids
    assert 3 == party.ledger.times_of(ATTRIBUTE_LAYER, 0)


@given(st.integers(0, 30), st.integers(1, 30))
@settings(max_examples=20)
def test_a_policy_can_only_narrow_the_project(cap: int, most: int) -> None:
    """A cap above what the project allows means nothing."""
    schema = with_protocol(ROOMY, pairs_per_record=most)
    party = make_introduced_owner(schema=schema, policy=Policy(caps=Caps(record_pairs=cap)))
    receive(party, wish(party, [0] * 31, list(range(31)), list(range(31))))
    assert min(cap, most) == party.ledger.times_of(ATTRIBUTE_LAYER, 0)


def test_what_the_layers_of_a_project_do_not_have_is_not_answered() -> None:
    """One layer asks for no pair, two for no value."""
    one = make_introduced_owner(schema=with_protocol(ROOMY, layers=1))
    refuses(one, wish(one, [0], [1], [1]), "batch 1, but the project has 0")
    two = make_introduced_owner(schema=with_protocol(ROOMY, layers=2))
    receive(two, wish(two, [0], [1], [1]))
    refuses(two, show(two, [1], [1], [[1, 1, 1]]), "more than the 0 reviews")


def test_reviews_end_with_those_of_the_project() -> None:
    """`owner check` says how many there are at most; asked for more, the owner answers none of them."""
    most = MostAsked.of(SCHEMA.protocol).reviews
    assert 4 == most
    party = make_introduced_owner(schema=SCHEMA)
    receive(party, wish(party, [0, 1, 2], [0, 1, 2], [0, 1, 2]))
    later = EncodingWish(1, party.upload_id, ids(3, 4), b"".join(handles(party)[3:5]), keys(3, 4))
    receive(party, Envelope(RECORD_UNIT, A, later))
    receive(party, show(party, [0, 1, 2], [0, 1, 2], [[1, 1, 1]] * 3))
    refuses(party, show(party, [3, 4], [3, 4], [[1, 1, 1]] * 2), "more than the 4 reviews")
    assert 1 == len(values(receive(party, show(party, [3], [3], [[1, 1, 1]]))))


def test_with_the_first_part_of_the_links_the_linkage_is_over() -> None:
    """A unit that keeps the last part back could ask for ever."""
    party = make_introduced_owner()
    receive(party, wish(party, [0], [1], [1]))
    part = LinkTable(0, 2, handles(party)[0], ids(100))
    receive(party, Envelope(RECORD_UNIT, A, part))
    refuses(party, wish(party, [1], [2], [2]), "the links have come")
    asked = AttributeWish(3, ids(1), ids(1), b"\1\1\1")
    refuses(party, Envelope(ATTRIBUTE_UNIT, A, asked), "the links have come")


# Lots and k


def test_asking_again_under_new_ids_draws_no_new_lot() -> None:
    """With a fresh draw for each id, one in ten is soon everybody: 0.1 asked forty times is 0.985."""
    party = make_introduced_owner(policy=Policy(response_rate_a=0.5))
    party._chance = system_chance  # what is drawn in the field
    for again in range(40):
        receive(
            party,
            wish(party, list(range(6)), list(range(again * 6, again * 6 + 6)), list(range(again * 6, again * 6 + 6))),
        )
    times = party.ledger.times(ATTRIBUTE_LAYER).tolist()
    assert set(times) <= {0, 40}
    assert 0 < times.count(40) < 6


def test_lots_differ_by_record_and_layer_and_nobody_without_the_key_knows_them() -> None:
    """Uniform, and the same after every restart."""
    some = [bytes([n >> 8, n & 255]) * 8 for n in range(2000)]
    encoder = Encoder(SCHEMA, OwnerKey(KEY), project="p")
    two, three = encoder.lots(2, some), encoder.lots(3, some)
    assert two.tolist() == Encoder(SCHEMA, OwnerKey(KEY), project="p").lots(2, some).tolist()
    assert abs(np.corrcoef(two, three)[0, 1]) < 0.1
    assert 0 <= two.min() < 0.01
    assert 0.99 < two.max() < 1
    assert two.tolist() != Encoder(SCHEMA, OwnerKey(KEY + b"."), project="p").lots(2, some).tolist()


PEOPLE = {
    "first_name": ["ann", "ann", "ann", "ann"],
    "last_name": ["", "north", "north", "north"],
    "zip": ["1", "1", "1", "1"],
}


def test_a_missing_value_is_a_value_for_smallest_k() -> None:
    """That a record has no last name singles it out: one of four is without, and three of them share the rest."""
    party = make_introduced_owner(policy=Policy(smallest_k=2), of=records(PEOPLE))
    receive(party, wish(party, [0, 1], [0, 1], [0, 1]))
    out = values(receive(party, show(party, [0, 1], [0, 1], [[1, 1, 1]] * 2)))
    assert {"first_name": "ann", "zip": "1"} == out[ids(0)]
    assert {"first_name": "ann", "last_name": "north", "zip": "1"} == out[ids(1)]


def test_what_was_told_to_be_missing_counts_for_later_reviews() -> None:
    """Two reviews together must not single a record out either."""
    people = {
        "first_name": ["", "", "bob", "bob"],
        "last_name": ["east", "north", "north", "north"],
        "zip": ["1", "1", "1", "1"],
    }
    party = make_introduced_owner(policy=Policy(smallest_k=2), of=records(people))
    receive(party, wish(party, [1, 1], [0, 1], [0, 1]))
    assert {"first_name": ""} == values(receive(party, show(party, [0], [0], [[1, 0, 0]])))[ids(0)]
    again = receive(party, show(party, [1], [1], [[0, 1, 1]]))
    assert {"zip": "1"} == values(again)[ids(1)], "without a first name there is one north alone"
    assert 1 == party.ledger.disclosures(3), "a missing value is no disclosure"
