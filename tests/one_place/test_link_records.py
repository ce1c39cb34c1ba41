"""Two files of records in one place: pairs are opened by attribute, and a person may be asked."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache

import pytest
from two_registers import SCHEMA, compare_of, encoder, f1_of, pairs, people, with_rows_again

from unveil.errors import SettingError
from unveil.one_place.linked import LinkedRecords
from unveil.one_place.parties import Reviewer
from unveil.one_place.records import LinkageInOnePlace, with_models
from unveil.records import Column, Records
from unveil.roles.review_unit.display import ReviewablePair, Verdict


def linkage(
    a: Records, b: Records, *, budget: int = 0, reviewer: Callable[[LinkageInOnePlace], Reviewer] | None = None
) -> LinkageInOnePlace:
    schema = with_models(SCHEMA, records=min(len(a), len(b)), budget=budget)
    return LinkageInOnePlace(
        (a, b), schema, encoder(schema), compare=compare_of(schema), reviewer=reviewer, followed=True
    )  # fmt: skip


@cache
def nobody_asked() -> tuple[LinkageInOnePlace, LinkedRecords]:
    one = linkage(people().a, people().b)
    return one, one.run()


def without_reviewer() -> LinkedRecords:
    return nobody_asked()[1]


class ByTruth:
    """A reviewer who looks at no value: every label is right."""

    def __init__(self, of: LinkageInOnePlace) -> None:
        self._of, self._true = of, {tuple(pair) for pair in people().truth.tolist()}

    def review(self, tasks: Sequence[ReviewablePair], *, spent: int, budget: int) -> list[Verdict]:
        assert spent <= budget
        return [Verdict(task.task_id, self._of.parties.rows_of(task.task_id) in self._true) for task in tasks]


def test_opening_pairs_by_attribute_finds_more_than_filters_alone() -> None:
    """It is why records are worth more than encodings where one place holds them."""
    from test_link_encodings import encoded, linked

    registers = people()
    alone = f1_of(linked(encoded(registers.a), encoded(registers.b)), registers)
    assert f1_of(without_reviewer(), registers) > alone + 0.004


def test_the_estimate_is_trusted_and_holds_the_truth() -> None:
    """Opened pairs have confirmed what the record level thinks."""
    estimate = without_reviewer().estimate
    assert estimate is not None
    assert estimate.trusted
    low, _, high = estimate.f1
    assert low <= f1_of(without_reviewer(), people()) <= high


def test_nobody_is_asked_without_a_budget_and_nothing_is_shown() -> None:
    """The review unit holds no value where no person reviews."""
    one, _ = nobody_asked()
    assert {} == {flow: count for flow, count in one.network.messages.items() if "review unit" in flow}


def test_a_reviewer_is_asked_as_often_as_the_budget_says_and_finds_more() -> None:
    """The labels are worth their while."""
    one = linkage(people().a, people().b, budget=40, reviewer=ByTruth)
    found = one.run()
    assert 0 < len(one.answered) <= 40
    assert one.parties.attribute_unit.spent == len(one.answered)
    assert f1_of(found, people()) > f1_of(without_reviewer(), people())


def test_a_record_that_stands_twice_is_linked_twice() -> None:
    """Rows of a file are rows of the result, whatever screening leaves out."""
    row, other = next(iter(pairs(without_reviewer())))
    found = linkage(with_rows_again(people().a, [row]), people().b).run()
    assert {(row, other), (len(people().a), other)} <= pairs(found)


def test_one_owners_other_way_to_write_is_warned_of_by_name() -> None:
    """Links are found all the same, and fewer of them."""
    b = people().b
    years = Column.of([year[2:] for year in b.columns["year_of_birth"].values()])
    found = linkage(people().a, Records(b.ids, {**b.columns, "year_of_birth": years})).run()
    assert "year_of_birth" in {warning.subject for warning in found.warnings}


def test_more_pairs_are_opened_of_larger_registers() -> None:
    """A bound that suits two small files would hardly touch two large ones."""
    opened = [sum(with_models(SCHEMA, records=records).protocol.batches) for records in (1_000, 20_000, 1_000_000)]
    assert [9_000, 9_000, 200_000] == [round(each, -2) for each in opened]


def test_a_file_of_empty_records_is_refused_with_the_cure() -> None:
    """Nothing could be compared."""
    a = people().a
    empty = Records(a.ids, {name: Column.of([""] * len(a)) for name in a.columns})
    with pytest.raises(SettingError, match="first file cannot be compared"):
        linkage(empty, people().b).run()
