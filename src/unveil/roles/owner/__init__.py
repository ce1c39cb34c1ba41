"""
The owner of data (DO): it encodes its records, answers or refuses what the units wish for, and notes what left.

`machine` is the role and `decisions` what its log keeps; `wishes` remembers what was asked for; `policy` decides what
may leave, within the `allowance` of its caps and no rarer than its `combinations` allow; `policy_file` is how an owner
writes that down; `answers` builds what is sent; `ledger` notes what left; `links` is the result; `frequency` ranks
values by how common they are, and `lengths` finds those that are too long to be shown.
"""
