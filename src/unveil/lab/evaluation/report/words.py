"""The sentences of the report, computed from the numbers of a run."""

from __future__ import annotations

import math

from unveil.charts.figures import count, counted, score, threshold
from unveil.lab.evaluation.result import Point, RunResult

_LOGARITHMIC = "The counts are logarithmic, so that both kinds can be seen."
_WITHOUT_THRESHOLD = frozenset({"unveil"})


def found(point: Point, true_pairs: int) -> int:
    """True pairs among the links of that point."""
    return round(point.recall * true_pairs) if math.isfinite(point.recall) else 0


def wrong(point: Point, true_pairs: int) -> int:
    """Links of that point that join different people: found / precision - found."""
    right = point.recall * true_pairs
    return round(right / point.precision - right) if math.isfinite(right) and point.precision > 0 else 0


def has_threshold(run: RunResult) -> bool:
    """Whether the record unit decided by a threshold; if not, t only tells how many pairs it called matches."""
    return run.preset not in _WITHOUT_THRESHOLD


def start(run: RunResult) -> float:
    """The threshold before any review; without a real one, what the first decisions amount to."""
    return run.t0 if has_threshold(run) else run.trajectory[0].threshold


def moved(before: float, after: float) -> str:
    """The change between two scores: rose from .853 to .921, fell from … to …, stayed at …."""
    first, last = score(before), score(after)
    if first == last:
        return f"stayed at {last}"
    return f"{'rose' if after > before else 'fell'} from {first} to {last}"


def introduction(run: RunResult) -> str:
    """What was linked and what makes the figures checkable."""
    left, right = run.records
    return (
        f"Two owners with {count(left)} and {count(right)} records looked for the people they share. This run was "
        "simulated: the truth is known, so every figure can be held against it. None of the parties knew it."
    )


def quality(run: RunResult) -> str:
    """What the layers did to F1."""
    last = run.trajectory[-1]
    change = f"F1 {moved(run.initial_f1, run.final_f1)}"
    if not last.reviewed_pairs:
        return f"F1 is {score(run.final_f1)} from the record level alone: no pair was compared attribute by attribute."
    work = f"{counted(last.reviewed_pairs, 'pair was', 'pairs were')} compared attribute by attribute"
    if last.clerical_labels:
        work += f" and {count(last.clerical_labels)} {_was(last.clerical_labels)} shown to a reviewer"
    sentence = f"{change} after {work}.{_against(run)}"
    return f"{sentence} {_err(run)}" if last.clerical_labels and run.error else sentence


def _was(number: int) -> str:
    return "was" if number == 1 else "were"


def _err(run: RunResult) -> str:
    return f"The simulated reviewer gave a wrong answer with probability {run.error:g}."


def _against(run: RunResult) -> str:
    """How the end compares with the baselines that were measured; a record level of 0 was not."""
    baselines = (
        (run.record_level_f1 or None, "the best that a threshold on record filters can reach (record level)"),
        (run.attribute_level_f1, "a comparison by attribute of all records (attribute level)"),
    )
    parts = [
        f"{_distance(run.final_f1, value)} {name}"
        for value, name in baselines
        if value is not None and math.isfinite(value) and math.isfinite(run.final_f1)
    ]
    return f" That is {' and '.join(parts)}." if parts else ""


def _distance(value: float, other: float) -> str:
    gap = round(value, 3) - round(other, 3)
    if abs(gap) < 0.0005:  # noqa: PLR2004 - half of the last decimal shown
        return "level with"
    return f"{score(abs(gap))} {'above' if gap > 0 else 'below'}"


def similarity(run: RunResult) -> str:
    """Where the threshold went and where the uncertain pairs lie."""
    if not has_threshold(run):
        return _similarity_without_threshold(run)
    first, last = threshold(run.t0), threshold(run.t_final)
    move = f"The threshold stayed at {last}" if first == last else f"The threshold moved from {first} to {last}"
    sentence = f"{move}; the best possible one is {threshold(run.t_opt)}."
    low, high = run.uncertain_band
    if low < high:
        are = "are" if run.trajectory[-1].reviewed_pairs else "would be"
        sentence += (
            f" Pairs near it (at the end between {threshold(low)} and {threshold(high)}) are uncertain, because both "
            f"kinds occur there: only such pairs {are} opened further."
        )
    return f"{sentence} {_LOGARITHMIC}"


def _similarity_without_threshold(run: RunResult) -> str:
    """What the decisions amount to, and where nine in ten uncertain pairs lie."""
    first, last = threshold(start(run)), threshold(run.t_final)
    lines = f"{last}, as at the start" if first == last else f"{first} at the start and {last} at the end"
    sentence = (
        "The record unit weighs more than this similarity, so no threshold divides the pairs: it called as many pairs "
        f"matches as reach {lines}. The best possible threshold is {threshold(run.t_opt)}."
    )
    low, high = run.uncertain_band
    if low < high:
        are = "were" if run.trajectory[-1].reviewed_pairs else "would be"
        sentence += (
            f" Nine in ten of the pairs that it was uncertain about at the end lie between {threshold(low)} and "
            f"{threshold(high)}; the least certain {are} opened first."
        )
    return f"{sentence} {_LOGARITHMIC}"


def answers(run: RunResult) -> str:
    """How many of the examples were answered right."""
    right = sum(asked.label == asked.truth for asked in run.asked)
    return f"In {count(right)} of these {counted(len(run.asked), 'pair')} the answer agrees with the truth."
