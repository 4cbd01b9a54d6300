"""Loops without a formula: K v = 0 solved for the dependent velocities, positions by Newton's method.

[Chignoli2023] sec. II-B with [Featherstone2008] sec. 3.5: B = -Kd^-1 Kk, b = Kd^-1 k. Kd is eliminated in an order of
rows and columns chosen once, by complete pivoting at a closed pose; rows that are not needed (a planar loop closed by a
revolute joint in space has three) are left out.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass

import numpy as np

from ...model import Tree
from ...scalar import Scalar
from ...spatial import Transform, Vector
from ..closures import FrameMotions, closures
from ..motion_sweep import MotionSweep
from .elimination import Elimination, complete_pivots
from .joint_level import joint_rows, tied_joints, ties_joints
from .step import Row, Step

# Pivots below this share of what they are at the reference: other coordinates should be independent here.
SINGULAR_SHARE = 1e-4


@dataclass(frozen=True)
class LoopClosure:
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
        self._known_frames: dict = {}

    def outward(self):  # type: ignore[override]
        return self._bodies

    def frame_transform(self, name: str, offset=None):
        """Asked for at every step of Newton's method."""
        key = (name, id(offset))
        if key not in self._known_frames:
            self._known_frames[key] = super().frame_transform(name, offset)
        return self._known_frames[key]


class ImplicitStep(Step):
    """Newton's method takes `continuation` steps from the pose it starts at, and then `polish` more."""

    def __init__(self, tree: Tree, bodies: Sequence[int], loops: Sequence[LoopClosure], unknown: Sequence[int]):
        between_joints = [loop for loop in loops if ties_joints(tree.constraints[loop.constraint])]
        self._joint_level = [tree.constraints[loop.constraint] for loop in between_joints]
        self._loops = tuple(loop for loop in loops if loop not in between_joints)
        self._tree = LoopTree(tree, bodies, [loop.constraint for loop in self._loops])
        self._bodies = tuple(bodies)
        self.unknown = tuple(unknown)
        self.order: tuple[tuple[int, int], ...] = ()
        self.usual_pivots: list[float] = []
        self.start: Sequence[Scalar] | None = None
        self.continuation, self.polish = 0, 0

    def choose_pivots(self, q: Sequence[float]) -> int:
        """Fix the order of elimination at a closed pose; returns the rank found."""
        K = [[row.get(u, 0.0) for u in self.unknown] for row in self.jacobian(q)]
        self.order = tuple(complete_pivots(np.array(K, dtype=float).reshape(-1, len(self.unknown))))
        self.usual_pivots = [abs(float(x)) for x in self._factored(q)[1].pivots]
        return len(self.order)

    # Rows at a posture

    def _posture(self, q) -> tuple[list, list]:
        tree, n = self._tree, len(self._tree.parent)
        X, S = [Transform()] * n, [None] * n
        for i in self._bodies:
            joint, qi = tree.joint[i], q[tree.iq[i]]
            X[i], S[i] = tree.Xtree[i].then(joint.transform(qi)), joint.subspace(qi)
        return X, S

    def _coordinates(self, constraint, q, v=None) -> tuple[list[int], list[Scalar], list[Scalar] | None]:
        """(velocities, coordinates, rates) of the joints that a constraint ties."""
        tree, joints = self._tree, tied_joints(self._tree.model, constraint)
        rates = None if v is None else [v[tree.iv[i].start] for i in joints]
        return [tree.iv[i].start for i in joints], [q[tree.iq[i].start] for i in joints], rates

    def jacobian(self, q: Sequence[Scalar]) -> list[Row]:
        """All rows of K, those between joints first."""
        tree = self._tree
        result: list[Row] = []
        for constraint in self._joint_level:
            velocities, x, _ = self._coordinates(constraint, q)
            result += [dict(zip(velocities, row, strict=True)) for row in joint_rows(constraint, x)[1]]
        X, S = self._posture(q)
        for loop, closure in zip(self._loops, closures(tree, q, X), strict=True):
            rows: list[Row] = []
            for body, K in closure.terms():
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
            result += joint_rows(constraint, self._coordinates(constraint, q)[1])[0]
        X, _ = self._posture(q)
        return [*result, *(x for closure in closures(self._tree, q, X) for x in closure.error())]

    def rates(self, q, v) -> list[Scalar]:
        """K-dot v of every row."""
        result = []
        for constraint in self._joint_level:
            _, x, rates = self._coordinates(constraint, q, v)
            result += joint_rows(constraint, x, rates)[2]
        if not self._loops:
            return result
        sweep = MotionSweep(self._tree, q, v, gravity=Vector.zero())
        motions = FrameMotions(self._tree, sweep, v, self._bodies)
        return [*result, *(x for closure in closures(self._tree, q, sweep.X) for x in closure.motion(motions)[1])]

    # The step

    def _factored(self, q) -> tuple[list[Row], Elimination]:
        rows = self.jacobian(q)
        chosen = [rows[r] for r, _ in self.order]
        columns = [self.unknown[c] for _, c in self.order]
        return chosen, Elimination([[row.get(u, 0.0) for u in columns] for row in chosen])

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
        pivots = self._factored(q)[1].pivots
        return [abs(p) - SINGULAR_SHARE * usual for p, usual in zip(pivots, self.usual_pivots, strict=True)]

    def solve_positions(self, q):
        goal = list(q)
        unknown = {n for u in self.unknown for n in self._coordinates_of(u)}
        start = goal if self.start is None else list(self.start)
        known = [n for i in self._bodies for n in range(*self._tree.iq[i].indices(len(q))) if n not in unknown]
        at = list(goal)
        for n in unknown:
            at[n] = start[n]
        for step in range(self.continuation + self.polish):
            share = min(1.0, (step + 1) / self.continuation) if self.continuation else 1.0
            for n in known:
                at[n] = goal[n] if share == 1.0 else start[n] + (goal[n] - start[n]) * share
            _, factor = self._factored(at)
            errors = self.errors(at)
            correction = self._in_order(factor.solve([-errors[r] for r, _ in self.order]))
            self._move(at, dict(zip(self.unknown, correction, strict=True)))
        for n in unknown:
            q[n] = at[n]
        return self.errors(q)

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
