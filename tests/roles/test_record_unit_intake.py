"""How encodings come in: fingerprints first, then uploads, in parts and in any order."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import pytest
from encoded_uploads import FINGERPRINT, SHARED, M, agreed, asking, fingerprint, upload
from hypothesis import given, settings
from hypothesis import strategies as st
from small_project import OWNERS, STRANGER, A, B, ids, make_record_unit, refuses, sent

from unveil.protocol.flows import Envelope
from unveil.protocol.machine import receive
from unveil.protocol.messages import ID, Agreement, AttributeEncodings, Labels, RecordEncodings
from unveil.protocol.roles import ATTRIBUTE_UNIT, RECORD_UNIT, REVIEW_UNIT, Address
from unveil.roles.record_unit.intake import SetAsideUpload
from unveil.screening.screen import screen


def plain(sender: Address, *, keys: int = 1, handles: bytes = ids(1)) -> Envelope:
    """An upload of empty filters."""
    n = len(handles) // ID
    message = RecordEncodings(bytes(16), 0, 1, M, keys, handles, bytes(n * M // 8), bytes(n * 16 * keys))
    return Envelope(sender, RECORD_UNIT, message)


@pytest.mark.parametrize(
    ("envelope", "because"),
    [
        (upload(STRANGER), "not an owner of this project"),
        (fingerprint(STRANGER), "not an owner of this project"),
        (fingerprint(B, b"another key file"), "agreed on other keys or parameters before"),
        (upload(A), "uploaded before"),
        (upload(A, part=1, parts=2), "number of parts has changed"),
        (upload(B, m=320), "filters of 320 bits; the schema makes 1024"),
        (plain(B, keys=0), "number of blocking keys"),
        (upload(B, shared=SHARED * 3), "more than 20 records"),
        (Envelope(REVIEW_UNIT, RECORD_UNIT, upload(B).message), "not allowed"),
        (Envelope(ATTRIBUTE_UNIT, RECORD_UNIT, Labels(b"", b"", b"")), "no labels were asked for"),
        (Envelope(B, ATTRIBUTE_UNIT, AttributeEncodings(1, 64, ids(1), bytes(8), b"\x01")), "not for the record unit"),
    ],
)
def test_uploads_and_others_that_do_not_fit_are_refused(envelope: Envelope, because: str) -> None:
    """After one upload; the honest second one is taken all the same afterwards."""
    unit = agreed(make_record_unit(most_records=20))
    receive(unit, upload(A))
    refuses(unit, envelope, because)
    assert 1 == len(sent(receive(unit, upload(B, first=100)), ATTRIBUTE_UNIT))


def test_an_upload_with_one_handle_for_two_records_is_set_aside_as_a_whole() -> None:
    """Nobody could tell them apart in a wish or a link table; the owner may send a better one."""
    unit = agreed()
    receive(unit, upload(A))
    assert [] == receive(unit, plain(B, handles=ids(1, 1)))
    assert SetAsideUpload("two records have the same handle", 2, 9) == unit.intake.kept_out[B].set_aside
    assert unit.comparison is None
    assert 1 == len(sent(receive(unit, upload(B, first=100)), ATTRIBUTE_UNIT))


def test_uploads_that_are_set_aside_or_given_up_come_to_an_end() -> None:
    """Each is kept, however useless: ten of any size the project allows, and what is left stands in the status."""
    unit = agreed()
    for left in range(9, -1, -1):
        if left % 2:
            receive(unit, plain(B, handles=ids(1, 1)))
            assert SetAsideUpload("two records have the same handle", 2, left) == unit.intake.kept_out[B].set_aside
        else:
            receive(unit, upload(B, part=0, parts=2))
            receive(unit, fingerprint(B))
    for one in (upload(B), upload(B, part=0, parts=2), plain(B, handles=ids(1, 1))):
        refuses(unit, one, "more than 10 uploads")
    assert [] == receive(unit, upload(A))


def test_the_tenth_upload_may_still_be_the_right_one() -> None:
    """All its parts are taken, and the linkage goes on."""
    unit = agreed()
    receive(unit, upload(A))
    for _ in range(9):
        receive(unit, plain(B, handles=ids(1, 1)))
    one, two = in_parts(B, 100, (4, 5))
    assert [] == receive(unit, one)
    assert 1 == len(sent(receive(unit, two), ATTRIBUTE_UNIT))


def test_the_project_says_what_is_plausible() -> None:
    """A register that was never deduplicated is no attack; whoever runs the project knows which it is."""
    lenient = partial(screen, copies=18)
    same = (99,) * 9
    kept = [agreed(make_record_unit()), agreed(make_record_unit(screening=lenient))]
    for unit in kept:
        receive(unit, upload(A, shared=same * 2))
    assert [{"the same filter, or nearly so, too often": 18}, {}] == [unit.intake.kept_out[A].reasons for unit in kept]


# Key and parameters


def test_nothing_is_taken_before_the_owners_agree() -> None:
    """Encodings under two keys could not be compared, and nobody should have sent them."""
    unit = make_record_unit()
    refuses(unit, upload(A), "do not agree, or were not compared yet")
    assert [] == receive(unit, fingerprint(A))
    refuses(unit, upload(A), "do not agree, or were not compared yet")
    told = receive(unit, fingerprint(B))
    assert {key: [Agreement(1, FINGERPRINT)] for key in OWNERS} == {party: sent(told, party) for party in OWNERS}
    assert (True, []) == (unit.intake.agreed, receive(unit, upload(A)))


def test_owners_that_disagree_are_told_so_and_may_mend_it() -> None:
    """A wrong key file is found before a record is encoded; the right one leads on, and the others need do nothing."""
    unit = make_record_unit()
    receive(unit, fingerprint(A))
    told = receive(unit, fingerprint(B, b"another key file"))
    words = {A: [Agreement(0, FINGERPRINT)], B: [Agreement(0, b"another key file")]}
    assert words == {party: sent(told, party) for party in OWNERS}
    refuses(unit, upload(A), "do not agree")
    again = sent(receive(unit, fingerprint(B, b"a third key file")))
    assert [Agreement(0, FINGERPRINT), Agreement(0, b"a third key file")] == again
    mended = receive(unit, fingerprint(B))
    assert {key: [Agreement(1, FINGERPRINT)] for key in OWNERS} == {party: sent(mended, party) for party in OWNERS}
    receive(unit, upload(A))
    assert 1 == len(sent(receive(unit, upload(B, first=100)), ATTRIBUTE_UNIT))


def test_an_owner_that_starts_anew_sends_all_parts_again() -> None:
    """Half an upload of a folder that was lost must not keep the new one out; a whole one stays."""
    unit = agreed()
    receive(unit, upload(A, part=0, parts=2))
    refuses(unit, upload(A, part=0, parts=1), "number of parts has changed")
    receive(unit, fingerprint(A))
    assert [] == receive(unit, upload(A))
    receive(unit, fingerprint(A))
    refuses(unit, upload(A), "uploaded before")


def test_an_owner_that_starts_anew_is_told_again_that_all_agree() -> None:
    """It has lost its folder and shows the same fingerprint; the other owner, who knows, hears nothing."""
    unit = agreed()
    told = receive(unit, fingerprint(B))
    assert [(B, Agreement(1, FINGERPRINT))] == [(one.recipient, one.message) for one in told]
    assert [] == receive(unit, upload(A))


def test_the_same_wrong_fingerprint_is_answered_each_time() -> None:
    """Whoever shows it waits for an answer, also the second time."""
    unit = make_record_unit()
    receive(unit, fingerprint(A))
    for _ in range(2):
        assert B in {one.recipient for one in receive(unit, fingerprint(B, b"another key file"))}


def test_an_owner_cannot_show_fingerprints_for_ever() -> None:
    """Each is kept; a hundred are enough for any mistake, and the other owner's are not counted."""
    unit = make_record_unit()
    for number in range(100):
        receive(unit, fingerprint(B, number.to_bytes(ID, "big")))
    refuses(unit, fingerprint(B), "more than 100 fingerprints")
    receive(unit, fingerprint(A, (99).to_bytes(ID, "big")))
    assert unit.intake.agreed


# Parts


def in_parts(sender: Address, first: int, sizes: tuple[int, ...]) -> list[Envelope]:
    """The upload, cut into parts of these sizes."""
    parts, start = [], 0
    for part, size in enumerate(sizes):
        some = SHARED[start : start + size]
        parts.append(upload(sender, first=first + start, part=part, parts=len(sizes), shared=some, blocks=start))
        start += size
    return parts


@settings(max_examples=40, deadline=None)
@given(st.data())
def test_uploads_in_parts_in_any_order_give_the_same_comparison(data: st.DataObject) -> None:
    """Rows follow the parts' numbers, not the order in which a network brings them; the two owners may interleave."""
    whole, batch, asked = asking()
    unit = agreed()
    out: list[Envelope] = []
    cuts = [data.draw(st.sampled_from([(9,), (4, 5), (1, 0, 8), (2, 3, 4), (3, 3, 2, 1)])) for _ in OWNERS]
    parts = [
        part for party, first, cut in zip(OWNERS, (0, 100), cuts, strict=True) for part in in_parts(party, first, cut)
    ]
    for part in data.draw(st.permutations(parts)):
        assert [] == out
        out = receive(unit, part)
    assert [batch] == sent(out, ATTRIBUTE_UNIT)
    assert [one.message for one in asked] == [one.message for one in out]
    assert whole.layer.features.tolist() == unit.layer.features.tolist()
    assert whole.layer.g.tolist() == unit.layer.g.tolist()


def test_a_part_is_taken_once_and_all_parts_count_against_the_limit() -> None:
    """Repeated, changed in number, or one too many."""
    unit = agreed(make_record_unit(most_records=9))
    one, two, three = in_parts(A, 0, (4, 3, 2))
    receive(unit, two)
    refuses(unit, two, "uploaded before")
    refuses(unit, in_parts(A, 0, (4, 5))[0], "number of parts has changed")
    refuses(unit, upload(A, part=0, parts=3, shared=SHARED[:7]), "more than 9 records")
    receive(unit, one)
    receive(unit, three)
    for again in (one, two, three):
        refuses(unit, again, "uploaded before")


def test_nothing_is_begun_anew_once_owners_were_asked() -> None:
    """The uploads that were compared are the last ones: an owner that begins anew has forgotten what it answered."""
    unit, _, _ = asking()
    refuses(unit, fingerprint(A), "none is begun anew")
    refuses(unit, upload(A), "none is begun anew")


def test_parts_of_two_uploads_are_not_mixed() -> None:
    """An owner that begins anew shows its fingerprint first; parts of its last attempt belong to other handles."""
    unit = agreed()
    receive(unit, upload(A, part=0, parts=2))
    other = upload(A, first=50, part=1, parts=2)
    assert isinstance(other.message, RecordEncodings)
    refuses(unit, Envelope(A, RECORD_UNIT, replace(other.message, upload=ids(9))), "a part of another upload")
