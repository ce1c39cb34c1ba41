"""The acceptance checks of the protocol's specification, one after the other."""

from __future__ import annotations

import math

import numpy as np
import pytest
from small_project import Traffic, with_protocol
from whole_runs import PERSON, SCALED, WIDE, XOR, FullRun, final_f1, full_schedule, people, run, study_of, the_study

from unveil.encoding.encoder import Encoder
from unveil.encoding.keys import OwnerKey
from unveil.lab.simulation.study import Study
from unveil.lab.simulation.world import SimulationSettings, World
from unveil.linkage.bits import Bits
from unveil.privacy.bits import gini, gini_floor, js_distance, position_counts
from unveil.protocol.machine import receive, settle
from unveil.protocol.messages import (
    Agreement,
    AttributeEncodings,
    AttributeWish,
    Bootstrap,
    EncodingWish,
    JoinTable,
    Labels,
    LinkQuality,
    LinkTable,
    ReviewLabel,
    ReviewTask,
)
from unveil.protocol.roles import owner
from unveil.records import Column, Records
from unveil.roles.owner.policy import Policy

pytestmark = pytest.mark.slow  # whole runs, many of them

ENCODER = Encoder(PERSON, OwnerKey(b"an invented owner key, 32 bytes."), project="p")
#: Mean bigrams of each attribute as published, and the share of records that have a value.
BIGRAMS = {
    "first_name": (7.27, 1.0), "middle_name": (6.23, 0.922), "last_name": (7.69, 1.0), "year_of_birth": (5.03, 1.0),
    "city": (10.06, 1.0), "zip": (6.23, 0.999), "place_of_birth": (3.04, 0.808),
}  # fmt: skip
REFUSE_ALL = (Policy(response_rate_a=0.0, response_rate_c=0.0),) * 2


@pytest.fixture
def study() -> Study:
    return the_study()


@pytest.fixture
def full_run() -> FullRun:
    return full_schedule()


@pytest.fixture(scope="module")
def typical() -> Records:
    """2,000 values of each attribute, random letters with the published mean number of bigrams; some are missing."""
    rng = np.random.default_rng(1)
    columns = {}
    for name, (bigrams, present) in BIGRAMS.items():
        short = math.floor(bigrams - 1)
        lengths = short + (rng.random(2000) < bigrams - 1 - short)
        lengths[rng.random(2000) >= present] = 0
        columns[name] = Column.of("".join(rng.choice(list("abcdefghijklmnopqrstuvwxyz"), n)) for n in lengths.tolist())
    return Records([str(i) for i in range(2000)], columns)


def fresh_keys(n: int, seed: int) -> list[bytes]:
    rng = np.random.default_rng(seed)
    return [rng.bytes(32) for _ in range(n)]


# 1. Fill rates


@pytest.mark.parametrize("name", BIGRAMS)
def test_h_is_chosen_for_filters_40_percent_full(name: str) -> None:
    """h = round(-m·ln(1 - .4) / mean bigrams) gives the published table."""
    assert round(-256 * math.log(0.6) / BIGRAMS[name][0]) == PERSON.attribute(name).h


def test_clk_and_kabf_are_40_percent_full(typical: Records) -> None:
    """.40 ± .03 for the record-level filter and for each attribute's filter of those who have a value."""
    clk = np.bitwise_count(ENCODER.record_level(typical)).sum(axis=1).mean() / 1024
    assert abs(clk - 0.4) < 0.03
    filters = ENCODER.pair_level(typical, np.arange(2000), fresh_keys(2000, 2))
    ones = np.bitwise_count(filters).sum(axis=2) / 256
    fill = [ones[ones[:, i] > 0, i].mean() for i in range(len(PERSON.names))]
    assert [] == [(name, value) for name, value in zip(PERSON.names, fill, strict=True) if abs(value - 0.4) >= 0.03]


# 2. Bit statistics


def test_keyed_filters_come_down_to_the_noise_floor(study: Study) -> None:
    """
    4,500 uncertain pairs, both records under the pair's key: G .009 to .0105, JSD .007 to .008 on average.

    A single attribute scatters by about 5 % around its own expectation, which depends on how often the pairs agree.
    """
    pairs, rng = study.comparison.pairs, np.random.default_rng(1)
    t = study.best[0]
    band = np.flatnonzero((pairs.similarity > t - 0.03) & (pairs.similarity < t + 0.06))
    drawn, keys = rng.choice(band, 4500), fresh_keys(4500, 4)
    left = study.encoder.pair_level(study.a, pairs.left[drawn].astype(np.int64), keys)
    right = study.encoder.pair_level(study.b, pairs.right[drawn].astype(np.int64), keys)
    counts = [position_counts(Bits(np.concatenate([left[:, i], right[:, i]]), 256)) for i in range(7)]
    ginis, distances = [gini(c) for c in counts], [js_distance(c) for c in counts]
    assert 0.009 <= np.mean(ginis) <= 0.0105
    assert 0.007 <= np.mean(distances) <= 0.008
    assert all(0.007 < value < 0.013 for value in ginis)


def test_what_the_attribute_unit_got_is_as_even_as_random_filters(full_run: FullRun) -> None:
    """The frames of the full run: no attribute has more structure than 4,500 random filters, present in every pair."""
    sent = full_run.traffic.of(AttributeEncodings)
    words = np.concatenate([np.frombuffer(one.filters, "<u8").reshape(len(one), 7, 4) for one in sent])
    assert 9000 == len(words)
    for index in range(7):
        filters = np.ascontiguousarray(words[:, index])
        filters = filters[filters.any(axis=1)]
        fill = np.bitwise_count(filters).sum(axis=1).mean() / 256
        assert gini(position_counts(Bits(filters, 256))) < 1.2 * gini_floor(fill, len(filters) // 2)


def test_plain_filters_of_the_year_of_birth_are_the_most_uneven(study: Study) -> None:
    """Few values, so few patterns: the plain filter is more than twenty times as uneven as the keyed one."""
    filters = study.encoder.attribute_level(study.a)
    ginis = {
        name: gini(position_counts(Bits(np.ascontiguousarray(filters[:, i]), 256)))
        for i, name in enumerate(PERSON.names)
    }
    assert "year_of_birth" == max(ginis, key=lambda name: ginis[name])
    assert ginis["year_of_birth"] > 0.3
    assert min(ginis.values()) > 0.1


# 3. The uncertain band


@pytest.mark.parametrize("offset", [-0.05, 0.0, 0.05])
def test_pairs_asked_about_are_those_between_003_below_and_006_above(study: Study, offset: float) -> None:
    """With room for all, the first batch is the whole band and nothing else."""
    t0 = round(study.best[0] + offset, 2)
    world = World(study, with_protocol(PERSON, batches=(100_000,)), SimulationSettings(t0=t0))
    unit, told = world.record_unit, []
    for party in world.owners:
        told += [answer for envelope in settle(party) for answer in receive(unit, envelope)]
    for party, answer in zip(world.owners, told, strict=True):
        for envelope in receive(party, answer):
            receive(unit, envelope)
    similarity = study.comparison.pairs.similarity
    band = (similarity > t0 - 0.03 + 1e-9) & (similarity < t0 + 0.06 - 1e-9)
    edge = (np.abs(similarity - t0 + 0.03) <= 1e-9) | (np.abs(similarity - t0 - 0.06) <= 1e-9)
    assert 100 < band.sum()
    assert band[~edge].tolist() == unit.layer.asked[~edge].tolist()


# 4. The forest


def test_the_forest_grows_to_100_trees_and_loses_the_first_ten_at_the_last_warm_up_update(full_run: FullRun) -> None:
    """Sizes before each of the ten review batches, and at the end."""
    assert [10, 20, 30, 40, 50, 60, 70, 80, 90, 100, 100] == full_run.watcher.sizes
    assert [10] * 10 + [0] == full_run.watcher.first_left
    assert 11 == full_run.world.forest.updates


# 5. Counts, and what owners never learn


def test_the_attribute_unit_gets_500_pairs_in_the_warm_up_and_4500_in_all(full_run: FullRun) -> None:
    """Each under a key of its own, which both owners used."""
    assert [100] * 5 + [1000] * 4 == [len(one) for one in full_run.traffic.of(Bootstrap)]
    assert 4500 == len(full_run.world.attribute_unit.layer)
    assert [0, 100, 200, 300, 400, 500, 1500, 2500, 3500, 4500] == [p.reviewed_pairs for p in full_run.world.points]
    for name in ("a", "b"):
        wishes = full_run.traffic.of(EncodingWish, recipient=owner(name))
        keys = b"".join(one.key_pairs for one in wishes)
        assert 4500 == len({keys[i : i + 32] for i in range(0, len(keys), 32)})


def test_reviewers_are_asked_for_b_labels_in_ten_batches(full_run: FullRun) -> None:
    """Five iterations, two batches of b / 10 each; then M_A is frozen."""
    assert [30] * 10 == full_run.watcher.batches == [len(one) for one in full_run.traffic.of(ReviewTask)]
    assert 300 == full_run.world.attribute_unit.spent == sum(len(one) for one in full_run.traffic.of(ReviewLabel))
    assert [0, 60, 120, 180, 240, 300, 300, 300, 300, 300] == [p.clerical_labels for p in full_run.world.points]


@pytest.mark.parametrize("budget", [100, 200])
def test_the_budget_is_spent_as_planned(study: Study, budget: int) -> None:
    """b / 10 in each of ten batches, where there are enough uncertain pairs."""
    traffic = Traffic()
    world = run(study, with_protocol(SCALED, review_budget=budget, p_t=0.99), tap=traffic)
    assert [budget // 10] * 10 == [len(one) for one in traffic.of(ReviewTask)]
    assert budget == world.attribute_unit.spent


def test_an_owner_never_receives_an_outcome(full_run: FullRun) -> None:
    """Everything that went to either owner: wishes, the link table, and no number that differs between pairs."""
    for name in ("a", "b"):
        received = full_run.traffic.of(recipient=owner(name))
        results = {LinkTable, JoinTable, LinkQuality}
        assert results | {Agreement, EncodingWish, AttributeWish} == {type(one) for one in received}
        assert not any({"g", "p"} & set(one.__dataclass_fields__) for one in received)
        marks = b"".join(one.asked for one in received if isinstance(one, AttributeWish))
        assert {0, 1} == set(marks)


def test_labels_reach_the_record_unit_after_every_iteration(full_run: FullRun) -> None:
    """Every pair is reported at least once, and never one that was not asked about."""
    told = {one.pair_ids[i : i + 16] for one in full_run.traffic.of(Labels) for i in range(0, len(one.pair_ids), 16)}
    announced = {
        one.pair_ids[i : i + 16] for one in full_run.traffic.of(Bootstrap) for i in range(0, len(one.pair_ids), 16)
    }
    assert 9 == len(full_run.traffic.of(Labels))
    assert announced == told


# 6. Two keys


def test_the_same_values_under_two_pair_keys_are_as_alike_as_chance(typical: Records) -> None:
    """Mean Dice is about the fill rate, not 1; under one key it is 1."""
    rows = np.arange(2000)
    one, other = (ENCODER.pair_level(typical, rows, fresh_keys(2000, seed)) for seed in (2, 3))
    again = ENCODER.pair_level(typical, rows, fresh_keys(2000, 2))
    ones = np.bitwise_count(one).sum(axis=2), np.bitwise_count(other).sum(axis=2)
    held = ones[0] > 0
    dice = 2 * np.bitwise_count(one & other).sum(axis=2)[held] / (ones[0] + ones[1])[held]
    assert abs(dice.mean() - 0.4) < 0.03
    assert dice.max() < 0.8
    assert one.tobytes() == again.tobytes()


# 7. Refusals


def test_when_all_owners_refuse_the_result_is_that_of_a_plain_linkage(study: Study) -> None:
    """Every F1 point equals the first, and the same records belong together as with one layer."""
    refused = run(study, SCALED, SimulationSettings(t0=study.best[0] - 0.05, policies=REFUSE_ALL))
    plain = run(study, with_protocol(SCALED, layers=1), SimulationSettings(t0=study.best[0] - 0.05))
    assert (6, 1) == (len(refused.points), len(plain.points))
    assert {plain.points[0].f1} == {point.f1 for point in refused.points}
    assert refused.record_unit.requested_pairs > 0
    assert people(plain) == people(refused)
    assert 0 == len(refused.attribute_unit.layer)


def test_with_a_trained_model_answers_at_the_attribute_level_are_enough(study: Study, full_run: FullRun) -> None:
    """No reviewer gets a value, the model stays as it came, and decisions still change for the better."""
    trained = full_run.world.forest
    policies = (Policy(response_rate_c=0.0),) * 2
    world = run(study, SCALED, SimulationSettings(t0=study.best[0] - 0.05, policies=policies, forest=trained))
    assert trained is world.forest
    assert 0 == world.attribute_unit.spent
    assert 200 < len(world.attribute_unit.layer)
    assert world.points[-1].f1 > world.points[0].f1 + 0.01


def test_two_layers_are_a_configuration_of_the_same_machines(study: Study, full_run: FullRun) -> None:
    """Without review: no task is sent, and the trained model decides as it does when every task is refused."""
    trained, traffic = full_run.world.forest, Traffic()
    world = run(
        study, with_protocol(SCALED, layers=2), SimulationSettings(t0=study.best[0], forest=trained), tap=traffic
    )
    assert [] == traffic.of(ReviewTask)
    assert (6, 0) == (len(world.points), world.attribute_unit.spent)
    policies = (Policy(response_rate_c=0.0),) * 2
    declined = run(study, SCALED, SimulationSettings(t0=study.best[0], forest=trained, policies=policies))
    assert [point.f1 for point in declined.points] == [point.f1 for point in world.points]


def test_one_layer_sends_nothing_below_the_record_level(study: Study) -> None:
    """Agreement on the key, two uploads, two link tables, what is sealed with them and their quality are all."""
    traffic = Traffic()
    run(study, with_protocol(PERSON, layers=1), tap=traffic)
    kinds = ["Fingerprint", "Agreement", "RecordEncodings", "LinkQuality", "LinkTable", "JoinTable"]
    assert [kind for kind in kinds for _ in range(2)] == [type(one).__name__ for one in traffic.of()]


def test_a_response_rate_inflates_the_batches_and_the_run_finishes(study: Study) -> None:
    """At .8 a side 94 pairs are asked about to get 60, once the refusals of the first batch have shown that."""
    traffic = Traffic()
    policies = (Policy(response_rate_a=0.8, response_rate_c=0.8),) * 2
    schema = with_protocol(SCALED, threshold_below=1.0, threshold_above=1.0)
    world = run(study, schema, SimulationSettings(t0=study.best[0], policies=policies), tap=traffic)
    first, *others = (len(one) for one in traffic.of(Bootstrap))
    assert 60 == first
    assert all(75 < size < 125 for size in others)  # five standard deviations of the first batch's answers
    assert abs(np.mean(others) - 94) < 12
    planned = 60 * 0.64 + 4 * 60
    assert abs(len(world.attribute_unit.layer) - planned) < 5 * math.sqrt((planned / 0.64) * 0.64 * 0.36)
    assert 0 < world.attribute_unit.spent < 100
    assert all(party.link_ids for party in world.owners)


# 8. Everything reviewed


def test_when_everything_is_reviewed_without_error_the_result_is_the_truth_among_the_candidates() -> None:
    """Recall is pair completeness and precision 1: p_t = 1 leaves no pair out, and the budget is larger than needed."""
    schema = with_protocol(
        WIDE, floor=0.0, p_t=1.0, batches=(10**6,), review_budget=10**6, review_batches=1, review_rounds=1
    )
    small_study = study_of(schema, records=600)
    world = run(small_study, schema, SimulationSettings(error=0.0, t0=0.5))
    assert len(small_study.comparison.pairs) == world.attribute_unit.spent > 100
    assert (small_study.pairs_completeness, 1.0) == (world.points[-1].recall, world.points[-1].precision)
    assert world.points[0].f1 < world.points[-1].f1


# 9. Orderings (means over three starts and two seeds; published on larger data)


def test_quality_falls_with_the_reviewers_error(study: Study) -> None:
    """None, two in ten, four in ten wrong; even the last is better than no review, if only by a little."""
    means = [final_f1(study, SCALED, error).mean(axis=0) for error in (0.0, 0.2)]
    # A gain of .004 with a standard deviation of .005 between seeds needs more of them.
    means.append(final_f1(study, SCALED, 0.4, (1, 2, 3, 4)).mean(axis=0))
    assert means[0][1] > means[1][1] + 0.005 > means[2][1] + 0.01
    assert means[2][1] > means[2][0]


def test_the_start_matters_less_the_more_is_reviewed(study: Study) -> None:
    """The range of F1 over the starting thresholds shrinks from none to 20 to 300 labels, and the mean grows."""
    few, many = (final_f1(study, with_protocol(SCALED, review_budget=b), 0.2) for b in (20, 300))
    assert np.ptp(few[:, 0]) > np.ptp(few[:, 1]) > np.ptp(many[:, 1])
    assert few[:, 0].mean() < few[:, 1].mean() < many[:, 1].mean()


def test_xor_folding_costs_a_little_quality(study: Study) -> None:
    """Half the bits, slightly less F1 at the end."""
    schema = SCALED.model_copy(update={"layer_r": XOR})
    folded = Study("folded", schema, study.a, study.b, study.truth, study.engine)
    plain, xor = final_f1(study, SCALED, 0.2)[:, 1].mean(), final_f1(folded, schema, 0.2)[:, 1].mean()
    assert plain - 0.03 < xor < plain


def test_gains_are_larger_the_fewer_people_are_shared() -> None:
    """A tenth, a fifth and three tenths of the people in both sources: S > M > L."""
    schema = with_protocol(SCALED, review_budget=300)
    gains = []
    for overlap in (0.1, 0.2, 0.3):
        f1 = final_f1(study_of(PERSON, records=5000, overlap=overlap), schema, 0.2, (1, 2, 3))
        gains.append((f1[:, 1] - f1[:, 0]).mean())
    assert gains == sorted(gains, reverse=True)
    assert min(gains) > 0.01


def test_pairs_with_two_changes_are_harder_and_gain_more(study: Study) -> None:
    """E2 starts and ends lower than E1."""
    harder = study_of(PERSON, records=5000, errors=2)
    schema = with_protocol(SCALED, review_budget=300)
    one, two = (final_f1(some, schema, 0.2, (1,)).mean(axis=0) for some in (study, harder))
    assert two[0] < one[0]
    assert two[1] < one[1]
    assert two[1] - two[0] > one[1] - one[0]
