"""
Messages between machines, over HTTPS.

`app` makes the HTTP application of a unit: the `gate` recognises the caller, asks the table in `access` whether the
call is allowed, the `limits` whether it is small enough and the `slots` whether there is one for this caller; the
`handlers` pass it on; `document` describes it. `server` serves it over `tls`: its `listener` bounds how many
connections there are, and each `connection` what may come over it unread. A `client` calls units.
"""
