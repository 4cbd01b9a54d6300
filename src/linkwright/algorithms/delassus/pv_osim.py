"""PV-OSIM: the Delassus matrix in one inward sweep, O(n + m^2 d).

[Sathya2023] Algorithm 1, [Sathya2024] Algorithm 2: the part of the Popov-Vereshchagin solver that does not depend on
forces. Constraint rows K travel to the ground like forces, and every joint adds to L what it lets them move. A row of a
loop starts on each of its bodies and is added up where its ways meet.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...model import Tree
from ...scalar import Scalar
from ...spatial import dot
from ..parts.articulation import Articulation
from ..rows.passing_rows import Passing, add_to_delassus, propagate_terms
from .propagators import Posture, articulated_joints, mirrored, terms_of_rows, zeros


def pv_osim(tree: Tree, q: Sequence[Scalar], *, active: Sequence[Scalar] | None = None) -> list[list[Scalar]]:
    """Lambda^-1, rows in constraint order. Rows and columns of inactive constraints are zero."""
    posture = Posture(tree, q)
    joint, _ = articulated_joints(tree, posture)  # D, P and H^A of lines 7-10
    rows = terms_of_rows(tree, posture, active)
    L = zeros(len(rows))
    for i, through in propagate_terms(tree, posture, joint, rows).items():  # line 13
        if tree.parent[i]:
            add_to_delassus(L, through)  # line 14
        else:
            add_at_ground(L, joint[i], through)
    return mirrored(L)


def add_at_ground(L: list[list[Scalar]], joint: Articulation, through: Passing) -> None:
    """The same where rows end: with D = L D L' it takes half of D's solution per row, (K S L^-T) D^-1 (K S L^-T)'.

    For a free-flyer this is line 10 of [Sathya2024] Algorithm 2, L + K H^-1 K'.
    """
    half = [joint.D.forward(ks) for ks in through.KS]
    scaled = [joint.D.scaled(row) for row in half]
    for a, r in enumerate(through.rows):
        for b, s in enumerate(through.rows[: a + 1]):
            L[r][s] = L[r][s] + dot(half[a], scaled[b])
