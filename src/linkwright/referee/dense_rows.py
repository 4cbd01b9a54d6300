"""Constraints as rows of a dense Jacobian with their rates, each form from its definition."""

from __future__ import annotations

from functools import singledispatch

import numpy as np

from ..errors import UnsupportedError
from ..model.constraints import (
    CenterOfMass,
    Constraint,
    Coupling,
    ExplicitFunction,
    ImplicitFunction,
    RelativeConstraint,
    Rod,
    SumConstraint,
)
from .dense_kinematics import cross_motion, motion_transform, skew

DenseRows = tuple[np.ndarray, np.ndarray, np.ndarray]


@singledispatch
def dense_rows(constraint: Constraint, dynamics) -> DenseRows:
    """(J, J-dot v, wrench on the first frame per multiplier as rows [linear; angular])."""
    raise UnsupportedError(
        f"the referee does not know constraints of kind {constraint.kind!r}: it shares no code with the solvers, so "
        f"the kind's rows must be written for it once more (`referee.dense_rows.register`, docs/adding/constraint.md)"
    )


def rows_of_constraint(dynamics, constraint: Constraint) -> DenseRows:
    """A kind made from another one is not taken for it: its rows may be others."""
    written = dense_rows.registry.get(type(constraint), dense_rows.dispatch(object))
    return written(constraint, dynamics)


def _angular_first(rows: np.ndarray) -> np.ndarray:
    return np.hstack([rows[:, 3:], rows[:, :3]])


@dense_rows.register
def _relative(c: RelativeConstraint, dynamics) -> DenseRows:
    """Found from velocities: J1 - X12 J2, where of a point only the origins count, and its rate along v."""
    A = dynamics.arithmetic
    J1, d1, R1, p1 = dynamics.frame(c.frame)
    J2, d2, R2, p2 = dynamics.frame(c.other, c.target)
    v1, v2 = J1 @ dynamics.v, J2 @ dynamics.v
    R = R1.T @ R2  # second frame's coordinates to the first's
    X = motion_transform(A, R.T, R2.T @ (p1 - p2))  # from the second frame to the first
    seen = X @ v2
    J, drift = J1 - X @ J2, d1 - X @ d2 + cross_motion(A, v1) @ seen
    if c.point:
        J[3:] = J1[3:] - R @ J2[3:]
        # derivatives of R1' p1dot and of R1' p2dot, by the product rule
        drift[3:] = d1[3:] - (R @ (d2[3:] + skew(A, v2[:3]) @ v2[3:]) - skew(A, v1[:3]) @ (R @ v2[3:]))
    K = A.array(_angular_first(c.rows))
    rows, rates = K @ J, K @ drift
    if c.crossed is not None:
        own, its = A.array(c.crossed[0]), R @ A.array(c.crossed[1])
        w = J[:3] @ dynamics.v
        extra = A.zeros(1, 6)
        extra[0, :3] = skew(A, own) @ its
        rows = np.concatenate([rows, extra @ J])
        turning = -(skew(A, w) @ its)  # d/dt of the second axis seen from the first frame
        rates = np.concatenate([rates, extra @ drift + (skew(A, own) @ turning) @ w])
        K = np.concatenate([K, extra])
    return rows, rates, _angular_first(K)


@dense_rows.register
def _rod(c: Rod, dynamics) -> DenseRows:
    A = dynamics.arithmetic
    (J1, d1, R1, p1), (J2, d2, R2, p2) = dynamics.frame(c.frame), dynamics.frame(c.other)
    d, v, L = p1 - p2, dynamics.v, A.number(c.length)
    moving = R1 @ J1[3:] - R2 @ J2[3:]  # in the world
    acceleration = sum(
        sign * (R @ (drift[3:] + skew(A, (J @ v)[:3]) @ (J @ v)[3:]))
        for sign, R, J, drift in ((1, R1, J1, d1), (-1, R2, J2, d2))
    )
    speed = moving @ v
    wrench = np.concatenate([R1.T @ d / L, A.zeros(3)])
    return (d @ moving / L)[None], np.array([(d @ acceleration + speed @ speed) / L], dtype=A.dtype), wrench[None]


@dense_rows.register
def _coupling(c: Coupling, dynamics) -> DenseRows:
    A, model = dynamics.arithmetic, dynamics.model
    J, drift, wrench = A.zeros(1, model.nv), A.zeros(1), A.zeros(1, 6)
    for number, (joint, polynomial) in enumerate(c.terms):
        i = model.joint_index(joint)
        q, v = dynamics.q[model.iq[i]][0], dynamics.v[model.iv[i]][0]
        slope = sum((k * A.number(a) * q ** (k - 1) for k, a in enumerate(polynomial) if k > 0), A.number(0.0))
        bend = sum((k * (k - 1) * A.number(a) * q ** (k - 2) for k, a in enumerate(polynomial) if k > 1), A.number(0.0))
        J[0, model.iv[i].start] += slope
        drift[0] += bend * v * v
        if number == 0:
            body_joint = model.bodies[i].joint
            place = slice(0, 3) if body_joint.kind == "prismatic" else slice(3, 6)
            wrench[0, place] = A.array(body_joint.axis) * slope
    return J, drift, wrench


@dense_rows.register(ImplicitFunction)
@dense_rows.register(ExplicitFunction)
def _function(c: ImplicitFunction, dynamics) -> DenseRows:
    """Its derivatives are the constraint's own: those are tested against differences."""
    A, model = dynamics.arithmetic, dynamics.model
    joints = [model.joint_index(name) for name in c.tied_joints]
    q, v = ([float(x[index[i]][0]) for i in joints] for x, index in ((dynamics.q, model.iq), (dynamics.v, model.iv)))
    _, K, rate = c.value(q, v)
    J, wrench = A.zeros(c.size, model.nv), A.zeros(c.size, 6)
    first = model.bodies[joints[0]].joint
    place = slice(0, 3) if first.kind == "prismatic" else slice(3, 6)
    for r, row in enumerate(K):
        for i, slope in zip(joints, row, strict=True):
            J[r, model.iv[i].start] += A.number(slope)
        wrench[r, place] = A.array(first.axis) * A.number(row[0])
    return J, A.array(np.array(rate, dtype=float)), wrench


@dense_rows.register
def _sum(c: SumConstraint, dynamics) -> DenseRows:
    A = dynamics.arithmetic
    J, drift = A.zeros(c.size, dynamics.model.nv), A.zeros(c.size)
    for name, K in c.parts:
        Jf, df, _, _ = dynamics.frame(name)
        J, drift = J + A.array(_angular_first(K)) @ Jf, drift + A.array(_angular_first(K)) @ df
    return J, drift, A.array(c.parts[0][1])


@dense_rows.register
def _center_of_mass(c: CenterOfMass, dynamics) -> DenseRows:
    A, model = dynamics.arithmetic, dynamics.model
    bodies = c.bodies(model)
    J, drift, mass = A.zeros(3, model.nv), A.zeros(3), A.number(0.0)
    for i in bodies:
        inertia = model.bodies[i].inertia
        X = motion_transform(A, A.eye(3), A.array(inertia.com))
        Ji, di, m = X @ dynamics.J[i], X @ dynamics.drift[i], A.number(inertia.mass)
        v = Ji @ dynamics.v
        J = J + dynamics.R[i] @ Ji[3:] * m
        drift = drift + dynamics.R[i] @ (di[3:] + skew(A, v[:3]) @ v[3:]) * m
        mass = mass + m
    chosen = list(c.directions)
    return J[chosen] / mass, drift[chosen] / mass, A.array(np.eye(6)[chosen])
