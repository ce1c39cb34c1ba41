"""
Worlds: pairs of registers of every kind that the voters and patients of `synthetic` are not.

A `design` says what a world is like, drawn from a seed: which attributes, how dirty, how many are missing, who is in
both registers, how large they are, which blocking keys and which hardening. `people` are its inhabitants with every
attribute that a register may hold, `mistakes` how entries go wrong, `registers` the two files and the truth, `schemas`
the schema that a data manager would write for them. `measure` links a world and holds the result against what others
reach on the same records.

Models that are learnt on some worlds are judged on others: seeds below `HELD_OUT` are for learning.
"""

from unveil.lab.worlds.design import HELD_OUT, Design, draw_design
from unveil.lab.worlds.registers import WorldRegisters, make_world

__all__ = ["HELD_OUT", "Design", "WorldRegisters", "draw_design", "make_world"]
