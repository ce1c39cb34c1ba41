"""
How much a linkage gives away, in numbers.

`requests` says which values each policy asks for, `kapr` what the values that were provided or seen risk, `bits` how
far the ones of a set of filters are from evenly spread. Nothing here decides anything: it measures.
"""
