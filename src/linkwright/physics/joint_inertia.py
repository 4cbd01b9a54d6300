"""What each joint moves: the scale from which simulation derives the stiffness of limits."""

from __future__ import annotations

import numpy as np

from ..algorithms.tree.crba import crba
from ..fixed_order import pseudo_inverse
from ..model import Model, tree_of

_POSES = 4
_NO_INERTIA = 1e-14  # relative; less is rounding


def joint_inertias(model: Model) -> tuple[np.ndarray, np.ndarray]:
    """(free, rigid) per velocity over a few random poses: the least inertia it meets when all other joints are free,
    1 / (M^-1)_kk, and the mean of what it meets when all others are rigid, M_kk."""
    if not model.nv:
        return np.zeros(0), np.zeros(0)
    tree, rng = tree_of(model), np.random.default_rng(0)
    matrices = [np.array(crba(tree, model.random_configuration(rng).tolist()), dtype=float) for _ in range(_POSES)]
    free = np.min([1.0 / np.diag(pseudo_inverse(M, _NO_INERTIA)) for M in matrices], axis=0)
    return free, np.mean([np.diag(M) for M in matrices], axis=0)
