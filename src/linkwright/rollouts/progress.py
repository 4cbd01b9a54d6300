"""A bar in the terminal, for what takes longer than two seconds."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

PATIENCE = 2.0  # seconds before anything is shown


@contextmanager
def progress_bar(what: str, total: int, done: int = 0, wanted: bool = True) -> Iterator[Callable[[], None]]:
    """Of `total` things called `what`; what is yielded is called once per finished one. Where there is no terminal,
    nothing is shown."""
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
    columns = (TextColumn(what), BarColumn(30), MofNCompleteColumn(), TimeElapsedColumn(), TimeRemainingColumn())
    bar = Progress(*columns, console=console, transient=True, disable=not (wanted and console.is_terminal))
    task = bar.add_task("", total=total, completed=done)
    # a clock of its own: the first of few large things may take minutes
    late = threading.Timer(PATIENCE, bar.start)
    late.daemon = True
    late.start()
    try:
        yield lambda: bar.advance(task)
    finally:
        late.cancel()
        late.join()
        if bar.live.is_started:
            bar.stop()
