"""
A party's log of one project: what it received, decided and has to send, in order.

`log` appends and reads; `entries` are what is read. A log is hash-chained (`chain`), so `verification` finds any entry
that was edited, removed, added or moved; what entries hold (`contents`) can be erased for good without breaking the
chain. `outbox` keeps what is still to be sent, `residue` removes what an erasure leaves in the database's files.
"""
