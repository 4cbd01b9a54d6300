"""A loop in a plane: joints about one direction or sliding across it, and a pin that closes the loop.

Drawn once, at a closed pose: going round the loop one meets its joints and the pin, with rigid bodies between them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ...fixed_order import PivotedColumns, dot, norm, product
from ...model import Model, Tree
from ...model.constraints import RelativeConstraint
from ...model.constraints.closing_joint import across
from ..kinematics import placements
from .involvement import involved_bodies

PARALLEL = 1e-9  # how far axes may lean, in radians
_TURNING = ("revolute", "continuous")


@dataclass(frozen=True)
class Element:
    """A joint met on the way round, or the pin (`coordinate` None).

    at      its point in the plane, when drawn
    sense   1 where the way leads from the body that carries the joint to the one that it carries, with the axis
            upwards, else -1: what lies ahead turns by sense (q - drawn), or slides by that along `slide`
    """

    coordinate: int | None
    velocity: int | None
    at: np.ndarray
    sense: float = 1.0
    drawn: float = 0.0
    slide: np.ndarray | None = None


def is_planar_loop(model: Model, constraint: int) -> bool:
    """Whether the constraint is a pin, and closes a loop of joints that stay in the plane across it."""
    c = model.constraints[constraint]
    if not isinstance(c, RelativeConstraint) or c.crossed is not None or not c.has_position:
        return False
    bodies, root = involved_bodies(model, c)
    kinds = [model.bodies[i].joint.kind for i in bodies]
    if not any(kind in _TURNING for kind in kinds) or any(k not in (*_TURNING, "prismatic") for k in kinds):
        return False
    normal = next(_axis_in(model, i, root) for i, kind in zip(bodies, kinds, strict=True) if kind in _TURNING)
    for i, kind in zip(bodies, kinds, strict=True):
        axis = _axis_in(model, i, root)
        leaning = norm(np.cross(normal, axis)) if kind in _TURNING else abs(dot(normal, axis))
        if leaning > PARALLEL:
            return False
    frame = model.frame(c.frame)
    inward = product(_rotation_in(model, frame.body, root), frame.placement.rotation)
    own = product(inward.T, normal)  # the normal as the first frame sees it, turned or not
    held = product(c.rows[:, :3], across(own).T)
    return PivotedColumns(held, PARALLEL).rank == 2 and float(np.abs(product(c.rows[:, 3:], own)).max()) < PARALLEL


def planar_loop(tree: Tree, constraint: RelativeConstraint, drawn: Sequence[float]) -> list[Element]:
    """The elements on the way round: from the body that carries the loop to the pin, and back on the other side."""
    model = tree.model
    bodies, root = involved_bodies(model, constraint)
    poses = placements(tree, [float(x) for x in drawn])
    back = np.array(poses[root].rotation.rows, dtype=float).T
    origin = np.array(list(poses[root].position), dtype=float)
    axes = {i: product(back, np.array(poses[i].rotation.rows, dtype=float)[:, tree.joint[i].k]) for i in bodies}
    turning = [i for i in bodies if model.bodies[i].joint.kind in _TURNING]
    normal = axes[turning[0]]
    plane = across(normal)

    def seen(point) -> np.ndarray:
        return product(plane, product(back, np.array(list(point), dtype=float) - origin))

    def element(i: int, direction: float) -> Element:
        q, v = tree.iq[i].start, tree.iv[i].start
        if i in turning:
            sense = direction if dot(axes[i], normal) > 0 else -direction
            return Element(q, v, seen(poses[i].position), sense, float(drawn[q]))
        return Element(q, v, seen(poses[i].position), direction, float(drawn[q]), product(plane, axes[i]))

    first, frame = tree.frame_transform(constraint.frame)
    ahead = [i for i in bodies if i in model.graph.support[first]]
    behind = [i for i in reversed(bodies) if i not in ahead]
    pin = Element(None, None, seen(poses[first].after(frame).position))
    return [*(element(i, 1.0) for i in ahead), pin, *(element(i, -1.0) for i in behind)]


def _axis_in(model: Model, i: int, root: int) -> np.ndarray:
    """The joint's axis in the root's frame at the neutral configuration; motion in the plane keeps it, if it is
    normal to the plane.
    """
    return product(_rotation_in(model, i, root), model.bodies[i].joint.axis)


def _rotation_in(model: Model, i: int, root: int) -> np.ndarray:
    rotation = np.eye(3)
    while i != root and i:
        rotation = product(model.bodies[i].placement.rotation, rotation)
        i = model.bodies[i].parent
    return rotation
