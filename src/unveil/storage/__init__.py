"""
What a party keeps: its log, its tokens, its keys, its models, and results worth keeping.

`database.Database` opens SQLite or PostgreSQL and hands out one `log.ProjectLog` per project. A log is append-only and
hash-chained (`chain`), so `verification` finds any entry that was edited, removed, added or moved; what it holds
(`contents`) can be erased for good without breaking the chain. `outbox` keeps what is still to be sent. `backend` is
the small port behind which the two databases stand (`sqlite`, `postgresql`), `migrations` their tables. `tokens` are
the bearer tokens of people. `cache` is a folder of arrays that can be computed again. `keyfile` and `models` are files
of their own, outside any database.
"""
