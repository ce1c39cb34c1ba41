"""
What keeps implausible uploads out, before anything is compared.

`screen` looks at one owner's filters, with the help of `key_groups` (records that share blocking keys) and
`bit_profile` (are some bits set more often than others, as in real records?).
"""
