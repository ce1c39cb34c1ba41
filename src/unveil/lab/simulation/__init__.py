"""
All parties in one process, driven by seeds: the machines are the same as in the field.

`study` is a data set made ready for any number of runs, `machines` are the parties on it, `world` runs the protocol,
`reviewer` stands in for the person, seeds for the operating system's randomness. A person may review a simulation too:
`session_file` keeps what they decided, `seen_risk` says what opening a pair further would risk.
"""
