"""
The owner of data (DO): it encodes its records, answers or refuses what the units wish for, and notes what left.

`machine` is the role; `policy` decides what may leave; `ledger` counts what did; `frequency` ranks values by how common
they are among the owner's own records.
"""
