"""`linkwright robots` and `linkwright algorithms`."""

from __future__ import annotations

from rich.markup import escape
from rich.table import Table

import linkwright as lw

from ..programs import RECIPES
from .output import table_console


def robots() -> None:
    """List the robots that can be loaded by name."""
    table = _table("name", "degrees of freedom", "what", "from", "needs")
    for robot in lw.list_robots():
        table.add_row(robot.name, str(robot.dof), escape(robot.description), robot.source, escape(robot.needs or ""))
    table_console().print(table)


def algorithms() -> None:
    """List the algorithms that can be compiled."""
    table = _table("name", "computes", "inputs", "outputs", "options")
    for recipe in RECIPES.values():
        inputs = [*recipe.inputs, *(f"({name})" for name in recipe.optional_inputs)]
        table.add_row(
            recipe.name, escape(recipe.summary), ", ".join(inputs), ", ".join(recipe.outputs), ", ".join(recipe.options)
        )
    table_console().print(table)


def _table(name: str, *others: str) -> Table:
    """Names are there to be copied, so they are never cut."""
    table = Table()
    table.add_column(name, no_wrap=True)
    for heading in others:
        table.add_column(heading)
    return table
