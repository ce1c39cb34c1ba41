"""`unveil owner` when links will never come: the upload was set aside as a whole, or the project was closed."""

from __future__ import annotations

import csv
import json
from pathlib import Path

from command_line import Done, unveil
from owner_trial import OwnerTrial

from unveil.cli.owner.phase_lines import NOT_COMPLETE
from unveil.runtime.owner.upload_judgement import FILE_NAME


def four_times_over(trial: OwnerTrial) -> None:
    """Let owner a's register hold every person four times."""
    path = trial.trial.data("owner-a")
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, fieldnames=list(rows[0]))
        writer.writeheader()
        writer.writerows({**row, "record_id": f"{row['record_id']}-{at}"} for row in rows[:75] for at in range(4))


def another_folder(trial: OwnerTrial) -> None:
    """A new folder, owner-c, for the same owner."""
    trial.owner("c").mkdir()
    old = (trial.owner("a") / "unveil.toml").read_text()
    (trial.owner("c") / "unveil.toml").write_text(old.replace("owner-a/log.sqlite", "owner-c/log.sqlite"))


def close_record_unit(trial: OwnerTrial) -> Done:
    """As its operator may, in the middle of everything."""
    config = trial.trial.config("record-unit")
    how = ("--yes", "--force", "--demonstration")
    return unveil("project", "close", "simulation", "--role", "record-unit", "--config", config, *how)


def test_an_upload_that_is_set_aside_ends_with_the_reason_and_the_same_folder_goes_on(tmp_path: Path) -> None:
    """Whoever waits for wishes in such an upload waits for ever, and so does the other owner, who must be told."""
    with OwnerTrial(tmp_path / "trial") as trial:
        people = trial.trial.data("owner-a").read_bytes()
        four_times_over(trial)
        trial.start_units()
        other = trial.start("run", "b")
        done = unveil("owner", "upload", trial.owner("a"), "--demonstration")
        assert 1 == done.returncode
        assert "has set the whole upload aside: 100% of the records resemble others" in done.stderr
        assert "mend the data, then run the same command again in the same folder" in done.stderr
        trial.says(other, NOT_COMPLETE)
        (trial.owner("a") / FILE_NAME).unlink()
        for command in ("upload", "run", "run"):  # asks again, remembers, and again after a lost note
            again = unveil("owner", command, trial.owner("a"), "--demonstration")
            assert (1, True) == (again.returncode, "has set the whole upload aside" in again.stderr)
        (trial.owner("a") / FILE_NAME).unlink()
        status = unveil("owner", "status", trial.owner("a"), "--demonstration").stdout
        assert "set aside as a whole by the record unit: 100% of" in status
        assert "next         mend the data, then run the same command again in the same folder" in status
        theirs = unveil("owner", "status", trial.owner("b"), "--demonstration").stdout
        assert NOT_COMPLETE in theirs
        assert "set aside" not in theirs
        assert 1 == unveil("owner", "run", trial.owner("a"), "--demonstration").returncode

        trial.trial.data("owner-a").write_bytes(people)
        another_folder(trial)
        forgot = unveil("owner", "upload", trial.owner("c"), "--demonstration")
        assert (1, True) == (forgot.returncode, "missing in this party's log" in forgot.stderr), "it has no memory"
        assert "in the folder where the linkage began" in forgot.stderr

        done = unveil("owner", "upload", trial.owner("a"), "--demonstration")
        assert (0, "all 300 records are at the record unit\n") == (done.returncode, done.stdout), done.stderr
        assert "it is uploaded anew" in done.stderr
        trial.says(other, "answering wishes")
        status = json.loads(unveil("owner", "status", trial.owner("a"), "--demonstration", "--json").stdout)
        assert (None, None) == (status["set_aside"], status["data"])


def test_a_run_that_uploads_ends_too(tmp_path: Path) -> None:
    """It is the only command that some people know."""
    with OwnerTrial(tmp_path / "trial") as trial:
        four_times_over(trial)
        trial.start_units()
        other = trial.start("upload", "b")
        done = unveil("owner", "run", trial.owner("a"), "--demonstration")
        trial.end(other)
        assert 1 == done.returncode
        assert "has set the whole upload aside" in done.stderr
        assert "waiting for wishes" not in done.stderr


def test_work_ends_when_the_record_unit_closes_the_project(tmp_path: Path) -> None:
    """Links that do not come cannot be waited for; and nobody needs to be asked to run anything."""
    with OwnerTrial(tmp_path / "trial") as trial:
        trial.start_units()
        runs = [trial.start("upload", "a"), trial.start("run", "b")]
        trial.end(runs[0])
        trial.says(runs[1], "answering wishes")
        closed = close_record_unit(trial)
        assert 0 == closed.returncode, closed.stderr
        _, err = trial.end(runs[1], 1)
        assert "the record unit has closed the project" in err
        assert "ask whoever runs the record unit" in err
        for command in ("upload", "run"):
            done = unveil("owner", command, trial.owner("a"), "--demonstration")
            assert (1, True) == (done.returncode, "the record unit has closed the project" in done.stderr), done.stderr
        status = unveil("owner", "status", trial.owner("b"), "--demonstration").stdout
        assert "record unit    closed\n" in status
        assert "next         nothing: the record unit has closed the project" in status


def test_an_upload_that_waits_for_the_other_owner_ends_with_the_project(tmp_path: Path) -> None:
    """The other owner may never come."""
    with OwnerTrial(tmp_path / "trial") as trial:
        trial.start_units()
        lonely = trial.start("upload", "a")
        trial.says(lonely, "waiting for the other owner's fingerprint")
        assert 0 == close_record_unit(trial).returncode
        _, err = trial.end(lonely, 1)
        assert "the record unit has closed the project" in err
