"""`linkwright demo`: load a robot, compile its forward dynamics, check and time it."""

from __future__ import annotations

import time

import numpy as np
import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table

import linkwright as lw

from ..bench.timing import best_seconds

_BATCH = 4096


def demo(robot: str = typer.Option("humanoid", help="A name that `linkwright robots` lists, or a file.")) -> None:
    """Compile ABA for a robot, check it against the reference, and time it."""
    console = Console()
    model = lw.load(robot)
    console.print(f"[bold]{escape(str(model))}[/]", highlight=False)
    for warning in model.warnings[:5]:
        console.print(f"[yellow]warning:[/] {escape(warning)}", highlight=False)

    with console.status("tracing and compiling ABA ..."):
        start = time.perf_counter()
        aba = lw.compile(model, "aba")
        ready = time.perf_counter() - start
    origin = "read from the cache" if aba.from_cache else "compiled"
    console.print(f"ABA: {aba.operations}; {origin} in {ready:.2f} s, {aba.lanes} lanes", highlight=False)

    rng = np.random.default_rng(0)
    q = model.random_configuration(rng, _BATCH)
    v, tau = rng.normal(size=(2, _BATCH, model.nv))
    a = aba(q, v, tau)
    few = slice(0, 8)
    expected = lw.reference(model, "aba")(q[few], v[few], tau[few])
    error = np.abs(a[few] - expected).max() / np.abs(expected).max()
    console.print(f"largest relative difference to the reference: {error:.1e}", highlight=False)
    if not error < 1e-6:
        console.print("[bold red]the compiled code disagrees with the reference; please report this[/]")
        raise typer.Exit(1)

    threaded = lw.compile(model, "aba", threads="all")
    one = q[0].copy(), v[0].copy(), tau[0].copy()
    with console.status("timing ..."):
        best = best_seconds(
            {
                "one sample a call": lambda: aba(*one),
                f"batch of {_BATCH}, one thread": lambda: aba(q, v, tau, out=a),
                f"batch of {_BATCH}, {threaded.threads} threads": lambda: threaded(q, v, tau, out=a),
            }
        )
    table = Table("forward dynamics", "per sample", "samples per second")
    for name, seconds in best.items():
        each = seconds / (_BATCH if "batch" in name else 1)
        table.add_row(name, f"{each * 1e6:.2f} us", f"{1 / each:,.0f}")
    console.print(table)
