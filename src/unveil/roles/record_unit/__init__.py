"""
The record unit (L_R): compares records encoded as a whole, and asks about pairs whose decision is uncertain.

* `machine`        the role: its iterations of asking and learning
* `intake`         fingerprints and uploads as they come in; `upload` is one owner's
* `comparing`      the long work between the last upload and the first question
* `wishes`         how many pairs are asked about
* `link_tables`    the result
* `data_warnings`  keys and filters that look wrong
* `decisions`      what its log keeps
"""
