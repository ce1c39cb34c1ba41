"""
The voter layout: first, middle and last name, year of birth, city, ZIP code, place of birth.

`layout` lists what may befall a person, `entries` what a register writes down, `changes` how events change it.
"""
