"""How many operations each stage of a Delassus algorithm takes: differences between programs that end earlier."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..algorithms.delassus.propagators import Posture, articulated_joints, terms_of_rows
from ..algorithms.rows import constraints_at
from ..algorithms.rows.constraint_jacobian import terms_jacobian
from ..algorithms.rows.constraint_rows import constraint_terms
from ..algorithms.rows.passing_rows import propagate_terms
from ..algorithms.tree.crba import crba
from ..algorithms.tree.ltl import ltl_factor, velocity_parents
from ..model import Model, Tree, tree_of
from ..spatial import LDL
from ..trace import count_operations, simplify, trace
from .run import Run

INERTIA, ROWS, MATRIX, FACTOR = "inertias", "constraint rows", "inverse OSIM", "Cholesky"


def count_function(function: Callable[..., Any], inputs: dict[str, tuple[int, ...]]) -> int:
    return count_operations(simplify(trace(function, inputs))).total


def factor_operations(rows: int) -> int:
    """Of a dense L D L' of that size."""
    if not rows:
        return 0
    return count_function(lambda A: _entries(LDL(A)), {"A": (rows, rows)})


def propagation_stages(run: Run, model: Model, algorithm: str) -> dict[str, int]:
    """PV-OSIM and EFPA: articulated inertias, rows carried inward, the matrix of them, its factor."""
    inertia = _ending_after(model, lambda tree, q: _inertias(tree, q))
    rows = _ending_after(model, lambda tree, q: _inertias(tree, q) + _rows(tree, q))
    return _shares(inertia, rows, run.operations(model, algorithm), model.nc)


def joint_space_stages(run: Run, model: Model) -> dict[str, int]:
    """LTL-OSIM: the factored inertia matrix, the Jacobian, the matrix of both, its factor."""
    inertia = _ending_after(model, lambda tree, q: _factor(tree, q))
    rows = _ending_after(model, lambda tree, q: _factor(tree, q) + _jacobian(tree, q))
    return _shares(inertia, rows, run.operations(model, "ltl_osim"), model.nc)


def _shares(inertia: int, rows: int, total: int, m: int) -> dict[str, int]:
    return {INERTIA: inertia, ROWS: rows - inertia, MATRIX: total - rows, FACTOR: factor_operations(m)}


def _ending_after(model: Model, stage: Callable[[Tree, Any], list]) -> int:
    tree = tree_of(model)
    return count_function(lambda q: stage(tree, list(q)), {"q": (model.nq,)})


def _inertias(tree: Tree, q) -> list:
    """The factors of D where branches end: all inertias go into them, and nothing else of these joints is read."""
    joints, _ = articulated_joints(tree, Posture(tree, q))
    ends = [joints[i] for i in tree.outward() if not tree.parent[i]]
    return [x for joint in ends for x in _entries(joint.D)]


def _rows(tree: Tree, q) -> list:
    posture = Posture(tree, q)
    joints, _ = articulated_joints(tree, posture)
    passing = propagate_terms(tree, posture, joints, terms_of_rows(tree, posture))
    return [x for through in passing.values() for ks in through.KS for x in ks]


def _factor(tree: Tree, q) -> list:
    return [x for row in ltl_factor(crba(tree, q), velocity_parents(tree)) for x in row]


def _jacobian(tree: Tree, q) -> list:
    posture = Posture(tree, q)
    every = constraint_terms(constraints_at(tree, q, posture.X))
    return [x for terms in every for row in terms_jacobian(tree, posture, terms) for x in row]


def _entries(factor: LDL) -> list:
    n = len(factor.pivots)
    return [*factor.inverse_pivots, *(factor.L[r][c] for r in range(n) for c in range(r))]
