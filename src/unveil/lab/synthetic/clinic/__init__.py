"""
The clinic layout: first and last name, date of birth, sex, street, city.

`layout` lists what may befall a person, `entries` what a register writes down, `changes` how events change it; `rates`
holds the probabilities, `dates` the dates of birth and the mistakes in them, `streets` an invented list of streets.
"""
