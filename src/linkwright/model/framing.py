"""Choosing the frames in which the algorithms compute.

A revolute joint does not care how its frame is turned about its axis or where along the axis it sits. That freedom is
Denavit and Hartenberg's: used well, placements between joints lose most of their entries, and with them go
multiplications. Joints about skew axes get a frame whose z is the axis. What users see stays in the file's frames.
"""

from __future__ import annotations

import math

import numpy as np

from ..fixed_order import product
from .model import Model
from .pose import Pose
from .rotation_steps import count_nonzeros, turns_needed

# Operations that one turn about a coordinate axis, and one non-zero entry of a translation, cost an articulated-body
# sweep: an inertia (53 or 41, and about 28) and four vectors each way. Only their ratio matters.
_COST_OF_TURN = 70
_COST_OF_SHIFT = 38
_SWEEPS = 3
_NO_CHANGE = 1e-9  # radians from a quarter turn, which only renames axes, or metres
# A frame slides at most twenty times as far as the entry that this removes: far from a body digits are lost.
_LEAST_SLOPE = 0.05

Frame = tuple[np.ndarray, np.ndarray]  # rotation and origin; plain arrays, since thousands are tried


def choose_frames(model: Model, *, refine: bool = True) -> tuple[list[Pose], list[int]]:
    """(frame of computation in each body's own frame, coordinate axis of each body's joint in it).

    `refine=False` only aligns joints with coordinate axes (for placements that are not known yet).
    """
    frames: list[Frame] = [(np.eye(3), np.zeros(3))]
    axes = [2]
    for body in model.bodies[1:]:
        k, rotation = _aligned(body.joint)
        frames.append((rotation, np.zeros(3)))
        axes.append(k)
    free = [i for i in range(1, model.nbodies) if model.bodies[i].joint.moves.slides_freely]
    changed = refine
    for _ in range(_SWEEPS):
        if not changed:
            break
        changed = any([_improve(model, frames, axes[i], i) for i in free])  # a list: every body gets its turn
    return [Pose(R, t) for R, t in frames], axes


def _aligned(joint) -> tuple[int, np.ndarray]:
    if joint.moves.has_axis:
        k = int(np.argmax(np.abs(joint.axis)))
        if joint.axis[k] == 1.0:
            return k, np.eye(3)
        if joint.axis[k] == -1.0:  # half a turn about another axis points it the right way at no cost
            flip = -np.eye(3)
            flip[(k + 1) % 3, (k + 1) % 3] = 1.0
            return k, flip
    return 2, joint.alignment()


def _improve(model: Model, frames: list[Frame], k: int, i: int) -> bool:
    """Turn and slide frame i to the cheapest place found; whether it moved."""
    moved = False
    for candidates in (_turned, _slid):
        lowest = _cost_around(model, frames, i)
        for candidate in candidates(model, frames, k, i):
            kept, frames[i] = frames[i], candidate
            cost = _cost_around(model, frames, i)
            if cost < lowest:
                lowest, moved = cost, True
            else:
                frames[i] = kept
    return moved


def _cost_around(model: Model, frames: list[Frame], i: int) -> int:
    """Cost of the placements that frame i touches: its own and its children's."""
    total = 0
    for c in (i, *model.graph.children[i]):
        R, t = _placement(model, frames, c)
        shifts = min(count_nonzeros(t), count_nonzeros(product(R.T, t)))
        total += _COST_OF_TURN * turns_needed(R) + _COST_OF_SHIFT * shifts
    return total


def _placement(model: Model, frames: list[Frame], i: int) -> Frame:
    """Placement of body i's joint between the chosen frames of its parent and itself."""
    body = model.bodies[i]
    (Rp, tp), (R, t) = frames[body.parent], frames[i]
    outer = body.placement
    rotation = product(product(Rp.T, outer.rotation), R)
    return rotation, product(Rp.T, product(outer.rotation, t) + outer.translation - tp)


def _turned(model: Model, frames: list[Frame], k: int, i: int) -> list[Frame]:
    """The frame turned about its axis so that something lines up: a child's axes, its origin, or the parent's axes."""
    a, b = (k + 1) % 3, (k + 2) % 3
    directions = list(_placement(model, frames, i)[0])
    for c in model.graph.children[i]:
        R, t = _placement(model, frames, c)
        directions += [t, *R.T]
    found: list[Frame] = []
    angles: list[float] = []
    R, t = frames[i]
    for u in directions:
        if math.hypot(u[a], u[b]) < 1e-6:
            continue
        angle = math.atan2(u[b], u[a]) % (math.pi / 2)
        if min(angle, math.pi / 2 - angle) < _NO_CHANGE or any(abs(angle - x) < _NO_CHANGE for x in angles):
            continue
        angles.append(angle)
        turn = np.eye(3)
        turn[a, a] = turn[b, b] = math.cos(angle)
        turn[b, a] = math.sin(angle)
        turn[a, b] = -turn[b, a]
        found.append((product(R, turn), t))
    return found


def _slid(model: Model, frames: list[Frame], k: int, i: int) -> list[Frame]:
    """The frame slid along its axis so that an entry of its own or a child's translation vanishes."""
    R, t = _placement(model, frames, i)
    distances = [-x / r for x, r in zip(t, R[:, k], strict=True) if abs(r) > _LEAST_SLOPE]
    distances += [_placement(model, frames, c)[1][k] for c in model.graph.children[i]]
    R, t = frames[i]
    return [(R, t + distance * R[:, k]) for distance in dict.fromkeys(distances) if abs(distance) > _NO_CHANGE]
