"""
Pictures and pages that know nothing of a linkage: charts in SVG, the markup around them, numbers as people read them.

The charts (`lines`, `bars`, `intervals`, `histogram`, `dots`, `layers`) draw what they are handed, for a given width: a
picture is drawn twice, wide and narrow, and the style sheet shows the one that fits. `markup` escapes every text that
is not markup already; `document` is a page that loads nothing and runs nothing, `tables` a table of it.
"""
