"""`linkwright reproduce`: the papers' tables and figures, measured here."""

from __future__ import annotations

from pathlib import Path

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.table import Table

from ..errors import InputError
from .measuring import RECORD, write_record
from .output import plain, table_console

_COLOURS = {"reproduced": "green", "partly reproduced": "yellow", "not reproduced": "red", "failed": "bold red"}
INTERRUPTED = 130  # what shells give for Ctrl-C


def reproduce(
    paper: str = typer.Argument("", help="Key of a paper, e.g. Sathya2025; by default all."),
    item: str = typer.Argument("", help="One of its items, e.g. table-2; by default all."),
    show_list: bool = typer.Option(False, "--list", help="List the items and what is measured already."),
    quick: bool = typer.Option(False, "--quick", help="Smaller sizes and fewer states: everything in minutes."),
    output: Path = typer.Option(Path("reproduced"), help="Folder for records, CSV, figures and the report."),
    robot: list[str] = typer.Option([], help="NAME=FILE: a robot of the papers from your own file; may be repeated."),
    times: bool = typer.Option(True, help="Measure times, too; without, operation counts and accuracies only."),
    seconds: float = typer.Option(2.0, help="How long the contenders of one system take turns."),
    cpp: bool = typer.Option(True, help="Build and time Pinocchio's C++ (the first build takes minutes)."),
    grbda: Path | None = typer.Option(
        None, envvar="LINKWRIGHT_GRBDA", help="A build of generalized_rbda, the C++ library of Chignoli2023, to time."
    ),
    again: bool = typer.Option(False, "--again", help="Measure anew what is finished already."),
    record: str = RECORD,
    write_docs: bool = typer.Option(
        False, "--write-docs", help="Measure nothing; make README, documents and pictures here from docs/measured."
    ),
) -> None:
    """Tables and figures of the papers from our implementations, beside the papers' numbers and today's peers.

    Finished items are kept in the output folder: after an interruption the same command goes on where it was.
    """
    from ..reproduce.environment import Peers  # compiles and imports peers: only when asked for
    from ..reproduce.item_registry import chosen_items
    from ..reproduce.reproducing import finished, records_of
    from ..reproduce.robots import RobotFile, Robots
    from ..reproduce.run import Run

    if write_docs:
        _write_docs(table_console())
        return
    if not 0 < seconds <= 3600:
        raise InputError(f"--seconds {seconds}; expected a time of at most an hour")
    items = chosen_items(paper or None, item or None)
    given = tuple(RobotFile.parse(text) for text in robot)
    size, span = ("quick", min(seconds, 0.5)) if quick else ("full", seconds)
    run = Run(size, span if times else 0.0, Robots(given), Peers(cpp=cpp, grbda=grbda))
    console = table_console()
    if show_list:
        records = records_of(run, output) if output.is_dir() else None
        known = {o.item.label: o.verdict for o in finished(items, records)} if records else {}
        console.print(_list(items, known))
        return
    records = records_of(run, output)
    _reproduce(items, run, records, output, again, record, console)


def _write_docs(console: Console) -> None:
    from ..reproduce.pages import write_pages

    changed, sections = write_pages(Path())
    for name, section in sections.items():
        note = "" if section.is_current else " [dim](our sources have changed since)[/]"
        console.print(f"{name}: {section.day}, {plain(section.content['command'])}{note}", highlight=False)
    console.print("changed: " + (plain(", ".join(map(str, changed))) or "nothing"), highlight=False)


def _reproduce(items, run, records, output: Path, again: bool, record: str, console: Console) -> None:
    from ..reproduce.files import NO_MATPLOTLIB, write_files, write_results
    from ..reproduce.item_registry import PAPERS
    from ..reproduce.report import write_report
    from ..reproduce.reproducing import Outcome, finished, reproduce

    columns = (
        SpinnerColumn(),
        BarColumn(20),
        MofNCompleteColumn(),
        TextColumn("{task.description}"),
        TimeElapsedColumn(),
    )
    outcomes: list[Outcome] = []
    undrawn = False
    interrupted = False
    with Progress(*columns, console=console, transient=True) as progress:
        task = progress.add_task("", total=len(items))
        run.progress = lambda step: progress.update(task, description=plain(step[:70]))

        def done(outcome: Outcome) -> None:
            nonlocal undrawn
            outcomes.append(outcome)
            undrawn = undrawn or not write_files(outcome, output)[1]
            kept = "[dim] (kept)[/]" if outcome.kept else ""
            progress.console.print(f"{outcome.item.label}: {_verdict(outcome.verdict)}{kept}", highlight=False)
            if outcome.failure:
                progress.console.print(f"  {plain(outcome.failure)}", highlight=False)
            progress.advance(task)

        try:
            reproduce(items, run, records, again=again, done=done)
        except KeyboardInterrupt:
            interrupted = True
    everything = {o.item.label: o for o in (*finished(_all(), records), *outcomes)}
    ordered = [everything[i.label] for i in _all() if i.label in everything]
    write_results(ordered, output)
    write_record(record, "reproduce", [o.as_dictionary() for o in ordered if o.record is not None], size=run.size)
    report = write_report(ordered, output, {key: paper.title for key, paper in PAPERS.items()})
    console.print(f"{len(ordered)} items in {plain(report)}", highlight=False)
    if undrawn:
        console.print(plain(NO_MATPLOTLIB), highlight=False)
    if interrupted:
        console.print("interrupted: the same command goes on where it was", highlight=False)
        raise typer.Exit(INTERRUPTED)
    if any(o.failure for o in outcomes):
        raise typer.Exit(1)


def _all():
    from ..reproduce.item_registry import all_items

    return all_items()


def _verdict(text: str) -> str:
    colour = _COLOURS.get(text)
    return f"[{colour}]{text}[/]" if colour else text


def _list(items, known: dict[str, str]) -> Table:
    table = Table(title="linkwright reproduce PAPER ITEM", title_justify="left")
    for heading in ("paper", "item", "what", "measures", "robots", "verdict"):
        table.add_column(heading)
    for i in items:
        names = i.name if not i.also else f"{i.name} ({', '.join(i.also)})"
        what = "counts, times" if i.timed else "counts, accuracy"
        verdict = _verdict(known.get(i.label, "-"))
        table.add_row(i.paper, names, i.title, what, ", ".join(i.robots), verdict)
    return table
