"""
Generated people: a make-believe population for the demo, the tests and the evaluation.

`generate` returns two overlapping registers of one invented state and the truth about them; `write` saves them as CSV.
The files of the room, in the order in which a person comes to life:

* `tables`      reads the name tables in `data/`
* `names`       given names by sex and birth decade, middle names, surnames; `rare` composes the long tail
* `places`      an invented state: towns, their ZIP codes, birthplaces
* `people`      households of people who share a surname and an address
* `rates`       every probability, in one place
* `events`      what befalls a person between the two registers, and how often pairs differ in 1, 2, … attributes
* `spelling`    typing mistakes, short forms, spelling variants of one value
* `registers`   entries of a register, before and after what befell a person
* `changes`     how events change names
* `layout`      what differs from layout to layout; each layout has a room of its own:
* `voter/`      names, year of birth, city, ZIP code, place of birth
* `clinic/`     first and last name, date of birth, sex, street, city
* `population`  draws who stands in which register and puts it all together
* `write`       saves a population
* `exported`    the same people as two hospitals export them; `workbook` writes one of the files

No real person's record goes in: names come from public frequency tables, all else is made up.
"""

from unveil.lab.synthetic.clinic.rates import ClinicRates
from unveil.lab.synthetic.exported import exported, write_exported
from unveil.lab.synthetic.population import LAYOUTS, Registers, generate
from unveil.lab.synthetic.rates import Rates
from unveil.lab.synthetic.write import write

__all__ = ["LAYOUTS", "ClinicRates", "Rates", "Registers", "exported", "generate", "write", "write_exported"]
