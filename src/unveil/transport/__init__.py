"""
How messages travel: within one process (`memory`) or between machines over HTTPS (`http`).

A unit is known here by its `port` alone, and what it tells about a project is a `status`. A `courier` delivers outgoing
messages until they have arrived; `failures` are the ways in which a call can fail. Nothing here opens a message, and
`logs` hold ids and counts only.
"""
