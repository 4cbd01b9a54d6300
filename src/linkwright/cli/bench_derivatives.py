"""`linkwright bench derivatives`: Jacobians and gradients, beside Pinocchio's."""

from __future__ import annotations

import typer

from .measuring import AS_JSON, CPP, RECORD, listed, machine_text, measuring, peer_if, report, table_of
from .output import chosen_names


def derivatives(
    robots: str = typer.Option("", help="Comma-separated names or files; by default four well-known robots."),
    held: str = typer.Option("", help="Comma-separated systems with constraints, or 'none'; by default three."),
    seconds: float = typer.Option(1.0, help="How long to measure each line."),
    as_json: bool = AS_JSON,
    record: str = RECORD,
    cpp: bool = CPP,
) -> None:
    """Jacobians and gradients of RNEA, ABA and constrained dynamics, beside Pinocchio from Python and as C++."""
    from ..bench import derivative_times as bench  # compiles and imports peers: only when asked for

    chosen = listed(robots) or bench.ROBOTS
    systems = () if held == "none" else chosen_names(held, bench.SYSTEMS, "system") if held else bench.HELD
    with measuring(as_json) as (console, step):
        peer, about = peer_if(cpp, step, derivatives=True, constrained=bool(systems))
        results = list(bench.measure(chosen, systems, peer=peer, seconds=seconds, progress=step))
    columns = {
        "robot": "", "dof": "d", "program": "", "operations": "d", "ratio": ".1f", "vjp": ".2f", "single": ".2f",
        "batched": ".2f", "one vjp": ".2f", "Pin. Python": ".1f", "Pin. C++": ".1f", "x single": ".2f",
        "x batched": ".1f", "error": ".0e",
    }  # fmt: skip
    rows = (
        (
            r.robot, r.dof, r.algorithm, r.operations, r.ratio, r.gradient_ratio, r.single, r.batched, r.gradient,
            r.pinocchio_python, r.pinocchio_cpp, *(r.ratios or (None, None)), r.error,
        )
        for r in results
    )  # fmt: skip
    title = (
        f"microseconds; all partial derivatives; batches of {bench.BATCH}; ratio, vjp: operations over the function's; "
        f"x: Pinocchio's C++ over ours, or its Python where there is none"
    )
    report(
        console, as_json, results, lambda: table_of(title, columns, rows), f"{about}. {machine_text()}.",
        record=(record, "derivatives"), batch=bench.BATCH, peer=about, unit="microseconds",
    )  # fmt: skip
