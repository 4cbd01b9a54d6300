"""`linkwright bench loops`, `price` and `convergence`: solvers for closed loops."""

from __future__ import annotations

from typing import Any

import typer

from ..errors import InputError
from .figures import check_figure
from .measuring import AS_JSON, CPP, RECORD, machine_text, measuring, numbers, peer_if, report, table_of
from .output import chosen_names


def loops(
    systems: str = typer.Option("", help="Comma-separated; by default all (with --plot: the scaling families)."),
    algorithms: str = typer.Option("", help="Comma-separated; by default all that take loops, and ABA."),
    seconds: float = typer.Option(2.0, help="How long to measure each system."),
    plot: str = typer.Option("", help="Measure how cost grows with size instead, and draw it in this file."),
    links: str = typer.Option("", help="Comma-separated sizes for --plot; by default 15 to 197."),
    as_json: bool = AS_JSON,
    record: str = RECORD,
    cpp: bool = CPP,
) -> None:
    """Solvers for closed loops on linkages, grasps and bipeds, beside Pinocchio's C++."""
    from ..bench import loop_scaling, loop_tables
    from ..bench import loop_times as bench

    check_figure(plot)
    if links and not plot:
        raise InputError("--links are the sizes of the scaling families; they go with --plot")
    chosen = chosen_names(systems, loop_scaling.FAMILIES if plot else bench.SYSTEMS, "family" if plot else "system")
    names = chosen_names(algorithms, loop_scaling.ALGORITHMS if plot else bench.ALGORITHMS, "algorithm")
    sizes = numbers(links) or loop_scaling.LINKS
    results: list[Any]
    with measuring(as_json) as (console, step):
        peer, about = peer_if(cpp, step, constrained=True)
        if plot:
            results = list(loop_scaling.measure(chosen, sizes, names, peer=peer, seconds=seconds, progress=step))
            loop_scaling.plot(results, plot)
        else:
            results = list(bench.measure(chosen, names, peer=peer, seconds=seconds, progress=step))
    table = loop_tables.scaling_table if plot else loop_tables.times_table
    notes = dict.fromkeys(f"{r.system}: {r.note}" for r in results if getattr(r, "note", ""))
    report(
        console, as_json, results, lambda: table(results), *notes, f"{about}. {machine_text()}.",
        record=(record, "loop-scaling" if plot else "loops"), batch=bench.BATCH, peer=about, unit="microseconds",
    )  # fmt: skip


def price(
    systems: str = typer.Option("", help="Comma-separated systems of `bench loops`; by default all."),
    algorithm: str = typer.Option("lcaba", help="A proximal solver that takes loops."),
    seconds: float = typer.Option(1.0, help="How long to measure each system."),
    as_json: bool = AS_JSON,
    record: str = RECORD,
) -> None:
    """What running until converged, the default, costs beside three iterations."""
    from ..bench import price as bench
    from ..bench.loop_systems import SYSTEMS

    chosen = chosen_names(systems, SYSTEMS, "system")
    with measuring(as_json) as (console, step):
        results = list(bench.measure(chosen, algorithm, seconds=seconds, progress=step))
    columns = {
        "system": "", "3 iterations": ".2f", "converged": ".2f", "ratio": ".2f", "3, batched": ".3f",
        "converged, batched": ".3f", "ratio, batched": ".2f", "iterations": "s",
    }  # fmt: skip
    rows = (
        (r.system, *r.single, r.ratios[0], *r.batched, r.ratios[1], f"{r.passes:.1f}, at most {r.most_passes}")
        for r in results
    )
    title = f"{algorithm}, microseconds; batches of {bench.BATCH}; random states"
    means = [bench.geometric_mean([r.ratios[k] for r in results]) for k in range(2)]
    report(
        console, as_json, results, lambda: table_of(title, columns, rows),
        f"geometric means {means[0]:.2f}, {means[1]:.2f} batched. {machine_text()}.",
        record=(record, "price"), batch=bench.BATCH, unit="microseconds", geometric_means=means,
    )  # fmt: skip


def convergence(
    systems: str = typer.Option("two hands + cube,biped", help="Comma-separated systems of `bench loops`."),
    count: int = typer.Option(10_000, min=2, help="Number of states."),
    plot: str = typer.Option("", help="Write a figure to this file (.svg, .png, .pdf)."),
    as_json: bool = AS_JSON,
    record: str = RECORD,
) -> None:
    """Residuals after each iteration, and errors for each penalty, of solvers for closed loops."""
    from ..bench import convergence as bench
    from ..bench.loop_systems import SYSTEMS

    check_figure(plot)
    results = []
    with measuring(as_json) as (console, step):
        for name in chosen_names(systems, SYSTEMS, "system"):
            results += bench.measure(name, SYSTEMS[name](), count=count, progress=step)
    if plot:
        bench.plot(results, plot)
    shown = bench.PENALTIES[2::3]
    columns = {"system": "", "algorithm": "", **{f"{n} it.": ".1e" for n in bench.ITERATIONS}}
    columns |= {f"error, mu {mu:.0e}": ".1e" for mu in shown}
    rows = ((r.system, r.algorithm, *r.largest.values(), *(r.error[mu] for mu in shown)) for r in results)
    title = f"largest of {count} states, half of them closed"
    report(
        console, as_json, results, lambda: table_of(title, columns, rows), record=(record, "convergence"), count=count
    )
