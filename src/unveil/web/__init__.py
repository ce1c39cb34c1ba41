"""
Pages for browsers: those of reviewers at the review unit, every unit's page for its operators, and in `console` those
of an owner on its own machine.

`of_unit` says which unit has which; `site` is the reviewers' application, `operator_site` the operators', `frame` what
both have, `guard` what every request passes and every answer carries, `languages` the sentences, `passkeys` the log-in
by a device, `keys` the reviewers' choice of single keys. Pages are drawn by `templates`, and by one module of `static`
for each; nothing comes from elsewhere. A reviewer's page holds what `runtime/review_steps.py` says and nothing else:
masked pairs, never a value that was not opened. An operator's holds what `runtime/operations.py` says: nothing about
any record.
"""
