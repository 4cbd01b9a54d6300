"""Jacobians of constraints: rows carried to the ground, meeting the joints on their way."""

from __future__ import annotations

from collections.abc import Sequence

from ...scalar import Scalar
from ...spatial import Force, sum_of
from . import Terms
from .constraint_rows import ConstraintRows


def jacobian_of_rows(tree, sweep, constraints: Sequence[ConstraintRows]) -> list[list[Scalar]]:
    """J of constraints, each on any number of bodies."""
    return [row for c in constraints for row in terms_jacobian(tree, sweep, c.terms)]


def terms_jacobian(tree, sweep, terms: Terms) -> list[list[Scalar]]:
    """J of one constraint: the rows on each of its bodies, added up."""
    parts = [constraint_jacobian(tree, sweep, [(body, row) for row in K]) for body, K in terms]
    return [[sum_of(entries) for entries in zip(*rows, strict=True)] for rows in zip(*parts, strict=True)]


def constraint_jacobian(tree, sweep, rows: Sequence[tuple[int, Force]]) -> list[list[Scalar]]:
    """J: each row carried to the ground like a force, meeting the joints on its way."""
    J = []
    for body, row in rows:
        entries: list[Scalar] = [0.0] * tree.nv
        for i in reversed(tree.graph.support[body]):
            entries[tree.iv[i]] = sweep.S[i].project(row)
            row = sweep.X[i].T @ row
        J.append(entries)
    return J
