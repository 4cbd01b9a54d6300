"""All soft rows of a mechanism at one state: contacts, limits and dry friction of joints and tendons.

A row's reference acceleration has no term in the rate of the Jacobian (that is MuJoCo's law), and is of velocities in
its coordinates, in which a free body moves along the world's axes. Ours turn with it: `drift` is the difference.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from ...errors import UnsupportedError
from ...model import Tree
from ...model.constraints.joint_tie import sum_of_rates
from ...model.contact import JointSoftness
from ...scalar import Scalar, minimum, where
from ...spatial import Motion, sum_of
from ..parts.passive_torques import tendons_of
from ..rows import Terms
from ..rows.constrained_problem import ConstrainedProblem
from .candidates import Candidate
from .cones import ContactRows, EllipticContact, PyramidContact
from .impedance import impedance, pull, stiffness
from .joint_rows import FrictionRow, JointRows, LimitRow, TendonRows
from .weights import joint_weights, shape_weight, tendon_weight


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
        lacking[tree.iv[i]] = tree.joint[i].lacking(v[tree.iv[i]])
    return lacking


@dataclass(frozen=True)
class RowLaw:
    """What reference accelerations and stiffnesses of contacts follow from: velocities of all bodies, what the rates of
    velocities in turning bodies lack, the time step and the cone."""

    tree: Tree
    velocity: list[Motion]
    lacking: list[Motion]
    dt: Scalar
    cone: str

    @classmethod
    def of(cls, problem: ConstrainedProblem, v: Sequence[Scalar], dt: Scalar, cone: str) -> RowLaw:
        tree = problem.tree
        return cls(tree, rolled(problem, v), rolled(problem, drift(tree, v)), dt, cone)

    def weight(self, candidate: Candidate) -> float:
        return sum(shape_weight(self.tree, shape) for shape in candidate.shapes)

    def stiffness(self, candidate: Candidate) -> Scalar:
        """D of the normal row; none where the shapes are apart."""
        d = impedance(candidate.interaction.softness, -candidate.overlap)
        return where(candidate.touches, stiffness(d, self.weight(candidate)), 0.0)

    def damping(self, candidate: Candidate) -> tuple[Scalar, Scalar]:
        """b of the normal row, and of friction rows."""
        mixed, refsafe = candidate.interaction, self.tree.model.contact_law.refsafe
        b = pull(mixed.softness.solref, mixed.softness, self.dt, refsafe)[1]
        if mixed.friction_solref is None or self.cone != "elliptic":
            return b, b
        return b, pull(mixed.friction_solref, mixed.softness, self.dt, refsafe)[1]

    def push(self, candidate: Candidate) -> Scalar:
        """The reference acceleration that overlap asks for: -k d(r) r."""
        mixed, r = candidate.interaction, -candidate.overlap
        k = pull(mixed.softness.solref, mixed.softness, self.dt, self.tree.model.contact_law.refsafe)[0]
        return -(impedance(mixed.softness, r) * r * k)

    def references(self, candidate: Candidate, terms: Terms) -> list[Scalar]:
        """Of every row."""
        b, friction_b = self.damping(candidate)
        e = []
        for j in range(candidate.interaction.condim):
            speed = sum_of(K[j].dot(self.velocity[body]) for body, K in terms)
            lacks = sum_of(K[j].dot(self.lacking[body]) for body, K in terms)
            e.append(-(speed * (b if j == 0 else friction_b)) - lacks)
        e[0] = e[0] + self.push(candidate)
        return e

    def rows(self, candidate: Candidate, terms: Terms, e: Sequence[Scalar], D: Scalar) -> ContactRows:
        mixed, weight = candidate.interaction, self.weight(candidate)
        friction = list(mixed.friction[: mixed.condim - 1])
        if mixed.condim == 1:
            return PyramidContact(terms, e, D, [], weight)
        mu = self.scale_of_normal(candidate)
        if self.cone == "elliptic":
            return EllipticContact(terms, e, D, mu, friction, weight)
        softer = 2.0 * mu * mu * (1.0 + friction[0] * friction[0])
        return PyramidContact(terms, e, D * (1.0 / softer), friction, weight)

    def scale_of_normal(self, candidate: Candidate) -> Scalar:
        """mu of the elliptic cone."""
        return candidate.interaction.friction[0] * (1.0 / math.sqrt(self.tree.model.contact_law.impratio))


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
        if loses and joint.friction[: joint.moves.in_turning_axes].any():
            raise UnsupportedError(
                f"joint {joint.name!r} has dry friction along directions that turn with its body; the soft law has it "
                f"along the world's: friction of rotations only, or friction=False"
            )
        weights = joint_weights(tree, i)
        for n in range(joint.nv):
            k = tree.iv[i].start + n
            given = _Velocity(problem.q[tree.iq[i]][n] if limited else 0.0, v[k], weights[n], own, dt, law.refsafe)
            row = given.friction(tree.friction[k]) if loses and joint.friction[n] else None
            bounds = given.limits(joint.lower[n], joint.upper[n]) if limited else []
            if row is not None or bounds:
                found.append(JointRows(k, row, bounds, weights[n]))
    return found


def tendon_rows(
    problem: ConstrainedProblem, v: Sequence[Scalar], dt: Scalar, *, limits: bool, friction: bool
) -> list[TendonRows]:  # fmt: skip
    tree, law = problem.tree, problem.tree.model.contact_law
    found = []
    for tendon, at, (_, _, loss) in tendons_of(tree):
        rubs, limited = friction and bool(tendon.friction), limits and tendon.limited
        if not rubs and not limited:
            continue
        ratios = [(k, ratio) for _, k, ratio in at]
        own, weight = law.of_tendon(tendon.name), tendon_weight(tree, tendon.name, ratios)
        length = sum_of(problem.q[n] * ratio for n, _, ratio in at)
        rate = sum_of(v[k] * ratio for k, ratio in ratios)
        given = _Velocity(length, rate, weight, own, dt, law.refsafe)
        row = given.friction(loss) if rubs else None
        bounds = given.limits(tendon.lower, tendon.upper) if limited else []
        joints = [tree.model.joint_index(joint) for joint, _ in tendon.ratios]
        terms = sum_of_rates(tree, joints, [ratio for _, ratio in ratios])
        found.append(TendonRows(ratios, terms, row, bounds, weight))
    return found


@dataclass(frozen=True)
class _Velocity:
    """A coordinate or a length at q with velocity v, how easily it moves, and its softness."""

    q: Scalar
    v: Scalar
    weight: float
    own: JointSoftness
    dt: Scalar
    refsafe: bool

    def friction(self, loss: Scalar) -> FrictionRow:
        soft = self.own.friction
        b = pull(soft.solref, soft, self.dt, self.refsafe)[1]
        return FrictionRow(loss, stiffness(impedance(soft, 0.0), self.weight), -(self.v * b))

    def limits(self, lower: float, upper: float) -> list[LimitRow]:
        soft, rows = self.own.limit, []
        for sign, r in _overruns(lower, upper, self.q, self.own.margin):
            d = impedance(soft, r)
            k, b = pull(soft.solref, soft, self.dt, self.refsafe)
            D = where(r < 0.0, stiffness(d, self.weight), 0.0)
            rows.append(LimitRow(sign, D, -(self.v * sign * b) - d * r * k))
        return rows


def _overruns(lower: float, upper: float, q: Scalar, margin: float) -> list[tuple[Scalar, Scalar]]:
    """(Sign, how far a coordinate is from that limit, less the margin); of two limits that cannot both act the nearer
    one alone."""
    ends = [(1.0, q - float(lower) - margin)] if math.isfinite(lower) else []
    ends += [(-1.0, -(q - float(upper)) - margin)] if math.isfinite(upper) else []
    if len(ends) < 2 or upper - lower <= 2.0 * margin:
        return ends
    (_, low), (_, high) = ends
    return [(where(low < high, 1.0, -1.0), minimum(low, high))]
