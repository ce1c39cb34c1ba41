"""
The owner's console: pages on loopback for the person who decides what leaves an owner's house.

`site` is the application, `visit` the one browser that is let in, `texts` says numbers and words in the visitor's
language. The pages show what `runtime/owner/console.py` finds, and nothing of it is kept in the browser. They work
without scripts, but for the link's secret and for news that come by themselves.
"""
