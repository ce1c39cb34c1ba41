"""
What is wrong with a set-up, and what cures it; nothing is changed, and no value, key or password is told.

`examine` finds out what a path is and asks what belongs to it: `machine` looks at the machine alone, `places` at disks,
folders, databases and certificates wherever they are used, `unit` at a unit's configuration, `owner` at an owner's
folder, `project` at a project file, `calls` at the units that a party calls. What each of them says is a `Diagnosis`.
"""
