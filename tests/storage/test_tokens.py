"""Bearer tokens: known to whoever holds them, to nobody who reads the database."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from databases import raw

from unveil.errors import SettingError
from unveil.storage.database import Database
from unveil.storage.tokens import TokenStore


@pytest.fixture
def tokens(url: str) -> Iterator[TokenStore]:
    with Database.open(url, role="review unit") as database:
        yield database.tokens


def test_a_token_stands_for_its_role_in_its_project_until_it_expires(tokens: TokenStore) -> None:
    """The moment of expiry is already too late."""
    secret = tokens.issue("flu", "reviewer", 100.0, 10.0)
    token = tokens.check(secret, 99.9)
    assert token is not None
    assert ("flu", "reviewer", 10.0, 100.0) == (token.project, token.role, token.issued, token.expires)
    assert (None, None) == (tokens.check(secret, 100.0), tokens.check(secret, 9.0))


def test_the_database_does_not_hold_the_secret(url: str, tokens: TokenStore) -> None:
    """A stolen copy of the database must open nothing."""
    secret = tokens.issue("flu", "operator", 100.0, 10.0)
    assert secret.split(".")[2] not in repr(raw(url, "SELECT * FROM tokens"))
    assert secret.split(".")[2] not in repr(tokens.list())


def test_anything_else_is_nobody(tokens: TokenStore) -> None:
    """A changed letter, another's first half, a wrong shape, characters outside ASCII."""
    one, two = (tokens.issue("flu", "reviewer", 100.0, 1.0) for _ in range(2))
    swapped = ".".join([*one.split(".")[:2], two.split(".")[2]])
    changed = one[:-2] + ("A" if one[-2] != "A" else "B") + one[-1]
    unknown = one.replace(one.split(".")[1], "0" * 16)
    wrong = ["", "unveil", one + "x", one + "\n", one[:-1], swapped, changed, unknown, "é" * 40, one.upper()]
    assert [None] * len(wrong) == [tokens.check(text, 2.0) for text in wrong]
    assert tokens.check(one, 2.0) is not None


def test_a_revoked_token_opens_nothing(tokens: TokenStore) -> None:
    """And says whether there was one."""
    secret = tokens.issue("flu", "reviewer", 100.0, 1.0)
    (token,) = tokens.list()
    assert (True, False) == (tokens.revoke(token.id), tokens.revoke(token.id))
    assert (None, []) == (tokens.check(secret, 2.0), tokens.list())


def test_tokens_are_listed_by_project(tokens: TokenStore) -> None:
    """Expired ones too, so that an operator sees what was given out."""
    for project, issued in (("flu", 3.0), ("flu", 1.0), ("pox", 2.0)):
        tokens.issue(project, "reviewer", 5.0, issued)
    assert [("flu", 1.0), ("pox", 2.0), ("flu", 3.0)] == [(token.project, token.issued) for token in tokens.list()]
    assert ["pox"] == [token.project for token in tokens.list("pox")]


@pytest.mark.parametrize(("role", "expires"), [("owner", 10.0), ("reviewer", 1.0), ("reviewer", float("inf"))])
def test_no_other_role_and_no_endless_token(tokens: TokenStore, role: str, expires: float) -> None:
    """Parties have certificates; a token that never ends is never looked after."""
    with pytest.raises(SettingError):
        tokens.issue("flu", role, expires, 1.0)
