"""
Screening: filters of an upload that cannot be encoded records are found and put in quarantine before comparing.

`screen` judges one owner's filters. `key_groups` finds copies, strangers and unions among records that share blocking
keys; `bit_profile` finds filters whose bits were drawn at random. `fill` says how full filters are on
average.
"""
