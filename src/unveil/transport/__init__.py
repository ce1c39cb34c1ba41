"""
How messages travel: within one process (`memory`) or between machines over HTTPS.

A unit is known here by its `port` alone. `app` makes the HTTP application of a unit: the `gate` recognises the caller,
asks the table in `access` whether the call is allowed, the `limits` whether it is small enough and the `places` whether
there is one for this caller; the `desk` passes it on; `document` describes it. `server` serves it over `tls`: its
`listener` bounds how many connections there are, and each `connection` what may come over it unread. On the other side,
a `client` calls units and a `courier` delivers outgoing messages until they have arrived. Nothing here opens a message,
and `logs` hold ids and counts only.
"""
