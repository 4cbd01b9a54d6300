"""`linkwright view`: a live page in the browser, or a film where there is none."""

from __future__ import annotations

import typer

from .filming import VIDEO, check_video, film
from .output import Terminal, plain


def view(
    robot: str = typer.Argument(help="A name that `linkwright robots` lists, or a file."),
    port: int = typer.Option(8080, help="The first free port from here on."),
    video: str = VIDEO,
    seconds: float = typer.Option(8.0, min=0.1, max=600.0, help="Of the film."),
) -> None:
    """Serve a page in which a robot can be dragged, simulated and pushed (extra `view`). With --video nothing is
    served: the robot is exercised as in `linkwright demo`, and filmed."""
    if video:
        _film(robot, video, seconds)
        return
    from ..live import view as serve

    serve(robot, port=port)


def _film(robot: str, video: str, seconds: float) -> None:
    from ..io import load
    from ..sim.exercise import exercise
    from .demo import simulate_exercise

    check_video(video)
    console = Terminal()
    shown = exercise(load(robot))
    console.print(plain(shown.description), highlight=False, soft_wrap=True)
    with console.status("compiling and simulating ..."):
        trajectory = simulate_exercise(shown, seconds=seconds)
    film(trajectory, video)
    console.print(f"film  {plain(video)}", highlight=False, soft_wrap=True)
