"""`unveil owner` before anything is sent: a folder is begun and checked, and what there is to see is seen."""

from __future__ import annotations

import csv
import json
import os
import stat
from collections import Counter
from pathlib import Path

import pytest
from command_line import Done, unveil
from owner_trial import OwnerTrial

from unveil.projects.owner_config import OwnerConfig
from unveil.protocol import codec
from unveil.protocol.messages import ID, KEY_PAIR, EncodingWish
from unveil.protocol.roles import RECORD_UNIT
from unveil.roles.owner.ledger import ATTRIBUTE_LAYER
from unveil.runtime.claim import Claim
from unveil.runtime.owner.approvals import Approvals
from unveil.runtime.owner.folder import OwnerFolder
from unveil.runtime.owner.session import open_session
from unveil.schema.most_asked import MostAsked

POLICY = """
approval = "review"
[consent]
otherwise = 2
[[consent.lists]]
file = "agreed.txt"
layer = 3
[[consent.lists]]
file = "withdrawn.txt"
layer = 1
[attributes]
never_shown = ["zip"]
never_encoded = ["middle_name"]
[review]
smallest_k = 2
[caps.record]
pairs = 7
[caps.project]
values = 40
"""


@pytest.fixture(scope="module")
def trial(tmp_path_factory: pytest.TempPathFactory) -> OwnerTrial:
    return OwnerTrial(tmp_path_factory.mktemp("owner"))


def people(trial: OwnerTrial) -> list[dict[str, str]]:
    with (trial.root / "people" / "a.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def begin(trial: OwnerTrial, folder: Path, *more: str | Path, name: str = "a", data: Path | None = None) -> Done:
    root = trial.root
    return unveil(
        "owner", "init", folder, "--project", root / "project.toml", "--name", name,
        "--data", data or root / "people" / "a.csv", "--key", root / "project.key",
        "--certificate", root / "pki" / "owner-a.pem", "--tls-key", root / "pki" / "owner-a.key",
        "--authority", root / "pki" / "authority.pem", *more,
    )  # fmt: skip


def test_a_folder_is_begun(trial: OwnerTrial, tmp_path: Path) -> None:
    """The configuration can be moved with its files, is private, and both fingerprints can be read aloud."""
    done = begin(trial, tmp_path / "a")
    assert 0 == done.returncode, done.stderr
    config = tmp_path / "a" / "unveil.toml"
    assert 0o600 == stat.S_IMODE(config.stat().st_mode)
    assert str(trial.root) not in config.read_text()
    key = unveil("key", "fingerprint", trial.root / "project.key", "--project", trial.root / "project.toml")
    assert key.stdout.strip() in done.stdout
    assert trial.trial.project().fingerprint() in done.stdout
    assert "unveil owner check" in done.stderr
    assert 0 == unveil("owner", "check", tmp_path / "a").returncode


def test_a_configuration_is_never_replaced(trial: OwnerTrial, tmp_path: Path) -> None:
    """It decides where the ledger is; to lose it is to lose count."""
    (tmp_path / "unveil.toml").write_text("mine")
    done = begin(trial, tmp_path)
    assert 1 == done.returncode
    assert "exists already" in done.stderr
    assert "mine" == (tmp_path / "unveil.toml").read_text()


def test_nothing_is_written_when_something_is_wrong(trial: OwnerTrial, tmp_path: Path) -> None:
    """A half-begun folder would be taken for a sound one."""
    stranger = begin(trial, tmp_path / "b", name="b")
    assert 1 == stranger.returncode
    assert "is that of the owner a" in stranger.stderr
    assert str(tmp_path / "b" / "unveil.toml") in stranger.stderr
    missing = begin(trial, tmp_path / "b", data=tmp_path / "none.csv")
    assert 1 == missing.returncode
    assert "no such file" in missing.stderr
    (tmp_path / "canary.csv").write_text("record_id,other\n1,CANARY\n")
    unfit = begin(trial, tmp_path / "b", data=tmp_path / "canary.csv")
    assert 1 == unfit.returncode
    assert "CANARY" not in unfit.stderr
    assert [tmp_path / "canary.csv"] == list(tmp_path.iterdir())


@pytest.mark.skipif(os.name != "posix", reason="file modes")
def test_a_key_that_others_can_read_is_refused(trial: OwnerTrial, tmp_path: Path) -> None:
    """Whoever else has it can undo the encodings."""
    (tmp_path / "open.key").write_bytes((trial.root / "project.key").read_bytes())
    (tmp_path / "open.key").chmod(0o644)
    done = begin(trial, tmp_path / "a", "--key", tmp_path / "open.key")
    assert 1 == done.returncode
    assert "others on this machine can read it" in done.stderr
    assert not (tmp_path / "a").exists()


def test_keys_of_pairs_are_bound_unless_a_seed_makes_them_everybodys(tmp_path: Path) -> None:
    """In the field nothing is ever encoded under a key that another project file or run could have."""
    trial = OwnerTrial(tmp_path / "trial")
    assert 0 == begin(trial, tmp_path / "a").returncode
    assert OwnerFolder.load(OwnerConfig.load(tmp_path / "a")).encoder.bound
    seeded = OwnerConfig.load(trial.owner("a"), demonstration=True)
    assert not OwnerFolder.load(seeded, demonstration=True).encoder.bound


def test_check_tells_what_would_leave(trial: OwnerTrial, tmp_path: Path) -> None:
    """Every limit of the policy and every count, against counts that are made here another way."""
    rows = people(trial)
    ids = [row["record_id"] for row in rows]
    (tmp_path / "policy.toml").write_text(POLICY)
    (tmp_path / "agreed.txt").write_text("\n".join(ids[:50]))
    (tmp_path / "withdrawn.txt").write_text("\n".join(ids[40:60]))
    assert 0 == begin(trial, tmp_path / "a", "--policy", tmp_path / "policy.toml").returncode
    told = json.loads(unveil("owner", "check", tmp_path / "a", "--json").stdout)
    assert len(rows) == told["record_unit"]["records"]
    schema = trial.trial.project().linkage
    assert schema.layer_r.length == told["record_unit"]["bits"]
    assert [key.name for key in schema.blocking] == [key["key"] for key in told["record_unit"]["blocking_keys"]]
    pairs, reviews = told["attribute_unit"], told["review_unit"]
    most = MostAsked.of(schema.protocol)  # what the policy leaves open, the project file bounds
    assert (len(rows) - 20, False, {"pairs per record": 7, "pairs in all": most.pairs}) == (
        pairs["records"], pairs["approval"], {key: cap for key, cap in pairs["caps"].items() if cap},
    )  # fmt: skip
    assert ["middle_name"] == pairs["never_encoded"]
    assert (40, True, {"reviews per record": most.record_pairs, "values in all": 40}, 2) == (
        reviews["records"], reviews["approval"], {key: cap for key, cap in reviews["caps"].items() if cap},
        reviews["smallest_k"],
    )  # fmt: skip
    assert ["middle_name", "zip"] == reviews["never_shown"]
    for each in told["attributes"]:
        values = Counter(row[each["attribute"]] for row in rows)
        missing = values.pop("", 0)
        expected = [len(values), missing, max(values.values())]
        assert expected == [each["distinct"], each["missing"], each["most_frequent"]]
    combinations = Counter(tuple(row[name] for name in schema.names) for row in rows)
    assert sum(count == 1 for count in combinations.values()) == told["unique_records"]


def test_check_counts_the_blocking_groups(trial: OwnerTrial) -> None:
    """Groups are what the record unit can count too, so they are counted as it does: by the key, not by the value."""
    told = json.loads(unveil("owner", "check", trial.owner("a"), "--demonstration", "--json").stdout)
    by_name = {key["key"]: key for key in told["record_unit"]["blocking_keys"]}
    groups = Counter((row["last_name"].lower(), row["year_of_birth"]) for row in people(trial) if row["last_name"])
    found = by_name["last_name+year_of_birth"]
    assert sorted(groups.values(), reverse=True)[:3] == found["largest"]
    assert len(groups) == found["groups"]


def test_check_shows_no_value_and_changes_nothing(trial: OwnerTrial, tmp_path: Path) -> None:
    """It is read over shoulders and pasted into tickets."""
    names = trial.trial.project().linkage.names
    data = tmp_path / "canaries.csv"
    data.write_text(f"record_id,{','.join(names)}\n" + f"CANARY,{','.join(['CANARY'] * len(names))}\n")
    assert 0 == begin(trial, tmp_path / "a", data=data).returncode
    before = sorted((tmp_path / "a").iterdir())
    for more in ([], ["--json"]):
        done = unveil("owner", "check", tmp_path / "a", *more)
        assert 1 == done.returncode, "a word is no year of birth"
        assert "canary" not in (done.stdout + done.stderr).lower()
    assert before == sorted((tmp_path / "a").iterdir())


def test_before_anything_was_sent_there_is_little_to_tell(trial: OwnerTrial) -> None:
    """Each command says so instead of failing, but for the results, which a script should try again later."""
    folder = trial.owner("a")
    told = json.loads(unveil("owner", "status", folder, "--demonstration", "--json").stdout)
    assert (False, None, False) == (told["prepared"], told["agreed"], told["links"])
    assert {"record unit", "attribute unit", "review unit"} == set(told["units"])
    assert not any(unit["reachable"] for unit in told["units"].values())
    assert f"unveil owner upload {folder}" in unveil("owner", "status", folder, "--demonstration").stdout
    assert "nothing has left yet\n" == unveil("owner", "ledger", folder, "--demonstration").stdout
    assert "nothing waits for approval\n" == unveil("owner", "approve", folder, "--demonstration").stdout
    Path(trial.trial.database("owner-a").removeprefix("sqlite:///")).touch(
        mode=0o600
    )  # another process is just making it
    assert "nothing has left yet\n" == unveil("owner", "ledger", folder, "--demonstration").stdout
    done = unveil("owner", "results", folder, "--out", trial.root / "early.csv", "--demonstration")
    assert 75 == done.returncode
    assert "the links have not come yet" in done.stderr
    assert not (trial.root / "early.csv").exists()


def test_a_seed_needs_a_demonstration(trial: OwnerTrial) -> None:
    """Who knows the seed knows every handle."""
    done = unveil("owner", "upload", trial.owner("a"))
    assert 1 == done.returncode
    assert "--demonstration" in done.stderr


def test_a_folder_without_configuration_says_how_to_get_one(tmp_path: Path) -> None:
    """The commonest slip is a wrong folder."""
    done = unveil("owner", "check", tmp_path)
    assert 1 == done.returncode
    assert "unveil owner init" in done.stderr


@pytest.mark.parametrize("command", ["upload", "run"])
def test_one_process_works_with_a_folder_at_a_time(trial: OwnerTrial, command: str) -> None:
    """Two that answer the same wishes would spend the caps twice, in a demonstration too."""
    claim = Claim(trial.owner("b"), "owner b")
    try:
        done = unveil("owner", command, trial.owner("b"), "--demonstration")
    finally:
        claim.release()
    assert 1 == done.returncode
    assert "another process is at work" in done.stderr


def test_a_word_that_was_taken_up_before_a_crash_changes_nothing_after_it(tmp_path: Path) -> None:
    """The decision is in the log, but the process died before it removed the file."""
    trial = OwnerTrial(tmp_path / "trial", policies={"owner-a": 'approval = "all"\n'})
    approvals = Approvals(trial.owner("a"))
    with open_session(trial.owner("a"), demonstration=True) as session:
        host = session.host
        host.advance()
        handles = host.look(lambda owner: owner._handles)
        assert handles is not None
        for number in (1, 2):
            wish = EncodingWish(
                0, host.machine.upload_id, bytes([number] * ID), handles.column[:ID], bytes([number] * KEY_PAIR)
            )
            host.take(RECORD_UNIT, f"wish-{number}", codec.encode(wish))
        first, second = host.machine.waiting()
        word = approvals.give([first], granted=True)
        kept = word.read_bytes()
        assert approvals.take_up(host)
        host.advance()
        assert [second] == host.machine.waiting()
        before = host.log.head
        word.write_bytes(kept)
        assert approvals.take_up(host)
        host.advance()
        assert before == host.log.head
        assert not word.exists()
        assert 1 == host.machine.ledger.pairs(ATTRIBUTE_LAYER)
        assert not approvals.take_up(host)


def test_a_database_that_others_can_read_is_refused_with_the_cure(trial: OwnerTrial) -> None:
    """Whether a command works on it or only looks."""
    folder = trial.owner("a")
    database = Path(trial.trial.database("owner-a").removeprefix("sqlite:///"))
    database.touch(mode=0o600)
    database.chmod(0o644)
    for command in ("ledger", "run"):
        done = unveil("owner", command, folder, "--demonstration")
        assert (1, True) == (done.returncode, f"hint: chmod 600 {database}" in done.stderr)
    assert 0 == database.stat().st_size
