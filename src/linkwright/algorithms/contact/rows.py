"""All soft rows of a mechanism at one state: contacts, joint limits, dry friction.

A row's reference acceleration has no term in the rate of the Jacobian (that is MuJoCo's law), and is of velocities in
its coordinates, in which a free body moves along the world's axes. Ours turn with it: `drift` is the difference.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from ...errors import UnsupportedError
from ...model import Tree
from ...scalar import Scalar, where
from ...spatial import Motion, Vector, sum_of
from ..rows.constrained_problem import ConstrainedProblem
from .candidates import Candidate
from .cones import ContactRows, EllipticContact, PyramidContact
from .impedance import impedance, pull, stiffness
from .joint_rows import FrictionRow, JointRows, LimitRow
from .weights import joint_weights, shape_weight


@dataclass(frozen=True)
class ContactState:
    """A candidate with its rows, and whether it pushes at all (1) or is apart (0)."""

    candidate: Candidate
    rows: ContactRows
    active: Scalar


def rolled(problem: ConstrainedProblem, a: Sequence[Scalar]) -> list[Motion]:
    """J a of every body."""
    tree, sweep = problem.tree, problem.sweep
    change = [Motion.zero()] * len(tree.parent)
    for i in tree.outward():
        change[i] = sweep.S[i].add_motion(sweep.X[i] @ change[tree.parent[i]], a[tree.iv[i]])
    return change


def drift(tree: Tree, v: Sequence[Scalar]) -> list[Scalar]:
    """What the rates of velocities written in turning bodies lack of those in axes that stand still."""
    lacking: list[Scalar] = [0.0] * tree.nv
    for i in tree.outward():
        kind, own = tree.model.joints[i - 1].kind, v[tree.iv[i]]
        start = tree.iv[i].start
        if kind == "free_flyer":
            lacking[start : start + 3] = list(Vector(*own[3:]).cross(Vector(*own[:3])))
        elif kind == "planar":
            lacking[start : start + 2] = [-(own[2] * own[1]), own[2] * own[0]]
    return lacking


def contact_states(
    problem: ConstrainedProblem, found: Sequence[Candidate], v: Sequence[Scalar], dt: Scalar, cone: str
) -> list[ContactState]:  # fmt: skip
    tree, law = problem.tree, problem.tree.model.contact_law
    velocity, lacking = rolled(problem, v), rolled(problem, drift(tree, v))
    result = []
    for candidate in found:
        terms, mixed = candidate.terms(), candidate.interaction
        r = candidate.touch.gap - mixed.margin
        d = impedance(mixed.softness, r)
        k, b = pull(mixed.softness.solref, mixed.softness, dt, law.refsafe)
        friction_b = b
        if mixed.friction_solref is not None and cone == "elliptic":
            friction_b = pull(mixed.friction_solref, mixed.softness, dt, law.refsafe)[1]
        e = []
        for j in range(mixed.condim):
            speed = sum_of(K[j].dot(velocity[body]) for body, K in terms)
            e.append(-(speed * (b if j == 0 else friction_b)) - sum_of(K[j].dot(lacking[body]) for body, K in terms))
        e[0] = e[0] - d * r * k
        active = r < 0.0
        if candidate.touch.possible is not None:
            active = active & candidate.touch.possible
        weight = sum(shape_weight(tree, shape) for shape in candidate.shapes)
        rows = _rows(terms, e, where(active, stiffness(d, weight), 0.0), candidate, weight, cone, law.impratio)
        result.append(ContactState(candidate, rows, where(active, 1.0, 0.0)))
    return result


def _rows(terms, e, D: Scalar, candidate: Candidate, weight: float, cone: str, impratio: float) -> ContactRows:
    mixed = candidate.interaction
    friction = [float(f) for f in mixed.friction[: mixed.condim - 1]]
    if mixed.condim == 1:
        return PyramidContact(terms, e, D, [], weight)
    mu = friction[0] / math.sqrt(impratio)
    if cone == "elliptic":
        return EllipticContact(terms, e, D, mu, friction, weight)
    return PyramidContact(terms, e, D * (1.0 / (2.0 * mu * mu * (1.0 + friction[0] ** 2))), friction, weight)


def joint_rows(
    problem: ConstrainedProblem, v: Sequence[Scalar], dt: Scalar, *, limits: bool, friction: bool
) -> list[JointRows]:  # fmt: skip
    tree, law = problem.tree, problem.tree.model.contact_law
    found = []
    for i in tree.outward():
        joint = tree.model.joints[i - 1]
        own = law.of_joint(joint.name)
        loses = friction and bool(joint.friction.any())
        limited = limits and joint.may_have_springs
        if not loses and not limited:
            continue
        if loses and joint.kind in ("free_flyer", "planar") and joint.friction[: 3 if joint.nv == 6 else 2].any():
            raise UnsupportedError(
                f"joint {joint.name!r} has dry friction along directions that turn with its body; the soft law has it "
                f"along the world's: friction of rotations only, or friction=False"
            )
        weights = joint_weights(tree, i)
        for n in range(joint.nv):
            k = tree.iv[i].start + n
            row = None
            if loses and joint.friction[n]:
                d = impedance(own.friction, 0.0)
                b = pull(own.friction.solref, own.friction, dt, law.refsafe)[1]
                row = FrictionRow(float(joint.friction[n]), stiffness(d, weights[n]), -(v[k] * b))
            bounds = []
            for bound, sign in ((joint.lower[n], 1.0), (joint.upper[n], -1.0)) if limited else ():
                if math.isfinite(bound):
                    r = (problem.q[tree.iq[i]][n] - float(bound)) * sign - own.margin
                    d = impedance(own.limit, r)
                    stiff, b = pull(own.limit.solref, own.limit, dt, law.refsafe)
                    D = where(r < 0.0, stiffness(d, weights[n]), 0.0)
                    bounds.append(LimitRow(sign, D, -(v[k] * sign * b) - d * r * stiff))
            if row is not None or bounds:
                found.append(JointRows(k, row, bounds, weights[n]))
    return found
