"""From a project file to machines: the same ones that the simulation runs."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from unveil.errors import SettingError, StorageError
from unveil.joining.terms import JoinTerms
from unveil.linkage.engine import Neighbours, comparing
from unveil.linkage.model import similarity_alone
from unveil.projects.project import Project
from unveil.protocol.roles import Address, Role
from unveil.roles.chance import Chance, SeededChance
from unveil.runtime.comparison_cache import ComparisonCache
from unveil.runtime.system_chance import system_chance
from unveil.storage.cache import Cache
from unveil.storage.columns_on_disk import MEMORY, ColumnsOnDisk
from unveil.storage.log.log import ProjectLog

if TYPE_CHECKING:
    from unveil.roles.attribute_unit.machine import AttributeUnit
    from unveil.roles.record_unit.machine import RecordUnit
    from unveil.roles.review_unit.machine import ReviewUnit

    UnitMachine = RecordUnit | AttributeUnit | ReviewUnit


def chance_of(party: Address, seed: int | None) -> Chance:
    """The operating system's chance; in a demonstration, one that follows from a seed."""
    return system_chance if seed is None else SeededChance(seed, str(party))


def unit_machine(
    role: Role,
    project: Project,
    log: ProjectLog,
    *,
    data: Path,
    seed: int | None,
    engine: str = "auto",
    memory: int = MEMORY,
) -> Callable[[], UnitMachine]:
    """
    How to build a unit's machine for a project; `data` is the folder for what is cached until it is closed.

    The record unit compares with the engine of that name. What it found is the same with any other, so that a cache
    serves them all. Columns of pairs that take more than `memory` bytes lie in `data`.
    """
    owners = two_owners(project)
    chance = chance_of(Address(role.value), seed)
    match role:
        case Role.RECORD_UNIT:
            cache = Cache(cache_folder(data, project.name), wanted=lambda: _is_open(log))
            room = ColumnsOnDisk(data / "columns" / project.name, memory=memory)
            return lambda: _record_unit(project, owners, chance, cache, engine=engine, room=room)
        case Role.ATTRIBUTE_UNIT:
            return lambda: _attribute_unit(project, owners, chance)
        case Role.REVIEW_UNIT:
            return lambda: _review_unit(project, owners, chance)
        case Role.OWNER:
            raise SettingError("an owner is no unit")


def cache_folder(data: Path, project: str) -> Path:
    """Where the record unit keeps expensive results of a project."""
    return data / "cache" / project


def two_owners(project: Project) -> tuple[Address, Address]:
    """The owners whose records are compared."""
    owners = project.owners()
    if len(owners) != 2:  # noqa: PLR2004 - left and right
        raise SettingError(
            f"project {project.name} has {len(owners)} owners; this version links two",
            hint="make a project for each two of them",
        )
    return owners[0], owners[1]


def join_terms(project: Project) -> JoinTerms:
    """Who may join the owners' link tables, as the parties agreed."""
    return JoinTerms.of(project.links, project.fingerprint())


def _is_open(log: ProjectLog) -> bool:
    """Whether the project is open for certain: similarities of a closed one may be kept nowhere."""
    with suppress(StorageError):
        return log.state == "open"
    return False


def _record_unit(
    project: Project,
    owners: tuple[Address, Address],
    chance: Chance,
    cache: Cache,
    *,
    engine: str,
    room: ColumnsOnDisk,
) -> RecordUnit:
    from unveil.engines import choose
    from unveil.models.choice import assessor, record_model
    from unveil.models.priors import prior_digest
    from unveil.roles.record_unit.machine import RecordUnit
    from unveil.screening.screen import screen

    schema = project.linkage
    model, features = record_model(schema)
    protocol = schema.protocol
    near = Neighbours.of(protocol)
    compare = comparing(choose(engine), floor=protocol.floor, max_block=protocol.max_block, neighbours=near, room=room)
    settings = f"{protocol.floor}|{protocol.max_block}|{protocol.models}|{near.k}|{near.most_compared}"
    settings += f"|{prior_digest('record')}"
    cached = ComparisonCache(cache, compare, features, settings=settings, memory=room.memory)
    return RecordUnit(
        schema,
        owners,
        compare=cached.comparison,
        chance=chance,
        model=model,
        # The similarity alone stands in the comparison already.
        features=features if features is similarity_alone else cached.features,
        assessor=assessor(schema),
        joining=join_terms(project),
        most_records=project.limits.records_per_owner,
        screening=partial(screen, copies=project.limits.copies, resembling=project.limits.near_copies),
    )


def _attribute_unit(project: Project, owners: tuple[Address, Address], chance: Chance) -> AttributeUnit:
    from unveil.models.choice import attribute_model
    from unveil.roles.attribute_unit.machine import AttributeUnit

    model, features = attribute_model(project.linkage)
    return AttributeUnit(project.linkage, owners, chance=chance, model=model, features=features)


def _review_unit(project: Project, owners: tuple[Address, Address], chance: Chance) -> ReviewUnit:
    from unveil.roles.review_unit.machine import ReviewUnit
    from unveil.roles.review_unit.opinions import OpinionTerms

    terms = OpinionTerms(project.reviews.second_opinions, project.reviews.second_below)
    return ReviewUnit(project.linkage, owners, chance=chance, terms=terms)
