"""
The report of a run: one HTML file that opens offline, drawn from the numbers in a `RunResult`.

`page.render` puts the document together from `sections`, `cooperation`, `estimated` and `advice`; `words` computes the
sentence under each picture. The charts (`lines`, `bars`, `intervals`, `histogram`, `dots`, `layers`) know nothing of a
run but what they are handed, so that other reports can draw with them. Each of them draws for a given width: a picture
is drawn twice, wide and narrow, and the style sheet shows the one that fits. `markup` escapes every text that is not
markup already.
"""

from unveil.lab.evaluation.report.page import render

__all__ = ["render"]
