"""Jacobians of accelerations under constraints to the ground, by analytic recursions and joint-space factors.

With z = (a, lam) and the equations of implicit.py,

    M da + J' dlam = -T dx,    J da = -R dx.

T is the derivative of inverse dynamics with the constraints' wrenches as forces from outside (rnea_derivatives.py):
their covectors do not move in their bodies. R and J come from the rows, a few reverse sweeps. With L'L = M, an
orthonormal basis Q of the rows of H = J L^-1, H = C Q, and y = -L^-T T dx,

    da = L^-1 (y - Q' (Q y + C^-1 R dx)).

Limbs that no row reaches follow their trunk (trunk.py), and Q has no entries in them. Columns go through these stages
by themselves or in loops (column_loops.py). Where T dx is M times a known acceleration b, y = -L b
leaves nothing but its share of the rows, da = -b - L^-1 Q' C^-1 (R dx - J b). A row of which next to nothing is left
when the others are taken from it depends on them and is left out: what they hold, it holds.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ..algorithms.rows.constraint_rows import combine
from ..algorithms.rows.orthonormal_rows import OrthonormalRows
from ..algorithms.rows.row_scales import rank_tolerance
from ..algorithms.tree.crba import crba
from ..algorithms.tree.ltl import ltl_factor, solve_LT, velocity_parents
from ..algorithms.tree.rnea_derivatives import rnea_derivatives, serves
from ..algorithms.tree.trunk import TrunkAndLimbs, trunk_velocities
from ..model import tree_of
from ..programs.recipe import external_forces
from ..scalar import Scalar, is_zero
from ..spatial import Force, dot
from ..trace import Measured, Output, Program, Varied, inlined, jacobians, simplify
from .analytic import LOOPED, passive_slopes, slopes_of_torques
from .column_loops import ColumnStage, through_stages
from .implicit import ImplicitProgram
from .unknowns import EQUATIONS

if TYPE_CHECKING:
    from .question import Question

_WRT = ("q", "v", "tau")


def holds(question: Question) -> bool:
    """Whether this is what was asked for: welds and points on the ground, whose covectors stand still in bodies."""
    request, model = question.request, question.request.model
    solver = request.recipe.solver
    asked = question.kind == "jacobian" and question.of == ("a",) and set(question.wrt) <= set(_WRT)
    if not asked or solver is None or not solver.is_exact(request.options) or not model.constraints:
        return False
    fixed = all(c.equality in ("weld", "connect") for c in model.constraints) and not model.has_loops
    return fixed and "active" not in request.input_shapes and serves(tree_of(model))


def held_columns(question: Question) -> Program:
    request, model = question.request, question.request.model
    n, names = model.nv, question.wrt
    implicit = ImplicitProgram(question.subject())
    (unknown,) = implicit.unknowns
    rows = _rows_alone(implicit.explicit, EQUATIONS.format(unknown.name), n)
    slopes = jacobians(rows, [Measured("rows")], [Varied(unknown.name), *implicit.wrt])
    every = [x for x in implicit.explicit.outputs if x.name == EQUATIONS.format(unknown.name)]
    equations = replace(implicit.explicit, outputs=tuple(every))
    unmoved = {name: np.zeros(shape) for name, shape in question.shift_shapes.items()}
    passive = passive_slopes(question)
    asked = request.options.get("rank_tolerance")
    smallest = rank_tolerance(model) if asked is None else float(asked)
    options = {**request.options, "precision": request.precision, "arithmetic": request.arithmetic}

    def evaluate(values: dict[str, Any]) -> dict[str, Any]:
        results, (found,), at = implicit._solve(values)
        tree, parents = request.tree(values), velocity_parents(tree_of(model))
        L = ltl_factor(crba(tree, values["q"]), parents)
        J = inlined(slopes, at)[f"drows_d{unknown.name}"][:, :n]
        H = [solve_LT(L, parents, list(row)) for row in J]
        basis = OrthonormalRows(H, smallest)
        held = {k for row in H for k, x in enumerate(row) if not is_zero(x)}
        parts = TrunkAndLimbs(L, parents, trunk_velocities(parents, len(names) * n) | held)

        # what the solver has left of its equations, taken back: derivatives have its error otherwise
        left = list(inlined(equations, {**at, **unmoved})[EQUATIONS.format(unknown.name)])
        y, off = _met(basis, parts.trunk_inward(parts.limbs_alone([-x for x in left[:n]])), left[n:])
        change = parts.following(y)
        multipliers = [dot(of, off) for of in zip(*basis.inverse, strict=True)]
        z = [x + more for x, more in zip(found.z, [*change, *multipliers], strict=True)]
        at, a, lam = {**at, unknown.name: np.array(z, dtype=object)}, z[:n], z[n:]
        problem = request.recipe.solver.problem(tree, values, options)
        forces = list(external_forces(tree, values) or [Force.zero()] * len(tree.parent))
        for c, own in zip(problem.constraints, problem.split(lam), strict=True):
            for body, K in c.terms:
                forces[body] = forces[body] - combine(K, own)
        d = rnea_derivatives(tree, values["q"], values["v"], a, f_ext=forces)
        T, known = slopes_of_torques(d, inlined(passive, values))
        changed = inlined(slopes, at)
        stages = _stages(parts, basis, n)

        def block(name: str) -> np.ndarray:
            rates: list[Sequence[Scalar]] = list(changed[f"drows_d{name}"].reshape(len(H), -1).T)
            columns: dict[int, list[Any]] = {}
            for j in range(n):
                if name == "tau":
                    columns[j] = parts.limbs_of_unit(j, [*columns.values()])
                elif j in known[name]:
                    columns[j] = [0.0] * n
                    rates[j] = [r - dot(row, known[name][j]) for r, row in zip(rates[j], J, strict=True)]
                else:
                    columns[j] = list(-T[name][:, j])
            asked = {j: [*b, *r] for j, (b, r) in enumerate(zip(columns.values(), rates, strict=True))}
            asked = {j: column for j, column in asked.items() if not all(map(is_zero, column))}
            found = np.zeros((n, n), dtype=object)
            done = through_stages(asked, stages[1:] if name == "tau" else stages, looped=n >= LOOPED)
            for j, column in done.items():
                found[:, j] = column
            for j, a_known in known.get(name, {}).items():
                found[:, j] = found[:, j] - a_known
            return found

        own = {name: results[name] for name in question.values}
        return {**own, **{f"da_d{name}": block(name) for name in names}, "status": results["status"]}

    return implicit._traced({}, evaluate)


def _stages(parts: TrunkAndLimbs, basis: OrthonormalRows, n: int) -> list[ColumnStage]:
    """Of columns followed by the rates of the rows."""

    def with_rates(run, work) -> ColumnStage:
        def work_of(at: frozenset[int]) -> tuple[int, frozenset[int]]:
            cost, after = work(frozenset(k for k in at if k < n))
            return cost, after | {k for k in at if k >= n}

        return ColumnStage(lambda column: [*run(column[:n]), *column[n:]], work_of)

    reach = [frozenset(k for k, x in enumerate(q) if not is_zero(x)) for q in basis.Q]

    def work_of_meeting(at: frozenset[int]) -> tuple[int, frozenset[int]]:
        cost = sum(len(q & at) + len(q) for q in reach)
        cost += sum(n + c in at and not is_zero(x) for of in basis.inverse for c, x in enumerate(of))
        more, after = parts.work_of_following(at)
        return cost + more, after

    return [
        with_rates(parts.limbs_alone, parts.work_of_limbs_alone),
        with_rates(parts.trunk_inward, parts.work_of_trunk_inward),
        ColumnStage(lambda column: parts.following(_met(basis, column[:n], column[n:])[0]), work_of_meeting),
    ]


def _met(basis: OrthonormalRows, y: Sequence[Scalar], r: Sequence[Scalar]) -> tuple[list[Scalar], list[Scalar]]:
    """(y less what the rows hold of it, Q y + C^-1 r)."""
    off = [dot(q, y) + dot(of, r) for q, of in zip(basis.Q, basis.inverse, strict=True)]
    return [x - dot(Q, off) for x, Q in zip(y, basis.columns, strict=True)], off


def _rows_alone(program: Program, equations: str, n: int) -> Program:
    """The program with the rows' equations as its only output."""
    every = next(x for x in program.outputs if x.name == equations)
    return simplify(replace(program, outputs=(Output("rows", (every.size - n,), every.nodes[n:]),)))
