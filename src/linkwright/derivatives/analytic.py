"""Jacobians of inverse and forward dynamics of trees, by analytic recursions (algorithms/tree/rnea_derivatives.py).

Of forward dynamics, with tau = rnea(q, v, a):

    da/dx = -M^-1 drnea/dx,    da/dtau = M^-1

M comes with the recursions, and its factors give a too. Columns are solved for by limbs and trunk (algorithms/tree/
trunk.py), as many stages as pay in loops over neighbours (column_loops.py): code does not grow with their number, and a
sample alone has several of them in its lanes. Columns of inverse dynamics that are M times an acceleration need no
solution.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ..algorithms.parts.passive_torques import passive_torques
from ..algorithms.tree.crba import crba
from ..algorithms.tree.ltl import ltl_factor, ltl_solve, velocity_parents
from ..algorithms.tree.rnea import bias_torques
from ..algorithms.tree.rnea_derivatives import InverseDynamicsDerivatives, rnea_derivatives, serves
from ..algorithms.tree.trunk import TrunkAndLimbs, trunk_velocities
from ..model import Tree, tree_of
from ..programs.recipe import external_forces
from ..scalar import Scalar, is_zero
from ..trace import Measured, Program, Varied, inlined, jacobians, simplify, trace
from .column_loops import ColumnStage, has_loops, through_stages

if TYPE_CHECKING:
    from .question import Question

WRT = {"rnea": ("q", "v", "a"), "aba": ("q", "v", "tau")}
# Velocities from which on columns may be solved in loops, one a pass: then a sample alone has as many in its lanes.
LOOPED = 6


def answers(question: Question) -> bool:
    """Whether these recursions are what was asked for."""
    name = question.request.recipe.name
    asked = question.kind == "jacobian" and name in WRT and set(question.wrt) <= set(WRT[name])
    return asked and serves(tree_of(question.request.model))


def passive_slopes(question: Question) -> Program:
    """Derivatives of springs, dampers and all that acts on the joints of itself."""
    request, shapes = question.request, {**question.request.input_shapes, **question.shift_shapes}

    def evaluate(**values):
        moved = question.moved(values)
        return {"torque": passive_torques(request.tree(moved), moved["q"], moved["v"])}

    wrt = [Varied(name, question.shifted.get(name)) for name in question.wrt]
    return jacobians(simplify(trace(evaluate, shapes, name="passive")), [Measured("torque")], wrt)


def slopes_of_torques(
    found: InverseDynamicsDerivatives, passive: Mapping[str, np.ndarray]
) -> tuple[dict[str, np.ndarray], dict[str, dict[int, list[Scalar]]]]:
    """dtau/dq, dv, da less what acts on the joints of itself, and the columns that are M times known accelerations."""
    n = len(found.M)
    rows = {"q": found.dq, "v": found.dv, "a": found.M}
    slopes = {name: np.array(x, dtype=object).reshape(n, n) for name, x in rows.items()}
    known = {}
    for name in slopes:
        acting = passive.get(f"dtorque_d{name}", np.zeros((n, n)))
        slopes[name] = slopes[name] - acting
        known[name] = {j: x for j, x in found.accelerations.get(name, {}).items() if all(map(is_zero, acting[:, j]))}
    return slopes, known


class AnalyticProgram:
    def __init__(self, question: Question):
        self.question, self.request = question, question.request
        self.model = self.request.model

    def program(self) -> Program:
        passive = passive_slopes(self.question)
        find = {"rnea": self._inverse, "aba": self._forward}[self.request.recipe.name]

        def evaluate(**values):
            slopes = inlined(passive, values)
            found, blocks = find(self.request.tree(values), values, slopes)
            of = self.question.of[0]
            derivatives = {f"d{of}_d{name}": blocks[name] for name in self.question.wrt}
            return {**{name: found for name in self.question.values}, **derivatives}

        return simplify(trace(evaluate, self.request.input_shapes, name=self.request.recipe.name))

    def _slopes(self, tree: Tree, x: Mapping[str, Any], a, passive: Mapping[str, np.ndarray]):
        return slopes_of_torques(rnea_derivatives(tree, x["q"], x["v"], a, f_ext=external_forces(tree, x)), passive)

    def _inverse(self, tree: Tree, x: Mapping[str, Any], passive):
        tau = self.request.evaluate(x)["tau"] if self.question.values else None
        return tau, self._slopes(tree, x, x["a"], passive)[0]

    def _forward(self, tree: Tree, x: Mapping[str, Any], passive):
        parents = velocity_parents(tree)
        L = ltl_factor(crba(tree, x["q"]), parents)
        bias = bias_torques(tree, x["q"], x["v"], f_ext=external_forces(tree, x))
        a = ltl_solve(L, parents, [t - c for t, c in zip(x["tau"], bias, strict=True)])
        slopes, known = self._slopes(tree, x, a, passive)
        solution = _Solution(L, parents, len(self.question.wrt) * tree.nv)

        def block(name: str) -> np.ndarray:
            return solution.of_units() if name == "tau" else solution.of(-slopes[name], known[name])

        return a, {name: block(name) for name in self.question.wrt}


class _Solution:
    """M^-1 times matrices of columns, so many of them together."""

    def __init__(self, L: Sequence[Sequence[Scalar]], parents: Sequence[int], columns: int):
        self.n = len(parents)
        self.parts = parts = TrunkAndLimbs(L, parents, trunk_velocities(parents, columns))
        self.alone = ColumnStage(parts.limbs_alone, parts.work_of_limbs_alone)
        self.inward = ColumnStage(parts.trunk_inward, parts.work_of_trunk_inward)
        self.following = ColumnStage(parts.following, parts.work_of_following)

    def of(self, sides: np.ndarray, known: Mapping[int, Sequence[Scalar]]) -> np.ndarray:
        """Columns that are -M times `known` ones, and those of zeros, are there already."""
        open_ = {j: list(b) for j, b in enumerate(sides.T) if j not in known and not all(map(is_zero, b))}
        stages = [self.alone, self.inward, self.following]
        return self._matrix(open_, stages, {j: [-x for x in column] for j, column in known.items()})

    def of_units(self) -> np.ndarray:
        """M^-1, which is symmetric: what the trunk does to limbs, they do to the trunk."""
        parts, n = self.parts, self.n
        hanging = [ColumnStage(parts.limbs_following, parts.work_of_limbs_following)]
        found = through_stages(self._trunk_alone(), hanging, looped=n >= LOOPED)
        alone: list[list[Scalar]] = []
        for j in range(n):
            alone.append(parts.limbs_of_unit(j, alone))
        columns = {j: [found[k][j] if k in parts.trunk else x for k, x in enumerate(alone[j])] for j in parts.limbs}
        return self._matrix(columns, hanging, found)

    def _trunk_alone(self) -> dict[int, list[Scalar]]:
        """x_T of the trunk's unit vectors: with half of the work, unless they would rather go in loops."""
        parts, trunk = self.parts, sorted(self.parts.trunk)
        stages = [self.inward, ColumnStage(parts.trunk_outward, parts.work_of_trunk_outward)]
        if self.n >= LOOPED and has_loops({j: frozenset({j}) for j in trunk}, stages):
            units = {j: [float(k == j) for k in range(self.n)] for j in trunk}
            return through_stages(units, stages, looped=True)
        found: dict[int, list[Scalar]] = {}
        for j in trunk:
            found[j] = parts.trunk_of_unit(j, [*found.values()])
        return found

    def _matrix(self, columns: Mapping[int, list[Scalar]], stages: Sequence[ColumnStage], known) -> np.ndarray:
        found = np.zeros((self.n, self.n), dtype=object)
        for j, column in {**known, **through_stages(columns, stages, looped=self.n >= LOOPED)}.items():
            found[:, j] = column
        return found
