"""`linkwright bench trust`."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path

import typer
from rich import box
from rich.console import Console
from rich.table import Table

from ..analysis.timing import machine
from ..atomic_file import write_atomically
from ..errors import InputError
from .output import chosen_names, describe, plain, progress_display, table_console


def trust(
    states: int = typer.Option(10_000, min=1, help="How many states, at least, over all classes and runs."),
    classes: str = typer.Option("", help="Comma-separated classes of states; by default all."),
    solvers: str = typer.Option("", help="Comma-separated solvers; by default all."),
    runs: str = typer.Option("", help="Comma-separated: reference, reference32, float64, float32; by default all."),
    seed: int = typer.Option(0, min=0, help="Other seeds give other states."),
    held_out: bool = typer.Option(False, "--held-out", help="States and mechanisms that nothing was tuned on."),
    worst: int = typer.Option(
        0, min=0, help="List so many mechanisms, the worst state of each, and how to look at it again."
    ),
    json_file: str = typer.Option("", "--json", help="Write counts and all cases to this file, too."),
) -> None:
    """Whether status ok can be believed at default options, by class of states and solver."""
    from ..bench import trust as bench  # imports the referee: only when asked for

    kinds = chosen_names(classes, bench.KINDS, "class of states")
    names, ways = chosen_names(solvers, bench.SOLVERS, "solver"), chosen_names(runs, bench.RUNS, "run")
    if json_file and not Path(json_file).parent.is_dir():
        raise InputError(f"cannot write {json_file!r}: there is no folder {str(Path(json_file).parent)!r}")
    console = table_console()
    with progress_display(console) as (progress, task):
        report = bench.measure(
            states, kinds, names, ways, seed=seed, held_out=held_out, progress=partial(describe, progress, task)
        )
    if json_file:
        document = {"machine": machine(), "seed": seed, "held_out": held_out, **report.as_dictionary()}
        write_atomically(json_file, json.dumps(document, indent=1))
    what = "held out of tuning" if held_out else f"seed {seed}"
    console.print(f"{report.states} states, {what}, default options", highlight=False)
    totals = report.totals() if len(kinds) > 1 else []
    for way in ways:
        console.print(_table(bench.RUNS[way].title, [t for t in (*report.tallies, *totals) if t.run == way]))
    _print_notes(console, report)
    if worst:
        console.print(_cases(report.worst_by_mechanism()[:worst]))


def _table(title: str, tallies) -> Table:
    table = Table(title=title, title_justify="left", box=box.SIMPLE_HEAD, padding=(0, 0, 0, 1))
    for heading in ("class", "solver"):
        table.add_column(heading, no_wrap=True)
    for heading in (
        "states", "apart", "not finite", "ok but off", "unsaid", "flagged though right", "of which near",
        "bad com- promise", "mis- named", "flagged and off", "de- clined", "passes", "most",
    ):  # fmt: skip
        table.add_column(heading, justify="right")
    before = None
    for t in tallies:
        if before not in (None, t.kind):
            table.add_section()
        mean, most = t.mean_and_most_passes
        table.add_row(
            "" if t.kind == before else t.kind, t.solver, str(t.states), _count(t, "apart"),
            *(_alarm(t, word) for word in ("not finite", "off", "unsaid")), _percent(t, "needless", "cautious"),
            _percent(t, "cautious"), _count(t, "compromise off"), _count(t, "misnamed"), _percent(t, "flagged"),
            _percent(t, "declined"), f"{mean:.1f}", f"{most:.0f}",
        )  # fmt: skip
        before = t.kind
    return table


def _count(tally, word: str) -> str:
    return str(tally.verdicts[word] or "")


def _alarm(tally, word: str) -> str:
    count = tally.verdicts[word]
    return f"[bold red]{count}[/]" if count else "0"


def _percent(tally, *words: str) -> str:
    share = tally.share(*words)
    return f"{share:.1f} %" if share else ""


def _print_notes(console: Console, report) -> None:
    for what, counts in (("skipped", report.skipped), ("refused", report.refused)):
        if counts:
            console.print(f"{what}: " + ", ".join(f"{n} ({plain(why)})" for why, n in counts.items()), highlight=False)


def _cases(cases) -> Table:
    title = "worst first; look again: from linkwright.bench.trust import recheck"
    table = Table(title=title, title_justify="left")
    for heading in ("verdict", "states", "error", "status", "passes", "sigma / tolerance", "mechanism", "recheck"):
        table.add_column(heading, overflow="fold")
    for c, count in cases:
        table.add_row(
            c.verdict, str(count), f"{c.error:.1e}", str(c.status), f"{c.passes:.0f}", f"{c.nearest:.2g}",
            plain(c.label), plain(c.rebuilt),
        )  # fmt: skip
    return table
