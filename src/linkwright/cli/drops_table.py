"""`linkwright bench drops`."""

from __future__ import annotations

import json
import sys
from functools import partial
from typing import TYPE_CHECKING

import typer
from rich import box
from rich.table import Table

from ..analysis.timing import machine
from .output import describe, progress_display, table_console

if TYPE_CHECKING:
    from ..bench.drops import Drops


def drops(
    robots: str = typer.Option(
        "", help="Comma-separated: go1, go2, a1, anymal_c, g1, cassie (all), files, or names of robots with shapes."
    ),
    count: int = typer.Option(1000, min=1, help="Drops of each robot."),
    seconds: float = typer.Option(2.0, help="How long each falls."),
    seed: int = typer.Option(0, min=0, help="Other seeds give other drops."),
    as_json: bool = typer.Option(False, "--json", help="Print JSON instead of a table."),
) -> None:
    """Robots dropped at random: is every step finite, what does the status say, how deep, where does energy go."""
    from ..bench import drops as bench  # compiles: only when asked for

    console = table_console(stderr=as_json)  # JSON has standard output to itself
    chosen = tuple(x.strip() for x in robots.split(",") if x.strip()) or bench.ROBOTS
    with progress_display(console) as (progress, task):
        step = partial(describe, progress, task)
        results = list(bench.measure(chosen, drops=count, seconds=seconds, seed=seed, progress=step))
    if as_json:
        document = {"machine": machine(), "seed": seed, "results": [r.as_dictionary() for r in results]}
        json.dump(document, sys.stdout, indent=2)
        sys.stdout.write("\n")
        return
    console.print(_table(results, seconds))
    console.print(
        "status 6: links may have touched each other, which is not computed. energy gained: the most above what it was "
        "at first and actuators put in; by the law: of which limits and contacts; books off: what of its change is not "
        "accounted for, the integrator's error; all relative to the energy exchanged.", highlight=False,
    )  # fmt: skip


def _table(results: list[Drops], seconds: float) -> Table:
    title = f"random drops of {seconds:g} s"
    table = Table(title=title, title_justify="left", box=box.SIMPLE_HEAD, padding=(0, 0, 0, 1))
    for heading in (
        "robot", "dt", "integrator", "drops", "not finite", "not ok", "status 6", "depth: median, 99 %, largest",
        "energy gained", "by the law", "books off", "us per step",
    ):  # fmt: skip
        table.add_column(heading, justify="left" if heading in ("robot", "integrator") else "right")
    for r in results:
        told = r.as_dictionary()
        depth = ", ".join(f"{1e3 * told['depth'][part]:.1f}" for part in ("median", "99 %", "largest")) + " mm"
        wrong = r.drops - r.statuses[0] - r.statuses[6]
        named = ", ".join(f"{n} x status {code}" for code, n in sorted(r.statuses.items()) if code not in (0, 6))
        energies = [f"{told[what]['largest']:.1e}" for what in ("gain", "law_gain", "unaccounted")]
        table.add_row(
            r.robot, f"{1e3 * r.dt:g} ms", r.integrator, str(r.drops),
            f"[bold red]{r.not_finite}[/]" if r.not_finite else "0", f"[bold red]{named}[/]" if wrong else "0",
            str(r.statuses[6]), depth, *energies,
            f"{1e6 * r.seconds / (r.drops * round(seconds / r.dt)):.2f}",
        )  # fmt: skip
    return table
