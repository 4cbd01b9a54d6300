"""Where tables go: the terminal, or a file that is wide enough for them. What commands that measure have in common."""

from __future__ import annotations

import warnings
from contextlib import contextmanager
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

from ..errors import LinkwrightWarning, unknown_name
from ..io import load
from ..model import Model

_WIDTH_WITHOUT_TERMINAL = 140


def shown_by_command(robot: str, **options: Any) -> Model:
    """`linkwright.load` for a command whose page names itself what is not computed: without a warning beside it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LinkwrightWarning)
        return load(robot, **options)


def print_warnings() -> None:
    """From now on what is not computed is told in a command's own words, without a line of Python."""
    otherwise = warnings.showwarning

    def show(message: Any, category: type[Warning], *where: Any, **more: Any) -> None:
        if not issubclass(category, LinkwrightWarning):
            otherwise(message, category, *where, **more)
            return
        Console(stderr=True).print(f"[yellow]warning:[/] {escape(str(message))}", highlight=False, soft_wrap=True)

    warnings.showwarning = show


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
