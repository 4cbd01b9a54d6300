"""The command line: `linkwright demo`, `linkwright robots`, `linkwright bench tree`, ..."""

from __future__ import annotations

import sys

import typer

from .. import __version__
from ..errors import LinkwrightError
from . import bench, demo, inspect, listing, live_view, reproduce, simulate
from .output import Terminal, plain_lines, print_warnings

app = typer.Typer(
    name="linkwright",
    help="Dynamics of rigid-body mechanisms, compiled for one robot.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)


def _print_version(asked: bool) -> None:
    if asked:
        typer.echo(f"linkwright {__version__}")
        raise typer.Exit()


@app.callback()
def _every_command(
    version: bool = typer.Option(
        False, "--version", callback=_print_version, is_eager=True, help="Print the version and exit."
    ),
) -> None:
    """Dynamics of rigid-body mechanisms, compiled for one robot."""


app.command("demo")(demo.demo)
app.command("inspect")(inspect.inspect_command)
app.command("simulate")(simulate.simulate)
app.command("view")(live_view.view)
app.command("reproduce")(reproduce.reproduce)
app.command("robots")(listing.robots)
app.command("algorithms")(listing.algorithms)
app.add_typer(bench.app, name="bench")


def main() -> None:
    """Entry point of the `linkwright` command: our own errors become one line, not a traceback."""
    print_warnings()
    try:
        app()
    except LinkwrightError as error:
        Terminal(stderr=True).print(f"[bold red]error:[/] {plain_lines(error)}", highlight=False, soft_wrap=True)
        sys.exit(1)
