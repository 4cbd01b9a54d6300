"""Where the bodies of a tree go on a picture: the ground on the left, depth to the right, a row for each tip."""

from __future__ import annotations

from ..model.kinematic_graph import KinematicGraph


def tree_layout(graph: KinematicGraph) -> list[tuple[float, float]]:
    """(column, row) of every body; a body that carries others is half-way between the first and the last of them."""
    n = len(graph.parent)
    row = [0.0] * n
    tips = 0
    for i in _depth_first(graph):
        if not graph.children[i]:
            row[i] = float(tips)
            tips += 1
    for i in reversed(range(n)):
        if graph.children[i]:
            rows = [row[c] for c in graph.children[i]]
            row[i] = (min(rows) + max(rows)) / 2
    return [(float(graph.depth[i]), row[i]) for i in range(n)]


def _depth_first(graph: KinematicGraph) -> list[int]:
    order, stack = [], [0]
    while stack:
        i = stack.pop()
        order.append(i)
        stack += reversed(graph.children[i])
    return order
