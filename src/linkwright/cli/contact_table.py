"""`linkwright bench contact`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer
from rich.table import Table
from rich.text import Text

from .measuring import AS_JSON, RECORD, listed, machine_text, measuring, report, table_of
from .output import chosen_names

if TYPE_CHECKING:
    from ..bench.contact_times import ContactTimes


def contact(
    robots: str = typer.Option("", help="Comma-separated: go1, go2, a1, anymal_c, g1, cassie (all), or MJCF files."),
    states: str = typer.Option("", help="Comma-separated: moving (out of step with each other), standing; or both."),
    seconds: float = typer.Option(3.0, help="How long to measure each line."),
    batch: int = typer.Option(256, min=8, help="Samples of a batch."),
    exact: bool = typer.Option(False, "--exact", help="Solve ours to rounding; else both end at MuJoCo's tolerance."),
    tolerance: float = typer.Option(0.0, help="Of our accelerations; 0 is the default of simulations."),
    fresh: bool = typer.Option(False, "--fresh", help="Compile anew, so that compile seconds are today's."),
    as_json: bool = AS_JSON,
    record: str = RECORD,
) -> None:
    """Steps of robots that touch the ground, one at a time and batched on one core, beside MuJoCo's."""
    from ..bench import contact_times as bench  # imports MuJoCo: only when asked for

    kinds = chosen_names(states, bench.KINDS, "kind of states")
    with measuring(as_json) as (console, step):
        results = list(
            bench.measure(
                listed(robots) or bench.ROBOTS, kinds, seconds=seconds, batch=batch, exact=exact,
                tolerance=tolerance or None, cache=not fresh, progress=step,
            )
        )  # fmt: skip
    report(
        console, as_json, results, lambda: _table(results, batch),
        "touching: points, on average. passes: mean and most of ours, mean of MuJoCo's. lanes: samples computed "
        "together, and how busy they are. lost: time of a batch of which every eighth sample is not "
        "finite, over that of the same batch as it is. error: largest of accelerations against MuJoCo's solved to the "
        f"last digit, ours and MuJoCo's own at its tolerance. {machine_text()}.",
        record=(record, "contact"), batch=batch, exact=exact, unit="microseconds",
    )  # fmt: skip


def _table(results: list[ContactTimes], batch: int) -> Table:
    title = f"microseconds a step takes one core; batches of {batch}; ratios to MuJoCo"
    columns = {
        "robot": "", "states": "", "touching": "s", "single": ".1f", "batched": ".2f", "mj_step": ".1f",
        "rollout": ".1f", "x": ".1f", "x batched": ".1f", "passes": "s", "MuJoCo's passes": ".1f", "lanes": "s",
        "lost": ".2f", "error": ".0e", "MuJoCo's error": ".0e", "code": "s",
    }  # fmt: skip
    return table_of(title, columns, map(_row, results), narrow=True)


def _row(r: ContactTimes) -> list:
    states = Text(r.states)
    if r.failed:
        states.append(f" {r.failed} not ok", style="bold red")
    compiled = "" if r.compile_seconds is None else f" in {r.compile_seconds:.0f} s"
    return [
        r.robot, states, f"{r.touching:.1f} of {r.points}", r.single, r.batched, r.mujoco_step,
        r.mujoco_rollout, *r.ratios, f"{r.passes:.1f}, {r.most_passes}", r.mujoco_passes,
        f"{r.lanes}, {100 * r.occupancy:.0f} %", r.diverged, r.error, r.mujoco_error,
        f"{r.code_bytes / 1e6:.2f} MB{compiled}",
    ]  # fmt: skip
