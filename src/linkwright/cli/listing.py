"""`linkwright robots` and `linkwright algorithms`."""

from __future__ import annotations

import typer
from rich.table import Table

import linkwright as lw

from ..errors import unknown_name
from ..physics import RECIPES
from ..programs.meanings import input_meaning, option_meaning, output_meaning
from .output import plain, table_console


def robots() -> None:
    """List the robots that can be loaded by name."""
    table = _table("name", "degrees of freedom", "what", "from", "needs")
    for robot in lw.list_robots():
        table.add_row(robot.name, str(robot.dof), plain(robot.description), robot.source, plain(robot.needs or ""))
    table_console().print(table)


def algorithms(
    name: str | None = typer.Argument(None, help="One of them: what it takes and gives, and its options."),
) -> None:
    """List the algorithms that can be compiled."""
    if name is not None:
        _algorithm(name)
        return
    table = _table("name", "computes", "inputs", "outputs", "options")
    for recipe in RECIPES.values():
        inputs = [*recipe.inputs, *(f"({name})" for name in recipe.optional_inputs)]
        table.add_row(
            recipe.name, plain(recipe.summary), ", ".join(inputs), ", ".join(recipe.outputs), ", ".join(recipe.options)
        )
    table_console().print(table)


def _algorithm(name: str) -> None:
    if name not in RECIPES:
        raise unknown_name("algorithm", name, RECIPES)
    recipe = RECIPES[name]
    console = table_console()
    console.print(f"{recipe.name}: {plain(recipe.summary)}", soft_wrap=True)
    for heading, second, names, meaning in (
        ("input", "shape", (*recipe.inputs, *recipe.optional_inputs), input_meaning),
        ("output", "shape", recipe.outputs, output_meaning),
        ("option", "values", tuple(recipe.options), option_meaning),
    ):
        if names:
            table = _table(heading, second, "what")
            for each in names:
                shape, text = meaning(recipe, each)
                table.add_row(each, plain(shape), plain(text))
            console.print(table)


def _table(name: str, *others: str) -> Table:
    """Names are there to be copied, so they are never cut."""
    table = Table()
    table.add_column(name, no_wrap=True)
    for heading in others:
        table.add_column(heading)
    return table
