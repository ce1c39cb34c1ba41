"""
Make the shipped priors anew: `python -m tools.train_priors FOLDER`.

Generated worlds with known truth are encoded and compared as two owners' would be. M_R's prior is learnt on their
candidate pairs. The shares of levels and M_A's prior are learnt on the pairs that a record model is least certain of
that has not seen their world, for these are the ones it will be asked about. What was collected is kept in FOLDER, so
that an interrupted run goes on where it stopped. Worlds that are held out are never among these.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

import unveil.models.priors
from tools.boosted_tables import boosted
from unveil.encoding.planning.column_roles import ROW
from unveil.encoding.planning.proposal import propose
from unveil.engines import choose
from unveil.lab.simulation.study import Study
from unveil.lab.synthetic import Rates, generate
from unveil.lab.synthetic.registers import Ints
from unveil.lab.worlds import draw_design, make_world
from unveil.linkage.attributes import agreement_classes, attribute_similarities
from unveil.linkage.outcome import Flags, Reals
from unveil.linkage.pairs import Tail
from unveil.models.as_many_matches import as_many_matches
from unveil.models.attribute_evidence import SUMMARY, WeighedAttributes
from unveil.models.levels import KINDS, LEVELS, Levels, Shares, levels
from unveil.models.priors import shares_data, tables_data
from unveil.models.record_evidence import RECORD_EVIDENCE, record_evidence
from unveil.models.tables import Direction, Tables
from unveil.roles.owner.frequency import all_frequency_classes
from unveil.schema import LayerR, built_in
from unveil.schema.attribute_roles import ROLES
from unveil.schema.presets import with_preset

#: Worlds learnt from: seeds and the size of the largest register.
WORLDS = ((range(400), 4_000), (range(1000, 1080), 20_000), (range(1100, 1400), 4_000))
#: Registers of voters and of clinics: layout, records, overlap, least unequal attributes, share of wrong years, seed.
LAYOUTS = (
    ("voter", 20_000, 0.2, 1, 0.01, 11), ("voter", 20_000, 0.2, 2, 0.02, 12), ("voter", 20_000, 0.1, 1, 0.01, 13),
    ("voter", 20_000, 0.3, 0, 0.0, 14), ("voter", 20_000, 0.01, 1, 0.01, 21), ("voter", 10_000, 0.9, 1, 0.01, 22),
    ("clinic", 20_000, 0.2, 1, 0.01, 15), ("clinic", 20_000, 0.3, 0, 0.01, 16), ("clinic", 20_000, 0.2, 2, 0.01, 17),
    ("voter", 50_000, 0.2, 1, 0.01, 18), ("voter", 50_000, 0.2, 2, 0.02, 19), ("voter", 50_000, 0.1, 1, 0.01, 20),
    ("voter", 50_000, 0.2, 1, 0.02, 23), ("voter", 50_000, 0.05, 1, 0.01, 24), ("voter", 50_000, 0.2, 2, 0.01, 25),
    ("voter", 50_000, 0.1, 2, 0.01, 31), ("voter", 50_000, 0.3, 2, 0.0, 32), ("voter", 50_000, 0.3, 1, 0.0, 33),
    ("voter", 20_000, 0.2, 2, 0.0, 34), ("voter", 20_000, 0.1, 2, 0.01, 35), ("voter", 20_000, 0.3, 2, 0.01, 36),
    ("voter", 10_000, 0.2, 2, 0.0, 37), ("voter", 10_000, 0.5, 1, 0.0, 38), ("voter", 5_000, 0.3, 2, 0.01, 39),
    ("voter", 20_000, 0.05, 2, 0.01, 43), ("voter", 20_000, 0.4, 2, 0.0, 44), ("voter", 20_000, 0.2, 2, 0.01, 45),
    ("voter", 20_000, 0.1, 2, 0.0, 46), ("voter", 50_000, 0.2, 2, 0.0, 47), ("voter", 50_000, 0.15, 2, 0.01, 48),
    ("voter", 50_000, 0.2, 2, 0.02, 49), ("voter", 50_000, 0.1, 2, 0.0, 50), ("clinic", 20_000, 0.3, 2, 0.01, 51),
    ("proposed-clinic", 3_000, 0.4, 0, 0.01, 61), ("proposed-clinic", 5_000, 0.2, 1, 0.01, 62),
    ("proposed-clinic", 10_000, 0.1, 1, 0.01, 63), ("proposed-clinic", 1_000, 0.5, 0, 0.0, 64),
    ("proposed-clinic", 20_000, 0.2, 2, 0.01, 65), ("proposed-clinic", 3_000, 0.05, 1, 0.0, 66),
    ("proposed-voter", 3_000, 0.3, 1, 0.01, 67), ("proposed-voter", 10_000, 0.2, 2, 0.01, 68),
    ("proposed-voter", 20_000, 0.2, 1, 0.01, 69), ("proposed-voter", 5_000, 0.8, 0, 0.01, 70),
    ("proposed-voter", 50_000, 0.2, 1, 0.01, 71), ("proposed-voter", 20_000, 0.05, 1, 0.0, 72),
    ("clinic", 50_000, 0.2, 1, 0.01, 40), ("clinic", 50_000, 0.2, 2, 0.01, 41), ("clinic", 10_000, 0.5, 0, 0.01, 42),
)  # fmt: skip
#: Positions per q-gram of plain filters of 1,024 bits; registers with an even seed have these.
_PLAIN_H = {"voter": 12, "clinic": 10}
_PROPOSED = "proposed-"  # before the layout of registers whose schema is the one that is proposed for them
_ABOUT = "learnt on generated worlds by python -m tools.train_priors"
_MOST_ROWS = 2_000  # candidate pairs of a world that M_R's prior is learnt on; the others are weighed up
_ASKED = 6_000  # pairs of a world that M_A's prior is learnt on, at most
_FARTHEST = 6.0  # log odds beyond which M_R would not ask
_PER_WORLD = 60.0  # pairs of either kind that a world counts for in the shares of levels, at most
_BEFORE = 0.5  # of a pair, in every level that no world shows
_LEAST_COUNTED, _MOST_COUNTED = 5, 300  # pairs of a world that tell how much worlds differ
_GRID = np.exp(np.linspace(np.log(2), np.log(2_000), 40))
#: Roles that no world has, and the ones that are most like them.
_LIKE = {"email": "id_number"}
#: 0: every pair of every world counts the same; 1: every world does.
_RECORD_EVENNESS, _ATTRIBUTE_EVENNESS = 0.5, 0.6
#: Pieces of evidence that say more together than each alone.
_RECORD_TABLES = (
    ("similarity", "smaller margin"), ("keys shared", "number of keys"), ("smaller margin", "copies"),
    ("rarity of keys", "similarity"), ("more with these keys", "smaller lead"), ("smaller lead", "copies"),
    ("strangers with these keys", "similarity"), ("smaller lead", "larger lead"),
    ("weaker part", "stronger part"), ("stronger part", "rarity of keys"),
)  # fmt: skip
_ATTRIBUTE_TABLES = (
    ("weight of person", "weight of home"), ("weight", "record unit's odds"), ("weight", "worst of person"),
    ("against, of person", "for, of person"), ("against, of person", "for, of home"),
    ("against either", "record unit's odds"), ("against kin", "against strangers"),
)  # fmt: skip
#: Of M_A few rounds: with more, what is the same all over a world is learnt by heart, and others are judged no better.
#: Of M_R many: on 60 worlds that it has not seen F1 with nothing opened is .839 after 18, .850 after 200. For choosing
#: the pairs that would be asked about fewer will do.
_RECORD_ROUNDS, _CHOOSING_ROUNDS, _ATTRIBUTE_ROUNDS = 200, 60, 10


@dataclass(frozen=True, slots=True)
class Counted:
    """One world's pairs: the levels of every attribute, which pairs are true or kin, what attributes are."""

    levels: Levels
    is_true: Flags
    is_kin: Flags | None  # None where households are not known
    roles: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Lesson(Counted):
    """
    One world's candidate pairs, and the evidence of the record unit.

    `similarity` and `tail` say how alike the pairs are and strangers would be.
    """

    evidence: Reals
    similarity: Reals
    tail: Tail


def main(folder: Path) -> None:
    """Collect, train and write the files into the room of priors."""
    folder.mkdir(parents=True, exist_ok=True)
    lessons = list(collect(folder))
    record, shares, attribute = train(lessons)
    for name, data in (
        ("record", tables_data(record, _ABOUT)),
        ("attribute", tables_data(attribute, _ABOUT)),
        ("levels", shares_data(shares, _ABOUT)),
    ):
        path = Path(unveil.models.priors.__file__).with_name(f"{name}.json")
        path.write_text(json.dumps(data, indent=None, separators=(",", ":")) + "\n", encoding="utf-8")
        sys.stdout.write(f"{path.name} written\n")


def collect(folder: Path) -> Iterator[Lesson]:
    """Every lesson, from the folder or made now."""
    wanted: list[tuple[Any, ...]] = [("world", seed, largest) for seeds, largest in WORLDS for seed in seeds]
    wanted += LAYOUTS
    paths = [folder / f"{'-'.join(map(str, one))}.npz" for one in wanted]
    missing = [(one, path) for one, path in zip(wanted, paths, strict=True) if not path.exists()]
    with ProcessPoolExecutor(2) as pool:
        for done, path in enumerate(pool.map(_keep, *zip(*missing, strict=True)) if missing else ()):
            sys.stdout.write(f"\r{done + 1} of {len(missing)}: {path.name}     ")
            sys.stdout.flush()
    for path in paths:
        with np.load(path) as found:
            yield Lesson(
                found["levels"].astype(np.int64), found["is_true"], kin_in(found), tuple(found["roles"].tolist()),
                found["evidence"].astype(np.float64), found["similarity"].astype(np.float64),
                Tail(float(found["middle"]), found["across"], found["at_home"], found["worth"]),
            )  # fmt: skip


def kin_in(found: Mapping[str, NDArray[Any]]) -> Flags | None:
    """Which pairs are kin, if that is known."""
    return found["kin"] if len(found["kin"]) == len(found["is_true"]) else None


def _keep(wanted: tuple[Any, ...], path: Path) -> Path:
    lesson = lesson_of(*study_of(*wanted))
    with path.with_suffix(".part").open("wb") as file:
        np.savez(
            file,
            is_true=lesson.is_true,
            roles=np.array(lesson.roles),
            evidence=lesson.evidence.astype(np.float32),
            similarity=lesson.similarity.astype(np.float32),
            middle=lesson.tail.middle,
            across=lesson.tail.across,
            at_home=lesson.tail.at_home,
            worth=lesson.tail.worth,
            levels=lesson.levels.astype(np.uint8),
            kin=np.empty(0, bool) if lesson.is_kin is None else lesson.is_kin,
        )
    path.with_suffix(".part").rename(path)
    return path


def study_of(kind: str, *design: Any) -> tuple[Study, tuple[Ints, Ints] | None]:
    """A study, and the household of each record where it is known."""
    households = None
    if kind == "world":
        seed, largest = design
        world = make_world(draw_design(seed, largest=largest))
        schema, a, b, truth, households = world.schema, world.a, world.b, world.truth, world.households
    else:
        records, overlap, errors, years, seed = design
        layout = kind.removeprefix(_PROPOSED)
        rates = Rates(year_of_birth=years) if layout == "voter" else None
        people = generate(records=records, overlap=overlap, errors=errors, seed=seed, layout=layout, rates=rates)
        schema, a, b, truth = built_in("person" if layout == "voter" else layout), people.a, people.b, people.truth
        if kind != layout:
            found = propose(a.columns, b.columns, record_id=ROW, other_id=ROW)
            assert found.other is not None
            schema, a, b = found.schema, found.records, found.other
        elif seed % 2 == 0:
            schema = schema.model_copy(update={"layer_r": LayerR(h=_PLAIN_H[kind])})
    study = Study("generated", with_preset(schema, "unveil"), a, b, truth, choose(threads=1), seed=seed)
    return study, households


def lesson_of(study: Study, households: tuple[Ints, Ints] | None) -> Lesson:
    """What can be learnt from a study."""
    pairs, schema = study.comparison.pairs, study.schema
    evidence = record_evidence(
        study.comparison, *study.encode(), max_block=schema.protocol.max_block, hardening=schema.layer_r.hardening
    )
    # Under one key for all instead of one per pair: the similarities are alike, and it is much faster.
    filters = [study.encoder.attribute_level(records) for records in (study.a, study.b)]
    classes = [all_frequency_classes(records, schema) for records in (study.a, study.b)]
    found = np.empty((len(pairs), len(schema.attributes)), np.int64)
    for start in range(0, len(pairs), 1 << 16):
        left, right = (rows[start : start + (1 << 16)] for rows in (pairs.left, pairs.right))
        similarity = attribute_similarities(filters[0][left], filters[1][right])
        agreement = agreement_classes(similarity, classes[0][left], classes[1][right])
        found[start : start + (1 << 16)] = levels(similarity, agreement)
    is_kin = None
    if households is not None:
        is_kin = (households[0][pairs.left] == households[1][pairs.right]) & ~study.is_true
    roles = tuple(attribute.meaning for attribute in schema.attributes)
    assert study.comparison.tail is not None
    return Lesson(found, study.is_true, is_kin, roles, evidence, pairs.similarity, study.comparison.tail)


def train(lessons: list[Lesson]) -> tuple[Tables, Shares, Tables]:
    """The prior of M_R, the shares of levels, and the prior of M_A."""
    halves = [_record_prior(lessons[start::2], _CHOOSING_ROUNDS) for start in (1, 0)]
    asked = [_asked(lesson, odds_of(lesson, halves[at % 2])) for at, lesson in enumerate(lessons)]
    shares = shares_of([lesson for lesson, _ in asked])
    return _record_prior(lessons, _RECORD_ROUNDS), shares, _attribute_prior(asked, shares)


def asked_rows(odds: Reals) -> Ints:
    """The pairs that would be asked about, by their log odds."""
    nearest: Ints = np.argsort(np.abs(odds), kind="stable")[:_ASKED]
    return nearest[np.abs(odds[nearest]) < _FARTHEST]


def odds_of(lesson: Lesson, tables: Tables) -> Reals:
    """The log odds of a match for each pair, as these tables see them."""
    return as_many_matches(tables.log_odds(lesson.evidence), lesson.tail, lesson.similarity)


def _asked(lesson: Lesson, odds: Reals) -> tuple[Lesson, Reals]:
    """The pairs that would be asked about, and their log odds."""
    chosen = asked_rows(odds)
    some = replace(
        lesson,
        evidence=lesson.evidence[chosen],
        levels=lesson.levels[chosen],
        is_true=lesson.is_true[chosen],
        is_kin=None if lesson.is_kin is None else lesson.is_kin[chosen],
    )
    return some, odds[chosen]


def shares_of(lessons: Sequence[Counted]) -> Shares:
    """How often values of each role agree on each level in each kind of pair that would be asked about."""
    shares, firm = {}, {}
    for role in ROLES:
        worlds = _counts_by_world(lessons, role) if role not in _LIKE else _counts_by_world(lessons, _LIKE[role])
        total = worlds.sum(axis=2, keepdims=True)
        counts = _BEFORE + (worlds * np.minimum(1, _PER_WORLD / np.maximum(total, 1))).sum(axis=0)
        shares[role] = (counts / counts.sum(axis=1, keepdims=True)).round(6)
        firm[role] = np.array([_firm(shares[role][kind], worlds[:, kind]) for kind in range(len(KINDS))])
    return Shares(shares, firm)


def _counts_by_world(lessons: Sequence[Counted], role: str) -> Ints:
    """For each attribute of that role in each world, how often each level occurs in each kind of pair."""
    return np.array(
        [
            [np.bincount(lesson.levels[chosen, at], minlength=LEVELS) for chosen in _kinds(lesson)]
            for lesson in lessons
            for at, one in enumerate(lesson.roles)
            if one == role
        ]
    )


def _kinds(lesson: Counted) -> tuple[Flags, Flags, Flags]:
    """Which pairs are of each kind; where households are not known, none of the others is counted."""
    if lesson.is_kin is None:
        nobody = np.zeros(len(lesson.is_true), bool)
        return lesson.is_true, nobody, nobody
    return lesson.is_true, lesson.is_kin, ~lesson.is_true & ~lesson.is_kin


def _firm(mean: Reals, counts: Ints) -> float:
    """
    How firmly the shares of levels stand at their mean: the concentration of a Dirichlet distribution.

    It is the one under which the counts of the worlds are most likely, of those on a grid.
    """
    total = counts.sum(axis=1, keepdims=True)
    some = (counts * np.minimum(1, _MOST_COUNTED / np.maximum(total, 1)))[total[:, 0] >= _LEAST_COUNTED]
    alpha = _GRID[:, None, None] * mean
    each = gammaln(alpha + some) - gammaln(alpha)
    likely = gammaln(_GRID)[:, None] - gammaln(_GRID[:, None] + some.sum(axis=1)) + each.sum(axis=2)
    return round(float(_GRID[int(np.argmax(likely.sum(axis=1)))]), 1)


def _record_prior(lessons: list[Lesson], rounds: int) -> Tables:
    rng = np.random.default_rng(0)
    features, truth, weight = [], [], []
    for lesson in lessons:
        rows, kept = len(lesson.is_true), _some_rows(lesson, rng)
        each = np.where(lesson.is_true[kept], 1.0, (~lesson.is_true).sum() / max(1, (~lesson.is_true[kept]).sum()))
        features.append(lesson.evidence[kept])
        truth.append(lesson.is_true[kept])
        weight.append(each / max(rows, 50) ** _RECORD_EVENNESS)
    return boosted(
        np.vstack(features), np.concatenate(truth), np.concatenate(weight), RECORD_EVIDENCE, _RECORD_TABLES,
        rounds=rounds,
    )  # fmt: skip


def _some_rows(lesson: Lesson, rng: np.random.Generator) -> Flags:
    """All true pairs, and a sample of the others."""
    share = _MOST_ROWS / max(1, len(lesson.is_true))
    return lesson.is_true | (rng.random(len(lesson.is_true)) < share)


def _attribute_prior(asked: list[tuple[Lesson, Reals]], shares: Shares) -> Tables:
    features, truth, weight = [], [], []
    directions: dict[str, Direction] = dict.fromkeys(SUMMARY, 1)
    empty = Tables(SUMMARY, tuple(directions.values()), (np.empty(0),) * len(SUMMARY), (), 0.0)
    for lesson, odds in asked:
        if not len(odds):
            continue
        rows = np.column_stack([odds, lesson.levels])
        features.append(WeighedAttributes.of_roles(lesson.roles, empty, shares).settled(rows).summed_up(rows))
        truth.append(lesson.is_true)
        weight.append(np.full(len(odds), 1 / max(len(odds), 50) ** _ATTRIBUTE_EVENNESS))
    return boosted(
        np.vstack(features), np.concatenate(truth), np.concatenate(weight), directions, _ATTRIBUTE_TABLES,
        rounds=_ATTRIBUTE_ROUNDS,
    )  # fmt: skip


if __name__ == "__main__":
    main(Path(sys.argv[1]))
