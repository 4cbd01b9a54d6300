"""Where tables go: the terminal, or a file that is wide enough for them."""

from __future__ import annotations

from rich.console import Console

_WIDTH_WITHOUT_TERMINAL = 140


def table_console(*, stderr: bool = False) -> Console:
    """Tables keep their width where there is no terminal to fit into."""
    console = Console(stderr=stderr)
    return console if console.is_terminal else Console(stderr=stderr, width=max(console.width, _WIDTH_WITHOUT_TERMINAL))
