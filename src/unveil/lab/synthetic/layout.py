"""What differs from layout to layout: what a register writes down, and what may happen to it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Generic, TypeVar

import numpy as np

from unveil.lab.synthetic.events import Floats
from unveil.lab.synthetic.people import People
from unveil.lab.synthetic.rates import LifeRates
from unveil.lab.synthetic.registers import E, Ints, LifeStory

R = TypeVar("R", bound=LifeRates)


class Layout(ABC, Generic[E, R]):
    """Registers of one layout about these people; `rng` holds one random stream per stage."""

    def __init__(self, people: People, rates: R, rng: dict[str, np.random.Generator]) -> None:
        self.people, self.rates, self.rng = people, rates, rng

    @abstractmethod
    def draw(self, count: int, *, errors: int, groups: Floats) -> tuple[Ints, Ints]:
        """Group and history of `count` people in both registers, given the shares of the groups."""

    @abstractmethod
    def befall(self, who: Ints, history: Ints) -> LifeStory[E]:
        """The entries of these people before and after their histories."""

    @abstractmethod
    def alone(self, who: Ints) -> E:
        """The entries of people who stand in one register only."""

    @abstractmethod
    def follow(self, story: LifeStory[E], register: E, who: Ints) -> None:
        """Let people of the second register come along when their household moves."""

    @abstractmethod
    def unequal(self, story: LifeStory[E]) -> Ints:
        """The counted attributes in which the two entries differ, as bits."""
