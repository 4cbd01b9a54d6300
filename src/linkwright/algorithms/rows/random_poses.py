"""Constraint rows of a tree at random poses, for decisions that are made once per model."""

from __future__ import annotations

import numpy as np

from ...model import Model, Tree
from ...scalar import Scalar
from ..tree.aba import articulate
from .constrained_problem import ConstrainedProblem
from .passing_rows import Passing, propagate_rows

POSES = 5

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
