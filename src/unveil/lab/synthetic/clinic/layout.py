"""The clinic layout: first and last name, date of birth, sex, street and city."""

from __future__ import annotations

import numpy as np

from unveil.lab.synthetic import events
from unveil.lab.synthetic.clinic import changes
from unveil.lab.synthetic.clinic.changes import ClinicStory
from unveil.lab.synthetic.clinic.dates import birthdays
from unveil.lab.synthetic.clinic.entries import ClinicEntries, Traits, entries, unequal
from unveil.lab.synthetic.clinic.rates import ClinicRates
from unveil.lab.synthetic.clinic.streets import streets
from unveil.lab.synthetic.events import Event, Floats, Histories
from unveil.lab.synthetic.layout import Layout
from unveil.lab.synthetic.names import FEMALE
from unveil.lab.synthetic.people import People
from unveil.lab.synthetic.registers import Ints, LifeStory


class ClinicLayout(Layout[ClinicEntries, ClinicRates]):
    """Two clinics of one state that wrote down their patients some years apart."""

    def __init__(self, people: People, rates: ClinicRates, rng: dict[str, np.random.Generator]) -> None:
        super().__init__(people, rates, rng)
        self.traits = Traits(
            birthday=birthdays(people, rates.first_of_january, rng["birthdays"]),
            home=streets().draw(int(people.household.max()) + 1, rng["homes"]),
        )

    def draw(self, count: int, *, errors: int, groups: Floats) -> tuple[Ints, Ints]:
        """Group and history of the people who stand in both registers."""
        return events.draw(
            count,
            [_histories(group, self.rates) for group in range(events.GROUPS)],
            errors=errors,
            groups=groups,
            unequal=self.rates.unequal(errors),
            # Otherwise two unequal attributes would mean a wrong date or sex far more often than any clinic has it.
            fixed={events.DATE_OF_BIRTH: self.rates.date_of_birth, events.SEX: self.rates.sex},
            rng=self.rng["histories"],
        )

    def befall(self, who: Ints, history: Ints) -> ClinicStory:
        """The entries of these people before and after their histories."""
        before = entries(self.people, self.traits, who, self.rates, self.rng["entries"])
        story = LifeStory(self.people, who, history, before, before.take(np.arange(len(who))))
        changes.befall(story, self.rates, self.rng)
        return story

    def alone(self, who: Ints) -> ClinicEntries:
        """The entries of people who stand in one register only."""
        return entries(self.people, self.traits, who, self.rates, self.rng["others"])

    def follow(self, story: ClinicStory, register: ClinicEntries, who: Ints) -> None:
        """Let people of the second register come along when their household moves."""
        changes.follow(story, register, who, self.rates, self.rng["followers"])

    def unequal(self, story: ClinicStory) -> Ints:
        """The counted attributes in which the two entries differ, as bits."""
        return unequal(story.before, story.after)


def _histories(group: int, rates: ClinicRates) -> Histories:
    """Every history of a group and its probability."""
    sex, later = divmod(group, 2)
    slower = rates.later_life if later else 1.0
    marriage = rates.marriage * slower if sex == FEMALE else 0.0
    singles = {
        Event.MOVE: rates.move * slower,
        Event.STREET: rates.street,
        Event.FIRST: rates.first_name,
        Event.LAST: rates.last_name,
        Event.DATE: rates.date_of_birth,
        Event.SEX: rates.sex,
    }
    return Histories.of(
        [
            events.with_follower(Event.MARRIAGE, marriage, Event.MARRIAGE_MOVE, rates.marriage_move),
            *([(0, 1 - chance), (int(event), chance)] for event, chance in singles.items()),
        ]
    )
