"""Three units and two owners as processes give what the simulation gives."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest
from few_people import Both, both, traffic, with_decoys, without_times

from unveil.errors import ProtocolError
from unveil.lab.local_parties.course import CourseProgress
from unveil.lab.local_parties.logs import holdings
from unveil.lab.local_parties.processes import Processes
from unveil.lab.local_parties.replay import Replay
from unveil.lab.simulation.links import different_links, write_links
from unveil.roles.owner.policy import Policy


def check_same(found: Both, folder: Path) -> None:
    """Links byte for byte, the summary, what was sent, and nobody left running."""
    write_links(folder, found.replay)
    assert [] == different_links(folder, found.world)
    assert len(found.world.study.a) == len(found.world.owners[0].link_ids)
    assert without_times(found.expected) == without_times(found.run)
    assert traffic(found.expected) == traffic(found.run)
    assert [] == [pid for pid in found.pids if alive(pid)]


def alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def test_processes_link_as_the_simulation_does(tmp_path: Path) -> None:
    """The same machines with the same seeds: transport, storage and the order of arrival must not matter."""
    found = both(tmp_path / "trial")
    check_same(found, tmp_path)
    assert 20 == len(found.replay.answered)
    held = {one.party: one for one in holdings(found.trial)}
    # Two owners' values for each task, and none of them outlives its label.
    assert 2 * 20 == held["review-unit"].erased
    assert 0 == held["owner-a"].erased

    links = tmp_path / "links-a.csv"
    links.write_bytes(links.read_bytes().replace(b'"\n', b'0"\n', 1))
    assert ["links-a.csv"] == different_links(tmp_path, found.world)

    other = replace(found.replay.settings, seed=found.replay.settings.seed + 1)
    with pytest.raises(ProtocolError, match="owner a holds a decision that this machine would not take"):
        Replay(found.trial, found.replay.study, found.replay.schema, other)


def test_decoys_change_nothing_between_processes_and_simulation(tmp_path: Path) -> None:
    """Decoys are drawn by both units, and what they bring is dropped by the review unit before it is stored."""
    found = both(tmp_path / "trial", with_decoys(0.2))
    check_same(found, tmp_path)
    first = found.run.trajectory[1].reviewed_pairs
    assert 0 < first < found.world.schema.protocol.batches[0]  # fewer are uncertain than a batch would hold
    assert 0 == first % 100  # the wish was filled up with decoys


def test_an_owner_that_refuses_and_a_killed_unit_change_nothing(tmp_path: Path) -> None:
    """Refusals are drawn by task, not by the order in which wishes come; a killed unit goes on from its log."""
    killed: list[int] = []

    def kill(processes: Processes, progress: CourseProgress) -> None:
        if progress.labels and not killed:
            killed.append(processes.pid("review-unit"))
            processes.restart("review-unit")

    policy = ("[answers]\nattribute_unit = 0.8\nreview = 0.7\n", Policy(response_rate_a=0.8, response_rate_c=0.7))
    found = both(tmp_path / "trial", policy_of_a=policy, meanwhile=kill)
    check_same(found, tmp_path)
    assert 1 == len(killed)
    refusals = [flow.messages for flow in found.run.flows if (flow.sender, flow.kind) == ("owner", "Refusal")]
    assert sum(refusals) > 0
