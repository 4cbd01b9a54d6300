"""Numbers of a robot drawn anew for every episode, such that they stay those of a robot.

Numbers that belong together have one factor: the gain and the bias of an actuator (apart, a servo would push at its own
target), all ten of a body's inertia (apart, no body has such a tensor), all velocities of a joint, all directions of a
pair of shapes. Where something is placed, its distance has a factor, and its axes are turned: a quaternion whose
entries are scaled is no rotation. What a factor cannot change, or would break, is refused by name.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..errors import InputError
from ..model import Model
from ..model.constraint_parameters import CONSTRAINT_PARAMETERS
from ..model.parameters import default_parameters
from ..spatial import Vector
from ..spatial.quaternion import exponential, normalised, product

_PLACED = ("placements", "shape_placements")
_OF_JOINTS = ("springs", "dampings", "armatures", "frictions")
_EACH = ("tendons",)  # stiffness, damping and friction of a tendon have nothing to do with one another


class Randomization:
    """`ranges`: (low, high) of factors, by names of parameters (`lw.default_parameters`)."""

    def __init__(self, model: Model, ranges: Mapping[str, Any]):
        self.ranges = {name: _factors(name, bounds) for name, bounds in ranges.items()}
        self.usual = default_parameters(model, tuple(self.ranges)) if self.ranges else {}
        for name, usual in self.usual.items():
            _refuse_what_factors_break(model, name, usual)
        self._groups = {name: _groups(model, name, usual) for name, usual in self.usual.items()}

    def drawn(self, rng: np.random.Generator, count: int) -> dict[str, np.ndarray]:
        """For `count` environments: by name (count, *shape of the parameter)."""
        found = {}
        for name, (low, high) in self.ranges.items():
            usual, groups = self.usual[name], self._groups[name]
            factors = rng.uniform(low, high, size=(count, int(groups.max()) + 1))[:, groups]
            if name in _PLACED:
                turns = rng.uniform(low, high, size=(count, len(usual))) - 1.0
                found[name] = _placed(rng, usual, factors, turns, groups[:, 0] > 0)
            else:
                found[name] = usual * factors
        return found


def _placed(
    rng: np.random.Generator, usual: np.ndarray, factors: np.ndarray, turns: np.ndarray, moved: np.ndarray
) -> np.ndarray:  # fmt: skip
    """Positions scaled, axes turned by `turns` (rad) about axes in random directions; what is not moved, as it is."""
    axes = rng.normal(size=(*turns.shape, 3))
    ways = axes * (turns / np.linalg.norm(axes, axis=-1))[..., None]
    turned = product(list(usual[:, 3:].T), exponential(Vector(*np.moveaxis(ways, -1, 0))))
    quaternions = np.stack(normalised(turned), axis=-1)
    return np.where(moved[:, None], np.concatenate([usual[:, :3] * factors[..., :3], quaternions], axis=-1), usual)


def _groups(model: Model, name: str, usual: np.ndarray) -> np.ndarray:
    """Which factor every number has, counted from 0; those of shapes on the ground, the 0th, are not used."""
    rows = np.arange(len(usual))
    if name == "gravity":
        rows = np.zeros(3, dtype=int)
    elif name in _OF_JOINTS:
        rows = np.array([i for i, joint in enumerate(model.joints) for _ in range(joint.nv)], dtype=int)
    elif name == "spring_references":
        rows = np.array([i for i, joint in enumerate(model.joints) for _ in range(joint.nq)], dtype=int)
    elif name == "shape_placements":
        on_ground = np.array([model.frame(shape.on).body == 0 for shape in model.shapes], dtype=bool)
        rows = np.where(on_ground, 0, rows + 1)
    elif name in _EACH:
        return np.arange(usual.size).reshape(usual.shape)
    return np.broadcast_to(rows.reshape(-1, *[1] * (usual.ndim - 1)), usual.shape)


def _refuse_what_factors_break(model: Model, name: str, usual: np.ndarray) -> None:
    if name in CONSTRAINT_PARAMETERS:
        raise InputError(
            f"randomize[{name!r}] would open the loops of {model.name!r}: constraints are made of these numbers, and "
            f"poses to start from are closed for the usual ones. Make a model for each variant, and close it by "
            f"project_configuration"
        )
    placing = [c.name for c in model.constraints if c.has_position]
    if name == "placements" and placing:
        raise InputError(
            f"randomize['placements'] would open the loops of {model.name!r}: {', '.join(placing[:3])} say where "
            f"bodies belong, and poses to start from are closed for the usual placements. Randomize masses or "
            f"inertias, or make a model for each variant, and close it by project_configuration"
        )
    counted = usual[1:] if name in ("masses", "inertias", "placements") else usual  # without the ground
    if not np.count_nonzero(counted):
        raise InputError(
            f"randomize[{name!r}] would change nothing: {model.name!r} has "
            f"{'no such numbers' if not counted.size else 'zeros there, and factors leave them so'}"
        )


def _factors(name: str, bounds: Any) -> tuple[float, float]:
    try:
        low, high = (float(x) for x in bounds)
    except (TypeError, ValueError):
        low, high = np.nan, np.nan
    if not (np.isfinite([low, high]).all() and 0 < low <= high):
        raise InputError(f"randomize[{name!r}] is {bounds!r}; expected a range of positive factors (low, high)")
    return low, high
