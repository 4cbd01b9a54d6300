"""A loop in a plane: joints about one direction or sliding across it, and a pin that closes the loop.

Drawn once, at a closed pose: going round the loop one meets its joints and the pin, with rigid bodies between them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ....fixed_order import PivotedColumns, dot, norm, product
from ....model import Model, Tree
from ....model.constraints.closing_joint import across
from ....scalar import Numbers
from ...tree.kinematics import placements
from .involvement import involved_bodies

_PARALLEL = 1e-9  # how far axes may lean, in radians, to count as parallel
_NEARLY_PARALLEL = 1e-3  # as they do in files with few digits
PIN = -1


@dataclass(frozen=True)
class LoopElement:
    """A joint met on the way round, or the pin.

    coordinate, velocity   which of q and v it is; PIN for the pin

    at      its point in the plane, when drawn
    beyond  the pin's point as the body after it has it; the two are apart if the drawing is not closed
    sense   1 where the way leads from the body that carries the joint to the one that it carries, with the axis
            upwards, else -1: what lies ahead turns by sense (q - drawn), or slides by that along `slide`
    """

    coordinate: int
    velocity: int
    at: np.ndarray
    sense: float = 1.0
    drawn: float = 0.0
    slide: np.ndarray | None = None
    beyond: np.ndarray | None = None

    @property
    def after(self) -> np.ndarray:
        """Where the way goes on."""
        return self.at if self.beyond is None else self.beyond


def leaning(model: Model, constraint: int) -> float | None:
    """How far joints lean out of the plane of a loop that the constraint closes by a pin; None if it does not."""
    c = model.constraints[constraint]
    if c.constant_rows is None or not c.has_position:
        return None
    bodies, root = involved_bodies(model, c)
    turning = [i for i in bodies if model.joints[i - 1].moves.turns]
    if not turning or not all(i in turning or model.joints[i - 1].moves.slides for i in bodies):
        return None
    normal = _axis_in(model, turning[0], root)
    axes = {i: _axis_in(model, i, root) for i in bodies}
    leans = [norm(np.cross(normal, axes[i])) if i in turning else abs(dot(normal, axes[i])) for i in bodies]
    frame = model.frame(c.placed_frames[0][0])
    inward = product(_rotation_in(model, frame.body, root), frame.placement.rotation)
    own = product(inward.T, normal)  # the normal as the first frame sees it, turned or not
    held = product(c.constant_rows[:, :3], across(own).T)
    leans.append(float(np.abs(product(c.constant_rows[:, 3:], own)).max()))
    largest = max(leans)
    if PivotedColumns(held, _NEARLY_PARALLEL).rank < 2 or largest > _NEARLY_PARALLEL:
        return None
    return largest if largest > _PARALLEL else 0.0


def planar_loop(tree: Tree, constraint, drawn: Numbers) -> list[LoopElement]:
    """The elements on the way round: from the body that carries the loop to the pin, and back on the other side."""
    model = tree.model
    bodies, root = involved_bodies(model, constraint)
    poses = placements(tree, [float(x) for x in drawn])
    back = np.array(poses[root].rotation.rows, dtype=float).T
    origin = np.array(list(poses[root].position), dtype=float)
    axes = {i: product(back, np.array(poses[i].rotation.rows, dtype=float)[:, tree.joint[i].k]) for i in bodies}
    turning = [i for i in bodies if model.joints[i - 1].moves.turns]
    normal = axes[turning[0]]
    plane = across(normal)

    def seen(point) -> np.ndarray:
        return product(plane, product(back, np.array(list(point), dtype=float) - origin))

    def element(i: int, direction: float) -> LoopElement:
        q, v = tree.iq[i].start, tree.iv[i].start
        if i in turning:
            sense = direction if dot(axes[i], normal) > 0 else -direction
            return LoopElement(q, v, seen(poses[i].position), sense, float(drawn[q]))
        return LoopElement(q, v, seen(poses[i].position), direction, float(drawn[q]), product(plane, axes[i]))

    first, frame = tree.frame_transform(constraint.placed_frames[0][0])
    ahead = [i for i in bodies if i in model.graph.support[first]]
    behind = [i for i in reversed(bodies) if i not in ahead]
    second, wanted = tree.constraint_frame(constraint, 1)
    ends = [seen(poses[body].after(X).position) for body, X in ((first, frame), (second, wanted))]
    pin = LoopElement(PIN, PIN, ends[0], beyond=ends[1])
    return [*(element(i, 1.0) for i in ahead), pin, *(element(i, -1.0) for i in behind)]


def _axis_in(model: Model, i: int, root: int) -> np.ndarray:
    """The joint's axis in the root's frame at the neutral configuration; motion in the plane keeps it, if it is
    normal to the plane.
    """
    return product(_rotation_in(model, i, root), model.joints[i - 1].axis)


def _rotation_in(model: Model, i: int, root: int) -> np.ndarray:
    rotation = np.eye(3)
    while i != root and i:
        rotation = product(model.bodies[i].placement.rotation, rotation)
        i = model.bodies[i].parent
    return rotation
