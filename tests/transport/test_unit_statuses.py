"""What units tell about themselves: every field is explained, and whatever comes back can be read."""

from __future__ import annotations

import json
from dataclasses import fields
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unveil.cli.owner.status_lines import status_lines, unit_line
from unveil.protocol.data_warnings import DataWarning, WarningKind
from unveil.protocol.stages import Awaited, CountedKind, StageKind, StageStatus, linkage_stage
from unveil.runtime.owner.status import OwnerStatus, UnitAnswer, UploadProgress
from unveil.runtime.owner.upload_judgement import set_aside_text, upload_status
from unveil.transport.status import (
    STATUSES,
    AttributeUnitStatus,
    RecordUnitStatus,
    ReviewUnitStatus,
    UnitStatus,
    UploadStatus,
    descriptions,
    read_status,
)

KINDS = (UnitStatus, RecordUnitStatus, AttributeUnitStatus, ReviewUnitStatus, UploadStatus)
FULL = (
    RecordUnitStatus(
        project="p", state="open", refused={"owner a": "more than 9 records"}, fingerprints_agree=True,
        uploads_complete=False, comparing=0.25, comparing_left=12.5, finished=False, kept_pairs=7, requested_pairs=3,
        uploads={
            "owner a": UploadStatus(kept_out={"all zeros": 2}, records_set_aside=0, uploads_left=9, uploads_allowed=10),
            "owner b": UploadStatus(
                kept_out={}, set_aside="two records have the same handle", records_set_aside=300, uploads_left=8,
                uploads_allowed=10,
            ),
        },
        warnings=(
            DataWarning(WarningKind.KEY_HARDLY_AGREES, "name+year", {"pairs": 70, "agreeing": 1}),
            DataWarning(WarningKind.FILL_FAR_OFF, "owner a", {"fill": 0.71}),
        ),
    ),
    AttributeUnitStatus(
        project="p", state="open", refused={}, pairs=5, labels=2,
        stage=StageStatus(StageKind.REVIEWING, Awaited.REVIEWERS, CountedKind.LABELS, 37, 100),
        warnings=(DataWarning(WarningKind.ATTRIBUTE_HARDLY_AGREES, "year"),),
    ),
    ReviewUnitStatus(project="p", state="closed", refused={}, open_tasks=0, pending=0),
)  # fmt: skip

plain = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20)
known = sorted({each.name for kind in KINDS for each in fields(kind)})
names = st.sampled_from([*known, "owner a", "more"]) | st.text(max_size=5)
documents = st.recursive(
    plain | st.sampled_from([*STATUSES, "open", "closed"]),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(names, inner, max_size=8),
    max_leaves=40,
)
statuses = st.dictionaries(names, documents, max_size=12).flatmap(
    lambda document: st.sampled_from([*STATUSES, "stranger"]).map(lambda role: {**document, "role": role})
)


@pytest.mark.parametrize("kind", KINDS)
def test_every_field_is_described(kind: type[UnitStatus | UploadStatus]) -> None:
    """The page about the interface is made from this, and a field that nobody explains is misread."""
    found = descriptions(kind)
    assert [each.name for each in fields(kind)] == list(found)
    assert all(found.values())


@pytest.mark.parametrize("status", FULL, ids=lambda status: status.role)
def test_what_was_sent_is_what_is_read(status: UnitStatus) -> None:
    """Through JSON, as between machines."""
    sent = json.loads(json.dumps(status.as_json()))
    assert status == read_status(sent)
    assert [each.name for each in fields(status)] == list(sent)


def test_fields_of_another_release_are_ignored_and_missing_ones_not_known() -> None:
    """Units and owners are not brought up to date in the same minute."""
    assert RecordUnitStatus(finished=True) == read_status({"role": "record unit", "finished": True, "more": {"x": 1}})
    assert UnitStatus(role="stranger", state="open") == read_status({"role": "stranger", "state": "open", "pairs": 5})


@pytest.mark.parametrize(
    ("field", "wrong"),
    [
        ("state", "ajar"), ("project", 5), ("finished", 1), ("finished", "yes"), ("comparing", float("nan")),
        ("comparing", 1.5), ("comparing", True), ("comparing_left", -1), ("comparing_left", "soon"),
        ("kept_pairs", -1), ("kept_pairs", 2**70), ("kept_pairs", 1.0),
        ("kept_pairs", True), ("uploads", []), ("refused", "no"), ("warnings", {}), ("warnings", "key"),
        ("stage", "reviewing"), ("stage", {"kind": "of tomorrow", "waits_for": "owners"}),
        ("stage", {"kind": ["reviewing"], "waits_for": "owners"}), ("stage", {"kind": "reviewing"}),
    ],
)  # fmt: skip
def test_what_is_malformed_is_not_known(field: str, wrong: object) -> None:
    """It must neither crash a command nor pass for something that the unit said."""
    assert getattr(read_status({"role": "record unit", field: wrong}), field) is None


def test_another_partys_texts_cannot_move_the_cursor() -> None:
    """They end on a terminal, and a unit may be hostile."""
    evil = "\x1b[2Jnothing\nhappened" + "x" * 1000
    document = {
        "role": "record unit",
        "refused": {evil: evil},
        "uploads": {"owner a": {"set_aside": evil, "kept_out": {evil: 1}}},
    }
    status = read_status(document)
    upload = upload_status(status, "owner a")
    assert upload is not None
    texts = [*(status.refused or {}), *(status.refused or {}).values(), upload.set_aside, *(upload.kept_out or {})]
    for text in [*texts, set_aside_text(upload), unit_line(UnitAnswer(status))]:
        assert text is not None
        assert text.isprintable()
        assert len(text) <= 350


def test_warnings_of_another_release_are_ignored_and_sentences_are_made_here() -> None:
    """A unit may know kinds that this owner does not, and must not choose the words on its screen."""
    document = {
        "role": "record unit",
        "warnings": [
            {"kind": "of tomorrow", "subject": "x"},
            {"kind": ["key_hardly_agrees"], "subject": "x"},
            {"kind": "key_hardly_agrees"},
            "key_hardly_agrees",
            {
                "kind": "key_hardly_agrees",
                "subject": "name\x1b[2J",
                "figures": {"pairs": float("nan"), "agreeing": 10**400, "more": True},
                "sentence": "send your key to us",
            },
        ],
    }
    status = read_status(document)
    assert isinstance(status, RecordUnitStatus)
    assert (DataWarning(WarningKind.KEY_HARDLY_AGREES, "name[2J"),) == status.warnings
    shown = [line for line in status_lines(owner_status([status]), "hospital-a") if line.startswith("warning ")]
    assert [f"warning      {status.warnings[0].sentence}"] == shown
    assert "send your key" not in shown[0]


def owner_status(answers: list[UnitStatus]) -> OwnerStatus:
    record_unit = answers[0]
    return OwnerStatus(
        project="p", owner="a", prepared=True, records=5, fingerprint_shown=True, agreed=None, data=None,
        upload=UploadProgress(1, 1), set_aside=set_aside_text(upload_status(record_unit, "owner a")) or None,
        closed=record_unit.closed, complete=None, wishes={}, waiting_for_approval=0, approvals_to_take_up=0,
        messages_to_send=0, paused=False, links=False, quality=None,
        linkage=linkage_stage({str(each.role): each.stage for each in answers if each.stage}),
        units={str(at): UnitAnswer(each) for at, each in enumerate(answers)},
    )  # fmt: skip


@given(st.lists(documents | statuses, min_size=1, max_size=3))
def test_no_document_of_a_unit_crashes_the_status_command(answers: list[Any]) -> None:
    """Whatever a broken or hostile unit answers, the owner sees the rest."""
    status = owner_status([read_status(each) for each in answers])
    for line in status_lines(status, "hospital-a"):
        assert line.isprintable()
    for each in (status.as_json(), *(read_status(document).as_json() for document in answers)):
        json.dumps(each, allow_nan=False)
    assert [read_status(each) for each in answers] == [read_status(read_status(each).as_json()) for each in answers], (
        "what was read is read again as the same"
    )
