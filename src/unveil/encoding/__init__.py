"""
What an owner does to its records before anything leaves the house.

A value is normalised (`normalise`), cut into q-grams (`qgrams`) and hashed to bit positions under a key of its
attribute (`hashing`, `filters`). The filters of the attributes make one record-level filter (`clk` or `rbf`, then
`hardening`) or stay apart (`abf`: plain, or keyed for one pair). Equality of whole values, or of what `transforms` and
`phonetics` make of them, travels as `blocking_keys`; `dates` reads dates for it in any notation.
All keys come from the owner's one secret (`keys`); all keyed choices from a full-width stream (`draws`).
What the schema chooses by name (steps, transforms, methods of hardening) is bound here to its row in `schema`.
`encoder.Encoder` ties this together and is all that other rooms need.

Small batches are encoded as these files say it. Larger ones go through `bulk`, with the same bits: values are cut by
`grams`, hashed by `sha256` and `streams`, which `compiled` turns into machine code and runs on every core.

Before all that, `planning` proposes a schema for an owner's file, and says what a schema would do with it.

Bits are uint64 words: bit i is bit i % 64 of word i // 64, least significant first (`bits`).
"""
