"""
Benchmarks: how fast Unveil is on this machine, beside what people use today and what the machine could do at best.

Each module measures one thing and has `run(*, quick, peers)`, which returns one JSON object: name, ours, peer,
peer_name, unit, ratio, threads, sizes (how time grows with the records), ceiling and ceiling_unit.

* `encode`   record-level encoding, beside clkhash
* `keyed`    pair-keyed attribute filters
* `compare`  comparing all pairs, beside anonlink
* `blocks`   comparing within blocks
* `peers`    the tools of others, in their own interpreter
* `speed`    an engine's rate within a second, and the processor's ceiling (`kernels`)
"""
