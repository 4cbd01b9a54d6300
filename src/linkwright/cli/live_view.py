"""`linkwright view`: a live page in the browser."""

from __future__ import annotations

import typer


def view(
    robot: str = typer.Argument(help="A name that `linkwright robots` lists, or a file."),
    port: int = typer.Option(8080, help="The first free port from here on."),
) -> None:
    """Serve a page in which a robot can be dragged, simulated and pushed (extra `view`)."""
    from ..live import view as serve

    serve(robot, port=port)
