"""
All parties on one machine, each a process of its own: for trials, demonstrations and tests.

`folder` writes everything that the parties need (invented people, certificates, project file, configurations),
`processes` starts and stops them, `reviewer` decides about masked pairs in place of a person. Nothing here protects
anybody: whoever runs a trial holds every party's secrets.
"""
