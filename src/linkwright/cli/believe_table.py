"""`linkwright bench believe`."""

from __future__ import annotations

from functools import partial

import typer
from rich.table import Table

from .kept_results import INTO, KeptResults
from .output import chosen_names, describe, plain, progress_display, table_console


def believe(
    robots: str = typer.Option("", help="Comma-separated names or files; by default all mechanisms with loops."),
    seconds: float = typer.Option(120.0, help="How long each is simulated, in its time."),
    controls: str = typer.Option("", help="Comma-separated: none, pd; by default both."),
    digits: int = typer.Option(None, min=2, max=17, help="Round the numbers of files to so many digits first."),
    windows: bool = typer.Option(True, help="Compare half-seconds with rk4 at dt / 10, a program of its own."),
    into: str = INTO,
) -> None:
    """Long simulations of all mechanisms with loops, without and with control: finite, and what the verdict says.

    Each row is printed as it ends, all of them as a table in the end."""
    from ..bench import believe as bench

    kept = KeptResults(into, bench.Belief)
    chosen = tuple(x for x in robots.split(",") if x) or None
    console = table_console()
    with progress_display(console) as (progress, task):
        for belief in bench.measure(
            chosen, seconds=seconds, controls=chosen_names(controls, ("none", "pd"), "control"), digits=digits,
            windows=windows, known=kept.known, progress=partial(describe, progress, task),
        ):  # fmt: skip
            kept.add(belief)
            console.print(" | ".join(_cells(belief)), highlight=False, markup=False, soft_wrap=True)
    results = kept.all
    console.print(_table(results, bench.DT))
    wrong = [b for b in results if not b.right]
    told = f"{len(kept.known)} of them from {into}; " if kept.known else ""
    console.print(
        f"{len(results)} runs ({told}{sum(b.finite for b in results)} finite, {sum(b.alone for b in results)} with the "
        f"same bits alone, {sum(not b.complaints for b in results)} called ok, "
        f"{sum(b.refused for b in results)} refused, {len(wrong)} wrongly judged, "
        f"{sum(b.missed > 0 for b in results)} with half-seconds that the integrator missed)",
        highlight=False,
    )
    raise typer.Exit(1 if wrong or not all(b.finite or b.refused for b in results) else 0)


def _table(results, dt: float) -> Table:
    table = Table(title=f"simulated in steps of {dt * 1e3:g} ms", title_justify="left")
    for heading in _HEADINGS:
        table.add_column(heading, justify="left" if heading in ("mechanism", "broken", "verdict") else "right")
    for b in results:
        table.add_row(*map(plain, _cells(b)))
    return table


_HEADINGS = (
    "mechanism", "control", "seconds", "finite", "drift", "energy", "to rk4 (median, worst)", "rk4 to itself",
    "growth", "start off", "missed", "broken", "verdict",
)  # fmt: skip


def _cells(b) -> list[str]:
    return [
        b.robot, b.control, f"{b.seconds:g}", "yes" if b.finite else "NO", f"{b.drift:.0e}", f"{b.energy:.0e}",
        f"{b.window:.0e}, {b.worst_window:.0e}", f"{b.unknown:.0e}", f"{b.growth:.0e}", f"{b.start_off:.0e}",
        str(b.missed), ", ".join(b.broken), "; ".join(b.complaints) or "ok",
    ]  # fmt: skip
