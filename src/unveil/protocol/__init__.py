"""
The protocol: who there is (`roles`), what they say (`messages`), to whom they may say it (`flows`), how it is written
on the wire (`codec`, in `frames`), and what units warn of (`data_warnings`). A role is a `machine` whose state is the
fold of its log. Standard library only; it knows no cryptography and no arrays.
"""
