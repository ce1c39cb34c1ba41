"""
The Python front door: what `import unveil` offers to notebooks and programs.

* `key`         `Key`, the secret that owners share
* `profiling`   `profile`: what the columns of a table are like, without a value
* `encoding`    `encode`: records to encodings
* `linking`     `link`: two tables to links, persons and an estimate
* `simulating`  `simulate`: the whole protocol on records with known truth
* `results`     what they give: tables that offer an Arrow stream, pictures that can be saved
* `tables`      what they take: a path, or anything that offers an Arrow stream

`unveil` itself imports these rooms when a name is first used, so that `import unveil` stays quick.
"""

from unveil.api.encoding import EncodedTable, encode
from unveil.api.key import Key
from unveil.api.linking import LinkResult, link
from unveil.api.profiling import ProfiledColumn, ProfiledTable, profile
from unveil.api.results import ResultTable, SvgPicture
from unveil.api.simulating import SimulationResult, simulate
from unveil.api.tables import UnveilWarning
from unveil.errors import UnveilError
from unveil.files.reading import Reading
from unveil.linkage.estimate import Estimate
from unveil.schema import Schema

__all__ = [
    "EncodedTable",
    "Estimate",
    "Key",
    "LinkResult",
    "ProfiledColumn",
    "ProfiledTable",
    "Reading",
    "ResultTable",
    "Schema",
    "SimulationResult",
    "SvgPicture",
    "UnveilError",
    "UnveilWarning",
    "encode",
    "link",
    "profile",
    "simulate",
]
