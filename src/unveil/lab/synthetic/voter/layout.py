"""The voter layout: names, year of birth, city, ZIP code and place of birth."""

from __future__ import annotations

from unveil.lab.synthetic import events
from unveil.lab.synthetic.events import Event, Floats, Histories, with_follower
from unveil.lab.synthetic.layout import Layout
from unveil.lab.synthetic.names import FEMALE
from unveil.lab.synthetic.rates import Rates
from unveil.lab.synthetic.registers import Ints
from unveil.lab.synthetic.voter import changes
from unveil.lab.synthetic.voter.changes import VoterStory
from unveil.lab.synthetic.voter.entries import VoterEntries, entries, unequal


class VoterLayout(Layout[VoterEntries, Rates]):
    """Two snapshots of a voter register, some years apart."""

    def draw(self, count: int, *, errors: int, groups: Floats) -> tuple[Ints, Ints]:
        """Group and history of the people who stand in both registers."""
        return events.draw(
            count,
            [_histories(group, self.rates) for group in range(events.GROUPS)],
            errors=errors,
            groups=groups,
            unequal=self.rates.unequal(errors),
            fixed={},
            rng=self.rng["histories"],
        )

    def befall(self, who: Ints, history: Ints) -> VoterStory:
        """The entries of these people before and after their histories."""
        return changes.befall(self.people, who, history, self.rates, self.rng)

    def alone(self, who: Ints) -> VoterEntries:
        """The entries of people who stand in one register only."""
        return entries(self.people, who, self.rates, self.rng["others"])

    def follow(self, story: VoterStory, register: VoterEntries, who: Ints) -> None:
        """Let people of the second register come along when their household moves."""
        changes.follow(story, register, who, self.rates, self.rng["followers"])

    def unequal(self, story: VoterStory) -> Ints:
        """The counted attributes in which the two entries differ, as bits."""
        return unequal(story.before, story.after)


def _histories(group: int, rates: Rates) -> Histories:
    """Every history of a group and its probability: the product over independent events."""
    sex, later = divmod(group, 2)
    slower = rates.later_life if later else 1.0
    marriage = rates.marriage * slower if sex == FEMALE else 0.0
    middle, moves = rates.marriage_middle, rates.marriage_move
    return Histories.of(
        (
            [
                (0, 1 - marriage),
                (Event.MARRIAGE, marriage * (1 - middle) * (1 - moves)),
                (Event.MARRIAGE | Event.MARRIAGE_MIDDLE, marriage * middle * (1 - moves)),
                (Event.MARRIAGE | Event.MARRIAGE_MOVE, marriage * (1 - middle) * moves),
                (Event.MARRIAGE | Event.MARRIAGE_MIDDLE | Event.MARRIAGE_MOVE, marriage * middle * moves),
            ],
            with_follower(Event.MOVE, rates.move * slower, Event.MOVE_BIRTHPLACE, rates.move_birthplace),
            with_follower(Event.FIRST, rates.first_name, Event.FIRST_AND_MIDDLE, rates.first_and_middle),
            [(0, 1 - rates.middle_name), (Event.MIDDLE, rates.middle_name)],
            [(0, 1 - rates.place_of_birth), (Event.BIRTHPLACE, rates.place_of_birth)],
            [(0, 1 - rates.last_name), (Event.LAST, rates.last_name)],
        )
    )
