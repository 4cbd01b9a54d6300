"""How easily bodies and joints move: MuJoCo's `invweight0`, by which the soft law is scaled, for models without them.

Of a body the mean of J M^-1 J' over the three directions at its centre of mass, of a velocity the diagonal entry of
M^-1 (the mean of three that belong together), both in the pose the mechanism is drawn in. Constants of the model: they
stay as they are when its numbers become inputs of the call.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...model import Model, Tree, tree_of
from ...model.found_once import found_once
from ...spatial import Force, Vector
from ..parts.motion_sweep import MotionSweep
from ..tree.crba import crba
from ..tree.ltl import ltl_factor, solve_LT, velocity_parents


class Weights:
    """inverse weights of bodies (1/kg) and of velocities."""

    def __init__(self, model: Model):
        tree, q = tree_of(model), [float(x) for x in model.drawn]
        self._tree, self._sweep = tree, MotionSweep(tree, q, [0.0] * model.nv)
        self._parents = velocity_parents(tree)
        M = crba(tree, q)
        self.mean_inertia = sum(float(M[k][k]) for k in range(model.nv)) / max(model.nv, 1)
        self._L = ltl_factor(M, self._parents)
        self.velocities = self._of_velocities(model)

    def body(self, i: int) -> float:
        if not i:
            return 0.0
        inertia = self._tree.inertia[i]
        mass = float(inertia.m)
        com = inertia.h * (1.0 / mass) if mass > 0.0 else Vector.zero()
        return sum(self._energy(self._row(i, Force(com.cross(d), d))) for d in map(Vector.unit, range(3))) / 3.0

    def length(self, ratios: Sequence[tuple[int, float]]) -> float:
        """Of what joints wind up: (velocity, ratio) of each."""
        row = [0.0] * self._tree.nv
        for k, ratio in ratios:
            row[k] = ratio
        return self._energy(row)

    def _of_velocities(self, model: Model) -> list[float]:
        n = model.nv
        own = [self._energy([1.0 if r == k else 0.0 for r in range(n)]) for k in range(n)]
        for i, joint in enumerate(model.joints, start=1):
            for t in range(joint.moves.vectors):
                three = slice(model.iv[i].start + 3 * t, model.iv[i].start + 3 * t + 3)
                own[three] = [sum(own[three]) / 3.0] * 3
        return own

    def _row(self, i: int, f: Force) -> list[float]:
        tree, row = self._tree, [0.0] * self._tree.nv
        while i:
            row[tree.iv[i]] = [float(x) for x in self._sweep.S[i].project(f)]
            f, i = self._sweep.X[i].T @ f, tree.parent[i]
        return row

    def _energy(self, row: Sequence[float]) -> float:
        return sum(float(x) ** 2 for x in solve_LT(self._L, self._parents, list(row)))


@found_once
def weights(model: Model) -> Weights:
    return Weights(model)


def shape_weight(tree: Tree, shape) -> float:
    """Of the body that a shape is on."""
    if shape.inverse_weight is not None:
        return shape.inverse_weight
    return weights(tree.model).body(tree.model.body_of(shape.on))


def joint_weights(tree: Tree, i: int) -> list[float]:
    """Of the velocities of body i's joint."""
    given = tree.model.contact_law.of_joint(tree.model.joints[i - 1].name).inverse_weight
    return list(weights(tree.model).velocities[tree.iv[i]] if given is None else given)


def tendon_weight(tree: Tree, name: str, ratios: Sequence[tuple[int, float]]) -> float:
    """Of the length of the tendon with this name."""
    given = tree.model.contact_law.of_tendon(name).inverse_weight
    return weights(tree.model).length(ratios) if given is None else given[0]
