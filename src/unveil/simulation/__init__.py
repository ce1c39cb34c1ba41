"""
All parties in one process, driven by seeds: the machines are the same as in the field.

`study` is a data set made ready for any number of runs, `world` runs the protocol on it, `reviewer` stands in for the
person, `entropy` for the operating system's randomness. Ground truth is known here and in `evaluation` only.
"""
