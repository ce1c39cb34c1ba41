"""
The protocol: who there is (`roles`), what they say (`messages`), to whom they may say it (`flows`), and how it is
written on the wire (`codec`, in `frames`). A role is a `machine` whose state is the fold of its log. Standard library
only; it knows no cryptography and no arrays.
"""
