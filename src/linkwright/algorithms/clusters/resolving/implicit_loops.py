"""Loops without a formula: K v = 0 solved for the dependent velocities, positions by Newton's method.

[Chignoli2023] sec. II-B with [Featherstone2008] sec. 3.5: B = -Kd^-1 Kk, b = Kd^-1 k. Kd is eliminated in an order of
rows and columns chosen once, by complete pivoting at a closed pose; rows that are not needed (a planar loop closed by a
revolute joint in space has three) are left out.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass
from typing import Any

import numpy as np

from ....errors import UnsupportedError
from ....model import Tree
from ....scalar import Scalar, corrected, maximum, minimum
from ....spatial import Transform, Vector
from ...convergence.rank_aware import NEAR
from ...parts.motion_sweep import MotionSweep
from ...rows import FrameMotions, constraints_at
from ...rows.row_scales import rank_tolerance
from .following import LONGEST_STEP, follow, orientation
from .resolving_step import ResolvingStep, Row
from .square_systems import Elimination, TwoByTwo, complete_pivots, eliminated

# Pivots below this share of what they are at the drawn pose: other coordinates should be independent here. It is more
# where the weakest direction there is not far from the rank tolerance: solvers say `NEAR` the same way.
SINGULAR_SHARE = 1e-4
_MOST_SINGULAR_SHARE = 0.5  # the drawn pose itself is not singular


@dataclass(frozen=True)
class EmbeddedLoop:
    """A constraint, and the body that carries all it acts on: motion from there inward makes no difference."""

    constraint: int
    root: int


class LoopTree(Tree):
    """Only some bodies move, and without gravity: what loops need to know is relative to what carries them."""

    def __init__(self, tree: Tree, bodies: Sequence[int], constraints: Sequence[int]):
        self.__dict__.update(copy(tree).__dict__)
        self._bodies = tuple(bodies)
        self.gravity = Vector.zero()
        self.constraints = tuple(tree.constraints[c] for c in constraints)
        self.constraint_bodies = tuple(tree.constraint_bodies[c] for c in constraints)

    def outward(self):  # type: ignore[override]
        return self._bodies


class ImplicitStep(ResolvingStep):
    """Positions are found by following the branch of the pose at `start`, or in a given number of steps from there."""

    exact = False

    def __init__(self, tree: Tree, bodies: Sequence[int], loops: Sequence[EmbeddedLoop], unknown: Sequence[int]):
        between_joints = [loop for loop in loops if tree.constraints[loop.constraint].tied_joints]
        self._joint_level = [tree.constraints[loop.constraint] for loop in between_joints]
        self._loops = tuple(loop for loop in loops if loop not in between_joints)
        self._tree = LoopTree(tree, bodies, [loop.constraint for loop in self._loops])
        self._bodies = tuple(bodies)
        self.unknown = tuple(unknown)
        self.order: tuple[tuple[int, int], ...] = ()
        self.usual_pivots: list[float] = []
        self.usual_orientation = 1.0
        self.usual_strength = 1.0
        """The weakest scaled singular value, of the cluster's rows at the drawn pose."""
        self.involved: set[int] = set()
        self.start: Sequence[Scalar] = ()
        self.follows_start = False
        """Whether the start is given with each call, and says which branch is meant."""
        self.starts_open = False
        self.newton: tuple[int, int] | None = None
        """So many steps on the way and at the end, or until the pose is found."""
        self.precision = "float64"

    def choose_pivots(self, q: Sequence[Scalar]) -> int:
        """Fix the order of elimination at a closed pose; returns the rank found."""
        rows = self.jacobian(q)
        K = [[row.get(u, 0.0) for u in self.unknown] for row in rows]
        self.order = tuple(complete_pivots(np.array(K, dtype=float).reshape(-1, len(self.unknown))))
        pivots = [float(x) for x in self._factored(q)[1].pivots]
        self.usual_pivots, self.usual_orientation = [abs(x) for x in pivots], orientation(pivots)
        self.involved = {n for row in rows for n in row}
        return len(self.order)

    # Rows at a posture

    def _posture(self, q) -> tuple[list, list]:
        tree, n = self._tree, len(self._tree.parent)
        X: list[Transform] = [Transform()] * n
        S: list[Any] = [None] * n
        for i in self._bodies:
            joint, qi = tree.joint[i], q[tree.iq[i]]
            X[i], S[i] = tree.Xtree[i].then(joint.transform(qi)), joint.subspace(qi)
        return X, S

    def _joint_rows(self, constraint, q, v=None):
        """(error, K by rows and velocities, K-dot v) of a constraint that ties joints."""
        tree = self._tree
        joints = [tree.model.joint_index(name) for name in constraint.tied_joints]
        rates = [0.0] * len(joints) if v is None else [v[tree.iv[i].start] for i in joints]
        error, K, rate = constraint.joint_rows(tree, [q[tree.iq[i].start] for i in joints], rates)
        velocities = [tree.iv[i].start for i in joints]
        return error, [dict(zip(velocities, row, strict=True)) for row in K], rate

    def jacobian(self, q: Sequence[Scalar]) -> list[Row]:
        """All rows of K, those between joints first."""
        tree = self._tree
        result: list[Row] = []
        for constraint in self._joint_level:
            result += self._joint_rows(constraint, q)[1]
        X, S = self._posture(q)
        for loop, held in zip(self._loops, constraints_at(tree, q, X), strict=True):
            rows: list[Row] = []
            for body, K in held.terms():
                rows += [{} for _ in range(len(K) - len(rows))]
                for entries, force in zip(rows, K, strict=True):
                    i = body
                    while i != loop.root:
                        for n, x in zip(range(tree.iv[i].start, tree.iv[i].stop), S[i].project(force), strict=True):
                            entries[n] = entries[n] + x if n in entries else x
                        force = X[i].T @ force
                        i = tree.parent[i]
            result += rows
        return result

    def errors(self, q: Sequence[Scalar]) -> list[Scalar]:
        """By how much each row's constraint is not met."""
        result = []
        for constraint in self._joint_level:
            result += self._joint_rows(constraint, q)[0]
        X, _ = self._posture(q)
        return [*result, *(x for held in constraints_at(self._tree, q, X) for x in held.error())]

    def solved_errors(self, q):
        errors = self.errors(q)
        return [errors[r] for r, _ in self.order]

    def rates(self, q, v) -> list[Scalar]:
        """K-dot v of every row."""
        result = []
        for constraint in self._joint_level:
            result += self._joint_rows(constraint, q, v)[2]
        if not self._loops:
            return result
        sweep = MotionSweep(self._tree, q, v, gravity=Vector.zero())
        motions = FrameMotions(self._tree, sweep, v, self._bodies)
        return [*result, *(x for held in constraints_at(self._tree, q, sweep.X) for x in held.motion(motions)[1])]

    # The step

    def _factored(self, q) -> tuple[list[Row], Elimination | TwoByTwo]:
        rows = self.jacobian(q)
        chosen = [rows[r] for r, _ in self.order]
        columns = [self.unknown[c] for _, c in self.order]
        return chosen, eliminated([[row.get(u, 0.0) for u in columns] for row in chosen])

    def _in_order(self, values: Sequence) -> list:
        """Values found in the order of elimination, in the order of `unknown`."""
        place = {c: n for n, (_, c) in enumerate(self.order)}
        return [values[place[c]] for c in range(len(self.unknown))]

    def slopes(self, q):
        rows, factor = self._factored(q)
        known = sorted({n for row in rows for n in row} - set(self.unknown))
        columns = [factor.solve([-row.get(n, 0.0) for row in rows]) for n in known]
        ordered = [self._in_order(column) for column in columns]
        return [{n: column[r] for n, column in zip(known, ordered, strict=True)} for r in range(len(self.unknown))]

    def bias(self, q, v):
        _, factor = self._factored(q)
        rates = self.rates(q, v)
        return self._in_order(factor.solve([-rates[r] for r, _ in self.order]))

    def constraint_rows(self, q, v):
        rows, _ = self._factored(q)
        rates = self.rates(q, v)
        return rows, [-rates[r] for r, _ in self.order]

    def margins(self, q):
        near = NEAR * rank_tolerance(self._tree.model, self.precision) / self.usual_strength
        share = max(SINGULAR_SHARE, min(near, _MOST_SINGULAR_SHARE))
        pivots = self._factored(q)[1].pivots
        return [abs(p) - share * usual for p, usual in zip(pivots, self.usual_pivots, strict=True)]

    def solve_positions(self, q):
        goal, unknown = list(q), self._unknown_coordinates()

        def found() -> list[Scalar]:
            at = self._followed(goal)
            return [at[n] for n in unknown]

        def once_more(values: Sequence[Scalar]) -> list[Scalar]:
            if self._partly_known():
                raise UnsupportedError(
                    "positions of joints of which only some velocities are independent have no rule for their "
                    "derivative; choose other independent joints"
                )
            at = list(goal)
            for n, x in zip(unknown, values, strict=True):
                at[n] = x
            self.correct(at)
            return [at[n] for n in unknown]

        if self.newton is None:
            values = corrected(found, once_more, len(unknown))
        else:
            at = self._in_fixed_steps(goal)
            values = [at[n] for n in unknown]
        for n, x in zip(unknown, values, strict=True):
            q[n] = x

    def _followed(self, goal: list[Scalar]) -> list[Scalar]:
        """The pose at the goal's known coordinates on the branch of the start (`following.py`)."""
        start, unknown, known = list(self.start), self._unknown_coordinates(), self._known_coordinates()
        straight = [n for n in known if n in self._rate_coordinates()]
        asked = self._asked_orientation()

        def placed(values: Sequence[Scalar], share: Scalar) -> list[Scalar]:
            at = list(goal)
            for n in straight:
                at[n] = start[n] + (goal[n] - start[n]) * share
            for n, x in zip(unknown, values, strict=True):
                at[n] = x
            return at

        at_once = self._partly_known()
        first = [goal[n] if n in at_once else start[n] for n in unknown]
        # an open start, for one as joints that cannot go a straight way are at the goal at once
        opens = self.starts_open or at_once or len(straight) < len(known)
        opening = self.errors(placed(first, 0.0)) if opens else None

        def closer(values: Sequence[Scalar], share: Scalar):
            at = placed(values, share)
            _, factor = self._factored(at)
            errors = self.errors(at)
            if opening is not None:  # is closed little by little on the way
                errors = [e - e0 * (1.0 - share) for e, e0 in zip(errors, opening, strict=True)]
            correction = self._in_order(factor.solve([-errors[r] for r, _ in self.order]))
            self._move(at, dict(zip(self.unknown, correction, strict=True)))
            return [at[n] for n in unknown], correction, orientation(factor.pivots) * asked

        longest: Scalar = 1.0
        for n in straight:
            longest = minimum(longest, LONGEST_STEP / maximum(abs(goal[n] - start[n]), LONGEST_STEP))
        return placed(follow(closer, first, longest, self.precision), 1.0)

    def _asked_orientation(self) -> Scalar:
        """1 or -1: the sign of Kd's determinant on the branch asked for, that of the start."""
        if not self.follows_start:
            return self.usual_orientation
        return orientation(self._factored(list(self.start))[1].pivots)

    def branches(self, q):
        return [orientation(self._factored(q)[1].pivots) * self._asked_orientation()]

    def _in_fixed_steps(self, goal: list[Scalar]) -> list[Scalar]:
        """Newton's method on the way from the start to the goal, and at the end; as many steps as were asked for."""
        on_the_way, at_the_end = self.newton or (0, 0)
        start = list(self.start)
        at = list(goal)
        for n in set(self._unknown_coordinates()) - self._partly_known():
            at[n] = start[n]
        for step in range(on_the_way + at_the_end):
            share = min(1.0, (step + 1) / on_the_way) if on_the_way else 1.0
            for n in self._known_coordinates():
                at[n] = goal[n] if share == 1.0 else start[n] + (goal[n] - start[n]) * share
            self.correct(at)
        return at

    def correct(self, q: list[Scalar]) -> None:
        """One step of Newton's method."""
        _, factor = self._factored(q)
        errors = self.errors(q)
        correction = self._in_order(factor.solve([-errors[r] for r, _ in self.order]))
        self._move(q, dict(zip(self.unknown, correction, strict=True)))

    def _unknown_coordinates(self) -> list[int]:
        return sorted({n for u in self.unknown for n in self._coordinates_of(u)})

    def _known_coordinates(self) -> list[int]:
        """Those that are not unknown, of joints that the loops involve."""
        unknown, tree = set(self._unknown_coordinates()), self._tree
        own = [i for i in self._bodies if self.involved & set(range(tree.iv[i].start, tree.iv[i].stop))]
        return [n for i in own for n in range(tree.iq[i].start, tree.iq[i].stop) if n not in unknown]

    def _partly_known(self) -> set[int]:
        """Coordinates of joints that are no rates, of which some velocities are unknown and others are not."""
        tree = self._tree
        result: set[int] = set()
        for i in self._bodies:
            own = set(range(tree.iv[i].start, tree.iv[i].stop))
            if not tree.joint[i].velocity_is_rate and own & set(self.unknown) and not own <= set(self.unknown):
                result |= set(range(tree.iq[i].start, tree.iq[i].stop))
        return result

    def _rate_coordinates(self) -> set[int]:
        """Coordinates that may be moved along a straight line."""
        tree = self._tree
        rates = [i for i in self._bodies if tree.joint[i].velocity_is_rate]
        return {n for i in rates for n in range(tree.iq[i].start, tree.iq[i].stop)}

    def _coordinates_of(self, velocity: int) -> range:
        """The coordinates that change with one velocity."""
        tree = self._tree
        i = next(i for i in self._bodies if tree.iv[i].start <= velocity < tree.iv[i].stop)
        if tree.joint[i].velocity_is_rate:
            coordinate = tree.iq[i].start + velocity - tree.iv[i].start
            return range(coordinate, coordinate + 1)
        return range(tree.iq[i].start, tree.iq[i].stop)

    def _move(self, q: list[Scalar], change: dict[int, Scalar]) -> None:
        tree = self._tree
        for i in self._bodies:
            velocities = range(tree.iv[i].start, tree.iv[i].stop)
            if any(n in change for n in velocities):
                moved = tree.joint[i].integrate(q[tree.iq[i]], [change.get(n, 0.0) for n in velocities])
                q[tree.iq[i]] = moved
