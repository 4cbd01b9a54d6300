"""Where the columns of a Jacobian, on their way from link to link to the ground, go on in a loop.

All that pass a body take the same steps from there on. A loop that starts at a body takes all columns from above it
that have not met another loop before, and leads to the ground.
"""

from __future__ import annotations

from ...model import Tree
from .loop_costs import LOOP, WRITTEN_DOWN

# Multiply-adds of a step of a column, with what it meets at the link that it comes to; numbers of a column, which a
# loop finds in its table. The last step, to a link on the ground, counts as nothing: there little is left to do.
_STEP, _COLUMN = 35.0, 21


def loop_starts(tree: Tree) -> set[int]:
    """The bodies at which loops start, at the least cost of all choices."""
    written = 1.0 + WRITTEN_DOWN
    bodies = len(tree.parent)
    before: list[list[int]] = [[] for _ in range(bodies)]  # bodies between one and the ground, nearest first
    children: list[list[int]] = [[] for _ in range(bodies)]
    for i in tree.outward():
        p = tree.parent[i]
        children[p].append(i)
        if p:
            before[i] = [p, *before[p]]

    # of all columns from a body on, and the first loop that these meet if none starts there: 0 is none
    cost: dict[tuple[int, int], float] = {}
    starts_here: dict[tuple[int, int], bool] = {}
    for i in tree.inward():
        columns = tree.iv[i].stop - tree.iv[i].start
        with_loop = LOOP + WRITTEN_DOWN * _STEP * len(before[i]) + sum(cost[c, i] for c in children[i])
        for first in (*before[i], 0):
            in_loop = len(before[first])
            in_line = len(before[i]) - in_loop
            own = written * _STEP * in_line
            if first:
                own += _STEP * in_loop + written * _COLUMN
            without = sum(cost[c, first] for c in children[i])
            starts_here[i, first] = with_loop < without
            cost[i, first] = columns * own + min(with_loop, without)

    first_of = [0] * bodies
    for i in tree.outward():
        met = first_of[tree.parent[i]]
        first_of[i] = i if starts_here[i, met] else met
    return {i for i in tree.outward() if first_of[i] == i}
