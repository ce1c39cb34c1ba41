"""The chain is defined by bytes, so that another program can check a log too."""

from __future__ import annotations

import hashlib
from dataclasses import fields, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unveil.storage.log import chain

LINK = chain.Link(1, "message", "owner a", "m1", 1.5, b"a" * 32, b"b" * 32, b"", b"c" * 32)


def test_a_commitment_is_the_hash_of_nonce_and_content() -> None:
    """By hand: SHA-256(nonce ‖ content)."""
    assert hashlib.sha256(bytes(32) + b"Smith").digest() == chain.commitment(bytes(32), b"Smith")
    with pytest.raises(ValueError, match="32 bytes, not 31"):
        chain.commitment(bytes(31), b"\0Smith")


def test_a_commitment_does_not_show_what_it_commits_to() -> None:
    """Two commitments to the same short value differ, so no table of hashes helps."""
    one, two = chain.new_nonce(), chain.new_nonce()
    assert chain.commitment(one, b"Smith") != chain.commitment(two, b"Smith")
    assert (True, False, False) == (
        chain.opens(chain.commitment(one, b"Smith"), one, b"Smith"),
        chain.opens(chain.commitment(one, b"Smith"), two, b"Smith"),
        chain.opens(chain.commitment(one, b"Smith"), b"", b"Smith"),
    )


def test_an_entry_hash_is_pinned() -> None:
    """A log written today must verify in ten years: by hand, from the lengths and fields."""
    parts = [
        b"unveil-entry-1", b"p" * 32, (1).to_bytes(8, "big"), b"message", b"owner a", b"m1",
        bytes.fromhex("3ff8000000000000"), b"a" * 32, b"b" * 32, b"", b"c" * 32,
    ]  # fmt: skip
    expected = hashlib.sha256(b"".join(len(part).to_bytes(8, "big") + part for part in parts)).digest()
    assert expected == LINK.after(b"p" * 32)


@given(left=st.lists(st.binary(max_size=4), max_size=4), right=st.lists(st.binary(max_size=4), max_size=4))
def test_fields_do_not_run_into_each_other(left: list[bytes], right: list[bytes]) -> None:
    """("ab", "c") and ("a", "bc") are different entries."""
    assert (left == right) == (chain.digest(left) == chain.digest(right))


@pytest.mark.parametrize("name", [field.name for field in fields(chain.Link)])
def test_every_field_of_an_entry_counts(name: str) -> None:
    """A field that the hash left out could be edited unseen."""
    old = getattr(LINK, name)
    new = old + (1 if isinstance(old, (int, float)) else "x" if isinstance(old, str) else b"x")
    assert LINK.after(bytes(32)) != replace(LINK, **{name: new}).after(bytes(32))


def test_logs_begin_differently() -> None:
    """Else one project's chain could stand in for another's."""
    starts = {chain.genesis(*names) for names in [("a", "b", "c"), ("ab", "", "c"), ("a", "bc", ""), ("a", "b", "d")]}
    assert 4 == len(starts)
