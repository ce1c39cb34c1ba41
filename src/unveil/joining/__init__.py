"""
Who may join the owners' link tables, and how it is kept from everybody else.

An owner's link table holds ids of its own, which have nothing in common with another owner's. Which of them belong
together is sealed: `terms` says for whom, `sealed_pairs` seals and opens the pairs, `join_keys` divides or wraps the
key to them, `join_part` is what one owner hands over so that they are joined. The record unit seals, whoever joins
opens; owners carry what they cannot read.
"""
