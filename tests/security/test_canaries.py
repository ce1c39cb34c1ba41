"""Planted values and keys: nowhere but where the protocol puts them, and there no longer than they are needed."""

from __future__ import annotations

import base64
import json
import random
from pathlib import Path
from urllib.parse import quote, quote_plus

import numpy as np
import pytest
from cryptography.hazmat.primitives.asymmetric.ec import EllipticCurvePrivateKey
from cryptography.hazmat.primitives.serialization import load_pem_private_key
from field_run import KEY_DO, FieldRun
from numpy.typing import NDArray
from planted import MARK, SIDES, codes_in, encodings_found, found_in_files, marks, of_bytes

from unveil.lab.local_parties.folder import OWNERS, UNIT_FOLDERS
from unveil.linkage.shown import SHOWN
from unveil.protocol.messages import KEY_PAIR, EncodingWish, ReviewTask
from unveil.roles.columns import entries
from unveil.roles.owner.ledger import REVIEW_LAYER

VALUE = f"anna{MARK}bcdfx"
FORMS = {
    "as it is": VALUE.encode(),
    "upper case": VALUE.upper().encode(),
    "case-folded": VALUE.casefold().encode(),
    "Latin-1": VALUE.encode("latin-1"),
    "UTF-16": VALUE.encode("utf-16-le"),
    "big-endian UTF-16": VALUE.encode("utf-16-be"),
    "hex": VALUE.encode().hex().encode(),
    "upper-case hex": VALUE.encode().hex().upper().encode(),
    "hex of UTF-16": VALUE.encode("utf-16-le").hex().encode(),
    "base64": base64.b64encode(VALUE.encode()),
    "base64 behind one byte": base64.b64encode(b"?" + VALUE.encode()),
    "base64 behind two bytes": base64.b64encode(b"??" + VALUE.encode()),
    "base64url of Latin-1": base64.urlsafe_b64encode(VALUE.encode("latin-1")),
    "URL-escaped": quote(VALUE).encode(),
    "form-escaped": quote_plus(VALUE).encode(),
    "JSON-escaped": json.dumps(VALUE).encode(),
}


@pytest.mark.parametrize("form", FORMS)
def test_the_search_finds_a_value_in_every_encoding(form: str, tmp_path: Path) -> None:
    """The control: a search that finds nothing anywhere would find nothing in a unit either."""
    noise = random.Random(1).randbytes(5000)
    assert [] == encodings_found(noise, marks())
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "file").write_bytes(noise[:2501] + FORMS[form] + noise[2501:])
    assert found_in_files(tmp_path, marks())


def _secrets(run: FieldRun) -> dict[str, bytes]:
    """Keys that belong to one party each, in every encoding: key_do and everybody's private key."""
    keys = {"key_do": KEY_DO}
    for path in (run.trial.root / "pki").glob("*.key"):
        loaded = load_pem_private_key(path.read_bytes(), password=None)
        assert isinstance(loaded, EllipticCurvePrivateKey)
        keys[path.name] = loaded.private_numbers().private_value.to_bytes(32, "big")
    return {f"{name} {how}": needle for name, key in keys.items() for how, needle in of_bytes(key).items()}


def _key_pairs(run: FieldRun) -> list[bytes]:
    wishes = [one.message for one in run.recording("record-unit") if isinstance(one.message, EncodingWish)]
    return [key for wish in wishes for key in entries(wish.key_pairs, KEY_PAIR)]


@pytest.mark.parametrize("unit", ["record-unit", "attribute-unit"])
def test_no_value_comes_to_the_record_and_attribute_units(run: FieldRun, unit: str) -> None:
    """Files, caches, logs and temporary files as they lie there; the database also opened; all traffic."""
    assert [] == found_in_files(run.trial.root / unit, marks())
    for content in run.contents(unit):
        assert [] == encodings_found(content, marks())
    recording = run.recording(unit)
    assert recording
    for exchange in recording:
        assert [] == encodings_found(exchange.everything, marks())


def test_keys_stay_where_they_belong(run: FieldRun) -> None:
    """key_do and private keys are in no file but their own, in no database, log or message."""
    root, secrets = run.trial.root, _secrets(run)
    own = [root / "project.key", *(root / "pki").glob("*.key")]
    assert 7 == len(own)
    for path in own:  # the control
        assert encodings_found(b"".join(path.read_bytes().splitlines()), secrets)
    assert [] == found_in_files(root, secrets, but=own)
    for party in (*UNIT_FOLDERS, *OWNERS):
        for content in run.contents(party):
            assert [] == encodings_found(content, secrets)
    for exchange in run.traffic():
        assert [] == encodings_found(exchange.everything, secrets)


def test_keys_of_pairs_are_at_the_record_unit_and_the_owners_alone(run: FieldRun) -> None:
    """With them the attribute unit could encode a guess and compare."""
    key_pairs = _key_pairs(run)
    assert len(key_pairs) > 100
    needles = {f"{at} {how}": needle for at, key in enumerate(key_pairs) for how, needle in of_bytes(key).items()}
    assert encodings_found(b"".join(run.contents("owner-a")), needles)  # where they belong, they are found
    for unit in ("attribute-unit", "review-unit"):
        everything = b"".join([*run.contents(unit), *(exchange.everything for exchange in run.recording(unit))])
        assert [] == encodings_found(everything, needles)
        assert [] == found_in_files(run.trial.root / unit, needles)


def _ledgered(run: FieldRun) -> dict[str, set[str]]:
    """Task -> codes of the values that the owners' ledgers say were sent for it."""
    found: dict[str, set[str]] = {}
    for party in OWNERS:
        ledger, records = run.ledger(party), run.owner(party).records
        columns = list(records.columns.values())
        for at in np.flatnonzero(ledger.layer == REVIEW_LAYER).tolist():
            values = (columns[i][int(ledger.rows[at])] for i in np.flatnonzero(ledger.attributes[at]).tolist())
            codes = codes_in("\n".join(values).encode())
            found.setdefault(ledger.ids[at].tobytes().hex(), set()).update(codes)
    return found


def test_the_review_unit_holds_exactly_the_ledgered_values(plain_run: FieldRun) -> None:
    """Looked at while tasks waited: what was asked for and charged, of both owners, and nothing else."""
    ledgered, rounds = _ledgered(plain_run), plain_run.observed.rounds
    seen = {task: codes for one in rounds for task, codes in one.held.items()}
    assert len(seen) >= 15
    assert ledgered == seen
    assert {"x", "y"} == {code[-1] for codes in seen.values() for code in codes}


def test_values_that_decoys_asked_for_are_dropped_on_arrival(decoy_run: FieldRun) -> None:
    """The ledger charges them, for they were sent; the review unit keeps none that is not shown."""
    ledgered = _ledgered(decoy_run)
    seen = {task: codes for one in decoy_run.observed.rounds for task, codes in one.held.items()}
    assert len(seen) >= 10
    names = decoy_run.trial.project().linkage.names
    shown: dict[str, NDArray[np.uint8]] = {}
    for exchange in decoy_run.recording("review-unit"):
        if isinstance(exchange.message, ReviewTask):
            states = np.frombuffer(exchange.message.states, np.uint8).reshape(-1, len(names))
            shown |= dict(zip(map(bytes.hex, entries(exchange.message.task_ids, 16)), states, strict=True))
    for task, codes in seen.items():
        expected = {code for code in ledgered[task] if shown[task][_attribute(code)] == SHOWN}
        assert expected == codes
    assert sum(map(len, seen.values())) < sum(len(ledgered[task]) for task in seen)


def _attribute(code: str) -> int:
    return "bcdfghklmnprstvw".index(code[3]) % 8


def test_values_are_gone_as_soon_as_their_pair_is_labelled(run: FieldRun) -> None:
    """From the log, and with the keys that opened them from every file of the database."""
    for one in run.observed.rounds:
        assert set() == one.after
        assert 0 == one.keys_left
    assert [] == found_in_files(run.trial.root / "review-unit", marks())
    for content in run.contents("review-unit"):
        assert [] == encodings_found(content, marks())


def test_values_cross_the_wire_from_owners_to_the_review_unit_and_nowhere_else(run: FieldRun) -> None:
    """And from there to the reviewer, in answers about the one cell that was opened fully."""
    sent: dict[str, set[str]] = {"owner a": set(), "owner b": set()}
    opened = set()
    for exchange in run.traffic():
        if exchange.unit == "review unit" and exchange.caller in sent and exchange.method == "PUT":
            sent[exchange.caller] |= codes_in(exchange.body)
            rest = exchange.everything.replace(exchange.body, b"")
            assert [] == encodings_found(rest, marks())
        elif exchange.caller.startswith("reviewer ") and encodings_found(exchange.everything, marks()):
            opened |= codes_in(exchange.answer)
        else:
            assert [] == encodings_found(exchange.everything, marks())
    assert set().union(*_ledgered(run).values()) == sent["owner a"] | sent["owner b"]
    for caller, codes in sent.items():
        assert {SIDES[caller[-1]]} == {code[-1] for code in codes}
    (task,) = run.observed.opened
    assert opened <= _ledgered(run)[task]
    assert 2 == len(opened)


@pytest.mark.parametrize(("party", "other"), [("owner-a", "b"), ("owner-b", "a")])
def test_an_owner_gets_nothing_of_the_other(run: FieldRun, party: str, other: str) -> None:
    """Neither its values nor its ids, in no encoding: of its own, the log holds none either."""
    folder = run.trial.root / party
    lists = list(folder.glob("layer-*.txt"))  # ids that the owner itself wrote down
    assert [] == found_in_files(folder, marks(), but=lists)
    found = codes_in(b"".join(run.contents(party)))
    assert set() == {code for code in found if code[-1] == SIDES[other]}
