"""
The attribute unit (L_A): compares attributes under keys used for one pair alone, and asks reviewers about a few.

`machine` is the role, `decisions` what its log keeps, `answers` what the owners sent for the batch at work,
`data_warnings` says which attributes look wrong.
"""
