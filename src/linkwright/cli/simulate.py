"""`linkwright simulate`: let a robot move, and say whether it can be believed."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any, cast

import numpy as np
import typer

import linkwright as lw

from ..errors import InputError, SimulationError
from ..sim.duration import chosen_steps
from ..sim.verdict import complaints
from .filming import VIDEO, check_video, film, forces_drawn, recorded_for_pictures
from .output import Terminal, plain, plain_lines, shown_by_command

_FRAMES_PER_SECOND = 60
_SECONDS = 5.0


def simulate(
    robot: str = typer.Argument(help="A name that `linkwright robots` lists, or a file."),
    seconds: float = typer.Option(None, help="How long, in its time; by default 5, or as long as --steps."),
    steps: int = typer.Option(None, help="How long, in steps; instead of --seconds."),
    dt: float = typer.Option(None, help="Seconds per step; by default what the file names, else 0.001."),
    integrator: str = typer.Option(
        None, help="damped_euler, euler or rk4; by default what the file names, else damped_euler."
    ),
    solver: str = typer.Option("", help="Forward dynamics by name; by default the cheapest that suits."),
    projection: bool = typer.Option(False, help="Move each step's result onto the constraints."),
    kp: float = typer.Option(0.0, help="Hold all joints where they start: torque per displacement ..."),
    kd: float = typer.Option(0.0, help="... and per velocity."),
    kick: float = typer.Option(0.0, help="Start with random velocities of this size (rad/s, m/s)."),
    batch: int = typer.Option(0, help="Simulate this many samples at once."),
    threads: str = typer.Option("1", help="A number, or all."),
    plot: str = typer.Option("", help="Write a figure to this file (.png, .svg, .pdf)."),
    html: str = typer.Option("", help="Write an animation to this file."),
    video: str = VIDEO,
    as_json: bool = typer.Option(False, "--json", help="Print JSON instead of text."),
) -> None:
    """Simulate a robot from its drawn pose; exits with 1 if the result cannot be believed."""
    console = Terminal(stderr=as_json)
    model = shown_by_command(robot)
    dt = model.simulation.chosen_dt(dt)
    seconds = _SECONDS if seconds is None and steps is None else seconds
    if seconds is not None and not (np.isfinite(seconds) and seconds > 0 and np.isfinite(dt) and 0 < dt <= seconds):
        raise InputError(f"seconds is {seconds} and dt {dt}; expected positive numbers, dt the smaller one")
    steps = chosen_steps("simulate", steps, seconds, dt)
    if batch and (plot or html or video):
        raise InputError("--plot, --html and --video show one simulation; leave --batch out")
    check_video(video)
    for option, path in (("--plot", plot), ("--html", html)):
        if path and not Path(path).resolve().parent.is_dir():  # before minutes of computing, not after
            raise InputError(f"{option} {path}: there is no folder {str(Path(path).parent)!r}; make it first")
    console.print(f"[bold]{plain(model)}[/]", highlight=False)
    rng = np.random.default_rng(0)
    velocity = kick * rng.normal(size=(*((batch,) if batch else ()), model.nv))
    options: dict[str, Any] = {
        "dt": dt, "steps": steps, "integrator": integrator, "solver": solver or None, "projection": projection,
        "control": lw.PD(kp, kd) if kp or kd else None, "record": max(1, int(1 / (_FRAMES_PER_SECOND * dt))),
        "start": "project" if model.constraints else "check",
        "outputs": recorded_for_pictures(model) if html or video else (),
        "threads": int(threads) if threads.isdecimal() else threads,
    }  # fmt: skip
    failure = None
    with console.status("compiling and simulating ..."):
        try:
            trajectory = lw.simulate(model, None, velocity, **options)
        except SimulationError as error:
            if error.trajectory is None:
                raise
            trajectory, failure = cast(lw.Trajectory, error.trajectory), str(error)
    wrong = [failure] if failure else complaints(trajectory)
    if plot:
        from ..sim.plotting import plot as draw

        draw(trajectory, plot)
    if html:
        from ..viewer import write_html

        title = f"{model.name}, {trajectory.t[-1]:.3g} s"
        write_html(model, trajectory.q, trajectory.t, html, title=title, forces=forces_drawn(trajectory))
    if video:
        film(trajectory, video)
    if as_json:
        document = {
            "robot": model.name, "steps": trajectory.steps, "dt": dt, "solver": trajectory.solver,
            "drift": float(np.max(trajectory.worst[..., 0])), "residual": float(np.max(trajectory.worst[..., 1])),
            "energy_error": float(np.max(np.abs(trajectory.energy_error))),
            "steps_per_second": trajectory.steps_per_second, "complaints": wrong,
            "not_computed": [str(entry) for entry in model.not_computed],
        }  # fmt: skip
        json.dump(document, sys.stdout, indent=2)
        sys.stdout.write("\n")
    else:
        console.print(plain_lines(failure or trajectory), highlight=False, soft_wrap=True)
    raise typer.Exit(1 if wrong else 0)
