"""`linkwright demo`: a mechanism is built, compiled, simulated, timed and drawn; by default a beast walks."""

from __future__ import annotations

import tempfile
import time
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import typer
from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.table import Table

import linkwright as lw

from ..errors import InputError
from ..model.contact.arrangement import shapes_to_stand_on
from ..robots.menagerie import has_scene, scene_file
from ..sim.exercise import Exercise, exercise
from ..sim.verdict import complaints
from ..viewer.mark import drawn_by_us
from .filming import VIDEO, check_video, film, forces_drawn, recorded_for_pictures
from .output import Terminal, plain

BEAST = "walking_beast"
_DT = 1e-3
_INTEGRATOR = "damped_euler"  # takes the servos' derivative gains implicitly, whatever a file names
_SECONDS = 8.0  # of the animation
_RECORD = 16  # steps: a frame for each picture of a 60 Hz screen
_BATCH = 256
_BATCH_STEPS = 200
_REPEATS = 3  # of each timing, the best counts


def demo(
    robot: str = typer.Option(
        BEAST, help="A name that `linkwright robots` lists, a file, or (LINKWRIGHT_MENAGERIE) a scene: go2, g1, ..."
    ),
    output: Path = typer.Option(Path("."), help="Folder for the picture and the animation; made if need be."),
    video: str = VIDEO,
    seconds: float = typer.Option(_SECONDS, min=0.1, max=600.0, help="Of its time."),
) -> None:
    """Simulate a mechanism with loops, say how fast and how well, and write a picture and an animation."""
    console = Terminal()
    svg, html = files = [output / f"linkwright-demo.{kind}" for kind in ("svg", "html")]
    model = _standing(robot)
    _check_writable(output, files)
    check_video(video)
    console.print(f"[bold]{plain(model)}[/], {_loops(model)}", highlight=False, soft_wrap=True)
    for warning in model.warnings[:5]:
        console.print(f"[yellow]warning:[/] {plain(warning)}", highlight=False, soft_wrap=True)
    shown = exercise(model)
    console.print(plain(shown.description), highlight=False, soft_wrap=True)

    begin = time.perf_counter()
    with _working(console, "compiling one step (the first time takes a while) ..."):
        trajectory = simulate_exercise(shown, seconds=seconds)
    ready = time.perf_counter() - begin - trajectory.seconds
    console.print(f"code ready after {ready:.1f} s (kept on disk for the next run)", highlight=False)
    with _working(console, "timing ..."):
        others = (simulate_exercise(shown, trajectory, seconds) for _ in range(_REPEATS - 1))
        single = max((trajectory, *others), key=_speed)
        batch = max((_simulate_batch(shown, trajectory) for _ in range(_REPEATS)), key=_speed)
    console.print(_speeds(single, batch))
    for line in str(trajectory).splitlines():
        if not line.startswith("  speed"):  # the table has it
            console.print(plain(line), highlight=False, soft_wrap=True)
    with _working(console, "drawing ..."):
        _draw(shown.model, trajectory, svg, html)
    console.print(f"picture    {plain(str(svg))}", highlight=False, soft_wrap=True)
    console.print(f"animation  {plain(str(html))} (open it in a browser)", highlight=False, soft_wrap=True)
    if video:
        film(trajectory, video, traces=_traces(shown.model))
        console.print(f"film       {plain(video)}", highlight=False, soft_wrap=True)
    raise typer.Exit(1 if complaints(trajectory) else 0)


def _standing(robot: str) -> lw.Model:
    """A scene, which has a floor, where the Menagerie's folder was named; else what `load` finds, on the ground if it
    floats and has shapes to stand on."""
    model = lw.load(scene_file(robot) if has_scene(robot) else robot)
    floats = any(body.parent == 0 and body.joint.moves.is_free for body in model.bodies[1:])
    return model.on_ground() if floats and shapes_to_stand_on(model) and not model.pairs else model


def simulate_exercise(shown: Exercise, again: lw.Trajectory | None = None, seconds: float = _SECONDS) -> lw.Trajectory:
    """The motion, from its start, or from that of a trajectory whose loops are closed."""
    start, closing = (shown.start, shown.closing) if again is None else ((again.q[0], again.v[0]), "as given")
    steps = round(seconds / _DT)
    control = shown.control(steps, _DT)
    return lw.simulate(
        shown.model, *start, dt=_DT, steps=steps, control=control, record=_RECORD, start=closing,
        outputs=recorded_for_pictures(shown.model), integrator=_INTEGRATOR,
    )  # fmt: skip


def _simulate_batch(shown: Exercise, trajectory: lw.Trajectory) -> lw.Trajectory:
    """Copies of the mechanism, each from another moment of the second half of the motion."""
    at = np.linspace(len(trajectory.t) // 2, len(trajectory.t) - 1, _BATCH).astype(int)
    return lw.simulate(
        shown.model, trajectory.q[at], trajectory.v[at], dt=_DT, steps=_BATCH_STEPS, control=shown.steady_control,
        record=_BATCH_STEPS, start="as given", integrator=_INTEGRATOR,
    )  # fmt: skip


def _speed(trajectory: lw.Trajectory) -> float:
    return trajectory.steps_per_second


def _speeds(single: lw.Trajectory, batch: lw.Trajectory) -> Table:
    table = Table("one core", "steps per second", "us per step", "against real time")
    for column in table.columns[1:]:
        column.justify = "right"
    for name, found in (("one mechanism", single), (f"{batch.batch} at once", batch)):
        rate = _speed(found)
        table.add_row(name, f"{rate:,.0f}", f"{1e6 / rate:.2f}", f"{rate * _DT:,.0f} x")
    return table


def _draw(model: lw.Model, trajectory: lw.Trajectory, svg: Path, html: Path) -> None:
    title = f"{model.name}, {trajectory.t[-1]:.3g} s"
    try:
        lw.viewer.write_svg(model, trajectory.q[-1], svg)
        forces = forces_drawn(trajectory)
        lw.viewer.write_html(model, trajectory.q, trajectory.t, html, title=title, traces=_traces(model), forces=forces)
    except OSError as error:
        raise InputError(f"cannot write {error.filename}: {error.strerror}; choose another folder: --output") from None


def _traces(model: lw.Model) -> list[str]:
    """The first and the last foot, by name."""
    feet = [name for name in model.frames if name.endswith("foot")]
    return list(dict.fromkeys(feet[:1] + feet[-1:]))


def _check_writable(folder: Path, files: list[Path]) -> None:
    """Before anything is computed: the folder takes files, and those in the way are ours."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise InputError(f"cannot write into {folder}: {error.strerror}; choose another folder: --output") from None
    for path in files:
        if path.exists() and not drawn_by_us(path):
            raise InputError(f"{path} exists and was not drawn by Linkwright; move it, or choose a folder: --output")


def _loops(model: lw.Model) -> str:
    count = len(model.constraints)
    return f"{count} {'constraint' if count == 1 else 'constraints'} ({model.nc} rows)" if count else "no constraints"


@contextmanager
def _working(console: Terminal, what: str):
    columns = (SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as progress:
        progress.add_task(what)
        yield
