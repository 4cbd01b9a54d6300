"""`linkwright bench schemes`."""

from __future__ import annotations

import typer

from .measuring import AS_JSON, listed, measuring, report, table_of
from .output import plain


def schemes(
    robots: str = typer.Option("", help="Comma-separated mechanisms; by default all that the command knows."),
    integrators: str = typer.Option("damped_euler,leapfrog", help="Comma-separated names of integrators."),
    dt: float = typer.Option(1e-3, help="Seconds per step."),
    as_json: bool = AS_JSON,
) -> None:
    """How far off schemes are after a second, and what they cost, beside Dormand and Prince's pair at 1e-11."""
    from ..bench import scheme_errors as bench  # compiles: only when asked for

    results = []
    with measuring(as_json) as (console, step):
        chosen = listed(robots) or list(bench.mechanisms())
        for one in bench.measure(chosen, listed(integrators), dt, step):
            results.append(one)
            console.print(plain(f"{one.mechanism}, {one.scheme}: off by {one.off:.1e}"), highlight=False)
    columns = {
        "mechanism": "", "scheme": "", "seconds": "g", "off": ".0e", "energy": ".0e", "drift": ".0e", "solves": ".2f",
        "in parts": ".1%", "with random torques": ".1%",
    }  # fmt: skip
    rows = [list(one.as_dictionary().values()) for one in results]
    report(
        console, as_json, results, lambda: table_of(f"steps of {1e3 * dt:g} ms", columns, rows, narrow=True),
        "off: rad or m at the end; energy: of the largest kinetic one; solves: solutions of the dynamics per step; in "
        "parts: steps that took more than one; the same where torques of 10 rad/s^2 change at random in every step.",
    )  # fmt: skip
