"""What commands that measure have in common: progress, peers, one table writer, JSON for machines."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import typer
from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from ..analysis.timing import machine
from ..bench.peers.pinocchio_cpp import find_peer
from ..errors import InputError
from .output import describe, plain, progress_display, table_console

AS_JSON = typer.Option(False, "--json", help="Print JSON instead of a table.")


def _checked_folder(given: str) -> str:
    """Asked before anything is measured, not after."""
    if given:
        from ..reproduce.sections import check_folder

        check_folder(Path(given))
    return given


RECORD = typer.Option(
    "", "--record", callback=_checked_folder,
    help="Write what was measured to a section in this folder, for README and documents: docs/measured.",
)  # fmt: skip
CPP = typer.Option(True, help="Build and time Pinocchio's C++ (the first build takes minutes).")


@contextmanager
def measuring(as_json: bool) -> Iterator[tuple[Console, Callable[[str], None]]]:
    """(Where to print, what to call with what is being done): JSON has standard output to itself."""
    console = table_console(stderr=as_json)
    with progress_display(console) as (progress, task):
        yield console, partial(describe, progress, task)


def peer_if(
    cpp: bool, step: Callable[[str], None], *, constrained: bool = False, derivatives: bool = False
) -> tuple[Any, str]:
    """(Pinocchio's C++, what to say of it)."""
    if not cpp:
        return None, "Pinocchio C++ was not asked for"
    step("looking for Pinocchio C++ (building it takes minutes the first time)")
    return find_peer(constrained=constrained, derivatives=derivatives)


def table_of(
    title: str, columns: Mapping[str, str], rows: Iterable[Sequence[Any] | None], *, narrow: bool = False
) -> Table:  # fmt: skip
    """A table: by heading how its numbers are written; texts, with "", stand to the left. `narrow`: without lines.

    A row holds a value per column: None is "-", texts are themselves and no markup, `Text`s may have a style; a row
    that is None ends a section.
    """
    layout: dict[str, Any] = {"box": box.SIMPLE_HEAD, "padding": (0, 0, 0, 1)} if narrow else {}
    table = Table(title=title, title_justify="left", **layout)
    for heading, how in columns.items():
        table.add_column(heading, justify="right" if how else "left")
    for row in rows:
        if row is None:
            table.add_section()
        else:
            cells = zip(row, columns.values(), strict=True)
            table.add_row(*(_cell(x, how) for x, how in cells))
    return table


def _cell(value: Any, how: str) -> str | Text:
    if isinstance(value, Text):
        return value
    return "-" if value is None else plain(value) if isinstance(value, str) else format(value, how)


def report(
    console: Console, as_json: bool, results: Sequence[Any], table: Callable[[], Table], *notes: str,
    record: tuple[str, str] = ("", ""), **document: Any,
) -> None:  # fmt: skip
    """Print results as a table with notes, or as JSON with the entries of `document`.

    `record`: folder, "" for none, and name of the section that is written.
    """
    write_record(record[0], record[1], results, **document)
    if as_json:
        found = {"machine": machine(), **document, "results": [r.as_dictionary() for r in results]}
        json.dump(found, sys.stdout, indent=2)
        sys.stdout.write("\n")
        return
    console.print(table())
    for note in notes:
        console.print(plain(note), highlight=False)


def write_record(folder: str, name: str, results: Sequence[Any], **document: Any) -> None:
    if folder:
        from ..reproduce.sections import write_section  # imports peers: only when asked for

        write_section(Path(folder), name, results, **document)


def machine_text() -> str:
    return ", ".join(f"{key} {value}" for key, value in machine().items())


def listed(text: str) -> tuple[str, ...]:
    """The names in a comma-separated option."""
    return tuple(x.strip() for x in text.split(",") if x.strip())


def numbers(text: str) -> tuple[int, ...]:
    try:
        return tuple(int(x) for x in listed(text))
    except ValueError:
        raise InputError(f"{text!r}: expected whole numbers and commas") from None
