"""Where text and tables go: the terminal, or a file that is wide enough for them.

What comes from files is no markup and steers no terminal: `plain` makes it so where it stands beside markup of ours,
and a `Terminal` writes out whatever got past that.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from rich.console import Console, ConsoleOptions, RenderableType
from rich.markup import escape
from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.segment import Segment

from ..errors import LinkwrightWarning, unknown_name
from ..io import load
from ..model import Model
from ..printable import printable

_WIDTH_WITHOUT_TERMINAL = 140


class Terminal(Console):
    """Prints no control characters but those of its own styles, and takes no `:name:` for a picture."""

    def __init__(self, *, stderr: bool = False, width: int | None = None):
        super().__init__(stderr=stderr, width=width, emoji=False)

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterator[Segment]:
        for segment in super().render(renderable, options):
            if segment.control:
                yield segment
            else:
                text = "\n".join(map(printable, segment.text.split("\n")))
                yield segment if text == segment.text else Segment(text, segment.style)


def plain(text: object) -> str:
    """What comes from a file or from a user, to stand in markup as itself."""
    return escape(printable(text))


def plain_lines(text: object) -> str:
    """The same for several lines, whose names are printable already."""
    return "\n".join(map(plain, str(text).split("\n")))


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
        Terminal(stderr=True).print(f"[yellow]warning:[/] {plain_lines(message)}", highlight=False, soft_wrap=True)

    warnings.showwarning = show


def table_console(*, stderr: bool = False) -> Terminal:
    """Tables keep their width where there is no terminal to fit into."""
    console = Terminal(stderr=stderr)
    if console.is_terminal:
        return console
    return Terminal(stderr=stderr, width=max(console.width, _WIDTH_WITHOUT_TERMINAL))


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
    progress.update(task, description=plain(step))
