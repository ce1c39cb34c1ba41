"""
What a party keeps in its database: logs, tokens and people who log in; and a cache of results that can be computed
again.

`database.Database` opens SQLite or PostgreSQL and hands out one `log.log.ProjectLog` per project; `log/` has all that
belongs to logs. `backend` is the small port behind which the two databases stand (`sqlite`, `postgresql`), `migrations`
their tables. `tokens` are the bearer tokens of people, `people` and `passkeys` whoever logs in at pages. `cache` is a
folder of arrays, outside any database.
"""
