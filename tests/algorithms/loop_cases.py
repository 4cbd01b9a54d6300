"""Seeded random graphs with constraints of every form, as the sweeps over solvers use them."""

import functools
from dataclasses import dataclass, replace

import numpy as np

import linkwright as lw
from linkwright.referee import DenseDynamics
from linkwright.robots.random import random_tree

CLOSING = ["fixed", "revolute", "prismatic", "cylindrical", "universal", "spherical", "planar", "translational"]
FORMS = [*CLOSING, "directions", "rod", "coupling", "transmission", "center_of_mass", "sum"]
SMALLEST_EIGENVALUE = 1e-4  # of the Delassus matrix scaled to a unit diagonal, in what counts as independent


@dataclass(frozen=True)
class Case:
    model: lw.Model
    q: np.ndarray
    v: np.ndarray
    tau: np.ndarray
    desired: np.ndarray
    closed: bool


@functools.cache
def random_graph(seed: int) -> Case:
    """A tree of 4 to 12 bodies with two to four constraints, independent at q.

    Every other state is closed: constraints are met where they are put, and v is consistent with them.
    """
    rng = np.random.default_rng([11, seed])
    model = random_tree(
        seed, 4 + seed % 9, branching=0.8, frames=5, floating_base=seed % 2 == 0, armature=seed % 3 == 1,
        springs=seed % 4 == 2, damping=seed % 4 == 3,
    )  # fmt: skip
    q, v = model.random_configuration(rng), rng.normal(size=model.nv)
    closed = (seed // 2) % 2 == 0
    wanted, kept = 2 + seed % 3, []
    for k in range(60):
        candidate = random_constraint(rng, model, q, f"c{k}", closed, FORMS[int(rng.integers(len(FORMS)))])
        if candidate is not None and independent(model.with_constraints(*kept, candidate), q, v):
            kept.append(candidate)
        if len(kept) == wanted:
            break
    held = model.with_constraints(*kept)
    desired = np.zeros(held.nc) if closed else rng.normal(size=held.nc)
    if closed:
        J = jacobian(held, q, v)
        v = v - np.linalg.pinv(J) @ (J @ v)
    return Case(held, q, v, rng.normal(size=model.nv), desired, closed)


def random_constraint(rng, model, q, name, closed, form):
    """One constraint, met at q if `closed`; None where the draw makes no sense."""
    names = [f"frame_{k}" for k in range(1, 6)] + [body.name for body in model.bodies[1:]]
    first, second = (str(x) for x in rng.choice(names, 2, replace=False))
    other = "world" if rng.random() < 0.25 else second
    if form in ("coupling", "transmission"):
        joints = [joint.name for joint in model.joints if joint.nv == 1]
        if len(joints) < 3:
            return None
        chosen = [str(x) for x in rng.choice(joints, 3, replace=False)]
        at = {j: float(q[model.iq[model.joint_index(j)]][0]) for j in chosen}
        if form == "transmission":
            ratios = {j: float(rng.normal()) for j in chosen}
            return lw.transmission(ratios, sum(r * at[j] for j, r in ratios.items()) if closed else 0.3, name=name)
        polynomial = [0.0, *rng.normal(size=3)]
        if closed:
            polynomial[0] = at[chosen[0]] - float(np.polynomial.Polynomial(polynomial)(at[chosen[1]]))
        return lw.couple(chosen[0], chosen[1], polynomial, name=name)
    if form == "center_of_mass":
        return lw.center_of_mass(directions=["x y z", "z", "x y"][int(rng.integers(3))], name=name)
    if model.frame(first).body in (0, model.frame(other).body):
        return None
    if form == "sum":
        if other == "world" or model.frame(other).body == 0:
            return None
        return lw.constrain({first: rng.normal(size=(2, 6)), other: rng.normal(size=(2, 6))}, name=name)
    pose = lw.reference(model, "forward_kinematics", frames=[first, other])(q)
    (R1, R2), (p1, p2) = pose.rotations, pose.positions
    if form == "rod":
        return lw.rod(first, other, length=float(np.linalg.norm(p1 - p2)) if closed else 0.5, name=name)
    at = lw.Pose(R2.T @ R1, R2.T @ (p1 - p2)) if closed else None
    if form == "directions":
        kinds = rng.choice(["x", "y", "z", "rx", "ry", "rz"], int(rng.integers(1, 4)), replace=False)
        return lw.weld(first, other, name=name, directions=list(kinds), at=at)
    axis = "xyz"[int(rng.integers(3))] if form != "universal" and rng.random() < 0.5 else None
    return lw.close_with(form, first, other, axis=axis, name=name, at=at)


def jacobian(model, q, v):
    return DenseDynamics(model, q, v).constraint_rows()[0].astype(float)


def independent(model, q, v):
    dynamics = DenseDynamics(model, q, v)
    J = dynamics.constraint_rows()[0].astype(float)
    delassus = J @ np.linalg.solve(dynamics.M.astype(float), J.T)
    if np.any(np.abs(J).max(axis=1) < 1e-6):  # a direction in which the two bodies cannot move anyway
        return False
    scale = 1 / np.sqrt(np.diag(delassus))
    return np.linalg.eigvalsh(delassus * np.outer(scale, scale))[0] > SMALLEST_EIGENVALUE


def repeated(model):
    """The same constraints, each given twice: nothing changes but multipliers."""
    return model.with_constraints(*(replace(c, name=f"{c.name}_again") for c in model.constraints))


def exactly_relative(model) -> bool:
    """Whether rigid motions of each loop's root leave its rows alone, as BBO wants it."""
    closures = zip(model.constraints, model.constraint_bodies, strict=True)
    return not any(getattr(c, "point", False) and len(bodies) > 1 for c, bodies in closures)
