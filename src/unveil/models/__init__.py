"""
Models: what the units decide with. A role knows a model by the protocol in `linkage.model` alone; `choice` makes it.

`threshold` and `forest` are the paper's. `logistic` starts from `priors` that were learnt on generated people, and
looks at `record_evidence` or `attribute_evidence`. `noise`
weighs labels that may be wrong. `saved` are models in files, `advice` is what they say about an encoding.
"""
