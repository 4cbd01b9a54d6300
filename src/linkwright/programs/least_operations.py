"""How many operations a solver takes at least, from the structure alone: what need not be traced to be ruled out.

Only products of blocks that fill in are counted, and of those a share, since zeros of the model fold away: less than a
trace of the program has on every mechanism tried (tests/test_solver_choice.py).
"""

from __future__ import annotations

from ..algorithms.constrained.carried_rows import roots
from ..algorithms.constrained.elimination_order import elimination_order
from ..model import Tree

# Of two operations for each product of entries of blocks, this share is left where axes are coordinate axes.
_SHARE = 0.25


def least_of_lcaba(tree: Tree) -> int:
    """Eliminating a link with n neighbours updates n (n + 1) / 2 blocks of 6 x 6 with each velocity of its joint."""
    total = 0.0
    for i, neighbours in elimination_order(tree):
        n = len(neighbours)
        if n > 1:  # a lone coupling may travel as a spring (loop_spring.py)
            total += n * (n + 1) / 2 * 36 * 2 * _velocities(tree, i)
    return int(_SHARE * total)


def least_of_joint_space(tree: Tree) -> int:
    """The Delassus matrix: row pairs times the velocities that both move with; then its factorization."""
    support = [set().union(*(tree.graph.support[body] for body in bodies)) for bodies in tree.constraint_bodies]
    sizes = [c.size for c in tree.constraints]
    total, m = 0.0, sum(sizes)
    for a, (one, rows) in enumerate(zip(support, sizes, strict=True)):
        for other, others in zip(support[: a + 1], sizes[: a + 1], strict=True):
            total += rows * others * 2 * sum(_velocities(tree, i) for i in one & other)
    return int(_SHARE * total + m**3 / 6)


def least_of_bbo(tree: Tree) -> int:
    """Row pairs that pass a joint together, before they reach their roots."""
    total = 0.0
    ends = roots(tree)
    for i in tree.outward():
        rows = 0
        for constraint, bodies, root in zip(tree.constraints, tree.constraint_bodies, ends, strict=True):
            passes = any(i in tree.graph.support[body] for body in bodies)
            if passes and i != root and i not in tree.graph.support[root]:
                rows += constraint.size
        total += rows * (rows + 1) / 2 * 2 * _velocities(tree, i)
    return int(_SHARE * total)


def _velocities(tree: Tree, i: int) -> int:
    return tree.iv[i].stop - tree.iv[i].start
