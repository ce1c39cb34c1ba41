"""
A party in the field: a role's machine with its log, its neighbours and its part of the network.

`host` makes a machine durable: nothing is acknowledged, acted on or sent before it is in the log. `assemble` builds the
machines from a project file. `unit` is what a unit's server offers, `errand` what an owner does: fetch, decide, send.
"""
