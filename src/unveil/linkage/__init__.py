"""
What the units compute: which pairs, how similar, match or not, which to ask about, what to learn.

`bits` and `blocking` find and compare candidate pairs; `engine` says what an engine must offer. A `Layer` is one link
of the chain: it classifies its pairs with a model (`threshold` is M_R, `forest` is M_A), draws uncertain ones with a
query strategy (`query`) and learns from the labels that come back from below. `plausible` keeps records out that stand
for nobody; `chance` is randomness as an argument. Nothing here knows how many layers there are.
"""
