"""How LCABA's couplings between links come and go, step by step ([Sathya2025] Figure 4)."""

from __future__ import annotations

from dataclasses import dataclass

from ..algorithms.elimination import elimination_order
from ..model import Model, Tree


@dataclass(frozen=True)
class Stage:
    """The graph between eliminations: the links `gone`, those just `eliminated`, the pairs of links still `coupled`."""

    eliminated: tuple[int, ...]
    gone: frozenset[int]
    coupled: frozenset[tuple[int, int]]


def elimination(model: Model) -> list[tuple[int, tuple[int, ...]]]:
    """(link, its neighbours when it is eliminated), in order."""
    return elimination_order(Tree(model))


def stages(model: Model, order: list[tuple[int, tuple[int, ...]]]) -> list[Stage]:
    """The start, and the graph after each run of links down one limb, until nothing is coupled."""
    coupled = couplings(model)
    found = [Stage((), frozenset(), frozenset(coupled))]
    gone: set[int] = set()
    run: list[int] = []
    for k, (i, neighbours) in enumerate(order):
        if not coupled:
            break
        parent = model.bodies[i].parent
        coupled = {pair for pair in coupled if i not in pair}
        if neighbours:
            together = sorted({*neighbours, *((parent,) if parent else ())})
            coupled |= {(a, b) for a in together for b in together if a < b}
        gone.add(i)
        run.append(i)
        ends = k + 1 == len(order) or order[k + 1][0] != parent or not coupled
        if ends:
            found.append(Stage(tuple(run), frozenset(gone), frozenset(coupled)))
            run = []
    return found


def couplings(model: Model) -> set[tuple[int, int]]:
    """Pairs of links that constraints couple before any link is gone."""
    pairs = set()
    for bodies in model.constraint_bodies:
        pairs |= {(a, b) for a in bodies for b in bodies if a < b}
    return pairs
