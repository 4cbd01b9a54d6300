"""`linkwright bench tree`, `constrained`, `delassus` and `clusters`: algorithms on robots, beside Pinocchio's C++."""

from __future__ import annotations

import typer
from rich.text import Text

from .measuring import AS_JSON, CPP, RECORD, listed, machine_text, measuring, peer_if, report, table_of
from .output import chosen_names


def tree(
    robots: str = typer.Option("", help="Comma-separated names or files; by default seven well-known robots."),
    algorithms: str = typer.Option("", help="Comma-separated: aba, rnea, crba."),
    seconds: float = typer.Option(1.0, help="How long to measure each line."),
    as_json: bool = AS_JSON,
    record: str = RECORD,
    cpp: bool = CPP,
) -> None:
    """ABA, RNEA and CRBA of trees, beside Pinocchio from Python and as C++."""
    from ..bench import tree_times as bench  # compiles and imports peers: only when asked for

    chosen, names = listed(robots) or bench.ROBOTS, listed(algorithms) or bench.ALGORITHMS
    with measuring(as_json) as (console, step):
        peer, about = peer_if(cpp, step)
        results = list(bench.measure(chosen, names, peer=peer, seconds=seconds, progress=step))
        overhead = bench.call_overhead(chosen[-1])
    columns = {
        "robot": "", "dof": "d", "algorithm": "", "operations": "d", "single": ".2f", "batched": ".3f",
        "all threads": ".3f", "Pin. Python": ".2f", "Pin. C++": ".2f", "x single": ".1f", "x batched": ".1f",
        "error": ".0e",
    }  # fmt: skip
    rows = (
        (
            m.robot, m.dof, m.algorithm, m.operations, m.single, m.batched, m.threaded, m.pinocchio_python,
            m.pinocchio_cpp, *(m.ratios or (None, None)), m.error,
        )
        for m in results
    )  # fmt: skip
    title = f"microseconds per sample; batches of {bench.BATCH}; ratios to Pinocchio C++"
    report(
        console, as_json, results, lambda: table_of(title, columns, rows),
        f"A call that computes nothing takes {overhead:.2f} us. {about}. {machine_text()}.",
        record=(record, "tree"), batch=bench.BATCH, peer=about, unit="microseconds", call_overhead=overhead,
    )  # fmt: skip


def constrained(
    systems: str = typer.Option("", help="Comma-separated; by default those of the papers' tables."),
    solvers: str = typer.Option("", help="Comma-separated; by default all."),
    seconds: float = typer.Option(2.0, help="How long to measure each system."),
    as_json: bool = AS_JSON,
    record: str = RECORD,
    cpp: bool = CPP,
) -> None:
    """Constrained solvers on robots held by feet, hands and fingertips, beside Pinocchio's C++ and MuJoCo."""
    _family("constrained", "dynamics", systems, solvers, seconds, as_json, record, cpp)


def delassus(
    systems: str = typer.Option("", help="Comma-separated; by default those of the papers' tables."),
    algorithms: str = typer.Option("", help="Comma-separated; by default all."),
    seconds: float = typer.Option(2.0, help="How long to measure each system."),
    as_json: bool = AS_JSON,
    record: str = RECORD,
    cpp: bool = CPP,
) -> None:
    """Algorithms for the Delassus matrix on the same robots and on some with loops, beside Pinocchio's C++."""
    _family("delassus", "delassus", systems, algorithms, seconds, as_json, record, cpp)


def _family(
    section: str, name: str, systems: str, algorithms: str, seconds: float, as_json: bool, record: str, cpp: bool
) -> None:
    from ..bench import constrained_times as bench

    family = bench.FAMILIES[name]
    chosen = chosen_names(systems, family.systems, "system")
    names = chosen_names(algorithms, family.algorithms, "algorithm")
    with measuring(as_json) as (console, step):
        peer, about = peer_if(cpp, step, constrained=True)
        results = list(bench.measure(family, chosen, names, peer=peer, seconds=seconds, progress=step))
    first = f"pinocchio {family.peers[0]}"
    columns = {
        "system": "", "dof": "d", "rows": "d", "algorithm": "", "operations": "d", "single": ".2f", "batched": ".3f",
        "x single": ".1f", "x batched": ".1f", "error": ".0e",
    }  # fmt: skip

    def rows():
        for r in results:
            for t in r.ours:
                # a stage of the operator does less than a whole matrix, so there is no ratio
                time = None if t.algorithm.startswith("operator ") else r.peers.get(first)
                ratios = (time / t.single, time / t.batched) if time else (None, None)
                yield r.system, r.dof, r.rows, t.algorithm, t.operations, t.single, t.batched, *ratios, t.error
            for label, time in r.peers.items():
                yield r.system, r.dof, r.rows, Text(label, style="dim"), "", time, "", "", "", ""
            yield None

    title = f"microseconds; {bench.ITERATIONS} proximal iterations; batches of {bench.BATCH}; ratios to {first}"
    report(
        console, as_json, results, lambda: table_of(title, columns, rows()),
        f"{about}. {machine_text()}. MuJoCo's constraints are soft.",
        record=(record, section), batch=bench.BATCH, iterations=bench.ITERATIONS, peer=about, unit="microseconds",
    )  # fmt: skip


def clusters(
    robots: str = typer.Option("", help="Comma-separated; by default the six of the paper."),
    algorithms: str = typer.Option("", help="Comma-separated; by default all."),
    seconds: float = typer.Option(2.0, help="How long to measure each robot."),
    as_json: bool = AS_JSON,
    record: str = RECORD,
) -> None:
    """Loops embedded exactly, beside projections, multipliers and approximations."""
    from ..bench import ankle_torque
    from ..bench import cluster_times as bench

    names, chosen = chosen_names(algorithms, bench.ALGORITHMS, "algorithm"), listed(robots) or bench.ROBOTS
    with measuring(as_json) as (console, step):
        results = list(bench.measure(chosen, names, seconds=seconds, progress=step))
        step("ankle torque")
        largest, errors, _ = ankle_torque.measure()
    columns = {
        "robot": "", "dof": "d", "algorithm": "", "operations": "d", "single": ".2f", "batched": ".3f",
        "more operations": "+.0%",
    }  # fmt: skip

    def rows():
        for r in results:
            yield r.robot, r.dof, r.algorithm, r.operations, r.single, r.batched, r.more
            if r.algorithm == names[-1]:
                yield None

    told = ", ".join(f"{e.variant} {e.percent:.1f} %" for e in errors)
    title = f"microseconds; batches of {bench.BATCH}; more than C-ABA or C-RNEA"
    report(
        console, as_json, results, lambda: table_of(title, columns, rows()),
        f"Ankle torque, rms error in percent of the largest ({largest:.2f} N m): {told}.",
        f"{machine_text()}.",
        record=(record, "clusters"), batch=bench.BATCH, unit="microseconds",
        ankle_torque_percent={e.variant: e.percent for e in errors},
    )  # fmt: skip
