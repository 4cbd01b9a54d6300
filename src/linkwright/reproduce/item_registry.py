"""All items, and how they are named on the command line."""

from __future__ import annotations

from ..errors import InputError, unknown_name
from .item import Item, Paper

PAPERS: dict[str, Paper] = {
    paper.key: paper
    for paper in (
        Paper("Sathya2025", "Constrained Articulated Body Algorithms for Closed-Loop Mechanisms"),
        Paper("Chignoli2023", "Recursive Rigid-Body Dynamics Algorithms for Systems with Kinematic Loops"),
        Paper("Sathya2023", "PV-OSIMr: A Lowest Order Complexity Algorithm for Computing the Delassus Matrix"),
        Paper("Sathya2024", "Efficient Constrained Dynamics Algorithms based on an Equivalent LQR Formulation"),
        Paper("Sathya2024b", "Constrained Articulated Body Dynamics Algorithms"),
        Paper("Linkwright", "Beyond the papers"),
    )
}


def all_items() -> tuple[Item, ...]:
    from .papers import ITEMS  # imports every algorithm and robot: only when asked for

    return ITEMS


def chosen_items(paper: str | None = None, name: str | None = None) -> tuple[Item, ...]:
    """Those of one paper, or one of them. Case does not matter; `figure-9` finds the item that draws it."""
    items = all_items()
    if paper is None:
        return items
    key = next((k for k in PAPERS if k.lower() == paper.lower()), None)
    if key is None:
        raise unknown_name("paper", paper, PAPERS)
    items = tuple(item for item in items if item.paper == key)
    if name is None:
        return items
    wanted = name.lower().replace("_", "-").replace(" ", "-")
    found = tuple(item for item in items if wanted in (item.name, *item.also))
    if not found:
        known = ", ".join(n for item in items for n in (item.name, *item.also))
        raise InputError(f"{key} has no item {name!r}; there are: {known}")
    return found
