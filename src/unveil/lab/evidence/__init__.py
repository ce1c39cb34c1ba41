"""
What each party could learn, found out by attacking ourselves: people are made, encoded as a schema says, and attacked.

`scene` sets targets beside an attacker's register; `codings` are the hardenings that are compared, the weak ones among
them. `catalogue` names every attack with what its attacker holds, the control that must succeed, and how success is
measured; `record_filters`, `attribute_filters`, `bits_of_attributes`, `blocking_keys`, `owners_view` and `uploads` play
them, with the pure attacks of `privacy/attacks`. `plan` is
the whole run piece by piece, `journal` keeps finished ones, `trade` draws what protection costs, and `report` puts it
all on a page for a board or a data protection officer.
"""
