"""The order in which LCABA eliminates links, and whom each one is coupled to at that time.

[Sathya2025] sec. IV, and what Algorithm 1 does with its sets N: among the links whose children are gone, the one with
the fewest neighbours goes first (minimum degree). Eliminating a link couples its neighbours and its parent to one
another. The paper does not say who goes first of links with equally many; it decides on which side of a loop a spring
travels (loop_spring.py), and is worth some percent. Which way of breaking such ties is cheapest is found by counting
(programs/breaking_ties.py).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping

from ...model import Tree

Order = list[tuple[int, tuple[int, ...]]]

# Of links with equally many neighbours the least goes first.
TIES: Mapping[str, Callable[[Tree, int], tuple[int, ...]]] = {
    "last": lambda tree, i: (-i,),
    "first": lambda tree, i: (i,),
    "deepest": lambda tree, i: (-tree.graph.depth[i], -i),
}


def elimination_order(tree: Tree, but: Collection[int] = (), ties: str = "last") -> Order:
    """(link, its neighbours when it is eliminated), tips first. Without loops: the reverse of the numbering.

    `but`: numbers of constraints that do not couple the links they act on; `ties`: one of TIES.
    """
    if not any(len(bodies) > 1 for number, bodies in enumerate(tree.constraint_bodies) if number not in but):
        ties = "last"
    n = len(tree.parent)
    neighbours: list[set[int]] = [set() for _ in range(n)]  # Algorithm 1, line 3
    for number, bodies in enumerate(tree.constraint_bodies):
        for i in () if number in but else bodies:
            neighbours[i] |= set(bodies) - {i}  # line 8
    waiting = [len(tree.graph.children[i]) for i in range(n)]
    ready = [i for i in range(1, n) if not waiting[i]]
    order = []
    while ready:
        i = min(ready, key=lambda k: (len(neighbours[k]), *TIES[ties](tree, k)))
        ready.remove(i)
        order.append((i, tuple(sorted(neighbours[i]))))
        parent = tree.parent[i]
        coupled = neighbours[i] | ({parent} if parent else set())
        for j in neighbours[i]:  # line 14
            neighbours[j].discard(i)  # line 15
        if neighbours[i]:
            for j in coupled:  # line 16
                neighbours[j] |= coupled - {j}  # line 18
        waiting[parent] -= 1
        if parent and not waiting[parent]:
            ready.append(parent)
    return order
