"""
The owner's application: what an organisation that holds data does in a project. It opens no port and prints nothing.

`service` is what the command line calls, and whatever else shows an owner's work to people; `observer` is how it tells
them about work that takes long. `folder` is an owner's folder made ready, `session` holds it while one works, `view`
only looks into it. `progress` folds the log, `fetcher` fetches messages, `record_unit_watch` asks the record unit how
it stands, and `upload_judgement` tells what that means. Beside them lies what each command does: `init`, `check`,
`upload`, `answering`, `approvals`, `status`, `ledger`.
"""
