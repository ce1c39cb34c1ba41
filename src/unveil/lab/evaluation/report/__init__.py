"""
The report of a run: one HTML file that opens offline, drawn from the numbers in a `RunResult`.

`page.render` puts the document together. What needs no truth is drawn by `one_place.report`, as in linkages where
nobody knows it; `sections` and `estimated` here set a run beside the truth, and `words` computes the sentence under
each picture. The charts and the page itself are those of `charts`.
"""

from unveil.lab.evaluation.report.page import render

__all__ = ["render"]
