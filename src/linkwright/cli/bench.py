"""`linkwright bench ...`: measurements as tables, or as JSON for machines."""

from __future__ import annotations

import json
import sys

import typer
from rich.console import Console
from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.table import Table

app = typer.Typer(help="Measure Linkwright beside its peers, in the same run.", no_args_is_help=True)


@app.callback()
def _group() -> None:
    """Measure Linkwright beside its peers, in the same run."""


@app.command("tree")
def tree(
    robots: str = typer.Option("", help="Comma-separated names or files; by default seven well-known robots."),
    algorithms: str = typer.Option("", help="Comma-separated: aba, rnea, crba."),
    seconds: float = typer.Option(1.0, help="How long to measure each line."),
    as_json: bool = typer.Option(False, "--json", help="Print JSON instead of a table."),
    cpp: bool = typer.Option(True, help="Build and time Pinocchio's C++ (the first build takes minutes)."),
) -> None:
    """ABA, RNEA and CRBA of trees, beside Pinocchio from Python and as C++."""
    from ..bench import tree as bench  # compiles and imports peers: only when asked for

    chosen = tuple(x for x in robots.split(",") if x) or bench.ROBOTS
    names = tuple(x for x in algorithms.split(",") if x) or bench.ALGORITHMS
    console = Console(stderr=as_json)
    columns = (SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True) as progress:
        task = progress.add_task("looking for Pinocchio C++ (building it takes minutes the first time)")
        peer, about = bench.find_peer() if cpp else (None, "Pinocchio C++ was not asked for")
        results = []
        for measurement in bench.measure(
            chosen, names, peer=peer, seconds=seconds, progress=lambda step: progress.update(task, description=step)
        ):
            results.append(measurement)
    if as_json:
        document = {
            "machine": bench.machine(),
            "batch": bench.BATCH,
            "peer": about,
            "unit": "microseconds",
            "results": [m.as_dictionary() for m in results],
        }
        json.dump(document, sys.stdout, indent=2)
        sys.stdout.write("\n")
        return
    console.print(_table(results, bench.BATCH))
    described = ", ".join(f"{key} {value}" for key, value in bench.machine().items())
    console.print(f"{about}. {described}. Best of many, contenders taking turns.", highlight=False)


def _table(results, batch: int) -> Table:
    table = Table(title=f"microseconds per sample; batches of {batch}; ratios to Pinocchio C++", title_justify="left")
    for heading in (
        "robot", "dof", "algorithm", "operations", "single", "batched", "all threads", "Pin. Python", "Pin. C++",
        "x single", "x batched", "error",
    ):  # fmt: skip
        table.add_column(heading, justify="left" if heading in ("robot", "algorithm") else "right")
    for m in results:
        ratios = m.ratios
        table.add_row(
            m.robot, str(m.dof), m.algorithm, str(m.operations), f"{m.single:.2f}", f"{m.batched:.3f}",
            f"{m.threaded:.3f}", _number(m.pinocchio_python), _number(m.pinocchio_cpp),
            f"{ratios[0]:.1f}" if ratios else "-", f"{ratios[1]:.1f}" if ratios else "-",
            "-" if m.error is None else f"{m.error:.0e}",
        )  # fmt: skip
    return table


def _number(x: float | None) -> str:
    return "-" if x is None else f"{x:.2f}"
