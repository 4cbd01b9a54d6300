"""Every named program, by name, and which of them solve the same problem."""

from __future__ import annotations

from collections.abc import Callable

from ..errors import InputError
from .recipe import SHAPES, Recipe

RECIPES: dict[str, Recipe] = {}
"""In the order they are listed, and in which equals are preferred."""


def register(*recipes: Recipe) -> None:
    """Make programs known to `compile`, `reference`, choosers, lists and tables."""
    for recipe in recipes:
        if recipe.name in RECIPES:
            raise InputError(f"there is a program named {recipe.name!r} already: {RECIPES[recipe.name].summary}")
        says_shapes = type(recipe).input_shapes is not Recipe.input_shapes  # as those in independent coordinates do
        unknown = [] if says_shapes else [name for name in recipe.inputs if name not in SHAPES]
        if unknown:
            raise InputError(
                f"program {recipe.name!r} takes {', '.join(unknown)}, of which nobody knows the shape: add "
                f"SHAPES[{unknown[0]!r}] = lambda model: (...) of linkwright.programs.recipe"
            )
        if not recipe.outputs:
            raise InputError(f"program {recipe.name!r} has no outputs; expected the names of what it computes")
        RECIPES[recipe.name] = recipe


def problems() -> dict[str, list[Recipe]]:
    """What can be asked for without naming an algorithm, and the programs that solve it."""
    found: dict[str, list[Recipe]] = {}
    for recipe in RECIPES.values():
        found.setdefault(recipe.solves or recipe.name, []).append(recipe)
    return {problem: recipes for problem, recipes in found.items() if problem not in RECIPES}


def names_of(suits: Callable[[Recipe], bool], *, like: Recipe | None = None) -> list[str]:
    """Names of programs, of those that solve the same problem as `like`."""
    return [
        recipe.name for recipe in RECIPES.values()
        if suits(recipe) and (like is None or (recipe.solves and recipe.solves == like.solves))
    ]  # fmt: skip
