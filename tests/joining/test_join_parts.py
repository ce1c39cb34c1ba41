"""Parts that owners hand over: together they give the pairs, alone nothing, and nothing that was changed is taken."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unveil.joining.join_keys import halves, public_key_to, unwrapped, wrapped
from unveil.joining.join_part import MARK, Joined, JoinPart, JoinProblem, joined
from unveil.joining.sealed_pairs import ROW, ROWS, Pair, Place, part_sizes, seal, table_rows, unseal
from unveil.joining.sealed_quality import seal_quality
from unveil.joining.terms import JoinTerms, LinkSettings, public_key_of, public_key_text
from unveil.linkage.estimate import Estimate
from unveil.protocol.messages import SEALED_QUALITY

SECRET = bytes(range(32))
RUN = b"r" * 32
RECORDS = {"a": 30, "b": 20}
PRIVATE = b"p" * 32

link_ids = st.binary(min_size=16, max_size=16).filter(any)
some_pairs = st.lists(st.tuples(link_ids, link_ids), max_size=20, unique=True)
PAIRS: list[Pair] = [(bytes([1]) * 16, bytes([2]) * 16), (bytes([3]) * 16, bytes([4]) * 16)]


ESTIMATE = Estimate((0.9, 0.95, 1.0), (0.7, 0.8, 0.9), (0.8, 0.87, 0.95), trusted=False)


def parts_with(keys: tuple[bytes, bytes], pairs: list[Pair], estimate: Estimate | None = ESTIMATE) -> list[JoinPart]:
    """Both owners' parts with these pairs in them."""
    made = []
    for key, (owner, records) in zip(keys, RECORDS.items(), strict=True):
        rows = table_rows(records, one_to_one=True)
        place = Place("fp", RUN, owner)
        sealed, quality = b"".join(seal(pairs, rows, SECRET, place)), seal_quality(estimate, SECRET, place)
        made.append(JoinPart("flu", "fp", owner, ("a", "b"), RUN, records, True, key, quality, sealed))
    return made


def by_owners(pairs: list[Pair] = PAIRS, estimate: Estimate | None = ESTIMATE) -> list[JoinPart]:
    return parts_with(halves(SECRET, b"h" * 32), pairs, estimate)


def by_centre(pairs: list[Pair] = PAIRS) -> list[JoinPart]:
    place = Place("fp", RUN, "").of_run()
    return parts_with((wrapped(SECRET, public_key_to(PRIVATE), b"o" * 32, place=place),) * 2, pairs)


@given(some_pairs)
def test_both_owners_together_get_the_pairs_in_any_order_and_nothing_else(pairs: list[Pair]) -> None:
    """Whatever the order in which they are handed over."""
    one, other = (JoinPart.from_bytes(part.to_bytes()) for part in by_owners(pairs))
    assert Joined(sorted(pairs), ESTIMATE) == joined([one, other]) == joined([other, one])


@given(some_pairs)
def test_a_research_centre_gets_them_from_either_part(pairs: list[Pair]) -> None:
    """With its private key; owners carry what they cannot open."""
    for some in (by_centre(pairs), by_centre(pairs)[:1], by_centre(pairs)[1:]):
        assert Joined(sorted(pairs), ESTIMATE) == joined(some, PRIVATE)


@given(some_pairs, some_pairs)
def test_what_an_owner_carries_is_as_long_however_many_links_there_are(one: list[Pair], other: list[Pair]) -> None:
    """So its size says nothing but how many records the owner has itself."""
    for these, those in ((by_owners(one), by_owners(other)), (by_centre(one), by_centre(other))):
        assert [len(part.to_bytes()) for part in these] == [len(part.to_bytes()) for part in those]


@given(st.binary(min_size=32, max_size=32), st.binary(min_size=32, max_size=32))
def test_a_half_of_the_key_goes_with_every_key(secret: bytes, other: bytes) -> None:
    """For each half and each key there is another half: so a half says nothing about the key."""
    half, _ = halves(secret, b"h" * 32)
    second = halves(other, half)[1]
    assert other == bytes(a ^ b for a, b in zip(half, second, strict=True))


def test_one_owner_alone_opens_nothing() -> None:
    """Neither with its half, nor with its half twice, nor as a centre."""
    for part in by_owners():
        with pytest.raises(JoinProblem, match="is missing, and one owner's alone opens nothing"):
            joined([part])
        with pytest.raises(JoinProblem, match="both parts are"):
            joined([part, part])
        with pytest.raises(JoinProblem, match="together, without a key of anybody's"):
            joined([part], PRIVATE)
        assert part.opened(part.key) is None


def test_whoever_lacks_the_private_key_opens_nothing_of_a_research_centres() -> None:
    """Both owners together neither."""
    with pytest.raises(JoinProblem, match="joined by a research centre"):
        joined(by_centre())
    with pytest.raises(JoinProblem, match="not the one that the project names"):
        joined(by_centre(), b"q" * 32)
    part = by_centre()[0]
    assert unwrapped(part.key, PRIVATE, place=b"another place") is None
    assert unwrapped(bytes(80), PRIVATE, place=part.place.of_run()) is None, "a public key that leads nowhere"


CHANGES = {
    "another project": {"project": "fq"},
    "another run": {"run": b"s" * 32},
    "another size": {"records": 31},
    "another key": {"key": b"k" * 32},
    "another's table": {"owner": "b"},
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_parts_that_do_not_belong_together_are_refused(change: dict[str, object]) -> None:
    """Whether by mistake or not."""
    one, other = by_owners()
    with pytest.raises(JoinProblem):
        joined([replace(one, **change), other])  # type: ignore[arg-type]


@given(st.integers(0, 10_000), st.integers(1, 255))
def test_any_flipped_bits_are_noticed(at: int, bits: int) -> None:
    """In the header or in what is sealed, wherever: an error, never other pairs."""
    one, other = by_owners()
    data = bytearray(one.to_bytes())
    data[at % len(data)] ^= bits
    try:
        changed = JoinPart.from_bytes(bytes(data))
        found = joined([changed, other])
    except JoinProblem:
        return
    # The name of the project is shown, and decides nothing.
    assert (Joined(sorted(PAIRS), ESTIMATE), one) == (found, replace(changed, name=one.name))


def test_how_good_links_seem_is_as_long_whatever_it_says_and_another_word_on_it_is_refused() -> None:
    """Nobody who may not join can tell whether there is an estimate; and no owner puts another in its part."""
    known, unknown = by_owners(), by_owners(estimate=None)
    assert [len(part.to_bytes()) for part in known] == [len(part.to_bytes()) for part in unknown]
    assert joined(unknown).estimate is None
    for change in (unknown[0].quality, known[1].quality, bytes(SEALED_QUALITY)):
        with pytest.raises(JoinProblem):
            joined([replace(known[0], quality=change), known[1]])


@given(st.binary(max_size=200))
def test_anything_else_is_no_part(data: bytes) -> None:
    """Nor anything that begins like one."""
    for some in (data, MARK + data, by_owners()[0].to_bytes()[:-1], by_owners()[0].to_bytes() + data[:1] + b"x"):
        with pytest.raises(JoinProblem):
            JoinPart.from_bytes(some)


@pytest.mark.parametrize(
    "change",
    [{"owners": ["a", "a"]}, {"owners": ["a", 1]}, {"owner": "c"}, {"records": -1}, {"run": "xy"}, {"key": "?"},
     {"join": "anybody"}, {"records": True}, {"more": 1}],
    ids=str,
)  # fmt: skip
def test_headers_that_say_what_cannot_be_are_refused(change: dict[str, object]) -> None:
    """Before anything is computed from them."""
    _, header, rest = by_owners()[0].to_bytes().split(b"\n", 2)
    text = json.dumps(json.loads(header) | change).encode()
    with pytest.raises(JoinProblem, match="damaged"):
        JoinPart.from_bytes(MARK + text + b"\n" + rest)


@pytest.mark.parametrize("rows", [0, 1, ROWS - 1, ROWS, ROWS + 1, 2 * ROWS + 7])
def test_tables_of_any_size_read_back(rows: int) -> None:
    """In parts of so many rows; an empty one is one part."""
    place, pairs = Place("fp", RUN, "a"), PAIRS[: min(rows, 2)]
    parts = seal(pairs, rows, SECRET, place)
    assert part_sizes(rows) == [len(part) for part in parts]
    assert pairs == unseal(b"".join(parts), rows, SECRET, place)
    assert len(parts) == max(1, -(-rows // ROWS))
    assert sum(map(len, parts)) == rows * ROW + 16 * len(parts)
    with pytest.raises(ValueError, match="in a table of"):
        seal([(bytes(16), bytes(16))] * (rows + 1), rows, SECRET, place)


def test_parts_cannot_change_places() -> None:
    """A part is sealed for its number."""
    place = Place("fp", RUN, "a")
    first, second = seal(PAIRS, 2 * ROWS, SECRET, place)
    assert unseal(second + first, 2 * ROWS, SECRET, place) is None


def test_no_part_shows_anything_when_printed() -> None:
    """Nor a half of the key in an error or a log."""
    assert "JoinPart(of a, <1936 bytes>)" == repr(by_owners()[0])


def test_public_keys_have_one_spelling() -> None:
    """Two spellings would be two fingerprints."""
    key = public_key_to(PRIVATE)
    text = public_key_text(key)
    assert key == public_key_of(text)
    for wrong in (text + "=", text[:-1], text[:-1] + "é", "", text + "A", "!" * 43, text[:-1] + chr(ord(text[-1]) + 1)):
        with pytest.raises(ValueError, match="not a public key"):
            public_key_of(wrong)


def test_terms_follow_from_the_project_file() -> None:
    """By default the owners join together, and each record once."""
    assert JoinTerms("fp", None, one_to_one=True) == JoinTerms.of(LinkSettings(), "fp")
    centre = LinkSettings(join="research-centre", public_key=public_key_text(b"c" * 32), one_to_one=False)
    assert JoinTerms("fp", b"c" * 32, one_to_one=False) == JoinTerms.of(centre, "fp")
