"""Random constraints of every form, on any mechanism: what tests and `linkwright bench trust` check solvers on."""

from __future__ import annotations

import numpy as np

from ..compilation import reference
from ..model import Model, Pose
from ..model.constraints import (
    DIRECTIONS,
    Constraint,
    center_of_mass,
    close_with,
    connect,
    constrain,
    couple,
    rod,
    transmission,
    weld,
)

CLOSING = ("fixed", "revolute", "prismatic", "cylindrical", "universal", "spherical", "planar", "translational")
FORMS = (*CLOSING, "directions", "rod", "coupling", "transmission", "center_of_mass", "sum")
_SHARE_TO_GROUND = 0.25
_OPEN_LENGTH, _OPEN_OFFSET = 0.5, 0.3  # of rods and transmissions that are not met where they are put


def random_closure(
    rng: np.random.Generator, model: Model, q: np.ndarray, name: str, *, closed: bool, form: str
) -> Constraint | None:
    """One constraint, mostly between two bodies, met at q if `closed`; None where the draw makes no sense."""
    names = [*model.frames, *(body.name for body in model.bodies[1:])]
    first, second = (str(x) for x in rng.choice(names, 2, replace=False))
    other = "world" if rng.random() < _SHARE_TO_GROUND else second
    if form in ("coupling", "transmission"):
        return _of_joints(rng, model, q, name, closed, form)
    if form == "center_of_mass":
        return center_of_mass(directions=["x y z", "z", "x y"][int(rng.integers(3))], name=name)
    if model.frame(first).body in (0, model.frame(other).body):
        return None
    if form == "sum":
        if other == "world" or model.frame(other).body == 0:
            return None
        return constrain({first: rng.normal(size=(2, 6)), other: rng.normal(size=(2, 6))}, name=name)
    pose = reference(model, "forward_kinematics", frames=[first, other])(q)
    (R1, R2), (p1, p2) = pose.rotations, pose.positions
    if form == "rod":
        return rod(first, other, length=float(np.linalg.norm(p1 - p2)) if closed else _OPEN_LENGTH, name=name)
    at = Pose(R2.T @ R1, R2.T @ (p1 - p2)) if closed else None
    if form == "directions":
        kinds = rng.choice(DIRECTIONS, int(rng.integers(1, 4)), replace=False)
        return weld(first, other, name=name, directions=[str(x) for x in kinds], at=at)
    axis = "xyz"[int(rng.integers(3))] if form != "universal" and rng.random() < 0.5 else None
    return close_with(form, first, other, axis=axis, name=name, at=at)


def _of_joints(rng, model: Model, q, name: str, closed: bool, form: str) -> Constraint | None:
    joints = [joint.name for joint in model.joints if joint.nv == 1]
    if len(joints) < 3:
        return None
    chosen = [str(x) for x in rng.choice(joints, 3, replace=False)]
    at = {j: float(q[model.iq[model.joint_index(j)]][0]) for j in chosen}
    if form == "transmission":
        ratios = {j: float(rng.normal()) for j in chosen}
        return transmission(ratios, sum(r * at[j] for j, r in ratios.items()) if closed else _OPEN_OFFSET, name=name)
    polynomial = [0.0, *rng.normal(size=3)]
    if closed:
        polynomial[0] = at[chosen[0]] - float(np.polynomial.Polynomial(polynomial)(at[chosen[1]]))
    return couple(chosen[0], chosen[1], polynomial, name=name)


def random_ground_constraint(rng: np.random.Generator, model: Model, name: str) -> Constraint:
    """A weld, a point, some directions or any matrix of rows, of one frame relative to the world."""
    frames = [f.name for f in model.frames.values() if f.body > 0]
    frame = str(rng.choice([*frames, *(body.name for body in model.bodies[1:])]))
    kind = rng.integers(4)
    if kind == 0:
        return weld(frame, name=name)
    if kind == 1:
        return connect(frame, name=name)
    if kind == 2:
        some = rng.permutation(6)[: rng.integers(1, 6)]
        return weld(frame, name=name, directions=[DIRECTIONS[k] for k in some])
    return constrain(frame, rng.normal(size=(int(rng.integers(1, 6)), 6)), name=name)
