"""`linkwright robots` and `linkwright algorithms`."""

from __future__ import annotations

from rich.console import Console
from rich.markup import escape
from rich.table import Table

import linkwright as lw

from ..programs import RECIPES


def robots() -> None:
    """List the robots that can be loaded by name."""
    table = Table("name", "degrees of freedom", "what", "from", "needs")
    for robot in lw.list_robots():
        table.add_row(robot.name, str(robot.dof), robot.description, robot.source, escape(robot.needs or ""))
    Console().print(table)


def algorithms() -> None:
    """List the algorithms that can be compiled."""
    table = Table("name", "computes", "inputs", "outputs", "options")
    for recipe in RECIPES.values():
        inputs = [*recipe.inputs, *(f"({name})" for name in recipe.optional_inputs)]
        table.add_row(
            recipe.name, recipe.summary, ", ".join(inputs), ", ".join(recipe.outputs), ", ".join(recipe.options)
        )
    Console().print(table)
