"""Projects: who is who, who is missing, and a fingerprint over all that was agreed."""

from __future__ import annotations

import base64
import hashlib
import json
from typing import Any

import pytest
from project_parts import UNITS, owner, project, public_key, unit
from pydantic import ValidationError

from unveil.joining.terms import LinkSettings
from unveil.projects.project import Party, Project, ProjectLimits, ReviewOpinions, is_address, is_host
from unveil.protocol import roles
from unveil.protocol.codec import VERSION
from unveil.protocol.roles import Role
from unveil.schema import built_in


def test_a_party_is_known_by_its_public_key() -> None:
    """And by nothing else."""
    trial = project()
    assert roles.RECORD_UNIT == trial.party(public_key("record unit"))
    assert roles.owner("b") == trial.party(public_key("b"))
    assert trial.party(public_key("stranger")) is None
    assert trial.party("") is None
    assert public_key("a") == trial.public_key(roles.owner("a"))
    assert trial.public_key(roles.owner("c")) is None


def test_a_unit_is_one_party_whatever_its_name() -> None:
    """Messages to the record unit carry no name; a project has one record unit."""
    named = Party(role="record unit", name="registry", address="https://h:1", public_key=public_key("r"))
    assert roles.RECORD_UNIT == project(named).party(public_key("r"))


def test_units_have_addresses_and_owners_none() -> None:
    """A hospital opens no port."""
    trial = project()
    assert "https://att.example.org:8443" == trial.address(Role.ATTRIBUTE_UNIT) == trial.address("attribute unit")
    with pytest.raises(KeyError):
        trial.address(Role.OWNER)
    with pytest.raises(KeyError):
        project(owner("a")).address(Role.RECORD_UNIT)


def test_owners_come_in_one_order() -> None:
    """Parties that list them must agree without looking at the file's order."""
    expected = (roles.owner("a"), roles.owner("b"), roles.owner("c"))
    assert expected == project(owner("c"), owner("a"), unit("record unit"), owner("b")).owners()


def test_who_is_missing_is_said() -> None:
    """A project begins with three units and two owners."""
    assert () == project().missing()
    assert (*UNITS, "owner") == project(owner("a")).missing()
    assert ("attribute unit",) == project(unit(UNITS[0]), unit(UNITS[2]), owner("a"), owner("b")).missing()


def test_shared_keys_are_told() -> None:
    """The record unit must not start when another unit holds its key."""
    assert {} == project().shared_keys()
    shared = public_key("shared")
    trial = project(unit(UNITS[0], key=shared), unit(UNITS[1], key=shared), unit(UNITS[2]))
    assert {shared: (roles.RECORD_UNIT, roles.ATTRIBUTE_UNIT)} == trial.shared_keys()


def test_the_fingerprint_can_be_read_out() -> None:
    """Eight groups of four, without letters that sound or look like digits."""
    text = project().fingerprint()
    assert [4] * 8 == [len(group) for group in text.split("-")]
    assert set(text) <= set("abcdefghijklmnopqrstuvwxyz234567-")


def test_the_fingerprint_is_the_documented_hash() -> None:
    """Another implementation must be able to compute it."""
    trial = project(owner("b"), unit("record unit"))
    parties = [
        {"role": "owner", "name": "b", "address": None, "public_key": public_key("b")},
        {
            "role": "record unit",
            "name": "",
            "address": "https://rec.example.org:8443",
            "public_key": public_key("record unit"),
        },
    ]
    agreed = {
        "limits": {
            "copies": 10,
            "message_bytes": ProjectLimits().message_bytes,
            "near_copies": 0.5,
            "records_per_owner": 10_000_000,
        },
        "links": {"join": "owners", "one_to_one": True, "public_key": None, "quality": "owners"},
        "name": "trial",
        "parties": sorted(json.dumps(each, sort_keys=True) for each in parties),
        "protocol": VERSION,
        "schema": built_in().fingerprint(),
    }
    digest = hashlib.sha256(json.dumps(agreed, sort_keys=True).encode()).digest()
    assert base64.b32encode(digest[:20]).decode().lower() == trial.fingerprint().replace("-", "")


def test_the_fingerprint_knows_neither_order_nor_columns() -> None:
    """Both may differ between two copies that mean the same."""
    trial = project()
    turned = trial.model_copy(update={"parties": trial.parties[::-1]})
    column = built_in().attributes[0].model_copy(update={"column": "vorname"})
    renamed = built_in().model_copy(update={"attributes": (column, *built_in().attributes[1:])})
    assert trial.fingerprint() == turned.fingerprint() == project(schema=renamed).fingerprint()


def _without(index: int) -> tuple[Party, ...]:
    parties = project().parties
    return parties[:index] + parties[index + 1 :]


CHANGES: dict[str, dict[str, Any]] = {
    "name": {"name": "other"},
    "protocol": {"protocol": 9},
    "limits": {"limits": ProjectLimits(records_per_owner=5)},
    "who joins": {"links": LinkSettings(join="research-centre", public_key="A" * 43)},
    "second opinions": {"reviews": ReviewOpinions(second_opinions=0.1)},
    "one to one": {"links": LinkSettings(one_to_one=False)},
    "schema": {"linkage": built_in("clinic")},
    "parameters": {
        "linkage": built_in().model_copy(update={"protocol": built_in().protocol.model_copy(update={"p_t": 0.9})})
    },
    "a party less": {"parties": _without(4)},
    "another key": {"parties": (*_without(4), owner("b", key=public_key("x")))},
    "another name": {"parties": (*_without(4), owner("c", key=public_key("b")))},
    "another address": {"parties": (*_without(0), unit("record unit", port=1))},
}


@pytest.mark.parametrize("change", CHANGES)
def test_any_change_shows_in_the_fingerprint(change: str) -> None:
    """Otherwise parties could agree on the telephone and differ in the file."""
    assert project().fingerprint() != project().model_copy(update=CHANGES[change]).fingerprint()


def test_a_project_cannot_be_changed_in_place() -> None:
    """What was agreed stays."""
    with pytest.raises(ValidationError):
        project().name = "other"  # type: ignore[misc]
    with pytest.raises(ValidationError):
        Project.model_validate({"name": "x", "schema": built_in(), "extra": 1})


GOOD = [
    "https://h", "https://h:1", "https://unit.example.org:8443", "https://127.0.0.1:65535", "https://[::1]:8443",
    "https://a-b.c",
]  # fmt: skip
BAD = [
    "", "h", "http://h", "https://", "https://:8443", "https://h:0", "https://h:65536", "https://h:x", "https://h/",
    "https://h:1/path", "https://h?q", "https://h#f", "https://user@h", "https://user:pw@h", "HTTPS://h", "https://H",
    "https://h:01", "https://h:", "https://h h", "https://-h", "https://h..i", "https://300.1.1.1", "https://[::1",
    "https://h\n", " https://h", "https://h_i", "https://" + "a" * 64, "https://" + "a." * 127 + "a",
]  # fmt: skip


@pytest.mark.parametrize("text", GOOD)
def test_addresses_of_units(text: str) -> None:
    """Host and perhaps port."""
    assert is_address(text)


@pytest.mark.parametrize("text", BAD)
def test_what_is_no_address_of_a_unit(text: str) -> None:
    """One spelling per address, encrypted, and nothing that a client might take for a path or a password."""
    assert not is_address(text)


def test_hosts() -> None:
    """Names and numbers."""
    assert is_host("::1")
    assert is_host("0.0.0.0")  # noqa: S104 - nothing is bound
    assert not is_host("1.2.3")
    assert not is_host("*")
