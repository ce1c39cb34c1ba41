"""
The terminal reviewer: one masked pair at a time, decided by single keys.

`reviewer` asks about batches of pairs and acts on keys, `keys` says what each key means, `drawing` draws the screen.
"""
