"""Where tables go: the terminal, or a file that is wide enough for them. What commands that measure have in common."""

from __future__ import annotations

from contextlib import contextmanager

from rich.console import Console
from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

from ..errors import unknown_name

_WIDTH_WITHOUT_TERMINAL = 140


def table_console(*, stderr: bool = False) -> Console:
    """Tables keep their width where there is no terminal to fit into."""
    console = Console(stderr=stderr)
    return console if console.is_terminal else Console(stderr=stderr, width=max(console.width, _WIDTH_WITHOUT_TERMINAL))


def chosen_names(text: str, valid, kind: str) -> tuple[str, ...]:
    """The names in a comma-separated option, or all of them."""
    names = tuple(x.strip() for x in text.split(",") if x.strip())
    for name in names:
        if name not in valid:
            raise unknown_name(kind, name, valid)
    return names or tuple(valid)


@contextmanager
def progress_display(console: Console):
    columns = (SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True) as progress:
        yield progress, progress.add_task("")


def describe(progress: Progress, task, step: str) -> None:
    progress.update(task, description=step)
