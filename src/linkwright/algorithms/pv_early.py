"""PV-early: multipliers are eliminated as soon as a joint can move against them, in O(n + m).

[Sathya2024] sec. VIII. At each joint direction the rows K that have come so far meet the joint with ks = K S. One
reflection (eq. 65) turns them into one row that the joint acts on and others that it does not. The first fixes the
joint's acceleration; its multiplier is eliminated on the spot and leaves an inertia and a wrench with the parent (eq.
62, 63). The others pass the joint as they are.

A joint of several directions is a chain of joints of one direction with nothing between them, which is what factoring
its D = L Delta L' direction by direction amounts to; so only rank-one steps occur.

How many rows there are to carry depends on ranks, hence on values, but straight-line code carries a fixed number.
`Schedule` holds the ranks of the mechanism at random poses. Rows that depend on others at *every* pose (the same foot
welded twice; more than six on one link, remark 9) are dropped where they meet, exactly. A direction that never acts on
the rows takes none away (remark 8). At a pose of lower rank (a straight leg, a constraint switched off) the joint
cannot move against the row that the schedule takes away there; that row is kept as a penalty 1/floor, the floor being
1e-7 of what the row can still move further in. Accelerations then err by about 1e-7 of what the row changes, nothing is
infinite, and the row's pivot is zero unless the row itself is. Residuals tell whether the rows dropped could be met.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from weakref import WeakKeyDictionary

import numpy as np

from ..model import Model, Tree
from ..scalar import Scalar, maximum, where
from ..spatial import CoordinateSubspace, DenseSubspace, Force, Motion, Subspace, sum_of
from .articulation import Articulation
from .constrained_problem import ConstrainedProblem, Solution
from .constraint_rows import penalty_inertia
from .reflection import TINIEST, Reflection

# A row that a joint cannot move becomes a penalty this stiff relative to what is behind it: the constraint is met to
# 1e-7, and of the inertia's sixteen digits nine are left.
SOFTNESS = 1e-7
# A joint acts on a row as long as it adds this much, relative to what it usually does, to the row's compliance.
SMALLEST_COMPLIANCE = 1e-14
# Singular values and products K S below this, relative to the rows, are zero when ranks are determined.
RANK_TOLERANCE = 1e-9
_POSES = 5


def pv_early(problem: ConstrainedProblem, schedule: Schedule | None = None) -> Solution:
    tree, sweep = problem.tree, problem.sweep
    schedule = schedule_of(tree.model) if schedule is None else schedule
    arrivals = _sweep_inward(problem, schedule)

    a: list[Scalar] = [0.0] * tree.nv
    change = [Motion.zero()] * len(tree.parent)
    lam: list[Scalar] = [0.0] * len(problem.rows)
    leaving: list[dict[int, list[Scalar]]] = [{} for _ in tree.parent]  # multipliers that go out to each child
    pivots: list[Scalar] = []
    for i in tree.outward():
        arrival, carried = arrivals[i], sweep.X[i] @ change[tree.parent[i]]
        rest = leaving[tree.parent[i]].get(i, [0.0] * len(arrival.K))  # rows that reached the ground push nothing
        for step in reversed(arrival.steps):
            rates = step.joint.rates(step.y, carried)
            if step.row is not None:
                x = step.row.multiplier(carried)
                rates = [rate - step.row.pull * x for rate in rates]
                rest = step.row.reflection.join(x, rest)  # eq. (64)
                pivots.append(step.row.pivot)
            pivots.extend(step.joint.D.pivots)
            a[step.iv] = rates
            carried = step.joint.S.add_motion(carried, rates)
        change[i] = carried
        for source, x in zip(arrival.sources, arrival.restore(rest), strict=True):
            if source[0] == "row":
                lam[source[1]] = x * problem.constraints[source[2]].active
            else:
                leaving[i].setdefault(source[1], []).append(x)
    residuals = [r for c in problem.constraints for r in c.residual(change)]
    return Solution(a, lam, residuals, 1.0, pivots)


def _sweep_inward(problem: ConstrainedProblem, schedule: Schedule) -> list[Arrival]:
    tree, sweep = problem.tree, problem.sweep
    IA, pA = [inertia.articulated() for inertia in tree.lumped], list(problem.wrenches)
    arrivals = [Arrival() for _ in tree.parent]
    number = 0
    for which, c in enumerate(problem.constraints):
        for row, e in zip(c.K, c.e, strict=True):
            arrivals[c.body].add(("row", number, which), row, -e)
            number += 1
    for i in tree.inward():
        p, X, here = tree.parent[i], sweep.X[i], arrivals[i]
        if here.K:
            here.drop_dependent_rows(schedule.rank(i, here.K))
        parts = directions(sweep.S[i], tree.iv[i]) if here.K else [(sweep.S[i], tree.iv[i])]
        I, f = IA[i], pA[i]
        for S, iv in parts:
            armature = tree.armature[i][iv.start - tree.iv[i].start : iv.stop - tree.iv[i].start]
            joint = Articulation(I, S, armature)
            y = joint.D.solve([t - s for t, s in zip(problem.tau[iv], S.project(f), strict=True)])
            I, f = joint.inertia_felt(I), joint.force_felt(f, y, problem.tau[iv])
            eliminated = None
            ks = [S.project(k)[0] for k in here.K]
            floor = schedule.floor(iv.start, ks, here.K) if here.K else None
            if floor is not None:
                eliminated = EliminatedRow(joint, y[0], ks, here, floor)
                I = I + penalty_inertia([eliminated.k], [eliminated.stiffness])
                f = f + eliminated.k * (eliminated.stiffness * eliminated.b)
            here.steps.append(Step(iv, joint, y, eliminated))
        IA[p] = IA[p] + X.congruence(I)
        pA[p] = pA[p] + X.T @ f
        for k, l in zip(here.K, here.l, strict=True):
            arrivals[p].add(("child", i), X.T @ k, l)
    return arrivals


def directions(S: Subspace, iv: slice) -> list[tuple[Subspace, slice]]:
    """A joint as a chain of joints of one direction, from the outermost."""
    if isinstance(S, CoordinateSubspace):
        single: list[Subspace] = [CoordinateSubspace(k) for k in S.directions]
    else:
        single = [DenseSubspace(m) for m in S.motions]
    return [(s, slice(iv.start + k, iv.start + k + 1)) for k, s in reversed(list(enumerate(single)))]


@dataclass
class Step:
    """One direction eliminated (a whole joint where no rows pass), and the row that went with it."""

    iv: slice
    joint: Articulation
    y: list[Scalar]
    row: EliminatedRow | None


@dataclass
class Arrival:
    """The rows K a + l = 0 at a body, and where they came from."""

    K: list[Force] = field(default_factory=list)
    l: list[Scalar] = field(default_factory=list)
    sources: list[tuple] = field(default_factory=list)
    steps: list[Step] = field(default_factory=list)
    merging: list[Reflection] = field(default_factory=list)

    def add(self, source: tuple, k: Force, l: Scalar) -> None:
        self.sources.append(source)
        self.K.append(k)
        self.l.append(l)

    def drop_dependent_rows(self, rank: int) -> None:
        """Orthogonal combinations of the rows, `rank` of them, of which all the others are zero: a QR factorization.

        Each row is told by what it makes of six independent motions, or, if there are fewer rows to keep, of as many
        motions in general position.
        """
        if len(self.K) == rank:
            return
        kept: list[tuple[Force, Scalar]] = []
        K, l = self.K, self.l
        for motion in _PROBES[6 if rank == 6 else 0][:rank]:
            reflection = Reflection([k.dot(motion) for k in K])
            self.merging.append(reflection)
            first, K = reflection.split(K)
            number, l = reflection.split(l)
            kept.append((first, number))
        self.K, self.l = [k for k, _ in kept], [x for _, x in kept]

    def restore(self, multipliers: list[Scalar]) -> list[Scalar]:
        """From the rows kept to all that arrived; those dropped push nothing."""
        if len(self.sources) == len(multipliers):
            return multipliers
        x: list[Scalar] = [0.0] * (len(self.sources) - len(self.merging))
        for reflection, own in zip(reversed(self.merging), reversed(multipliers), strict=True):
            x = reflection.join(own, x)
        return x


class EliminatedRow:
    """The combination of rows that a joint acts on, and its multiplier (k a + b) / compliance, eq. (62)."""

    def __init__(self, joint: Articulation, y: Scalar, ks: Sequence[Scalar], here: Arrival, floor: Floor):
        self.reflection = Reflection(ks)
        alpha, square, inverse = self.reflection.alpha, self.reflection.square, joint.D.inverse_pivots[0]
        self.pull = alpha * inverse  # joint acceleration per multiplier
        self.compliance = square * inverse
        # not the compliance tells whether the joint acts on the row: D is large behind a row that hardly moved
        self.idle = square <= floor.square
        self.stiffness = 1.0 / maximum(self.compliance, where(self.idle, floor.compliance, 0.0))
        self.own, others = self.reflection.split(here.K)
        number, here.l = self.reflection.split(here.l)
        self.k = joint.force_felt(self.own, [-self.pull], [0.0])
        self.b = number + alpha * y
        here.K = [_cleared(k, joint.S) for k in others]

    def multiplier(self, carried: Motion) -> Scalar:
        return (self.k.dot(carried) + self.b) * self.stiffness

    @property
    def pivot(self) -> Scalar:
        """The compliance; zero where the floor stands in for it, unless the row is one that asks for nothing."""
        nothing = self.k.dot(self.k) <= TINIEST
        return where(self.idle, where(nothing, 1.0, 0.0), self.compliance)


def _cleared(row: Force, S: Subspace) -> Force:
    """A row that the joint does not act on: exactly so along coordinate directions."""
    return Force.of(0.0 if r in S.directions else x for r, x in enumerate(row))


# Ranks


@dataclass(frozen=True)
class Floor:
    """Below this |ks|^2 a joint does not act on a row, which then gets this compliance."""

    square: float
    compliance: float


class Schedule:
    """How many rows to carry from each body on, and at which directions a row is taken away, with its floor."""

    def __init__(self, ranks: dict[int, int], floors: dict[int, Floor]):
        self.ranks, self.floors = ranks, floors

    def rank(self, i: int, K: Sequence[Force]) -> int:
        return self.ranks[i]

    def floor(self, v: int, ks: Sequence[Scalar], K: Sequence[Force]) -> Floor | None:
        """None where the direction of velocity v never acts on the rows."""
        return self.floors.get(v)


class _Exploration(Schedule):
    """A schedule being found: scalars are arrays with one number per pose, and a rank is the highest of any pose."""

    def rank(self, i, K):
        rows = np.stack([_numbers(k) for k in K], axis=1)
        rows = rows / np.maximum(np.linalg.norm(rows, axis=2, keepdims=True), TINIEST)
        self.ranks[i] = int(max(np.linalg.matrix_rank(sample, tol=RANK_TOLERANCE) for sample in rows))
        return self.ranks[i]

    def floor(self, v, ks, K):
        size = np.max([np.abs(_numbers(k)) for k in K])
        if max(np.max(np.abs(x)) for x in ks) <= RANK_TOLERANCE * size:
            return None
        self.floors[v] = Floor(TINIEST, TINIEST)
        return self.floors[v]


class _NoElimination(Schedule):
    def rank(self, i, K):
        return len(K)


_schedules: WeakKeyDictionary[Model, Schedule] = WeakKeyDictionary()


def schedule_of(model: Model) -> Schedule:
    """Found at a few random poses and remembered."""
    if model not in _schedules:
        _schedules[model] = find_schedule(model)
    return _schedules[model]


def find_schedule(model: Model) -> Schedule:
    tree = Tree(model, choose_cheap_frames=False)  # ranks and compliances are the same in all frames
    zeros = [0.0] * model.nv
    q = list(model.random_configuration(np.random.default_rng(0), _POSES).T)
    found = _Exploration({}, {})
    with np.errstate(all="ignore"):
        problem = ConstrainedProblem(tree, q, zeros, zeros)
        held, free = _sweep_inward(problem, found), _sweep_inward(problem, _NoElimination({}, {}))
        for i in tree.outward():
            for number, step in enumerate(held[i].steps):
                if step.row is not None:
                    behind = [_compliance_behind(problem, steps, step.row.k, i, number) for steps in (held, free)]
                    found.floors[step.iv.start] = _floor(step.row.compliance, step.joint.D.pivots[0], *behind)
    return Schedule(found.ranks, found.floors)


def _compliance_behind(
    problem: ConstrainedProblem, arrivals: Sequence[Arrival], k: Force, i: int, number: int
) -> Scalar:
    """How far row k moves under a unit multiplier by what lies between step `number` of body i and the ground."""
    tree, total = problem.tree, 0.0
    steps = arrivals[i].steps[number + 1 :]
    while i != 0:
        for step in steps:
            ks = step.joint.S.project(k)
            if step.row is None:
                solved = step.joint.D.solve(ks)
                total = total + sum_of(x * y for x, y in zip(ks, solved, strict=True))
                k = step.joint.force_felt(k, [-x for x in solved], [0.0] * len(ks))
            else:  # a row holds this joint and hands the force on
                k = k - step.row.own * (ks[0] / step.row.reflection.alpha)
        k, i = problem.sweep.X[i].T @ k, tree.parent[i]
        steps = arrivals[i].steps
    return total


def _floor(compliance, D, measured, free) -> Floor:
    """From the compliance of a row at its joint and of what is behind it: with the other rows, and without any.

    The row itself holds what is behind it: 1/measured = 1/compliance + 1/behind. If the other rows hold all of it,
    stiffness does no harm, and only a joint that does not act on the row at all counts as such. But some may be
    switched off, so the penalty is never stiffer than what is free behind the row can bear.
    """
    compliance, D, measured, free = np.broadcast_arrays(compliance, D, measured, free)
    usable = np.isfinite(compliance) & np.isfinite(measured) & (compliance > 0)
    if not usable.any():  # a mechanism that cannot be solved anyway
        return Floor(TINIEST, TINIEST)
    measured = np.maximum(measured, 0.0)
    behind = np.median((measured / np.maximum(1.0 - measured / compliance, 1e-2))[usable])
    usual, free = np.median(compliance[usable]), np.median(free[usable])
    least = max(SOFTNESS * behind, SMALLEST_COMPLIANCE * usual)
    return Floor(float(least * np.median(D[usable])), float(max(least, SOFTNESS * 1e-2 * free)))


def _numbers(k: Force) -> np.ndarray:
    return np.stack([np.broadcast_to(np.asarray(x, dtype=float), _POSES) for x in k], axis=-1)


_PROBES = {
    6: [Motion.of(np.eye(6)[k].tolist()) for k in range(6)],
    0: [Motion.of(row) for row in np.random.default_rng(1).uniform(-1, 1, (5, 6)).round(3).tolist()],
}
