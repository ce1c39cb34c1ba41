"""
Everything that knows the truth about a pair, or invents people: no party in the field may import any of it.

`synthetic` makes people, `simulation` runs all parties in one process, `local_parties` runs them as processes of this
machine, `evaluation` judges by the truth and draws the report, `paper` reruns the published evaluation, `worlds`
measures on registers of every kind, `bench` measures speed.
"""
