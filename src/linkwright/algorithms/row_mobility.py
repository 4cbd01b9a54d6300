"""How far constraint rows usually move under unit multipliers: the diagonal of the Delassus matrix at random poses."""

from __future__ import annotations

from weakref import WeakKeyDictionary

import numpy as np

from ..model import Model, Tree
from ..scalar import Scalar
from .aba import articulate
from .constrained_problem import ConstrainedProblem
from .pv import Passing, dual_system, propagate_rows
from .reflection import TINIEST

POSES = 5

_measured: WeakKeyDictionary[Model, list[float]] = WeakKeyDictionary()


def usual_mobility(model: Model) -> list[float]:
    """Per row, at the median pose. Remembered per model."""
    if model not in _measured:
        with np.errstate(all="ignore"):
            whole = numbers(dual_system(*rows_at_random_poses(model))[0])
        _measured[model] = np.maximum(np.median(np.diagonal(whole, axis1=1, axis2=2), axis=0), TINIEST).tolist()
    return _measured[model]


def rows_at_random_poses(model: Model) -> tuple[ConstrainedProblem, list, dict[int, Passing]]:
    """(problem, y, what passes each joint): a scalar is an array of one number per pose."""
    tree = Tree(model, choose_cheap_frames=False)  # the same in all frames
    zeros = [0.0] * model.nv
    q = list(model.random_configuration(np.random.default_rng(0), POSES).T)
    problem = ConstrainedProblem(tree, q, zeros, zeros)
    IA = [inertia.articulated() for inertia in tree.lumped]
    joint, y = articulate(tree, problem.sweep, IA, list(problem.wrenches), problem.tau)
    return problem, y, propagate_rows(tree, problem.sweep, joint, [(body, row) for body, row, _ in problem.rows])


def numbers(L: list[list[Scalar]]) -> np.ndarray:
    """(poses, rows, rows)."""
    n = len(L)
    entries = [np.broadcast_to(np.asarray(x, dtype=float), POSES) for row in L for x in row]
    return np.stack(entries, axis=-1).reshape(POSES, n, n) if n else np.zeros((POSES, 0, 0))
