"""A small linkage with many steps, and the undisturbed run of it that every disturbed one must equal."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from unveil.engines import choose
from unveil.lab.evaluation.dataset import read_dataset
from unveil.lab.local_parties import folder
from unveil.lab.local_parties.folder import OWNERS, Trial
from unveil.lab.simulation.study import Study, simulation_key
from unveil.lab.simulation.world import SimulationSettings, World
from unveil.lab.synthetic import generate, write
from unveil.schema import Schema, built_in
from unveil.schema.presets import with_preset

#: Bytes of one part of an upload, in the parties that the zygote starts: a dozen parts for 300 people.
PART = 5_000


def small_schema(*, batches: tuple[int, ...] = (8,) * 12, budget: int = 40, reviews: int = 20) -> Schema:
    """Few pairs in many batches, hardly any of them certain, and many rounds of review."""
    schema = with_preset(built_in("person"), "unveil", budget=budget)
    review = schema.protocol.review.model_copy(update={"batches": reviews})
    changes = {"batches": batches, "p_t": 0.9999, "review": review}
    return schema.model_copy(update={"protocol": schema.protocol.model_copy(update=changes)})


@dataclass(frozen=True)
class SmallTrial:
    """A trial's folder, and the simulation with the same seed."""

    trial: Trial
    world: World

    @property
    def links(self) -> dict[str, list[bytes]]:
        """The link ids that each owner must get."""
        return {name: owner.link_ids for name, owner in zip(OWNERS, self.world.owners, strict=True)}


def new_trial(
    root: Path,
    *,
    seed: int,
    people: int = 300,
    schema: Schema | None = None,
    databases: Mapping[str, str] | None = None,
) -> SmallTrial:
    """Invent people, write the trial's folder and run the simulation to its end."""
    schema = schema or small_schema()
    (root / "people").mkdir(parents=True)
    write(generate(records=people, overlap=0.3, errors=2, seed=seed), root / "people")
    trial = folder.make(root, schema, seed=seed, key=simulation_key(seed).secret, databases=databases)
    study = Study("small", schema, *read_dataset(root / "people", schema), choose(), seed=seed)
    world = World(study, schema, SimulationSettings(seed=seed))
    world.run()
    return SmallTrial(trial, world)
