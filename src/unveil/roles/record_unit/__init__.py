"""
The record unit (L_R): compares records encoded as a whole, and asks about pairs whose decision is uncertain.

`machine` is the role and `decisions` what its log keeps; `intake` takes fingerprints and uploads, of which `upload` is
one owner's.
"""
