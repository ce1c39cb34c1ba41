"""`unveil review`: a reviewer of a real project at a terminal."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from unveil.cli.app import app
from unveil.cli.door import notes


@app.command("review")
def review(
    *,
    server: Annotated[str, typer.Option(help="address of the review unit: https://host:port", show_default=False)],
    project: Annotated[str, typer.Option(help="name of the project", show_default=False)],
    token_file: Annotated[Path, typer.Option(help="file with the reviewer's token", show_default=False)],
    authority: Annotated[
        Path, typer.Option(help="certificate of the authority that the unit's comes from", show_default=False)
    ],
) -> None:
    """
    Decide about the masked pairs of a project, here in the terminal, by the rules of the review unit's pages.

    The unit keeps every label and opening as it is given, so leaving and coming back loses nothing.

    Example: unveil review --server https://r.example.org --project stroke --token-file ann.token --authority ca.pem
    """
    from unveil.cli.review.drawing import ReviewScreen
    from unveil.cli.review.remote import RemoteReview
    from unveil.runtime.remote_review import at_review_unit
    from unveil.schema import built_in

    with at_review_unit(server, project, token_file=token_file, authority=authority) as step:
        screen = ReviewScreen(notes, built_in())  # the cells come from the unit; the schema is not asked
        RemoteReview(step, screen, notes, getkey=typer.getchar).run()
