"""
How much a linkage gives away, in numbers.

`requests` says which values each policy asks for, `kapr` what the values that were provided or seen risk, counted in a
reference `population`; `ledger_risk` is that for an owner's whole ledger. `bits` says how far the ones of a set of
filters are from evenly spread. Nothing here decides anything: it measures.
"""
