from __future__ import annotations

import pytest
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from hypothesis import given
from hypothesis import strategies as st

from unveil.encoding.keys import OwnerKey, Subkeys, derive, join_parts
from unveil.errors import KeyFileError, SettingError

parts = st.lists(st.binary(max_size=12), max_size=5)


@given(parts, parts)
def test_different_parts_never_share_a_key(left: list[bytes], right: list[bytes]) -> None:
    """Plain concatenation would make ("ab", "c") and ("a", "bc") one key."""
    assert (left == right) == (derive(b"secret", *left) == derive(b"secret", *right))


@given(st.binary(max_size=8), st.data())
def test_moving_the_border_between_parts_changes_the_key(joined: bytes, data: st.DataObject) -> None:
    """The collision that a search over random tuples would hardly meet."""
    cuts = data.draw(
        st.lists(st.integers(0, len(joined)), min_size=2, max_size=2, unique=True) if joined else st.just([0, 0])
    )
    lists = {(joined[:cut], joined[cut:]) for cut in cuts}
    assert len(lists) == len({derive(b"secret", *pieces) for pieces in lists})


@given(st.binary(min_size=1, max_size=80), parts)
def test_derivation_is_hkdf(secret: bytes, pieces: list[bytes]) -> None:
    """Our one-block shortcut must be the standard's bytes."""
    hkdf = HKDF(algorithm=SHA256(), length=32, salt=b"unveil/1", info=join_parts(*pieces))
    assert hkdf.derive(secret) == derive(secret, *pieces)


@given(parts)
def test_pair_keys_in_one_sweep_are_the_single_ones(key_pairs: list[bytes]) -> None:
    """The sweep exists for speed alone."""
    keys = Subkeys(OwnerKey(bytes(16)), "p")
    assert [keys.of("A", pair=pair, attribute="city") for pair in key_pairs] == keys.of_pairs(key_pairs, "city")


def test_keys_of_pairs_are_bound_to_the_project_file_and_to_the_run() -> None:
    """By hand: the parts of HKDF's info, in order. A key_pair is worth nothing in another run."""
    agreed, run, pair = "abcd-efgh", bytes(range(32)), bytes(32)
    keys = Subkeys(OwnerKey(bytes(16)), "p", agreed=agreed)
    info = ("project", "p", "agreed", agreed, "run", run, "layer", "A", "pair", pair, "attribute", "city")
    assert [derive(bytes(16), *info)] == keys.of_pairs([pair], "city", run=run)
    other = Subkeys(OwnerKey(bytes(16)), "p", agreed="another")
    found = [
        keys.of_pairs([pair], "city", run=run),
        keys.of_pairs([pair], "city", run=bytes(32)),
        other.of_pairs([pair], "city", run=run),
        Subkeys(OwnerKey(bytes(16)), "p").of_pairs([pair], "city"),
    ]
    assert 4 == len({key for (key,) in found})


def test_every_part_of_the_context_separates_keys() -> None:
    """One project, layer, pair or attribute must tell nothing about another."""
    one, other = OwnerKey(bytes(32)), OwnerKey(bytes(31) + b"\x01")
    keys = Subkeys(one, "p")
    found = [
        keys.of("A", attribute="city"),
        keys.of("R", attribute="city"),
        keys.of("A", attribute="zip"),
        keys.of("A", pair="city"),
        keys.of("A", pair=bytes(16), attribute="city"),
        keys.of("A", pair=bytes(17), attribute="city"),
        Subkeys(one, "q").of("A", attribute="city"),
        Subkeys(other, "p").of("A", attribute="city"),
    ]
    assert len(found) == len(set(found))


@pytest.mark.parametrize("length", [0, 8, 15])
def test_short_owner_keys_are_refused(length: int) -> None:
    """Names are few; a key that can be tried out protects none of them."""
    with pytest.raises(KeyFileError, match=f"{length} bytes"):
        OwnerKey(b"\x07" * length)


def test_generated_keys_are_32_bytes_from_the_given_source() -> None:
    """Tests and simulations hand in their own source."""
    assert OwnerKey(b"r" * 32) == OwnerKey.generate(lambda n: b"r" * n)
    assert OwnerKey.generate() != OwnerKey.generate()


def test_keys_never_print() -> None:
    """A repr ends up in logs and tracebacks."""
    key = OwnerKey(b"not to be printed")
    assert "OwnerKey(<redacted>)" == repr(key) == str(key) == f"{key}"
    assert "Subkeys(<redacted>)" == repr(Subkeys(key, "p"))


def test_a_project_without_a_name_is_refused() -> None:
    """Two nameless projects would share every key."""
    with pytest.raises(SettingError):
        Subkeys(OwnerKey(bytes(16)), "")
