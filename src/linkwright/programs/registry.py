"""Every named program, by name, and which of them solve the same problem."""

from __future__ import annotations

from collections.abc import Callable

from ..errors import InputError
from .recipe import Recipe

RECIPES: dict[str, Recipe] = {}
"""In the order they are listed, and in which equals are preferred."""


def register(*recipes: Recipe) -> None:
    """Make programs known to `compile`, `reference`, choosers, lists and tables."""
    for recipe in recipes:
        if recipe.name in RECIPES:
            raise InputError(f"there is a program named {recipe.name!r} already: {RECIPES[recipe.name].summary}")
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
