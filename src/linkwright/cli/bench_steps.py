"""`linkwright bench simulate` and `compile`: what simulated steps and compiling cost."""

from __future__ import annotations

import typer

from .figures import check_figure
from .measuring import AS_JSON, RECORD, listed, machine_text, measuring, numbers, report, table_of


def simulate(
    robots: str = typer.Option("", help="Comma-separated names or files; by default mechanisms with loops."),
    seconds: float = typer.Option(2.0, help="How long to measure each mechanism."),
    as_json: bool = AS_JSON,
    record: str = RECORD,
) -> None:
    """Steps of simulations with loops, one at a time and batched on one core, beside MuJoCo."""
    from ..bench import simulation_times as bench

    with measuring(as_json) as (console, step):
        results = list(bench.measure(listed(robots) or bench.ROBOTS, seconds=seconds, progress=step))
    columns = {
        "mechanism": "", "dof": "d", "rows": "d", "solver": "", "single": ".3f", "batched": ".4f", "mj_step": ".2f",
        "rollout": ".2f", "x single": ".0f", "x batched": ".0f", "drift": ".0e", "MuJoCo's": ".0e",
    }  # fmt: skip
    rows = (
        (
            r.robot, r.dof, r.rows, r.solver, r.single, r.batched, r.mujoco_step, r.mujoco_rollout,
            *(r.ratios or (None, None)), r.drift, r.mujoco_drift,
        )
        for r in results
    )  # fmt: skip
    title = f"microseconds a step of {bench.DT * 1e3:g} ms takes one core; batches of {bench.BATCH}; ratios to MuJoCo"
    report(
        console, as_json, results, lambda: table_of(title, columns, rows),
        f"{machine_text()}. MuJoCo's constraints are soft.", record=(record, "simulate"), batch=bench.BATCH,
        unit="microseconds",
    )  # fmt: skip


def compile_time(
    links: str = typer.Option("", help="Comma-separated numbers of links; by default 25 to 400."),
    plot: str = typer.Option("", help="Write a figure to this file (.svg, .png, .pdf)."),
    as_json: bool = AS_JSON,
    record: str = RECORD,
) -> None:
    """Compile time of ABA over the number of links of a chain."""
    from ..bench import compile_time as bench

    check_figure(plot)
    with measuring(as_json) as (console, step):
        results = list(bench.measure(numbers(links) or bench.LINKS, progress=step))
    if plot:
        bench.plot(results, plot)
    columns = {
        "links": "d", "operations": "d", "tracing": ".2f", "first compile": ".2f", "from the cache": ".3f",
        "peak memory": ".0f",
    }  # fmt: skip
    rows = (
        (
            r.links, r.operations, r.trace_seconds, r.first_seconds, r.warm_seconds,
            None if r.peak_megabytes is None else f"{r.peak_megabytes:.0f} MB",
        )
        for r in results
    )  # fmt: skip
    title = "seconds to compile ABA of a serial chain"
    report(
        console, as_json, results, lambda: table_of(title, columns, rows), f"{machine_text()}.",
        record=(record, "compile"),
    )  # fmt: skip
