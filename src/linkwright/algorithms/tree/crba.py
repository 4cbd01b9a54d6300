"""Composite-rigid-body algorithm (CRBA): the joint-space inertia matrix M(q).

[Featherstone2008] ch. 6.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...model import Tree
from ...scalar import Scalar
from ...spatial import Transform


def crba(tree: Tree, q: Sequence[Scalar]) -> list[list[Scalar]]:
    """Return M, full and symmetric, rotors included."""
    n = len(tree.parent)
    X: list[Transform] = [Transform()] * n
    S: list[Any] = [None] * n
    Ic = list(tree.lumped)
    for i in tree.outward():
        X[i] = tree.Xtree[i].then(tree.joint[i].transform(q[tree.iq[i]]))
        S[i] = tree.joint[i].subspace(q[tree.iq[i]])

    M: list[list[Scalar]] = [[0.0] * tree.nv for _ in range(tree.nv)]
    for i in tree.inward():
        Ic[tree.parent[i]] = Ic[tree.parent[i]] + X[i].congruence(Ic[i])
        F = S[i].columns(Ic[i])  # forces that accelerate everything from i on along each of its directions
        for c, force in enumerate(F):
            column = tree.iv[i].start + c
            for r, entry in enumerate(S[i].project(force)[: c + 1]):
                row = tree.iv[i].start + r
                M[row][column] = M[column][row] = entry + (tree.armature[i][c] if r == c else 0.0)
        j = i
        while tree.parent[j]:
            F = [X[j].T @ force for force in F]
            j = tree.parent[j]
            for c, force in enumerate(F):
                column = tree.iv[i].start + c
                for r, entry in enumerate(S[j].project(force)):
                    row = tree.iv[j].start + r
                    M[row][column] = M[column][row] = entry
    return M
