"""
The protocol: who there is (`roles`), what they say (`messages`), to whom they may say it (`flows`), and how it is
written on the wire (`codec`). Standard library only; it knows no cryptography and no arrays.
"""
