"""A bar in the terminal, for what takes longer than two seconds."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

PATIENCE = 2.0  # seconds before anything is shown


@contextmanager
def chunk_progress(total: int, done: int, wanted: bool) -> Iterator[Callable[[], None]]:
    """Called once per finished chunk."""
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    console = Console(stderr=True)
    columns = (TextColumn("chunks"), BarColumn(30), MofNCompleteColumn(), TimeElapsedColumn(), TimeRemainingColumn())
    bar = Progress(*columns, console=console, transient=True, disable=not (wanted and console.is_terminal))
    task, begin, shown = bar.add_task("", total=total, completed=done), time.perf_counter(), False

    def advance() -> None:
        nonlocal shown
        bar.advance(task)
        if not shown and time.perf_counter() - begin > PATIENCE:
            bar.start()
            shown = True

    try:
        yield advance
    finally:
        if shown:
            bar.stop()
