"""
The owner's application: what an organisation that holds data does in a project. It opens no port and prints nothing.

`service` is what the command line calls, and whatever else shows an owner's work to people; `observer` is how it tells
them about work that takes long. `folder` is an owner's folder made ready, `session` holds it while one works, `view`
only looks into it, `live_view` for long. `progress` folds the log, `fetcher` fetches messages, `unit_watch` asks a unit
how it stands, and `upload_judgement` tells what that means. Beside them lies what each command does: `init`, `check`,
`upload`, `answering`, `approvals`, `status`, `ledger`. `console` is what the owner's console shows and does, `inbox` is
what waits there, with exactly what would leave, `rules` are edited and `dry_run` tries them on `past_wishes`, and
`console_ledger` is what left. `pause` stops what leaves, and `live_policy` follows the policy file.
"""
