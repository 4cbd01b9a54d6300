"""All that a whole-body controller's quadratic program is made of, from one sweep.

    M a + h = S u + J' f,    J a + dJ v = 0

rows of J are those of the model's constraints, then six for every frame that is in contact: its velocity, [linear;
angular], at its origin along the world's axes, so that f holds forces and moments in the world.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ...model import Tree
from ...scalar import Scalar
from ..parts.actuator_forces import transmission
from ..parts.motion_sweep import MotionSweep
from ..rows import FrameMotions, constraints_at
from ..rows.constraint_jacobian import terms_jacobian
from ..rows.constraint_rows import constrained_bodies
from .crba import crba
from .frames import frame_accelerations
from .jacobians import frame_jacobian
from .rnea import bias_torques

ALIGNED = "local_world_aligned"


class WholeBodyTerms(NamedTuple):
    M: list[list[Scalar]]
    h: list[Scalar]
    J: list[list[Scalar]]
    dJv: list[Scalar]
    S: list[list[Scalar]]


def whole_body_terms(
    tree: Tree, q: Sequence[Scalar], v: Sequence[Scalar], frames: Sequence[str], *, points: bool = False
) -> WholeBodyTerms:
    """With `points`, frames touch at a point: three rows each, linear."""
    sweep = MotionSweep(tree, q, v)
    motions = FrameMotions(tree, sweep, v, constrained_bodies(tree))
    J: list[list[Scalar]] = []
    dJv: list[Scalar] = []
    for constraint in constraints_at(tree, q, sweep.X):
        J += terms_jacobian(tree, sweep, constraint.terms())
        dJv += constraint.motion(motions)[1]
    rows = 3 if points else 6
    still = frame_accelerations(tree, frames, q, v, [0.0] * tree.nv, seen_from=ALIGNED, classical_linear=True)
    for frame, acceleration in zip(frames, still, strict=True):
        J += frame_jacobian(tree, frame, q, seen_from=ALIGNED)[:rows]
        dJv += acceleration.to_public()[:rows]
    return WholeBodyTerms(crba(tree, q), bias_torques(tree, q, v), J, dJv, actuation_matrix(tree, q))


def actuation_matrix(tree: Tree, q: Sequence[Scalar]) -> list[list[Scalar]]:
    """S (nv, nu) with tau = S u: of the model's actuators, or if it has none, one for every joint that is no free
    base."""
    model = tree.model
    if model.actuators:
        columns = [dict(transmission(one, model, q)[1]) for one in model.actuators]
    else:
        columns = [{k: 1.0} for i in tree.outward() for k in _driven(tree, i)]
    return [[column.get(r, 0.0) for column in columns] for r in range(tree.nv)]


def _driven(tree: Tree, i: int) -> range:
    own = range(tree.nv)[tree.iv[i]]
    return range(0) if tree.model.joints[i - 1].moves.is_free else own
