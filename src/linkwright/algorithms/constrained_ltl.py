"""Constrained dynamics in joint space, exploiting the sparsity of branches.

LTL    [Featherstone2008] 6.5, Featherstone 2010: M = L'L, Y = J L^-1, Delassus matrix Y Y'
LTL-soft, proxLTL    the same with the Delassus matrix damped by 1/mu ([Sathya2024] sec. VI, [Sathya2024b] eq. 8)
proxLTLs    the augmented inertia matrix M + J' mu J, which has M's own sparsity ([Sathya2024b] eq. 10)
"""

from __future__ import annotations

from collections.abc import Sequence

from ..scalar import Scalar, is_zero
from ..spatial import LDL, Force, sum_of
from .closures.closure import Terms
from .constrained_problem import ConstrainedProblem, Iterations, Solution
from .constraint_rows import ConstraintRows
from .crba import crba
from .ltl import ltl_factor, ltl_solve, solve_L, solve_LT, velocity_parents
from .pv import proximal_point
from .rnea import joint_torques


class JointSpace:
    """M a = free - J' lam, J a = e."""

    def __init__(self, problem: ConstrainedProblem):
        tree = problem.tree
        self.parents = velocity_parents(tree)
        self.M = crba(tree, problem.q)
        bias = joint_torques(tree, problem.sweep, problem.wrenches)
        self.free = [t - b for t, b in zip(problem.tau, bias, strict=True)]
        self.J = closure_jacobian(problem.tree, problem.sweep, problem.constraints)
        self.e = [e for _, _, e in problem.rows]

    def delassus_rows(self, L) -> list[list[Scalar]]:
        """Y = J L^-1: row by row L' y = J', with the sparsity of J."""
        return [solve_LT(L, self.parents, row) for row in self.J]

    def residuals(self, a: Sequence[Scalar]) -> list[Scalar]:
        return [_dot(row, a) - e for row, e in zip(self.J, self.e, strict=True)]


def ltl(problem: ConstrainedProblem) -> Solution:
    space, L, Y, z = _factored(problem)
    Lambda = gram(Y)
    for r, idle in enumerate(problem.idle):
        Lambda[r][r] = Lambda[r][r] + idle
    factor = LDL(Lambda)
    lam = factor.solve([_dot(y, z) - e for y, e in zip(Y, space.e, strict=True)])
    return _finish(space, L, Y, z, lam, 1.0, factor.margins)


def prox_ltl(problem: ConstrainedProblem, iterations: Iterations, start: Sequence[Scalar] | None = None) -> Solution:
    space, L, Y, z = _factored(problem)
    right = [_dot(y, z) - e for y, e in zip(Y, space.e, strict=True)]
    lam, used = proximal_point(gram(Y), right, problem.mu, iterations, start)
    return _finish(space, L, Y, z, lam, used, ())


def ltl_soft(problem: ConstrainedProblem) -> Solution:
    """Penalties in place of constraints: one step of proxLTL from zero."""
    return prox_ltl(problem, Iterations(1))


def prox_ltls(problem: ConstrainedProblem, iterations: Iterations, start: Sequence[Scalar] | None = None) -> Solution:
    """Augmented Lagrangian in joint space. J'J couples only velocities on one path to the ground, as M does."""
    space, mu = JointSpace(problem), problem.mu
    augmented = [list(row) for row in space.M]
    for row, m in zip(space.J, mu, strict=True):
        touched = [k for k, x in enumerate(row) if not is_zero(x)]
        for r in touched:
            scaled = row[r] * m
            for s in touched[: touched.index(r) + 1]:
                augmented[r][s] = augmented[r][s] + scaled * row[s]
                augmented[s][r] = augmented[r][s]
    L = ltl_factor(augmented, space.parents)
    lam: list[Scalar] = [0.0] * len(mu) if start is None else list(start)
    pull = [x - m * e for x, m, e in zip(lam, mu, space.e, strict=True)]
    a = ltl_solve(L, space.parents, [f - t for f, t in zip(space.free, _transposed(space, pull), strict=True)])
    residuals, used = space.residuals(a), 1.0
    lam = [x + m * r for x, m, r in zip(lam, mu, residuals, strict=True)]
    for _ in range(iterations.limit - 1):
        running = iterations.running(residuals)
        step = [m * r * running for m, r in zip(mu, residuals, strict=True)]
        change = ltl_solve(L, space.parents, _transposed(space, step))
        a = [x - dx for x, dx in zip(a, change, strict=True)]
        residuals, used = space.residuals(a), used + running
        lam = [x + m * r * running for x, m, r in zip(lam, mu, residuals, strict=True)]
    return Solution(a, lam, residuals, used, [L[k][k] for k in range(len(L))])


def closure_jacobian(tree, sweep, constraints: Sequence[ConstraintRows]) -> list[list[Scalar]]:
    """J of constraints, each on any number of bodies."""
    return [row for c in constraints for row in terms_jacobian(tree, sweep, c.terms)]


def terms_jacobian(tree, sweep, terms: Terms) -> list[list[Scalar]]:
    """J of one constraint: the rows on each of its bodies, added up."""
    parts = [constraint_jacobian(tree, sweep, [(body, row) for row in K]) for body, K in terms]
    return [[sum_of(entries) for entries in zip(*rows, strict=True)] for rows in zip(*parts, strict=True)]


def constraint_jacobian(tree, sweep, rows: Sequence[tuple[int, Force]]) -> list[list[Scalar]]:
    """J: each row carried to the ground like a force, meeting the joints on its way."""
    J = []
    for body, row in rows:
        entries: list[Scalar] = [0.0] * tree.nv
        for i in reversed(tree.graph.support[body]):
            entries[tree.iv[i]] = sweep.S[i].project(row)
            row = sweep.X[i].T @ row
        J.append(entries)
    return J


def gram(Y: Sequence[Sequence[Scalar]]) -> list[list[Scalar]]:
    """Y Y'."""
    n = len(Y)
    G: list[list[Scalar]] = [[0.0] * n for _ in range(n)]
    for r in range(n):
        for s in range(r + 1):
            G[r][s] = G[s][r] = _dot(Y[r], Y[s])
    return G


def _factored(problem):
    space = JointSpace(problem)
    L = ltl_factor(space.M, space.parents)
    return space, L, space.delassus_rows(L), solve_LT(L, space.parents, space.free)


def _finish(space: JointSpace, L, Y, z, lam, used, pivots) -> Solution:
    """L a = z - Y' lam."""
    corrected = list(z)
    for y, x in zip(Y, lam, strict=True):
        corrected = [c if is_zero(e) else c - e * x for c, e in zip(corrected, y, strict=True)]
    a = solve_L(L, space.parents, corrected)
    return Solution(a, lam, space.residuals(a), used, pivots)


def _transposed(space: JointSpace, values: Sequence[Scalar]) -> list[Scalar]:
    """J' values."""
    result: list[Scalar] = [0.0] * len(space.free)
    for row, x in zip(space.J, values, strict=True):
        result = [t if is_zero(j) else t + j * x for t, j in zip(result, row, strict=True)]
    return result


def _dot(a: Sequence[Scalar], b: Sequence[Scalar]) -> Scalar:
    terms = [x * y for x, y in zip(a, b, strict=True) if not (is_zero(x) or is_zero(y))]
    return sum_of(terms) if terms else 0.0
