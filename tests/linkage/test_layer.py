from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import pytest

from unveil.linkage.layer import Layer
from unveil.linkage.model import Uncalibrated
from unveil.linkage.outcome import Flags, Outcomes, Reals, log_odds
from unveil.schema import ProtocolSettings

Lesson = tuple[list[float], list[bool], list[float]]


@dataclass(frozen=True)
class Scripted(Uncalibrated):
    """A model that says what it was told to say and notes what it was taught."""

    p: float = 0.6
    lessons: list[Lesson] = field(default_factory=list)
    heard: list[int] = field(default_factory=list)  # how many pairs it was asked about, each time

    @property
    def ready(self) -> bool:
        """It always has something to say."""
        return True

    @property
    def threshold(self) -> None:
        """It has none."""
        return

    def log_odds(self, features: Reals) -> Reals:
        """Those of what it says."""
        return log_odds(self.predict(features))

    def band(self, p_t: float) -> None:
        """It has none."""
        del p_t

    def predict(self, features: Reals) -> Outcomes:
        """Match where the feature is positive."""
        self.heard.append(len(features))
        return Outcomes(features > 0, np.full(len(features), self.p))

    def updated(self, features: Reals, g: Flags, weight: Reals) -> Scripted:
        """Note the lesson."""
        self.lessons.append((features.tolist(), g.tolist(), weight.tolist()))
        return self


def layer(
    features: list[float], *, above: Outcomes | None = None, p: float = 0.6, **settings: object
) -> Layer[Scripted]:
    made = Layer(Scripted(p), ProtocolSettings(**settings), clerical_weight=2.0)
    made.add(np.array(features), above)
    made.classify()
    return made


def outcomes(*pairs: tuple[bool, float]) -> Outcomes:
    return Outcomes(np.array([g for g, _ in pairs], bool), np.array([p for _, p in pairs]))


def at(*positions: int) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    return np.array(positions, np.int64)


def rng() -> np.random.Generator:
    return np.random.default_rng(1)


def test_a_label_replaces_the_models_word_and_a_later_label_the_earlier() -> None:
    """The layer below is asked because it knows better; what it says last counts."""
    some = layer([1.0, 2.0])
    some.take(at(0), outcomes((False, 0.9)))
    assert ([False, True], [0.9, 0.6]) == (some.outcomes.g.tolist(), some.outcomes.p.tolist())
    some.take(at(0), outcomes((True, 1.0)))
    assert (True, 1.0) == (some.g[0], some.p[0])


def test_classifying_anew_leaves_labels_alone() -> None:
    """The model must not overrule the layer below."""
    some = layer([1.0, 2.0])
    some.take(at(1), outcomes((False, 0.7)))
    some.model = Scripted(0.8)
    some.classify()
    assert ([True, False], [0.8, 0.7]) == (some.g.tolist(), some.p.tolist())


def test_a_layer_with_every_pair_labelled_asks_its_model_nothing() -> None:
    """There is no open pair, and a forest without trees could not answer."""
    some = layer([1.0])
    some.take(at(0), outcomes((False, 0.7)))
    some.model = Scripted(0.9)
    some.classify()
    assert [0.7] == some.p.tolist()


@pytest.mark.parametrize("strategy", ["buckets", "uniform", "closest"])
def test_pairs_asked_about_are_never_drawn_again(strategy: str) -> None:
    """Whether or not an answer came: a refusal is an answer, and asking again would be pressing."""
    some, generator, drawn = layer([1.0] * 10, strategy=strategy), rng(), []
    for _ in range(2):
        chosen = some.select(6, generator)
        some.ask(chosen)
        drawn += chosen.tolist()
    assert list(range(10)) == sorted(drawn)
    assert [] == some.select(6, generator).tolist()


def test_drawing_alone_asks_nobody() -> None:
    """A decision may be drawn and never taken; only what was asked counts as asked."""
    some = layer([1.0] * 10)
    assert some.select(6, rng()).tolist() == some.select(6, rng()).tolist()
    assert not some.asked.any()


def test_labelled_and_certain_pairs_are_not_drawn() -> None:
    """A label can come for a pair that this layer never asked about; it is known now."""
    some = layer([1.0, 1.0, 1.0])
    some.take(at(1), outcomes((True, 0.6)))
    some.p[2] = 0.8
    assert [0] == some.select(5, rng()).tolist()


def test_sure_pairs_are_drawn_from_those_nobody_asked_about() -> None:
    """Surer than asked for, not asked about and not labelled; at most as many as wanted, and not always the same."""
    some = layer([1.0] * 10)
    some.p[:] = [0.9] * 8 + [0.8, 0.7]
    some.ask(at(0))
    some.take(at(1), outcomes((True, 0.9)))
    assert list(range(2, 8)) == sorted(some.sure(0.8, 99, rng()).tolist())
    assert [] == some.sure(0.9, 99, rng()).tolist()
    draws = {tuple(some.sure(0.8, 3, np.random.default_rng(seed)).tolist()) for seed in range(20)}
    assert {3} == {len(draw) for draw in draws}
    assert len(draws) > 10


def test_whoever_wants_no_sure_pair_takes_nothing_from_chance() -> None:
    """Without controls and decoys a draw gives what it gave before there were any."""
    some, generator = layer([1.0] * 10), rng()
    assert [] == some.sure(0.5, 0, generator).tolist()
    assert rng().random() == generator.random()


def test_the_model_is_asked_when_its_word_is_needed_and_only_then() -> None:
    """A log that is applied again passes through many models; only the last one has to speak."""
    some = layer([1.0, -1.0])
    for p in (0.7, 0.8, 0.9):
        some.model = Scripted(p)
        some.classify()
    assert [] == some.model.heard
    assert ([0.9, 0.9], [True, False]) == (some.p.tolist(), some.g.tolist())
    assert [2] == some.model.heard


def test_the_model_learns_labels_from_below_by_their_p() -> None:
    """Without word from above only labelled pairs are taught."""
    some = layer([1.0, 2.0, 3.0])
    some.take(at(0, 2), outcomes((False, 0.9), (True, 0.7)))
    some.learn()
    assert [([1.0, 3.0], [False, True], [0.9, 0.7])] == some.model.lessons


def test_the_clerical_weight_is_for_p_of_exactly_1() -> None:
    """A person's word counts double; a model's, which stays below 1, does not."""
    some = layer([1.0, 2.0])
    some.take(at(0, 1), outcomes((False, 1.0), (True, 1 - 2**-20)))
    some.learn()
    assert [2.0, 1 - 2**-20] == some.model.lessons[0][2]


def test_a_layer_that_asks_people_weighs_their_doubts_too() -> None:
    """Every label that it gets is a person's: one who is three quarters sure still counts double."""
    some = Layer(Scripted(), ProtocolSettings(), clerical_weight=2.0, asks_people=True)
    some.add(np.array([1.0, 2.0]), outcomes((True, 0.6), (True, 0.7)))
    some.take(at(1), outcomes((False, 0.75)))
    some.learn()
    assert [0.6, 1.5] == some.model.lessons[0][2]


def test_without_a_label_the_word_from_above_is_taught_and_never_the_models_own() -> None:
    """Features say match, the layer above said non-match: a model taught its own word would confirm itself."""
    above = outcomes((False, 0.55), (False, 0.65), (True, 0.75))
    some = layer([1.0, 1.0, 1.0], above=above, p=0.99)
    some.take(at(1), outcomes((True, 1.0)))
    some.learn()
    assert ([False, True, True], [0.55, 2.0, 0.75]) == some.model.lessons[0][1:]


def test_a_certain_word_from_above_is_not_a_persons() -> None:
    """Only labels from below can come from a reviewer; p = 1 from above is not doubled."""
    some = layer([1.0], above=outcomes((True, 1.0)))
    some.learn()
    assert [1.0] == some.model.lessons[0][2]


def test_words_from_above_stay_with_their_pairs_when_more_come() -> None:
    """Batches are appended; features, words and outcomes keep one order."""
    some = layer([1.0], above=outcomes((False, 0.6)))
    some.add(np.array([-1.0, 2.0]), outcomes((True, 0.7), (False, 0.8)))
    some.classify()
    some.learn()
    assert [([1.0, -1.0, 2.0], [False, True, False], [0.6, 0.7, 0.8])] == some.model.lessons
    assert (3, [True, False, True]) == (len(some), some.g.tolist())


def reported(some: Layer[Scripted], *, once: bool = False) -> list[int]:
    """Report what is new or has changed; which pairs that are."""
    changed = some.changes(once=once)
    some.reported(changed, Outcomes(some.g[changed], some.p[changed]))
    return changed.tolist()


def test_changes_are_what_is_new_or_different_since_the_last_report() -> None:
    """What the layer above knows already is not repeated; looking at the changes reports nothing."""
    some = layer([1.0, -1.0])
    assert [0, 1] == some.changes().tolist()
    assert [0, 1] == reported(some)
    assert [] == reported(some)
    some.model = Scripted(0.7)
    some.classify()
    assert [0, 1] == reported(some)
    some.take(at(1), outcomes((True, 0.7)))
    assert [1] == reported(some)
    some.add(np.array([3.0]))
    some.classify()
    assert [2] == reported(some)


def test_what_was_reported_is_the_word_that_went_out() -> None:
    """A log holds the word itself: were it computed anew, a model of another version would change the past."""
    some = layer([1.0, -1.0])
    some.reported(at(0, 1), outcomes((True, 0.6), (False, 0.55)))
    assert [1] == some.changes().tolist()


def test_a_new_pair_is_reported_even_if_it_looks_unchanged() -> None:
    """Its first outcome may equal the placeholder of a pair not yet classified."""
    some = layer([-1.0], p=0.5)
    assert [0] == some.changes().tolist()


def test_with_once_only_labels_from_below_are_reported_again() -> None:
    """The model may change its mind as often as it likes; that stays inside."""
    some = layer([1.0, -1.0])
    assert [0, 1] == reported(some, once=True)
    some.model = Scripted(0.7)
    some.classify()
    assert [] == reported(some, once=True)
    some.take(at(0), outcomes((False, 1.0)))
    assert [0] == reported(some, once=True)
    assert [] == reported(some, once=True)
