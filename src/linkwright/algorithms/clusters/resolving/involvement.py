"""Which joints a constraint involves, and its rows at a posture on numbers: what choosing clusters needs to know."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ....fixed_order import least_squares
from ....model import Model, Tree
from ....model.constraints import Constraint
from ....scalar import Numbers
from .implicit_loops import EmbeddedLoop, ImplicitStep

_SETTLED = 1e-10  # radians or metres


def involved_bodies(model: Model, constraint: Constraint) -> tuple[list[int], int]:
    """(bodies whose joints it involves, the body from which inward nothing matters)."""
    if constraint.tied_joints:
        return [model.joint_index(name) for name in constraint.tied_joints], 0
    bodies = constraint.bodies(model)
    root = model.graph.common_ancestor(*bodies) if constraint.is_internal(model) else 0
    inner = set(model.graph.support[root])
    return sorted({i for body in bodies for i in model.graph.support[body]} - inner), root


class NumericRows:
    """K over the velocities of some bodies, and errors, of some constraints; on numbers."""

    def __init__(self, tree: Tree, bodies: Sequence[int], constraints: Sequence[int]):
        self.tree, self.bodies = tree, tuple(bodies)
        self.velocities = [n for i in bodies for n in range(tree.iv[i].start, tree.iv[i].stop)]
        loops = [EmbeddedLoop(c, involved_bodies(tree.model, tree.constraints[c])[1]) for c in constraints]
        self._step = ImplicitStep(tree, bodies, loops, ())
        between_joints = [c for c in constraints if tree.constraints[c].tied_joints]
        self.constraints = (*between_joints, *(c for c in constraints if c not in between_joints))
        """In the order of their rows."""
        self.has_frames = any(not tree.constraints[c].tied_joints for c in constraints)
        self.constant = all(tree.constraints[c].is_linear for c in constraints)
        """K is the same everywhere."""
        self.joint_rows = sum(tree.constraints[c].size for c in constraints if tree.constraints[c].tied_joints)

    def __call__(self, q: Numbers) -> tuple[np.ndarray, np.ndarray]:
        """Rows of constraints between joints come first."""
        q = [float(x) for x in q]
        K = np.array([[float(row.get(n, 0.0)) for n in self.velocities] for row in self._step.jacobian(q)])
        return K.reshape(-1, len(self.velocities)), self.errors(q)

    def errors(self, q: Numbers) -> np.ndarray:
        return np.array([float(x) for x in self._step.errors([float(x) for x in q])])

    def closed(
        self, q: np.ndarray, *, rank_tolerance: float = 1e-8, allowed: float = 1e-10, iterations: int = 60
    ) -> np.ndarray | None:
        """q moved as little as Newton's method does to meet the constraints; None if it does not get there.

        rank_tolerance   directions of K below it, relative to its longest column, are left open
        allowed          how far: what redundant rows of a file with few digits leave
        """
        q, settled = q.copy(), False
        for _ in range(iterations):
            with np.errstate(all="ignore"):
                K, error = self(q)
            if not (np.all(np.isfinite(K)) and np.all(np.isfinite(error))):
                return None
            if not error.any() or (settled and np.abs(error).max() <= allowed):
                return q
            change = -least_squares(K, error, rank_tolerance)
            largest = np.abs(change).max()
            settled = bool(largest < _SETTLED)  # the step after that makes it exact to rounding
            q = self.moved(q, change * min(1.0, 0.5 / largest) if largest > 0 else change)
        return None

    def moved(self, q: np.ndarray, change: np.ndarray) -> np.ndarray:
        moved, step = q.copy(), dict(zip(self.velocities, change.tolist(), strict=True))
        for i in self.bodies:
            tree, rates = self.tree, [step[n] for n in range(self.tree.iv[i].start, self.tree.iv[i].stop)]
            moved[tree.iq[i]] = tree.joint[i].integrate(q[tree.iq[i]].tolist(), rates)
        return moved
