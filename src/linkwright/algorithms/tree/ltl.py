"""L'L factorization of the joint-space inertia matrix without fill-in.

[Featherstone2008] ch. 6 (section 6.5, 6.6). Eliminating from the last velocity to the first keeps the zeros that
branches leave in M: row i of L has entries only at i and at the velocities i depends on.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...model import Tree
from ...scalar import Scalar, reciprocal, sqrt


def velocity_parents(tree: Tree) -> list[int]:
    """For each velocity the one it hangs on, -1 at the ground: the directions of a joint form a chain."""
    last = [-1] * len(tree.parent)
    parents = []
    for i in tree.outward():
        above = last[tree.parent[i]]
        for k in range(tree.iv[i].start, tree.iv[i].stop):
            parents.append(above)
            above = k
        last[i] = above
    return parents


def ltl_factor(M: Sequence[Sequence[Scalar]], parents: Sequence[int]) -> list[list[Scalar]]:
    """Lower triangular L with L'L = M; entries outside the tree's pattern are exact zeros."""
    n = len(parents)
    L: list[list[Scalar]] = [[0.0] * n for _ in range(n)]
    work = [list(row) for row in M]
    for k in reversed(range(n)):
        L[k][k] = sqrt(work[k][k])
        scale = reciprocal(L[k][k])
        ancestors = list(above(k, parents))
        for i in ancestors:
            L[k][i] = work[k][i] * scale
        for i in ancestors:
            for j in above(i, parents, itself=True):
                work[i][j] = work[i][j] - L[k][i] * L[k][j]
    return L


def above(k: int, parents: Sequence[int], *, itself: bool = False):
    """The velocities that k depends on, nearest first."""
    k = k if itself else parents[k]
    while k >= 0:
        yield k
        k = parents[k]


def multiply_L(L, parents, x: Sequence[Scalar]) -> list[Scalar]:
    """L x."""
    return [_sum(L[k][j] * x[j] for j in above(k, parents, itself=True)) for k in range(len(x))]


def multiply_LT(L, parents, x: Sequence[Scalar]) -> list[Scalar]:
    """L' x."""
    y: list[Scalar] = [0.0] * len(x)
    for k in range(len(x)):
        for j in above(k, parents, itself=True):
            y[j] = y[j] + L[k][j] * x[k]
    return y


def solve_LT(L, parents, b: Sequence[Scalar]) -> list[Scalar]:
    """x with L' x = b."""
    x = list(b)
    for k in reversed(range(len(x))):
        x[k] = x[k] * reciprocal(L[k][k])
        for j in above(k, parents):
            x[j] = x[j] - L[k][j] * x[k]
    return x


def solve_L(L, parents, b: Sequence[Scalar]) -> list[Scalar]:
    """x with L x = b. What was found last is subtracted last: nothing waits for it that need not."""
    x = list(b)
    for k in range(len(x)):
        for j in reversed(list(above(k, parents))):
            x[k] = x[k] - L[k][j] * x[j]
        x[k] = x[k] * reciprocal(L[k][k])
    return x


def ltl_solve(L, parents, b: Sequence[Scalar]) -> list[Scalar]:
    """x with M x = b."""
    return solve_L(L, parents, solve_LT(L, parents, b))


def ltl_multiply(L, parents, x: Sequence[Scalar]) -> list[Scalar]:
    """M x."""
    return multiply_LT(L, parents, multiply_L(L, parents, x))


def _sum(terms) -> Scalar:
    total: Scalar = 0.0
    for term in terms:
        total = total + term
    return total
