"""
Messages between machines, over HTTPS.

An `endpoint` is one value that says all about it; `endpoints` lists those of the units, each beside its handler. `app`
makes the HTTP application of a unit from them. In front of it stands the `gate`: it finds the endpoint in the unit's
`directory`, recognises the caller and refuses whoever may not call it (`access` names the kinds of callers), has the
request read within its limits (`reading`, `limits`) and takes one of the `slots` for it. Then the handler answers its
`call`. `document` describes the endpoints as OpenAPI, `metrics` counts their requests.

`server` serves the application over `tls`: its `listener` bounds how many connections there are, and each `connection`
what may come over it unread. A `client` calls units.
"""
