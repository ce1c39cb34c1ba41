"""
The privacy report: one page for a board, then every figure behind it, each with the command that makes it.

`figures` are what the page is made of, as plain data; `gathered` collects them of an owner's folder, a data set or
generated people; `words` says what they mean and what would lower them; `page` puts them together.
"""
