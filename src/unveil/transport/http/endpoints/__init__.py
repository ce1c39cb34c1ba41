"""
All endpoints of the three units.

Each is one value beside its handler: in `about_unit` what a unit tells about itself, in `witness` how logs are
compared, in `messages` how messages come and go, in `reviews` what reviewers do. The order here is that of the OpenAPI
document and of the reference page.
"""

from __future__ import annotations

from typing import Final

from unveil.transport.http.endpoint import Endpoint
from unveil.transport.http.endpoints import about_unit, messages, reviews, witness

ENDPOINTS: Final[tuple[Endpoint, ...]] = (
    about_unit.HEALTH,
    about_unit.METRICS,
    about_unit.DOCUMENT,
    about_unit.STATUS,
    witness.COMPARE,
    messages.MESSAGE,
    messages.MAIL,
    messages.ACKNOWLEDGE,
    reviews.TASKS,
    reviews.CELLS,
    reviews.VERDICT,
    reviews.STEP,
)
