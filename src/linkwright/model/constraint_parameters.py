"""Which numbers of constraints may be inputs of a call: where their frames are, and the K of `constrain`.

| name                  | shape  | meaning                                                                         |
| constraint_placements | (k, 7) | frames of constraints on their bodies, [position, unit quaternion x y z w]      |
| constraint_rows       | (k, 6) | K, [linear; angular], of constraints that do not say where things belong        |
| gear_ratios           | (k,)   | of linear couplings: turns of the first joint per turn of each other joint      |
| rod_lengths           | (k,)   | of rods, in metres                                                              |

In the order of the constraints. Welds, points, closing joints, `constrain` and rods have two frames each: the first,
and where that should be on the second body (the world counts as one; of welds and points on it, its pose matters to
stabilization only). Sums have one per frame they name, couplings and centres of mass none. `constraint_frames` lists
them by name.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from ..scalar import Scalar
from ..spatial import Force, Rotate, Shift, Transform, Vector
from ..spatial.quaternion import rotation_matrix
from .constraints import Constraint
from .model import Model
from .pose import Pose

PLACEMENTS, ROWS, RATIOS, LENGTHS = "constraint_placements", "constraint_rows", "gear_ratios", "rod_lengths"
CONSTRAINT_PARAMETERS = (PLACEMENTS, ROWS, RATIOS, LENGTHS)
# Those that plans of clusters are made from.
PLANNED_WITH = (PLACEMENTS, ROWS, LENGTHS)


def constraint_frames(model: Model) -> list[tuple[str, str]]:
    """(constraint, frame) of every row of the parameter `constraint_placements`."""
    return [(c.name, frame) for c in model.constraints for frame, _ in c.placed_frames]


def placements_of(model: Model) -> np.ndarray:
    """The model's own constraint_placements."""
    poses = [_on_body(model, frame, offset) for c in model.constraints for frame, offset in c.placed_frames]
    return np.array([[*pose.translation, *pose.quaternion] for pose in poses]).reshape(-1, 7)


def rows_of(model: Model) -> np.ndarray:
    """The model's own constraint_rows."""
    return np.concatenate([np.zeros((0, 6)), *(K for c in model.constraints for K in c.changeable_rows)])


def geared_joints(model: Model) -> list[tuple[str, str]]:
    """(coupling, joint) of every entry of the parameter `gear_ratios`."""
    return [(c.name, joint) for c in model.constraints for joint, _ in c.gear_ratios]


def ratios_of(model: Model) -> np.ndarray:
    """The model's own gear_ratios."""
    return np.array([ratio for c in model.constraints for _, ratio in c.gear_ratios], dtype=float)


def lengths_of(model: Model) -> np.ndarray:
    """The model's own rod_lengths."""
    return np.array([length for c in model.constraints for length in c.changeable_lengths], dtype=float)


def _on_body(model: Model, frame: str, offset: Pose | None) -> Pose:
    placement = model.frame(frame).placement
    return placement if offset is None else placement @ offset


class ConstraintParameters:
    """The given values, by constraint; nothing where none are given."""

    def __init__(self, model: Model, given: Mapping[str, Sequence]):
        self._poses: dict[str, list[Sequence[Scalar]]] = {}
        self._rows: dict[str, list[Sequence[Sequence[Scalar]]]] = {}
        self._ratios: dict[str, list[Scalar]] = {}
        self._lengths: dict[str, list[Scalar]] = {}
        poses, rows, lengths = (iter(given.get(name, ())) for name in (PLACEMENTS, ROWS, LENGTHS))
        for c in model.constraints:
            if PLACEMENTS in given:
                self._poses[c.name] = [next(poses) for _ in c.placed_frames]
            if ROWS in given and c.changeable_rows:
                self._rows[c.name] = [[next(rows) for _ in K] for K in c.changeable_rows]
            if LENGTHS in given and c.changeable_lengths:
                self._lengths[c.name] = [next(lengths) for _ in c.changeable_lengths]
        ratios = iter(given.get(RATIOS, ()))
        for c in model.constraints if RATIOS in given else ():
            if c.gear_ratios:
                self._ratios[c.name] = [next(ratios) for _ in c.gear_ratios]

    def ratios(self, constraint: Constraint) -> list[Scalar] | None:
        """Of a gear."""
        return self._ratios.get(constraint.name)

    def lengths(self, constraint: Constraint) -> list[Scalar] | None:
        """Of a rod."""
        return self._lengths.get(constraint.name)

    def placement(self, constraint: Constraint, k: int) -> Transform | None:
        """From the body's own frame to the k-th frame of the constraint."""
        if constraint.name not in self._poses:
            return None
        x, y, z, *quaternion = self._poses[constraint.name][k]
        return Transform(Shift(Vector(x, y, z)), Rotate(rotation_matrix(quaternion)))

    def rows(self, constraint: Constraint, k: int) -> list[Force] | None:
        """The k-th K of the constraint."""
        if constraint.name not in self._rows:
            return None
        return [Force.from_public(row) for row in self._rows[constraint.name][k]]
