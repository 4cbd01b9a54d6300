"""Constraints of the model as soft rows: MuJoCo's law of its equalities, and alike for all others.

MuJoCo writes points in the world and we in the first frame; all rows of a point have one impedance, so that makes no
difference, but the rate of the rows' velocity is that in a frame which does not turn. A weld's rotation is measured by
the vector part of a quaternion.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ...model import Tree
from ...scalar import Numbers, Scalar, maximum, sqrt
from ...spatial import Force, Motion, RowVector, Vector, sum_of
from ..rows import ConstraintAtState, FrameMotions, RelativePoses, Terms, constraints_at
from ..rows.constrained_problem import ConstrainedProblem
from ..rows.constraint_rows import ConstraintRows, constrained_bodies
from ..rows.row_scales import row_scales
from .geometry.touch import NO_LENGTH
from .impedance import impedance, pull, stiffness


@dataclass(frozen=True)
class SoftRows:
    """Rows of one constraint with their residual, velocity, and the rate of that when the joints do not accelerate."""

    terms: Terms
    rows: list[Force]  # in the first frame
    error: Sequence[Scalar]
    velocity: Sequence[Scalar]
    rate: Sequence[Scalar]
    weights: Numbers


def soften(problem: ConstrainedProblem, v: Sequence[Scalar], dt: Scalar) -> list[ConstraintRows]:
    """The problem's constraints with penalties and right-hand sides of the soft law in place of multipliers."""
    tree = problem.tree
    law, scales = tree.model.contact_law, row_scales(tree.model) if tree.model.nc else np.zeros(0)
    motions = FrameMotions(tree, problem.sweep, v, constrained_bodies(tree))
    poses, result, start = RelativePoses(tree, problem.sweep.X), [], 0
    for rows, held in zip(problem.constraints, constraints_at(tree, problem.q, problem.sweep.X), strict=True):
        own = law.of_equality(rows.name)
        typical = [float(d) for d in scales[start : start + rows.size]]
        start += rows.size
        soft = _soft_rows(tree, problem, held, rows, motions, poses, own.inverse_weight, typical, own.torque_scale, v)
        length = sqrt(maximum(sum_of(x * x for x in soft.error), NO_LENGTH * NO_LENGTH))
        d = impedance(own.softness, length)
        k, b = pull(own.softness.solref, own.softness, dt, law.refsafe)
        e = [
            -(u * b) - d * r * k - drift
            for u, r, drift in zip(soft.velocity, soft.error, soft.rate, strict=True)
        ]
        D = RowVector(stiffness(d, weight) for weight in soft.weights)
        result.append(replace(rows, terms=soft.terms, rows=soft.rows, e=RowVector(e), mu=D))
    return result


def _soft_rows(
    tree: Tree, problem: ConstrainedProblem, held: ConstraintAtState, rows: ConstraintRows, motions: FrameMotions,
    poses: RelativePoses, given: Numbers | None, typical: list[float], scale: float, v: Sequence[Scalar],
) -> SoftRows:  # fmt: skip
    constraint = held.constraint
    velocity, rate = held.motion(motions)
    if constraint.equality in ("joint", "tendon"):  # MuJoCo's rows of joints and lengths have no drift
        soft = SoftRows(rows.terms, rows.rows, held.error(), velocity, [0.0], typical if given is None else given[:1])
        if constraint.equality == "joint":
            return soft
        return _length(soft, tree.constraint_lengths(constraint)[0], problem, v)
    if constraint.has_position and constraint.equality == "connect":
        return _point(tree, problem, held, motions, typical if given is None else [given[0]] * 3)
    if constraint.has_position and constraint.equality == "weld":
        weights = typical if given is None else [given[0]] * 3 + [given[1]] * 3
        return _weld(tree, problem, held, motions, poses, weights, scale)
    return SoftRows(rows.terms, rows.rows, held.error(), velocity, rate, typical)


def _length(square: SoftRows, length: Scalar, problem: ConstrainedProblem, v: Sequence[Scalar]) -> SoftRows:
    """A rod's row in metres, where its own is (|d|^2 - length^2) / (2 length)."""
    away = sqrt(maximum(square.error[0] * (2.0 * length) + length * length, NO_LENGTH * NO_LENGTH))
    scale = length / away
    return replace(
        square, terms=[(body, tuple(f * scale for f in own)) for body, own in square.terms],
        rows=[row * scale for row in square.rows], error=[away - length], velocity=[square.velocity[0] * scale],
        rate=[sum_of(_turning(problem, body, own[0], v) for body, own in square.terms) * scale],
    )  # fmt: skip


def _turning(problem: ConstrainedProblem, body: int, f: Force, v: Sequence[Scalar]) -> Scalar:
    """The rate that a row without drift in MuJoCo's velocities has in ours: a free body's are along the world's axes
    there, and along axes that turn with it here."""
    tree, rate = problem.tree, 0.0
    while body:
        joint, own = tree.joint[body], v[tree.iv[body]]
        if joint.is_free:
            pulled = problem.sweep.S[body].project(f)
            rate = rate + Vector(*pulled[:3]) @ Vector(*own[3:]).cross(Vector(*own[:3]))
        body, f = tree.parent[body], problem.sweep.X[body].T @ f
    return rate


def _point(tree: Tree, problem, held: ConstraintAtState, motions: FrameMotions, weights) -> SoftRows:
    velocity, rate = held.motion(motions)
    body, frame = tree.constraint_frame(held.constraint, 0)
    turning = frame.rotate(problem.sweep.w[body]).cross(Vector(*velocity))
    still = [x + y for x, y in zip(rate, turning, strict=True)]
    return SoftRows(held.terms(), held.rows(), held.error(), velocity, still, weights)


def _weld(
    tree: Tree, problem, held: ConstraintAtState, motions: FrameMotions, poses, weights, scale: float
) -> SoftRows:
    """The frame's origin as a point, and with the relative rotation (s, u) as a quaternion the rows
    scale/2 (s w + u x w) on the relative angular velocity w, whose residual is scale u; all in the first frame.
    """
    constraint = held.constraint
    origin = replace(constraint, rows=np.eye(3, 6), point=True)
    linear = _point(tree, problem, origin.at(tree, problem.q, poses), motions, weights[:3])
    (body, frame), (other, other_frame) = (tree.constraint_frame(constraint, k) for k in range(2))
    R, _ = poses.between((body, frame), (other, other_frame))  # from the second's coordinates to the first's
    s = sqrt(R[0, 0] + R[1, 1] + R[2, 2] + 1.0) * 0.5
    quarter = 0.25 / s
    u = Vector((R[1, 2] - R[2, 1]) * quarter, (R[2, 0] - R[0, 2]) * quarter, (R[0, 1] - R[1, 0]) * quarter)

    w1, alpha1 = motions.velocity((body, frame)).angular, motions.felt((body, frame)).angular
    w, alpha = w1, alpha1
    if other:
        w2, alpha2 = motions.velocity((other, other_frame)).angular, motions.felt((other, other_frame)).angular
        w, alpha = w1 - R @ w2, alpha1 - R @ alpha2
    wdot = alpha - w1.cross(w)  # as the first frame sees it
    half = 0.5 * scale
    rows = [
        Force(Vector(*(half * (s * (k == j) + _cross_entry(u, k, j)) for j in range(3))), Vector.zero())
        for k in range(3)
    ]
    ds, du = (u @ w) * -0.5, (w * s + u.cross(w)) * 0.5
    rate = (w * ds + wdot * s + du.cross(w) + u.cross(wdot)) * half
    terms: Terms = []
    for (near, X), turn, sign in (((body, frame), None, 1.0), ((other, other_frame), R.T, -1.0)):
        if near:
            own = [row if turn is None else Force(turn @ row.angular, Vector.zero()) for row in rows]
            terms.append((near, tuple(X.T @ (row * sign) for row in own)))
    spin = Motion(w, Vector.zero())
    return SoftRows(
        [(near, (*K, *its)) for (near, K), (_, its) in zip(linear.terms, terms, strict=True)],
        [*linear.rows, *rows], [*linear.error, *(u * scale)], [*linear.velocity, *(row.dot(spin) for row in rows)],
        [*linear.rate, *rate], weights,
    )  # fmt: skip


def _cross_entry(u: Vector, k: int, j: int) -> Scalar:
    """Of the matrix u x."""
    if k == j:
        return 0.0
    third = 3 - k - j
    return -u[third] if (k + 1) % 3 == j else u[third]
