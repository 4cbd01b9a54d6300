"""`linkwright bench agree`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from .kept_results import INTO, KeptResults
from .measuring import AS_JSON, listed, machine_text, measuring, report, table_of
from .output import chosen_names, plain

if TYPE_CHECKING:
    from ..bench.agreement import Agreement


def agree(
    robots: str = typer.Option("", help="Comma-separated: go1, go2, a1, anymal_c, g1, cassie (all), or MJCF files."),
    cones: str = typer.Option("", help="Comma-separated: elliptic, pyramidal; or both."),
    states: int = typer.Option(500, min=2, help="States of each robot."),
    seconds: float = typer.Option(5.0, min=0.0, help="How long the long paths are; 0 for none."),
    seed: int = typer.Option(0, min=0, help="Other seeds give other states."),
    into: str = INTO,
    as_json: bool = AS_JSON,
) -> None:
    """Robots beside MuJoCo: accelerations and forces, short paths, and the statistics of long ones."""
    from ..bench import agreement as bench  # imports MuJoCo: only when asked for

    chosen, asked = listed(robots) or tuple(bench.MENAGERIE), chosen_names(cones, bench.CONES, "cone")
    kept = KeptResults(into, bench.Agreement)
    with measuring(as_json) as (console, step):
        for one in bench.measure(
            chosen, asked, states=states, seconds=seconds, seed=seed, known=kept.known, progress=step
        ):
            kept.add(one)
            console.print(plain(_line(one)), highlight=False, soft_wrap=True)
    columns = {
        "robot": "", "cone": "", "points": "d", "states": "d", "touching": ".1f", "accelerations": ".0e",
        "forces": ".0e", "0.2 s: median": ".0e", "largest": ".0e", "height, MuJoCo's": "", "force, MuJoCo's": "",
        "complaints": "",
    }  # fmt: skip
    rows = (
        (
            r.robot, r.cone, r.points, r.states, r.touching, r.of_accelerations, r.of_forces, r.path, r.far_paths,
            _both(r.heights), _both(r.forces), ", ".join(r.complaints) or "none",
        )
        for r in kept.all
    )  # fmt: skip
    title = "differences from MuJoCo, solved to the last digit"
    report(
        console, as_json, kept.all, lambda: table_of(title, columns, rows),
        f"height of the base (m) and push of the ground (weights): mean ± deviation. {machine_text()}.", seed=seed,
    )  # fmt: skip


def _line(one: Agreement) -> str:
    """Said as soon as a robot is done: all of them take a while."""
    return (
        f"{one.robot}, {one.cone}: accelerations {one.of_accelerations:.0e}, forces {one.of_forces:.0e}, after 0.2 s "
        f"{one.far_paths:.0e} at most; complaints: {', '.join(one.complaints) or 'none'}"
    )


def _both(both) -> str:
    return "-" if both is None else ", ".join(f"{one.mean:.3f} ± {one.deviation:.3f}" for one in both)
