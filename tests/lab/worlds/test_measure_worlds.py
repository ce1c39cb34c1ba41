"""Measuring a world: figures of our own runs and of others on the same records."""

from __future__ import annotations

from dataclasses import replace

import pytest

from unveil.engines import choose
from unveil.lab.worlds import draw_design, make_world
from unveil.lab.worlds.measure import measure, plain_clk


def test_a_clean_world_is_linked_by_everybody() -> None:
    """Where nothing is wrong, every way finds everyone, and the figures say so."""
    design = replace(
        draw_design(13, largest=700),
        attributes=("given_name", "family_name", "date_of_birth", "street"),
        sizes=(400, 400),
        overlap=0.5,
        wrong=(0.0,) * 4,
        missing=(0.0,) * 4,
        moved=0.0,
        renamed=0.0,
        swapped=0.0,
        twice=0.0,
        keys="usual",
        hardening="none",
        habit="none",
        few_names=False,
        linked_before=False,
    )
    world = make_world(design)
    found = measure(world, choose("reference"), budget=20, error=0.0)
    assert 1.0 == found.pairs_completeness
    assert (200, 200) == (found.true_pairs, found.links)
    assert 1.0 == pytest.approx(min(found.opened, found.final, found.plain_clk), abs=0.01)
    assert 1.0 == pytest.approx(found.nothing_opened, abs=0.02)
    assert 1.0 == pytest.approx(found.estimate[1], abs=0.01)


def test_comparing_plain_filters_knows_neither_keys_nor_hardening() -> None:
    """It is what people do who compare everything with everything: the world's own keys must not change it."""
    world = make_world(replace(draw_design(5, largest=400), keys="usual", hardening="none"))
    bare = make_world(replace(draw_design(5, largest=400), keys="none", hardening="xor-fold"))
    assert plain_clk(bare, choose("reference")) == plain_clk(world, choose("reference"))
