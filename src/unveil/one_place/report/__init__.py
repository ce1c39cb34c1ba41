"""
The report of a linkage whose truth nobody knows: one HTML file that opens offline and holds no value of a record.

`page.render` puts it together from `sections`, `cooperation`, `course`, `similarity` and `advice`; the parts that
look at no truth serve the report of a simulation, too.
"""

from unveil.one_place.report.page import render

__all__ = ["render"]
