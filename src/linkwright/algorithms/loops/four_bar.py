"""The planar four-bar: three revolute joints about parallel axes and a fourth pin that closes the loop.

The pins are a quadrilateral with sides of fixed length. The known joint gives the angle at its pin, so the diagonal
across from it; the fourth pin then lies where two circles meet, on the side where it is at the reference pose.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from ...fixed_order import dot, norm, product
from ...model import Model
from ...model.constraints import RelativeConstraint
from ...model.constraints.closing_joint import across
from ...scalar import Scalar, atan2, cos, maximum, sin, sqrt
from ..kinematics import placements
from .implicit import ImplicitStep
from .involvement import involved_bodies

_PARALLEL = 1e-9  # how far axes may lean, and pins lie off their axes' plane, in radians and metres


class FourBarStep(ImplicitStep):
    """Positions by formula; velocities as for any loop."""

    @staticmethod
    def serves(model: Model, constraint: int, unknown: Sequence[int]) -> bool:
        """Whether the constraint is a pin, and closes a loop of three revolute joints about axes that stay parallel."""
        c = model.constraints[constraint]
        if not isinstance(c, RelativeConstraint) or len(unknown) != 2 or np.any(np.abs(c.rows[:, :3]).sum(axis=0) == 0):
            return False
        bodies, root = involved_bodies(model, c)
        if len(bodies) != 3 or any(model.bodies[i].joint.kind not in ("revolute", "continuous") for i in bodies):
            return False
        axes = [_axis_in(model, i, root) for i in bodies]
        return all(norm(np.cross(axes[0], axis)) < _PARALLEL for axis in axes[1:])

    def measure(self, on_numbers: ImplicitStep, reference: Sequence[float]) -> None:
        """Lengths of the sides, and angles at the reference pose, from a tree of numbers."""
        tree = on_numbers._tree
        model, constraint = tree.model, tree.constraints[0]
        bodies, root = involved_bodies(model, constraint)
        poses = placements(tree, [float(x) for x in reference])
        base = poses[root]
        back = np.array(base.rotation.rows, dtype=float).T

        def seen(point) -> np.ndarray:
            return product(back, np.array(list(point), dtype=float) - np.array(list(base.position), dtype=float))

        first, frame = tree.frame_transform(constraint.frame)
        pin = seen(poses[first].after(frame).position)
        ahead = [i for i in bodies if i in model.graph.support[first]]  # from the root to the first frame
        behind = [i for i in reversed(bodies) if i not in ahead]  # and from the second frame back to it
        axes = {i: product(back, np.array(poses[i].rotation.rows, dtype=float)[:, tree.joint[i].k]) for i in bodies}
        normal = axes[bodies[0]]
        plane = across(normal)
        flat = {i: product(plane, seen(poses[i].position)) for i in bodies}
        loop_order: list[int | None] = [*ahead, None, *behind]  # None is the pin
        points = [product(plane, pin) if i is None else flat[i] for i in loop_order]
        unknown = {tree.iv[i].start: i for i in bodies if tree.iv[i].start in self.unknown}
        known = next(i for i in bodies if i not in unknown.values())
        turn = loop_order.index(known)
        loop_order, points = loop_order[turn:] + loop_order[:turn], points[turn:] + points[:turn]
        self._sides = [norm(points[(k + 1) % 4] - points[k]) for k in range(4)]
        angles = [_angle(points[k - 1] - points[k], points[(k + 1) % 4] - points[k]) for k in range(4)]
        diagonal, opposite = points[1] - points[3], points[2] - points[3]
        self._side = 1.0 if diagonal[0] * opposite[1] - diagonal[1] * opposite[0] > 0 else -1.0
        senses = {
            i: (1.0 if i in ahead else -1.0) * (1.0 if dot(axes[i], normal) > 0 else -1.0) for i in bodies
        }
        # angle at a pin = sense q + constant; towards the pin behind, a joint turns its parent side
        self._known = (tree.iq[known].start, senses[known], angles[0] - senses[known] * reference[tree.iq[known].start])
        self._found = [
            (tree.iq[i].start, senses[i], angles[k], float(reference[tree.iq[i].start]), k)
            for k, i in enumerate(loop_order) if i is not None and k
        ]  # fmt: skip

    def solve_positions(self, q):
        n, sense, constant = self._known
        next_side, far_side, near_side, last_side = self._sides  # between pins 0-1, 1-2, 2-3, 3-0
        angle = q[n] * sense + constant  # at pin 0, from pin 3 to pin 1
        pins: dict[int, tuple[Scalar, Scalar]] = {
            0: (0.0, 0.0), 3: (last_side, 0.0), 1: (cos(angle) * next_side, sin(angle) * next_side),
        }  # fmt: skip
        dx, dy = pins[1][0] - last_side, pins[1][1]
        square = dx * dx + dy * dy
        along = (square + (near_side**2 - far_side**2)) / (square + square)
        # over the length of the diagonal, as `along` is
        height = sqrt(maximum(near_side**2 / square - along * along, 0.0)) * self._side
        pins[2] = (last_side + dx * along - dy * height, dy * along + dx * height)
        for coordinate, turning, usual, at, k in self._found:
            before, after = _minus(pins[k - 1], pins[k]), _minus(pins[(k + 1) % 4], pins[k])
            cross = before[0] * after[1] - before[1] * after[0]
            dot = before[0] * after[0] + before[1] * after[1]
            # the angle less the usual one, so that it jumps half a turn away from the reference
            c, s = math.cos(usual), math.sin(usual)
            q[coordinate] = atan2(cross * c - dot * s, dot * c + cross * s) * turning + at
        return self.errors(q)


def _minus(a, b):
    return a[0] - b[0], a[1] - b[1]


def _angle(a: np.ndarray, b: np.ndarray) -> float:
    return math.atan2(a[0] * b[1] - a[1] * b[0], dot(a, b))


def _axis_in(model: Model, i: int, root: int) -> np.ndarray:
    """The joint's axis in the root's frame at the neutral configuration; turning about parallel axes keeps it."""
    axis = product(model.bodies[i].placement.rotation, model.bodies[i].joint.axis)
    i = model.bodies[i].parent
    while i != root:
        axis = product(model.bodies[i].placement.rotation, axis)
        i = model.bodies[i].parent
    return axis
