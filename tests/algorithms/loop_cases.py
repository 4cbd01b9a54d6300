"""Seeded random graphs with constraints of every form, as the sweeps over solvers use them."""

import functools
from dataclasses import dataclass, replace

import numpy as np

import linkwright as lw
from linkwright.referee import DenseDynamics
from linkwright.robots.random import random_tree
from linkwright.robots.random_constraints import FORMS, random_closure

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
        candidate = random_closure(rng, model, q, f"c{k}", closed=closed, form=FORMS[int(rng.integers(len(FORMS)))])
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
