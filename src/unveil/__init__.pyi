from unveil.api import EncodedTable as EncodedTable
from unveil.api import Estimate as Estimate
from unveil.api import Key as Key
from unveil.api import LinkResult as LinkResult
from unveil.api import ProfiledColumn as ProfiledColumn
from unveil.api import ProfiledTable as ProfiledTable
from unveil.api import Reading as Reading
from unveil.api import ResultTable as ResultTable
from unveil.api import Schema as Schema
from unveil.api import SimulationResult as SimulationResult
from unveil.api import SvgPicture as SvgPicture
from unveil.api import UnveilError as UnveilError
from unveil.api import UnveilWarning as UnveilWarning
from unveil.api import encode as encode
from unveil.api import link as link
from unveil.api import profile as profile
from unveil.api import simulate as simulate

__version__: str
