"""A review of three invented pairs at the terminal; the test in test_terminal_reviewer.py types the keys."""

import sys
from pathlib import Path

from rich.console import Console

from unveil import schema as schemas
from unveil.cli.review.reviewer import ReviewPaused, TerminalReviewer
from unveil.roles.review_unit.display import ReviewablePair

SCHEMA = schemas.built_in()


def invented(number: int, first: tuple[str, str], year: tuple[str, str]) -> ReviewablePair:
    """A pair that is alike in first name and year of birth and equal in the rest."""
    states = dict.fromkeys(SCHEMA.names, "equal") | {"first_name": "shown", "year_of_birth": "shown"}
    return ReviewablePair(bytes([number]), states, {"first_name": first, "year_of_birth": year}, {"last_name": 3})


PAIRS = (
    invented(1, ("PAULA", "PAUL"), ("1976", "1977")),
    invented(2, ("MILO", "MILA"), ("1981", "1918")),
    invented(3, ("EDDA", "EDA"), ("1990", "1991")),
)


def main() -> None:
    """Ask about the three pairs and print what was decided."""
    reviewer = TerminalReviewer(schema=SCHEMA, session=Path(sys.argv[1]), console=Console(), run=sys.argv[2])
    try:
        verdicts = reviewer.review(PAIRS, spent=0, budget=10)
    except ReviewPaused:
        sys.stdout.write("paused\n")
        sys.exit(75)
    sys.stdout.write("verdicts " + " ".join(str(verdict.match) for verdict in verdicts) + "\n")


if __name__ == "__main__":
    main()
