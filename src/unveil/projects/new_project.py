"""What a new project is given unless somebody says otherwise; nothing is imported, for every command line reads it."""

from __future__ import annotations

from typing import Final

#: How even wishes are; `docs/how-it-works.md` has what other values cost and give.
EVENNESS: Final = 0.9
#: How often reviewers may ask owners for one more attribute of a pair, as a share of the budget.
FURTHER_ATTRIBUTES: Final = 0.1
