"""`linkwright bench ...`: measurements as tables, or as JSON for machines."""

from __future__ import annotations

import json
import sys
from functools import partial
from typing import Any

import typer
from rich.table import Table

from ..analysis.timing import machine
from ..bench.peers.pinocchio_cpp import find_peer
from ..errors import InputError
from .figures import check_figure
from .output import chosen_names, describe, progress_display, table_console

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
    from ..bench import tree_times as bench  # compiles and imports peers: only when asked for

    chosen = tuple(x for x in robots.split(",") if x) or bench.ROBOTS
    names = tuple(x for x in algorithms.split(",") if x) or bench.ALGORITHMS
    console = table_console(stderr=as_json)  # JSON has standard output to itself
    with progress_display(console) as (progress, task):
        progress.update(task, description="looking for Pinocchio C++ (building it takes minutes the first time)")
        peer, about = find_peer() if cpp else (None, "Pinocchio C++ was not asked for")
        step = partial(describe, progress, task)
        results = list(bench.measure(chosen, names, peer=peer, seconds=seconds, progress=step))
        overhead = bench.call_overhead(chosen[-1])
    if as_json:
        _print_json(
            {
                "machine": machine(),
                "batch": bench.BATCH,
                "peer": about,
                "unit": "microseconds",
                "call_overhead": overhead,
                "results": [m.as_dictionary() for m in results],
            }
        )
        return
    console.print(_table(results, bench.BATCH))
    console.print(f"A call that computes nothing takes {overhead:.2f} us. {about}. {_machine_text()}.", highlight=False)


@app.command("derivatives")
def derivatives(
    robots: str = typer.Option("", help="Comma-separated names or files; by default four well-known robots."),
    held: str = typer.Option("", help="Comma-separated systems with constraints, or 'none'; by default three."),
    seconds: float = typer.Option(1.0, help="How long to measure each line."),
    as_json: bool = typer.Option(False, "--json", help="Print JSON instead of a table."),
    cpp: bool = typer.Option(True, help="Build and time Pinocchio's C++ (the first build takes minutes)."),
) -> None:
    """Jacobians and gradients of RNEA, ABA and constrained dynamics, beside Pinocchio from Python and as C++."""
    from ..bench import derivative_times as bench

    chosen = tuple(x for x in robots.split(",") if x) or bench.ROBOTS
    systems = () if held == "none" else chosen_names(held, bench.SYSTEMS, "system") if held else bench.HELD
    console = table_console(stderr=as_json)  # JSON has standard output to itself
    with progress_display(console) as (progress, task):
        step = partial(describe, progress, task)
        step("looking for Pinocchio C++ (building it takes minutes the first time)")
        peer, about = find_peer(derivatives=True) if cpp else (None, "Pinocchio C++ was not asked for")
        results = list(bench.measure(chosen, systems, peer=peer, seconds=seconds, progress=step))
    if as_json:
        _print_json({"machine": machine(), "peer": about, "results": [r.as_dictionary() for r in results]})
        return
    title = f"microseconds; all partial derivatives; batches of {bench.BATCH}; ratios of operations to the function's"
    table = Table(title=title, title_justify="left")
    for heading in (
        "robot", "dof", "program", "operations", "ratio", "vjp ratio", "single", "batched", "one vjp", "Pinocchio C++",
        "from Python", "x single", "x batched", "error",
    ):  # fmt: skip
        table.add_column(heading, justify="left" if heading in ("robot", "program") else "right")
    for r in results:
        theirs = r.pinocchio_cpp or r.pinocchio_python
        shown = ["-" if x is None else f"{x:.1f}" for x in (r.pinocchio_cpp, r.pinocchio_python)]
        ratios = ["-", "-"] if theirs is None else [f"{theirs / r.single:.2f}", f"{theirs / r.batched:.1f}"]
        table.add_row(
            r.robot, str(r.dof), r.algorithm, str(r.operations), f"{r.ratio:.1f}", f"{r.gradient_ratio:.2f}",
            f"{r.single:.2f}", f"{r.batched:.2f}", f"{r.gradient:.2f}", *shown, *ratios,
            "-" if r.error is None else f"{r.error:.0e}",
        )  # fmt: skip
    console.print(table)
    console.print(f"{about}. {_machine_text()}. Constrained: Pinocchio from Python.", highlight=False)


@app.command("constrained")
def constrained(
    systems: str = typer.Option("", help="Comma-separated; by default those of the papers' tables."),
    solvers: str = typer.Option("", help="Comma-separated; by default all."),
    seconds: float = typer.Option(2.0, help="How long to measure each system."),
    as_json: bool = typer.Option(False, "--json", help="Print JSON instead of a table."),
    cpp: bool = typer.Option(True, help="Build and time Pinocchio's C++ (the first build takes minutes)."),
) -> None:
    """Constrained solvers on robots held by feet, hands and fingertips, beside Pinocchio's C++ and MuJoCo."""
    _bench_family("dynamics", systems, solvers, seconds, as_json, cpp)


@app.command("delassus")
def delassus(
    systems: str = typer.Option("", help="Comma-separated; by default those of the papers' tables."),
    algorithms: str = typer.Option("", help="Comma-separated; by default all."),
    seconds: float = typer.Option(2.0, help="How long to measure each system."),
    as_json: bool = typer.Option(False, "--json", help="Print JSON instead of a table."),
    cpp: bool = typer.Option(True, help="Build and time Pinocchio's C++ (the first build takes minutes)."),
) -> None:
    """Algorithms for the Delassus matrix on the same robots and on some with loops, beside Pinocchio's C++."""
    _bench_family("delassus", systems, algorithms, seconds, as_json, cpp)


def _bench_family(name: str, systems: str, algorithms: str, seconds: float, as_json: bool, cpp: bool) -> None:
    from ..bench import constrained_times as bench

    family = bench.FAMILIES[name]
    chosen = chosen_names(systems, family.systems, "system")
    names = chosen_names(algorithms, family.algorithms, "algorithm")
    console = table_console(stderr=as_json)  # JSON has standard output to itself
    with progress_display(console) as (progress, task):
        step = partial(describe, progress, task)
        step("looking for Pinocchio C++ (building it takes minutes the first time)")
        peer, about = find_peer(constrained=True) if cpp else (None, "Pinocchio C++ was not asked for")
        results = list(bench.measure(family, chosen, names, peer=peer, seconds=seconds, progress=step))
    if as_json:
        _print_json({"machine": machine(), "peer": about, "results": [r.as_dictionary() for r in results]})
        return
    first = f"pinocchio {family.peers[0]}"
    title = f"microseconds; {bench.ITERATIONS} proximal iterations; batches of {bench.BATCH}; ratios to {first}"
    table = Table(title=title, title_justify="left")
    for heading in (
        "system", "dof", "rows", "algorithm", "operations", "single", "batched", "x single", "x batched", "error",
    ):  # fmt: skip
        table.add_column(heading, justify="left" if heading in ("system", "algorithm") else "right")
    for r in results:
        for t in r.ours:
            # a stage of the operator does less than a whole matrix, so there is no ratio
            peer_time = None if t.algorithm.startswith("operator ") else r.peers.get(first)
            table.add_row(
                r.system, str(r.dof), str(r.rows), t.algorithm, str(t.operations), f"{t.single:.2f}",
                f"{t.batched:.3f}", f"{peer_time / t.single:.1f}" if peer_time else "-",
                f"{peer_time / t.batched:.1f}" if peer_time else "-", "-" if t.error is None else f"{t.error:.0e}",
            )  # fmt: skip
        for label, time in r.peers.items():
            table.add_row(r.system, str(r.dof), str(r.rows), f"[dim]{label}[/]", "", f"{time:.2f}", "", "", "", "")
        table.add_section()
    console.print(table)
    console.print(f"{about}. {_machine_text()}. MuJoCo's constraints are soft.", highlight=False)


@app.command("loops")
def loops(
    systems: str = typer.Option("", help="Comma-separated; by default all (with --plot: the scaling families)."),
    algorithms: str = typer.Option("", help="Comma-separated; by default all that take loops, and ABA."),
    seconds: float = typer.Option(2.0, help="How long to measure each system."),
    plot: str = typer.Option("", help="Measure how cost grows with size instead, and draw it in this file."),
    links: str = typer.Option("", help="Comma-separated sizes for --plot; by default 15 to 197."),
    as_json: bool = typer.Option(False, "--json", help="Print JSON instead of a table."),
    cpp: bool = typer.Option(True, help="Build and time Pinocchio's C++ (the first build takes minutes)."),
) -> None:
    """Solvers for closed loops on linkages, grasps and bipeds, beside Pinocchio's C++."""
    from ..bench import loop_scaling, loop_tables
    from ..bench import loop_times as bench

    check_figure(plot)
    if links and not plot:
        raise InputError("--links are the sizes of the scaling families; they go with --plot")
    chosen = chosen_names(systems, loop_scaling.FAMILIES if plot else bench.SYSTEMS, "family" if plot else "system")
    names = chosen_names(algorithms, loop_scaling.ALGORITHMS if plot else bench.ALGORITHMS, "algorithm")
    sizes = _numbers(links) or loop_scaling.LINKS
    console = table_console(stderr=as_json)  # JSON has standard output to itself
    with progress_display(console) as (progress, task):
        step = partial(describe, progress, task)
        step("looking for Pinocchio C++ (building it takes minutes the first time)")
        peer, about = find_peer(constrained=True) if cpp else (None, "Pinocchio C++ was not asked for")
        if plot:
            results: list[Any] = list(
                loop_scaling.measure(chosen, sizes, names, peer=peer, seconds=seconds, progress=step)
            )
            loop_scaling.plot(results, plot)
        else:
            results = list(bench.measure(chosen, names, peer=peer, seconds=seconds, progress=step))
    if as_json:
        _print_json({"machine": machine(), "peer": about, "results": [r.as_dictionary() for r in results]})
        return
    console.print(loop_tables.scaling_table(results) if plot else loop_tables.times_table(results))
    for note in dict.fromkeys(f"{r.system}: {r.note}" for r in results if getattr(r, "note", "")):
        console.print(note, highlight=False)
    console.print(f"{about}. {_machine_text()}.", highlight=False)


@app.command("price")
def price(
    systems: str = typer.Option("", help="Comma-separated systems of `bench loops`; by default all."),
    algorithm: str = typer.Option("lcaba", help="A proximal solver that takes loops."),
    seconds: float = typer.Option(1.0, help="How long to measure each system."),
    as_json: bool = typer.Option(False, "--json", help="Print JSON instead of a table."),
) -> None:
    """What running until converged, the default, costs beside three iterations."""
    from ..bench import price as bench
    from ..bench.loop_systems import SYSTEMS

    chosen = chosen_names(systems, SYSTEMS, "system")
    console = table_console(stderr=as_json)  # JSON has standard output to itself
    with progress_display(console) as (progress, task):
        step = partial(describe, progress, task)
        results = list(bench.measure(chosen, algorithm, seconds=seconds, progress=step))
    if as_json:
        _print_json({"machine": machine(), "results": [r.as_dictionary() for r in results]})
        return
    table = Table(title=f"{algorithm}, microseconds; batches of {bench.BATCH}; random states", title_justify="left")
    table.add_column("system")
    for heading in ("3 iterations", "converged", "ratio", "3, batched", "converged, batched", "ratio", "iterations"):
        table.add_column(heading, justify="right")
    for r in results:
        (one, all_), (one_batched, all_batched), ratios = r.single, r.batched, r.ratios
        table.add_row(
            r.system, f"{one:.2f}", f"{all_:.2f}", f"{ratios[0]:.2f}", f"{one_batched:.3f}", f"{all_batched:.3f}",
            f"{ratios[1]:.2f}", f"{r.passes:.1f}, at most {r.most_passes}",
        )  # fmt: skip
    console.print(table)
    means = [bench.geometric_mean([r.ratios[k] for r in results]) for k in range(2)]
    console.print(f"geometric means {means[0]:.2f}, {means[1]:.2f} batched. {_machine_text()}.", highlight=False)


@app.command("convergence")
def convergence(
    systems: str = typer.Option("two hands + cube,biped", help="Comma-separated systems of `bench loops`."),
    count: int = typer.Option(10_000, min=2, help="Number of states."),
    plot: str = typer.Option("", help="Write a figure to this file (.svg, .png, .pdf)."),
    as_json: bool = typer.Option(False, "--json", help="Print JSON instead of a table."),
) -> None:
    """Residuals after each iteration, and errors for each penalty, of solvers for closed loops."""
    from ..bench import convergence as bench
    from ..bench.loop_systems import SYSTEMS

    check_figure(plot)
    console = table_console(stderr=as_json)  # JSON has standard output to itself
    results = []
    with progress_display(console) as (progress, task):
        for name in chosen_names(systems, SYSTEMS, "system"):
            step = partial(describe, progress, task)
            results += bench.measure(name, SYSTEMS[name](), count=count, progress=step)
    if plot:
        bench.plot(results, plot)
    if as_json:
        _print_json({"machine": machine(), "results": [r.as_dictionary() for r in results]})
        return
    table = Table(title=f"largest of {count} states, half of them closed", title_justify="left")
    for heading in ("system", "algorithm", *(f"{n} it." for n in bench.ITERATIONS)):
        table.add_column(heading)
    for mu in bench.PENALTIES[2::3]:
        table.add_column(f"error, mu {mu:.0e}")
    for r in results:
        errors = [r.error[mu] for mu in bench.PENALTIES[2::3]]
        table.add_row(r.system, r.algorithm, *(f"{x:.1e}" for x in (*r.largest.values(), *errors)))
    console.print(table)


@app.command("simulate")
def simulate(
    robots: str = typer.Option("", help="Comma-separated names or files; by default mechanisms with loops."),
    seconds: float = typer.Option(2.0, help="How long to measure each mechanism."),
    as_json: bool = typer.Option(False, "--json", help="Print JSON instead of a table."),
) -> None:
    """Steps of simulations with loops, one at a time and batched on one core, beside MuJoCo."""
    from ..bench import simulation_times as bench

    console = table_console(stderr=as_json)  # JSON has standard output to itself
    chosen = tuple(x for x in robots.split(",") if x) or bench.ROBOTS
    with progress_display(console) as (progress, task):
        results = list(bench.measure(chosen, seconds=seconds, progress=partial(describe, progress, task)))
    if as_json:
        lines = [r.as_dictionary() for r in results]
        _print_json({"machine": machine(), "batch": bench.BATCH, "unit": "microseconds", "results": lines})
        return
    title = f"microseconds a step of {bench.DT * 1e3:g} ms takes one core; batches of {bench.BATCH}; ratios to MuJoCo"
    table = Table(title=title, title_justify="left")
    for heading in (
        "mechanism", "dof", "rows", "solver", "single", "batched", "mj_step", "rollout", "x single", "x batched",
        "drift", "MuJoCo's",
    ):  # fmt: skip
        table.add_column(heading, justify="left" if heading in ("mechanism", "solver") else "right")
    for r in results:
        ratios = r.ratios
        table.add_row(
            r.robot, str(r.dof), str(r.rows), r.solver, f"{r.single:.3f}", f"{r.batched:.4f}",
            _number(r.mujoco_step), _number(r.mujoco_rollout), f"{ratios[0]:.0f}" if ratios else "-",
            f"{ratios[1]:.0f}" if ratios else "-", f"{r.drift:.0e}",
            "-" if r.mujoco_drift is None else f"{r.mujoco_drift:.0e}",
        )  # fmt: skip
    console.print(table)
    console.print(f"{_machine_text()}. MuJoCo's constraints are soft.", highlight=False)


@app.command("clusters")
def clusters(
    robots: str = typer.Option("", help="Comma-separated; by default the six of the paper."),
    algorithms: str = typer.Option("", help="Comma-separated; by default all."),
    seconds: float = typer.Option(2.0, help="How long to measure each robot."),
    as_json: bool = typer.Option(False, "--json", help="Print JSON instead of a table."),
    cpp: bool = typer.Option(True, help="Build and time Pinocchio's C++ (the first build takes minutes)."),
) -> None:
    """Loops embedded exactly, beside what the C++ library of the paper on clusters would take here."""
    from ..bench import ankle_torque
    from ..bench import cluster_times as bench

    names = chosen_names(algorithms, bench.ALGORITHMS, "algorithm")
    chosen = tuple(x.strip() for x in robots.split(",") if x.strip()) or bench.ROBOTS
    console = table_console(stderr=as_json)  # JSON has standard output to itself
    with progress_display(console) as (progress, task):
        step = partial(describe, progress, task)
        step("looking for Pinocchio C++ (building it takes minutes the first time)")
        peer, about = find_peer() if cpp else (None, "Pinocchio C++ was not asked for")
        results = list(bench.measure(chosen, names, peer=peer, seconds=seconds, progress=step))
        step("ankle torque")
        largest, errors, _ = ankle_torque.measure()
    if as_json:
        document = {"machine": machine(), "peer": about, "results": [r.as_dictionary() for r in results]}
        document["ankle_torque_percent"] = {e.variant: e.percent for e in errors}
        _print_json(document)
        return
    table = Table(title=f"microseconds; batches of {bench.BATCH}; ratios to the paper's library", title_justify="left")
    for heading in ("robot", "dof", "algorithm", "operations", "single", "batched", "library", "x single", "x batched"):
        table.add_column(heading, justify="left" if heading in ("robot", "algorithm") else "right")
    for r in results:
        ratios = r.ratios
        table.add_row(
            r.robot, str(r.dof), r.algorithm, str(r.operations), f"{r.single:.2f}", f"{r.batched:.3f}",
            _number(r.library), f"{ratios[0]:.1f}" if ratios else "-", f"{ratios[1]:.1f}" if ratios else "-",
            end_section=r.algorithm == names[-1],
        )  # fmt: skip
    console.print(table)
    listed = ", ".join(f"{e.variant} {e.percent:.1f} %" for e in errors)
    console.print(f"Ankle torque, rms error in percent of the largest ({largest:.2f} N m): {listed}.", highlight=False)
    console.print(f"Library times are scaled by {about}. {_machine_text()}.", highlight=False)


@app.command("compile")
def compile_time(
    links: str = typer.Option("", help="Comma-separated numbers of links; by default 25 to 400."),
    plot: str = typer.Option("", help="Write a figure to this file (.svg, .png, .pdf)."),
    as_json: bool = typer.Option(False, "--json", help="Print JSON instead of a table."),
) -> None:
    """Compile time of ABA over the number of links of a chain."""
    from ..bench import compile_time as bench

    check_figure(plot)
    console = table_console(stderr=as_json)  # JSON has standard output to itself
    chosen = _numbers(links) or bench.LINKS
    with progress_display(console) as (progress, task):
        results = list(bench.measure(chosen, progress=partial(describe, progress, task)))
    if plot:
        bench.plot(results, plot)
    if as_json:
        _print_json({"machine": machine(), "results": [r.as_dictionary() for r in results]})
        return
    table = Table(title="seconds to compile ABA of a serial chain", title_justify="left")
    for heading in ("links", "operations", "tracing", "first compile", "from the cache", "peak memory"):
        table.add_column(heading, justify="right")
    for r in results:
        memory = "-" if r.peak_megabytes is None else f"{r.peak_megabytes:.0f} MB"
        table.add_row(
            str(r.links), str(r.operations), f"{r.trace_seconds:.2f}", f"{r.first_seconds:.2f}",
            f"{r.warm_seconds:.3f}", memory,
        )  # fmt: skip
    console.print(table)
    console.print(f"{_machine_text()}.", highlight=False)


def _numbers(text: str) -> tuple[int, ...]:
    try:
        return tuple(int(x) for x in text.split(",") if x.strip())
    except ValueError:
        raise InputError(f"{text!r}: expected whole numbers and commas") from None


def _print_json(document: dict) -> None:
    json.dump(document, sys.stdout, indent=2)
    sys.stdout.write("\n")


def _machine_text() -> str:
    return ", ".join(f"{key} {value}" for key, value in machine().items())


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
