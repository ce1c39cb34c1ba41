"""
What an owner can do with its folder: the one door for the command line, and for whatever else shows it to people.

Nothing here prints. Each call returns a report, raises an UnveilError that says what to do, or, where work was told to
stop, returns None. What happens meanwhile is told to an observer.
"""

from __future__ import annotations

import time
from collections.abc import Iterable
from contextlib import AbstractContextManager
from pathlib import Path

from unveil.joining.join_part import JoinPart
from unveil.projects.membership import owner_membership
from unveil.projects.owner_config import FILE_NAME
from unveil.runtime.assemble import two_owners
from unveil.runtime.owner.answering import AnsweringRun, RunReport
from unveil.runtime.owner.approvals import Approvals, undecided
from unveil.runtime.owner.check import CheckReport, check_report
from unveil.runtime.owner.column_check import ColumnCheck, column_checks, confirm_columns
from unveil.runtime.owner.folder import OwnerFolder, home, load_config
from unveil.runtime.owner.init import InitReport, OwnerFiles, begin
from unveil.runtime.owner.ledger import LedgerReport, ledger_report
from unveil.runtime.owner.observer import OwnerObserver, Unwatched
from unveil.runtime.owner.pause import Pause
from unveil.runtime.owner.progress import OwnerProgress
from unveil.runtime.owner.session import OwnerSession, open_session
from unveil.runtime.owner.status import OwnerStatus, owner_status, unit_answers
from unveil.runtime.owner.stop import StopFlag
from unveil.runtime.owner.upload import OwnerUpload, UploadReport
from unveil.runtime.owner.view import check_unchanged, reading_log, viewing
from unveil.runtime.owner.waiting import WaitingWishes, waiting_wishes
from unveil.runtime.results_quality import ResultsQuality


class OwnerService:
    """One owner's folder. `demonstration` allows what protects nobody: seeds and shared certificates."""

    def __init__(self, folder: Path, *, demonstration: bool = False, observer: OwnerObserver | None = None) -> None:
        self._path, self._demonstration = folder, demonstration
        self._observer: OwnerObserver = observer or Unwatched()

    @property
    def config_file(self) -> Path:
        """Where the folder's configuration stands."""
        return self._path.absolute() / FILE_NAME

    def begin(self, name: str, files: OwnerFiles) -> InitReport:
        """Begin the folder of the owner of that name; its configuration is never replaced."""
        begun = begin(self._path, name, files, demonstration=self._demonstration)
        self._note(begun)
        return InitReport(
            folder=str(self._path),
            project=begun.member.project.name,
            owner=name,
            records=len(begun.records),
            policy=files.policy is not None,
            fingerprint=begun.encoder.fingerprint().hex(),
            project_fingerprint=begun.member.project.fingerprint(),
            doubtful_columns=tuple(one.words for one in column_checks(begun) if one.doubtful),
            notes=begun.own.notes,
            warnings=begun.own.warnings,
        )

    def check(self) -> CheckReport:
        """What would leave. Nothing is sent or written; data that has changed since the linkage began is refused."""
        config = load_config(self._path, demonstration=self._demonstration)
        with self._observer.busy("reading and counting records"):
            folder = OwnerFolder.load(config, demonstration=self._demonstration)
            check_unchanged(folder)
            report = check_report(folder)
        self._note(folder)
        return report

    def confirm(self, columns: Iterable[ColumnCheck]) -> None:
        """Note that a person has seen what speaks against these columns and lets them go all the same."""
        confirm_columns(home(load_config(self._path, demonstration=self._demonstration)), columns)

    def upload(self, stop: StopFlag) -> UploadReport | None:
        """Upload what is not there yet, once the owners agree; None if the stop came first."""
        with self._opened() as session, stop.during_work():
            done = OwnerUpload(session, stop, self._observer).work()
            progress = session.look()
        return UploadReport(progress.records, progress.parts) if done else None

    def run(self, stop: StopFlag) -> RunReport | None:
        """Upload if need be and answer wishes until the links have come; None if the stop came first."""
        with self._opened() as session, stop.during_work():
            done = AnsweringRun(session, stop, self._observer).work()
            progress = session.look()
            if not done:
                return None
            quality = ResultsQuality.of(progress.quality)
            answers = unit_answers(session.folder.member, session.folder.config)
        warnings = tuple(warning for answer in answers.values() for warning in answer.warnings)
        return RunReport(progress.records, progress.wishes_by_unit(), warnings, quality)

    def waiting(self) -> WaitingWishes:
        """What waits for a person's approval and was not answered yet."""
        with viewing(self._path, demonstration=self._demonstration, observer=self._observer) as view:
            if view is None:
                return WaitingWishes()
            answers = Approvals(home(view.folder.config)).given()
            return waiting_wishes(view, undecided(view.machine.waiting(), answers))

    def answer(self, waiting: WaitingWishes, *, granted: bool) -> None:
        """Let these wishes go, as far as the policy allows, or refuse them; whoever runs takes it up."""
        config = load_config(self._path, demonstration=self._demonstration)
        Approvals(home(config)).give(waiting.wishes, granted=granted)

    def pause(self) -> None:
        """Let nothing leave any more until `resume`; it holds for a process that runs already."""
        Pause(home(load_config(self._path, demonstration=self._demonstration))).begin(time.time())

    def resume(self) -> None:
        """Let things leave again, as the policy says."""
        Pause(home(load_config(self._path, demonstration=self._demonstration))).end()

    def status(self) -> OwnerStatus:
        """How far the owner is, what waits, and what the units say."""
        config = load_config(self._path, demonstration=self._demonstration)
        with self._observer.busy("asking the units"):
            return owner_status(config, demonstration=self._demonstration)

    def ledger(self, *, last: int | None = None) -> LedgerReport:
        """What left; with `last`, no more than that many of the latest disclosures."""
        with viewing(self._path, demonstration=self._demonstration, observer=self._observer) as view:
            return LedgerReport() if view is None else ledger_report(view, last=last)

    def links(self) -> list[tuple[str, str]]:
        """The owner's own id and the link id of every record; nothing while the links have not come."""
        with viewing(self._path, demonstration=self._demonstration, observer=self._observer) as view:
            if view is None or not view.machine.linked:
                return []
            found = zip(view.folder.records.ids, view.machine.link_ids, strict=True)
            return [(record, link.hex()) for record, link in found]

    def quality(self) -> ResultsQuality | None:
        """How many links there are and how good they seem; None while that has not come, or if owners are not told."""
        config = load_config(self._path, demonstration=self._demonstration)
        member = owner_membership(config, demonstration=self._demonstration, looking=True)
        with reading_log(config, member.project.name) as log:
            return None if log is None else ResultsQuality.of(OwnerProgress().read(log).quality)

    def join_part(self) -> JoinPart | None:
        """What the owner hands over so that link tables can be joined; None while it has not come."""
        with viewing(self._path, demonstration=self._demonstration, observer=self._observer) as view:
            if view is None or not view.machine.linked:
                return None
            project = view.folder.member.project
            left, right = two_owners(project)
            owner = view.folder.member.address.name
            return view.machine.sealed_links.part(project.name, owner, (left.name, right.name))

    def _opened(self) -> AbstractContextManager[OwnerSession]:
        return open_session(self._path, demonstration=self._demonstration, observer=self._observer)

    def _note(self, folder: OwnerFolder) -> None:
        for note in folder.member.notes:
            self._observer.note(note)
