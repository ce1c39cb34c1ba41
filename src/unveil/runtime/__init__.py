"""
A party in the field: a role's machine with its log, its neighbours and its part of the network.

`host` makes a machine durable: nothing is acknowledged, acted on or sent before it is in the log. `assemble` builds the
machines from a project file. `units` and `reviews` are what a unit's server offers, `unit_process` is a unit as a
process, `owner` the application of an owner, and `audit` checks a party's log.
"""
