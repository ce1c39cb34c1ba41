"""What an owner at work is at, in words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from unveil.cli.owner.lines import count
from unveil.protocol.roles import ATTRIBUTE_UNIT, RECORD_UNIT, REVIEW_UNIT
from unveil.runtime.owner.observer import OwnerPhase, PhaseReport
from unveil.runtime.owner.progress import WishProgress
from unveil.runtime.owner.upload import DIFFER, DIFFER_HINT

NOT_COMPLETE: Final = "waiting for the other owner: its upload is not at the record unit yet, or is not usable"
_WORDS: Final = {
    OwnerPhase.WAITING_FOR_FINGERPRINT: "waiting for the other owner's fingerprint (unveil owner upload, over there)",
    OwnerPhase.FINGERPRINTS_DIFFER: f"{DIFFER}\n{DIFFER_HINT}",
    OwnerPhase.WAITING_FOR_OTHER_UPLOAD: NOT_COMPLETE,
    OwnerPhase.PAUSED: "paused: nothing leaves until unveil owner resume FOLDER",
    OwnerPhase.RULES_UNREADABLE: f"{OwnerPhase.RULES_UNREADABLE.value}: unveil owner check FOLDER",
}


def phase_line(report: PhaseReport, folder: object) -> str:
    """What is being done in that folder."""
    match report.phase:
        case OwnerPhase.ENCODING:
            return f"encoding {report.records:,} records"
        case OwnerPhase.SENDING:
            return f"sending records: {report.parts_arrived} of {report.parts} parts are at the {RECORD_UNIT}"
        case OwnerPhase.WAITING_FOR_APPROVAL:
            return f"{report.waiting} wishes wait for approval: unveil owner approve {folder}"
        case OwnerPhase.WAITING_FOR_REVIEWERS:
            return f"waiting for reviewers: {report.labels:,} of {count(report.budget, 'label')}"
        case phase:
            return _WORDS.get(phase, phase.value).replace("FOLDER", str(folder))


def wishes_line(wishes: Mapping[str, WishProgress]) -> str:
    """By unit, how many wishes were answered and refused, and how many values were sent; empty if none came."""
    pairs, reviews = wishes[str(ATTRIBUTE_UNIT)], wishes[str(REVIEW_UNIT)]
    if not pairs.received:
        return ""
    return (
        f"pairs: {pairs.answered:,} answered, {pairs.refused:,} refused · "
        f"reviews: {reviews.answered:,} answered, {reviews.refused:,} refused, {reviews.values:,} values sent"
    )
