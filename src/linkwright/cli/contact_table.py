"""`linkwright bench contact`."""

from __future__ import annotations

import json
import sys
from functools import partial
from typing import TYPE_CHECKING

import typer
from rich import box
from rich.table import Table

from ..analysis.timing import machine
from .measuring import RECORD, write_record
from .output import chosen_names, describe, progress_display, table_console

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
    as_json: bool = typer.Option(False, "--json", help="Print JSON instead of a table."),
    record: str = RECORD,
) -> None:
    """Steps of robots that touch the ground, one at a time and batched on one core, beside MuJoCo's."""
    from ..bench import contact_times as bench  # imports MuJoCo: only when asked for

    console = table_console(stderr=as_json)  # JSON has standard output to itself
    chosen = tuple(x.strip() for x in robots.split(",") if x.strip()) or bench.ROBOTS
    kinds = chosen_names(states, bench.KINDS, "kind of states")
    with progress_display(console) as (progress, task):
        results = list(
            bench.measure(
                chosen, kinds, seconds=seconds, batch=batch, exact=exact, tolerance=tolerance or None,
                cache=not fresh, progress=partial(describe, progress, task),
            )
        )  # fmt: skip
    write_record(record, "contact", results, batch=batch, exact=exact, unit="microseconds")
    if as_json:
        document = {"machine": machine(), "batch": batch, "exact": exact, "unit": "microseconds"}
        json.dump({**document, "results": [r.as_dictionary() for r in results]}, sys.stdout, indent=2)
        sys.stdout.write("\n")
        return
    console.print(_table(results, batch))
    told = ", ".join(f"{key} {value}" for key, value in machine().items())
    console.print(
        "touching: points, on average. passes: mean and most of ours, mean of MuJoCo's. lanes: samples computed "
        "together, and how busy they are. error: largest of accelerations against MuJoCo's solved to the last digit, "
        f"ours and MuJoCo's own at its tolerance. {told}.",
        highlight=False,
    )


def _table(results: list[ContactTimes], batch: int) -> Table:
    title = f"microseconds a step takes one core; batches of {batch}; ratios to MuJoCo"
    table = Table(title=title, title_justify="left", box=box.SIMPLE_HEAD, padding=(0, 0, 0, 1))
    for heading in (
        "robot", "states", "touching", "single", "batched", "mj_step", "rollout", "x", "x batched", "passes",
        "MuJoCo's", "lanes", "error", "MuJoCo's", "code",
    ):  # fmt: skip
        table.add_column(heading, justify="left" if heading in ("robot", "states") else "right", no_wrap=True)
    for r in results:
        single, batched = r.ratios
        failed = f" [bold red]{r.failed} not ok[/]" if r.failed else ""
        compiled = "" if r.compile_seconds is None else f" in {r.compile_seconds:.0f} s"
        table.add_row(
            r.robot, r.states + failed, f"{r.touching:.1f} of {r.points}", f"{r.single:.1f}", f"{r.batched:.2f}",
            f"{r.mujoco_step:.1f}", f"{r.mujoco_rollout:.1f}", f"{single:.1f}", f"{batched:.1f}",
            f"{r.passes:.1f}, {r.most_passes}", f"{r.mujoco_passes:.1f}", f"{r.lanes}, {100 * r.occupancy:.0f} %",
            f"{r.error:.0e}", f"{r.mujoco_error:.0e}", f"{r.code_bytes / 1e6:.2f} MB{compiled}",
        )  # fmt: skip
    return table
