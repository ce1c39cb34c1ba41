"""
Attacks: what somebody who holds encodings, and a register with the same people, finds out.

They are what our own defaults are chosen by, and each is as strong as we can make it: an attack that fails proves
nothing unless the same attack succeeds on an encoding that is known to be weak.

`agreement` compares filters as an attacker does, `matching` finds whose filter is whose by all similarities at once,
from people that are known or from `profiles` of similarities alone. `stripping` undoes a diffusion by elimination.
At the attribute level `weights` tells lengths and joins pairs, `states_of_pairs` joins them by all that is found out
of each, `frequency_of_attributes` names values, and `bit_map` the attribute of each bit of a record's filter.
`key_patterns` tells people by their blocking keys, `blocks` has these keys as a graph, and `spreading` goes along it
from person to person with filters to choose by. `salt_groups` finds records of one salt. `guesses` says how many people
were found, or values guessed.

All are pure: arrays in, arrays out, with a clock and randomness of the caller's.
"""
