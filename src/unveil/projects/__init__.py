"""
Trust between the parties: who takes part in a project, under which certificate, and what each of them is told.

* `project`        a project: its name, schema, limits and parties
* `project_file`   the one file that all parties share: read, explained by key, written, joined
* `new_project`    what a new project is given unless somebody says otherwise
* `unit_config`    what a unit is told by whoever runs it; `owner_config`, what an owner is told
* `unit_text`      a unit's configuration as it is first written, each setting explained
* `membership`     whether a party's certificate is the one that the project lists for it
* `certificates`   certificates as they are read, and the public key by which a party is known
* `authority`      whether an authority's certificate is one, and a party's own comes from it
* `own_certificate` whether a party's own certificate will do: in force, for its purpose and its host
* `pki`            a small authority for trials; certificates of a real one work the same

A party is known by the hash of its public key, not by the name in its certificate: whoever signs certificates can
write any name, but only the party itself holds the private key.
"""
