"""Jacobians of inverse and forward dynamics of trees, by analytic recursions (algorithms/tree/rnea_derivatives.py).

Of forward dynamics, with tau = rnea(q, v, a):

    da/dx = -M^-1 drnea/dx,    da/dtau = M^-1

M comes with the recursions, and its factors give a too. Half of each solution meets the zeros of its column and is a
straight line. The other half, from the ground to the tips, has no zeros left and is the same for all columns: a loop
over them, so that code does not grow with their number, and a sample alone has several of them in its lanes
(codegen/together.py).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ..algorithms.parts.passive_torques import passive_torques
from ..algorithms.tree.crba import crba
from ..algorithms.tree.ltl import ltl_factor, ltl_solve, solve_L, solve_LT, velocity_parents
from ..algorithms.tree.rnea import bias_torques
from ..algorithms.tree.rnea_derivatives import rnea_derivatives, serves
from ..model import Tree, tree_of
from ..programs.recipe import external_forces
from ..scalar import repeat
from ..trace import Measured, Program, Varied, inlined, jacobians, simplify, trace

if TYPE_CHECKING:
    from .question import Question

WRT = {"rnea": ("q", "v", "a"), "aba": ("q", "v", "tau")}
# Velocities from which on columns are solved in a loop, one a pass: then a sample alone has as many in its lanes.
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

    def _slopes(self, tree: Tree, x: Mapping[str, Any], a, passive: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
        found = rnea_derivatives(tree, x["q"], x["v"], a, f_ext=external_forces(tree, x))
        dq, dv, M = (np.array(rows, dtype=object).reshape(tree.nv, tree.nv) for rows in (found.dq, found.dv, found.M))
        slopes = {"q": dq, "v": dv, "a": M}
        return {name: slope - passive.get(f"dtorque_d{name}", 0.0) for name, slope in slopes.items()}

    def _inverse(self, tree: Tree, x: Mapping[str, Any], passive):
        tau = self.request.evaluate(x)["tau"] if self.question.values else None
        return tau, self._slopes(tree, x, x["a"], passive)

    def _forward(self, tree: Tree, x: Mapping[str, Any], passive):
        parents = velocity_parents(tree)
        L = ltl_factor(crba(tree, x["q"]), parents)
        bias = bias_torques(tree, x["q"], x["v"], f_ext=external_forces(tree, x))
        a = ltl_solve(L, parents, [t - c for t, c in zip(x["tau"], bias, strict=True)])
        slopes = self._slopes(tree, x, a, passive)
        sides = {"q": -slopes["q"], "v": -slopes["v"], "tau": np.eye(tree.nv).astype(object)}
        return a, {name: _solved(L, parents, sides[name]) for name in self.question.wrt}


def _solved(L, parents: Sequence[int], sides: np.ndarray) -> np.ndarray:
    """M^-1 times columns."""
    columns = [solve_LT(L, parents, list(column)) for column in sides.T]
    if len(parents) < LOOPED:
        return np.array([solve_L(L, parents, column) for column in columns], dtype=object).T
    _, solved = repeat(
        lambda _, column: ([], solve_L(L, parents, list(column))), count=len(columns), tables=[columns]
    )  # fmt: skip
    return np.array(solved, dtype=object).T
