"""`unveil owner` with real units: uploads and runs that are interrupted, and what has left when all is done."""

from __future__ import annotations

import csv
import io
import json
import signal
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from command_line import Done, unveil
from owner_trial import OwnerTrial

from console_site import ConsoleAddress, ConsoleCaller
from patience import wait_until
from unveil.cli.owner import stopping
from unveil.files import key_file as keyfile
from unveil.protocol.machine import Erased
from unveil.protocol.messages import ID, AttributeEncodings, Message, Refusal
from unveil.roles.owner import machine
from unveil.roles.record_unit.told_quality import OFF_BY
from unveil.transport.failures import Unreachable
from unveil.transport.http.client import UnitClient

FEW = """
[consent]
otherwise = 3
[[consent.lists]]
file = "withdrawn.txt"
layer = 1
[attributes]
never_shown = ["zip"]
[caps.record]
pairs = 1
[caps.project]
values = 4
"""


def owner(command: str, trial: OwnerTrial, name: str, *more: str | Path) -> Done:
    done = unveil("owner", command, trial.owner(name), "--demonstration", *more)
    assert "Traceback" not in done.stderr
    return done


def told(command: str, trial: OwnerTrial, name: str, *more: str) -> Any:
    done = owner(command, trial, name, "--json", *more)
    assert 0 == done.returncode, done.stderr
    return json.loads(done.stdout)


def rows_of(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@pytest.fixture
def trial(tmp_path: Path) -> Iterator[OwnerTrial]:
    with OwnerTrial(tmp_path / "trial") as made:
        yield made


def test_a_linkage_through_the_commands_with_units_that_go_away(trial: OwnerTrial) -> None:
    """Whatever is interrupted goes on where it was, and the ledger is what the units got."""
    early = trial.start("upload", "a")
    trial.says(early, "cannot be reached")
    again = owner("upload", trial, "a")
    assert 1 == again.returncode
    assert "another process is at work" in again.stderr
    early.send_signal(signal.SIGINT)
    _, err = trial.end(early, 130)
    assert "unveil owner upload" in err
    trial.start_units()
    lonely = trial.start("upload", "a")
    trial.says(lonely, "waiting for the other owner's fingerprint")
    assert told("status", trial, "a")["agreed"] is None
    assert 0 == owner("upload", trial, "b").returncode
    out, _ = trial.end(lonely)
    assert "all 300 records are at the record unit\n" == out
    standing = told("status", trial, "a")
    assert {"parts": 1, "acknowledged": 1} == standing["upload"]
    assert 0 == standing["wishes"]["attribute unit"]["received"], "an upload answers no wish"
    # A unit that takes its time is told about as not reachable.
    wait_until(lambda: told("status", trial, "a")["units"]["record unit"].get("fingerprints_agree"), "it says so too")

    first = trial.start("run", "a")
    trial.says(first, "answering wishes")
    trial.kill_units()
    trial.says(first, "record unit: ")
    first.send_signal(signal.SIGTERM)
    _, err = trial.end(first, 143)
    assert "nothing is lost" in err
    trial.start_units()
    runs = [trial.start("run", name) for name in "ab"]
    waiting = "linkage      pairs are reviewed; waits for reviewers, 0 of 20 labels"
    wait_until(lambda: waiting in owner("status", trial, "a").stdout, "an owner sees whom the linkage waits for")
    trial.start_reviewer()
    for process in runs:
        out, _ = trial.end(process)
        assert "the links of 300 records have come" in out
    assert [] == told("run", trial, "a")["warnings"], "a run after the end ends at once, and nothing looks wrong"
    wait_until(lambda: told("status", trial, "a")["units"]["record unit"].get("warnings") == [], "an owner is told so")
    assert ("finished", "nobody") == tuple(told("status", trial, "a")["linkage"][key] for key in ("kind", "waits_for"))
    _check_results(trial)
    for name in "ab":
        _check_ledger(trial, name)
    _check_privacy_report(trial)


def ids_of(messages: list[Message]) -> set[str]:
    """The pairs or tasks that were disclosed. What was erased since has left what it was about."""
    columns = [one.pair_ids if isinstance(one, AttributeEncodings) else one.ids for one in messages
               if isinstance(one, AttributeEncodings | Erased)]  # fmt: skip
    return {column[at : at + ID].hex() for column in columns for at in range(0, len(column), ID)}


def _check_results(trial: OwnerTrial) -> None:
    links = {}
    for name in "ab":
        out = trial.root / f"links-{name}.csv"
        assert 0 == owner("results", trial, name, "--out", out, "--join", trial.root / f"{name}.join").returncode
        assert 1 == owner("results", trial, name, "--out", out).returncode, "it is not replaced unasked"
        assert 0 == owner("results", trial, name, "--out", out, "--force").returncode
        people = [row["record_id"] for row in rows_of(trial.trial.data(f"owner-{name}"))]
        assert people == [row["record_id"] for row in rows_of(out)]
        links[name] = {row["link_id"] for row in rows_of(out)}
        assert {32} == {len(link) for link in links[name]}
    assert set() == links["a"] & links["b"], "no owner has an id of the other's"
    parts, pairs = [trial.root / f"{name}.join" for name in "ab"], trial.root / "pairs.csv"
    assert 1 == unveil("join", "pairs", parts[0], "--out", pairs).returncode, "one owner alone opens nothing"
    assert 0 == unveil("join", "pairs", *parts, "--out", pairs).returncode
    assert 50 < len(rows_of(pairs)) <= 100
    for name in "ab":
        assert {row[f"link_id_{name}"] for row in rows_of(pairs)} <= links[name]
    _check_quality(trial, len(rows_of(pairs)))


def _check_quality(trial: OwnerTrial, pairs: int) -> None:
    """Both owners are told about how many links there are, and of so few no figure; whoever joins knows it exactly."""
    told_to = [json.loads((trial.root / f"links-{name}.quality.json").read_text()) for name in "ab"]
    nothing = {"trusted": None, "precision": None, "recall": None, "f1": None}
    assert told_to[0] == told_to[1] == {"links": told_to[0]["links"], "links_off_by": OFF_BY, **nothing}
    assert abs(told_to[0]["links"] - pairs) < 10 * OFF_BY
    assert told_to[0] == told("status", trial, "a")["quality"]
    assert f"quality      about {told_to[0]['links']} links" in owner("status", trial, "a").stdout
    joined = json.loads((trial.root / "pairs.quality.json").read_text())
    assert (pairs, 0) == (joined["links"], joined["links_off_by"])
    for figure in ("precision", "recall", "f1"):
        low, point, high = joined[figure]
        assert 0.5 < low <= point <= high <= 1
    assert joined["trusted"] in (True, False)


def _check_ledger(trial: OwnerTrial, name: str) -> None:
    """Totals, entries and CSV agree with the units' logs."""
    book = told("ledger", trial, name, "--csv", str(trial.root / f"ledger-{name}.csv"))
    entries = book["entries"]
    assert entries == rows_of(trial.root / f"ledger-{name}.csv")
    pairs = ids_of(trial.received("attribute-unit", name))
    assert pairs == {entry["id"] for entry in entries if entry["unit"] == "attribute unit"}
    assert len(pairs) == book["attribute_unit"]["disclosures"] > 0
    tasks = ids_of(trial.received("review-unit", name))
    assert tasks == {entry["id"] for entry in entries if entry["unit"] == "review unit"}
    assert len(tasks) == book["review_unit"]["disclosures"] > 0
    attributes = Counter(each for entry in entries if entry["unit"] == "review unit"
                         for each in entry["attributes"].split())  # fmt: skip
    shown = {key: each["values"] for key, each in book["review_unit"]["attributes"].items() if each["values"]}
    assert dict(attributes) == shown
    assert sum(shown.values()) == book["review_unit"]["values"]
    assert sum(day["values"] for day in book["review_unit"]["days"].values()) == book["review_unit"]["values"]
    assert 0 < book["kapr"]["mean"] <= book["kapr"]["worst"] <= 1
    people = {row["record_id"] for row in rows_of(trial.trial.data(f"owner-{name}"))}
    assert {entry["record_id"] for entry in entries} <= people


def _check_privacy_report(trial: OwnerTrial) -> None:
    """It says what the ledger says, and holds no value and no id of any record."""
    book, out = told("ledger", trial, "a"), trial.root / "privacy.html"
    done = unveil("privacy", "report", trial.owner("a"), "--demonstration", "--people", "100", "--out", out)
    assert 0 == done.returncode, done.stderr
    found = json.loads(out.with_suffix(".json").read_text(encoding="utf-8"))["disclosed"]
    assert found["real"]
    assert book["record_unit"]["records"] == found["uploaded"]
    for left, unit in zip(found["left"], ("attribute_unit", "review_unit"), strict=True):
        assert [book[unit][key] for key in ("disclosures", "values")] == [left["disclosures"], left["values"]]
        assert {name: one["records"] for name, one in book[unit]["attributes"].items()} == left["by_attribute"]
    assert [book["kapr"]["records"], book["kapr"]["smallest_k"]] == [
        found["risk"]["records"],
        found["risk"]["smallest_k"],
    ]
    assert found["risk"]["records"] == sum(one["records"] for one in found["together"])
    page = out.read_text(encoding="utf-8").casefold() + json.dumps(found).casefold()
    for row in rows_of(trial.trial.data("owner-a")):
        assert not [value for value in row.values() if len(value) > 4 and f">{value.casefold()}<" in page]
        assert row["record_id"].casefold() not in page
        assert row["last_name"].casefold() not in page.split() or len(row["last_name"]) < 6


def test_an_upload_in_parts_sends_each_part_once(trial: OwnerTrial, monkeypatch: pytest.MonkeyPatch) -> None:
    """A million records take many parts; an interruption must not send those again that have arrived."""
    monkeypatch.setattr(machine, "PART", 16_000)
    trial.start_units()
    other = trial.start("upload", "b")
    sent: list[str] = []
    stops: list[stopping.TerminalStop] = []
    put = UnitClient.put

    class Known(stopping.TerminalStop):
        def __init__(self) -> None:
            super().__init__()
            stops.append(self)

    def counted(client: UnitClient, message_id: str, frame: bytes) -> None:
        if cut and 3 == len(sent):  # the fingerprint and two parts
            # As a Ctrl-C does; a real one might come to whatever this process does next.
            stops[0].interrupt(signal.SIGINT)
            raise Unreachable(client.address, "somebody pulled the plug")
        put(client, message_id, frame)
        sent.append(message_id)

    cut = True
    monkeypatch.setattr(stopping, "TerminalStop", Known)
    monkeypatch.setattr(UnitClient, "put", counted)
    assert 130 == owner("upload", trial, "a").returncode
    upload = told("status", trial, "a")["upload"]
    assert {"parts": 6, "acknowledged": 2} == upload
    cut = False
    assert 0 == owner("upload", trial, "a").returncode
    assert len(set(sent)) == len(sent) == upload["parts"] + 1
    assert 0 == owner("upload", trial, "a").returncode, "an upload after the end ends at once"
    assert len(sent) == upload["parts"] + 1
    trial.end(other)


def test_owners_with_different_keys_are_told_and_can_mend_it(trial: OwnerTrial) -> None:
    """Nothing is uploaded under a wrong key; the right one makes it good without a new folder."""
    right = trial.root / "right.key"
    (trial.root / "project.key").rename(right)
    keyfile.new(trial.root / "wrong.key")
    (trial.root / "project.key").symlink_to(right)
    config = trial.owner("b") / "unveil.toml"
    config.write_text(config.read_text().replace("../project.key", "../wrong.key"))
    trial.start_units()
    other = trial.start("upload", "b")
    done = owner("upload", trial, "a")
    _, err = trial.end(other, 1)
    for text in (done.stderr, err):
        assert "keys or parameters differ; nothing was uploaded" in text
        assert "unveil key fingerprint" in text
    assert 1 == done.returncode
    assert told("status", trial, "a")["agreed"] is False
    assert 1 == owner("upload", trial, "a").returncode, "nothing has changed yet"
    assert [] == [one for one in trial.received("record-unit", "a") if len(one)], "no record was sent"
    config.write_text(config.read_text().replace("../wrong.key", "../project.key"))
    trial.end(trial.start("upload", "b"))
    assert 0 == owner("upload", trial, "a").returncode
    assert told("status", trial, "a")["agreed"] is True
    config.write_text(config.read_text().replace("../project.key", "../wrong.key"))
    late = owner("run", trial, "b")
    assert 1 == late.returncode
    assert "has changed since the owners agreed" in late.stderr


def test_policy_and_approval_decide_what_leaves(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Caps, consent and a person's word hold over a whole run, and the ledger shows how far they were used."""
    policies = {"owner-a": f'approval = "all"\n{FEW}', "owner-b": 'approval = "review"\n'}
    with OwnerTrial(tmp_path / "trial", policies=policies) as trial:
        people = [row["record_id"] for row in rows_of(trial.trial.data("owner-a"))]
        (trial.owner("a") / "withdrawn.txt").write_text("\n".join(people[::3]))
        trial.start_units()
        trial.start_reviewer()
        runs = {name: trial.start("run", name) for name in "ab"}
        trial.says(runs["a"], "wait for approval")
        assert told("status", trial, "a")["waiting_for_approval"] > 0
        assert 0 == told("ledger", trial, "a")["attribute_unit"]["disclosures"], "nothing goes before it is approved"
        monkeypatch.setattr(sys, "stdin", io.StringIO("n\n"))
        hesitant = owner("approve", trial, "a")
        assert 1 == hesitant.returncode
        assert "the wishes keep waiting" in hesitant.stderr
        asked = told("approve", trial, "a", "--yes")["waiting"]["attribute unit"]
        assert asked["wishes"] >= asked["records"] > 0
        assert asked["attributes"]["zip"]["asked"] == asked["wishes"] > asked["attributes"]["zip"]["may_go"]

        runs["a"].kill()  # what is answered now is taken up by the next one
        runs["a"].communicate()
        with _at_the_console(trial, "a") as caller:
            answered = caller.answer_groups("approve")
            wait_until(
                lambda: "The record unit answers." in caller.http.get("").text, "the units have answered the console"
            )
            assert "No process is at work in this folder." in caller.http.get("").text
            runs["a"] = trial.start("run", "a")

            def decided() -> bool:
                nonlocal answered
                answered += caller.answer_groups("approve")
                owner("approve", trial, "b", "--yes", "--refuse")
                return all(process.poll() is not None for process in runs.values())

            wait_until(decided, "both runs have ended")
            text = "".join(caller.http.get(path).text for path in ("", "/wishes", "/rules", "/ledger"))
            assert answered > 1
            assert "The results have come. This console never shows them." in text
        for process in runs.values():
            trial.end(process)
        owner("results", trial, "a", "--out", tmp_path / "links.csv")
        links = {row["link_id"] for row in rows_of(tmp_path / "links.csv")}
        assert len(people) >= len(links) > 0
        assert not any(link in text for link in links), "no outcome is shown"
        _check_policy(trial, people)


@contextmanager
def _at_the_console(trial: OwnerTrial, name: str) -> Iterator[ConsoleCaller[ConsoleAddress]]:
    """Somebody at the console, which is a process beside whatever runs; Ctrl-C stops it and nothing else."""
    process = trial.start("console", name)
    assert process.stdout is not None
    caller = ConsoleCaller(ConsoleAddress(process.stdout.readline().strip()))
    assert 303 == caller.join().status_code
    yield caller
    caller.http.close()
    process.send_signal(signal.SIGINT)
    trial.end(process)


def _check_policy(trial: OwnerTrial, people: list[str]) -> None:
    mine, theirs = told("ledger", trial, "a"), told("ledger", trial, "b")
    assert set() == {entry["record_id"] for entry in mine["entries"]} & set(people[::3])
    assert {"limit": 1, "used": 1} == mine["attribute_unit"]["caps"]["pairs per record"]
    assert 4 == mine["review_unit"]["caps"]["values in all"]["limit"]
    assert mine["review_unit"]["caps"]["values in all"]["used"] == mine["review_unit"]["values"] <= 4
    assert 0 == mine["review_unit"]["attributes"]["zip"]["values"]
    assert mine["attribute_unit"]["refused"] > 0
    assert 0 == theirs["review_unit"]["disclosures"] == theirs["review_unit"]["values"]
    refused = [one for one in trial.received("review-unit", "b") if isinstance(one, Refusal)]
    assert theirs["review_unit"]["refused"] == sum(map(len, refused)) > 0
    text = owner("ledger", trial, "a").stdout
    assert "cap on pairs per record: 1 of 1 used" in text
    assert "nothing waits for approval\n" == owner("approve", trial, "a").stdout
