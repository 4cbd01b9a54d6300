"""Constraints between coordinates of joints: error, rows and rate of the rows, without going by way of bodies."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from ....model import Model, Tree
from ....model.constraints import Constraint, Coupling, ImplicitFunction
from ....scalar import Scalar
from ....spatial import sum_of
from ...rows.coupling_rows import derivative, value_of


def ties_joints(constraint: Constraint) -> bool:
    """Whether it is between coordinates of joints, and not between frames."""
    return isinstance(constraint, Coupling | ImplicitFunction)


def is_linear(constraint: Constraint) -> bool:
    return isinstance(constraint, Coupling) and not any(any(polynomial[2:]) for _, polynomial in constraint.terms)


def tied_joints(model: Model, constraint: Constraint) -> list[int]:
    """Bodies whose joints it ties."""
    names = constraint.joints if isinstance(constraint, Coupling) else cast(ImplicitFunction, constraint).all_joints
    return [model.joint_index(name) for name in names]


def joint_rows(
    tree: Tree, constraint: Constraint, x: Sequence[Scalar], rates: Sequence[Scalar] | None = None
) -> tuple[list[Scalar], list[list[Scalar]], list[Scalar]]:
    """(error, K by rows, K-dot v) at the coordinates of the joints it ties."""
    rates = [0.0] * len(x) if rates is None else rates
    if isinstance(constraint, ImplicitFunction):
        return constraint.value(x, rates)
    polynomials = [polynomial for _, polynomial in tree.coupling_terms(constraint)]
    error = sum_of(value_of(p, y) for p, y in zip(polynomials, x, strict=True))
    slopes = [value_of(derivative(p), y) for p, y in zip(polynomials, x, strict=True)]
    curving = sum_of(
        value_of(derivative(derivative(p)), y) * (rate * rate)
        for p, y, rate in zip(polynomials, x, rates, strict=True)
    )
    return [error], [slopes], [curving]
