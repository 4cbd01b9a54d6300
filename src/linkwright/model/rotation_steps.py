"""Constant rotations as the fewest turns about coordinate axes, plus a permutation of axes that costs nothing."""

from __future__ import annotations

import math

import numpy as np

from ..fixed_order import product
from ..spatial import Matrix, Rotate, Shift, Transform, Turn, Vector
from .pose import ROUNDING, Pose


def turns_needed(R: np.ndarray) -> int:
    """How many turns about coordinate axes R takes beyond a signed permutation of axes: 0 to 3."""
    zeros = sum(abs(x) < ROUNDING for x in R.ravel().tolist())
    # a rotation that keeps one coordinate axis has four zeros, and one that keeps two has six
    return 0 if zeros == 6 else 1 if zeros >= 4 else 2 if zeros else 3


def rotation_steps(R: np.ndarray) -> list[Turn | Rotate]:
    """Steps from parent to child whose product is R (child to parent coordinates)."""
    steps: list[Turn | Rotate] = []
    given = R
    for _ in range(turns_needed(R)):
        a, c, s = _next_turn(R)
        i, j = (a + 1) % 3, (a + 2) % 3
        undo = np.eye(3)
        undo[i, i] = undo[j, j] = c
        undo[i, j], undo[j, i] = s, -s
        steps.append(Turn(a, c, s))
        R = product(undo, R)
    permutation = np.rint(R)
    if np.abs(R - permutation).max() > 10 * ROUNDING:  # R is no rotation to the last digits; take it as it is
        return [Rotate(Matrix(given.tolist()))]
    if not np.array_equal(permutation, np.eye(3)):
        steps.append(Rotate(Matrix((permutation + 0.0).tolist())))
    return steps


def _next_turn(R: np.ndarray) -> tuple[int, float, float]:
    """Axis, cosine and sine of a first turn after which one turn fewer is needed."""
    size = np.abs(R)
    needed = turns_needed(R)
    if needed == 1:  # about the axis that is kept: bring another column onto a coordinate axis
        a, kept = divmod(int(np.argmax(np.where(_alone(size), size, 0.0))), 3)
        column = R[:, (kept + 1) % 3]
    elif needed == 2:  # a column with a zero lies across that axis: bring it onto a coordinate axis
        a, c = divmod(int(np.argmin(size)), 3)
        column = R[:, c]
    else:  # make a zero
        a, column = 2, R[:, 2]
    i, j = (a + 1) % 3, (a + 2) % 3
    length = math.hypot(column[i], column[j])
    return a, float(column[i]) / length, float(column[j]) / length


def _alone(size: np.ndarray) -> np.ndarray:
    """Which entries have only zeros beside them in their row and column."""
    full = size >= ROUNDING
    return full & (full.sum(axis=1, keepdims=True) == 1) & (full.sum(axis=0, keepdims=True) == 1)


def constant_transform(pose: Pose) -> Transform:
    """The cheapest steps for a constant placement: the translation goes to whichever side it is sparser on."""
    rotation = rotation_steps(pose.rotation)
    before = pose.translation
    after = product(pose.rotation.T, before)
    if not count_nonzeros(before):
        return Transform(*rotation)
    if count_nonzeros(after) < count_nonzeros(before):
        return Transform(*rotation, Shift(_vector(after)))
    return Transform(Shift(_vector(before)), *rotation)


def count_nonzeros(p: np.ndarray) -> int:
    return sum(abs(x) >= ROUNDING for x in p.tolist())


def _vector(p: np.ndarray) -> Vector:
    return Vector(*(0.0 if abs(x) < ROUNDING else x for x in p.tolist()))
