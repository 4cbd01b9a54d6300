"""Constrained dynamics in joint space, exploiting the sparsity of branches.

LTL    [Featherstone2008] 6.5, Featherstone 2010: M = L'L, Y = J L^-1, Delassus matrix Y Y'
proxLTL    the same with the Delassus matrix damped by 1/mu ([Sathya2024b] eq. 8)
LTL-soft, proxLTLs    the augmented inertia matrix M + J' mu J ([Sathya2024] sec. VI, [Sathya2024b] eq. 10), which has
the sparsity of M as long as constraints are to the ground
"""

from __future__ import annotations

from collections.abc import Sequence

from ...scalar import Scalar, is_zero, maximum, sqrt
from ...spatial import RowVector, dot
from ...spatial.partial_factorization import WEAKEST
from ..convergence.damped_delassus import DampedDelassus
from ..convergence.hard_multipliers import hard_multipliers
from ..convergence.lost_digits import PENALTIES_ON_JOINTS, lost_in_inertia_matrix, lost_to_free_accelerations
from ..convergence.proximal import Iterations, iterate
from ..rows.constrained_problem import ConstrainedProblem, Solution
from ..rows.constraint_jacobian import jacobian_of_rows
from ..tree.crba import crba
from ..tree.ltl import ltl_factor, ltl_solve, solve_L, solve_LT, velocity_parents
from ..tree.rnea import joint_torques


class JointSpace:
    """M a = free - J' lam, J a = e."""

    def __init__(self, problem: ConstrainedProblem):
        tree = problem.tree
        self.parents = velocity_parents(tree)
        self.M = crba(tree, problem.q)
        bias = joint_torques(tree, problem.sweep, problem.wrenches)
        self.free = problem.tau - bias
        self.J = jacobian_of_rows(problem.tree, problem.sweep, problem.constraints)
        self.e = problem.e

    def delassus_rows(self, L) -> list[list[Scalar]]:
        """Y = J L^-1: row by row L' y = J', with the sparsity of J."""
        return [solve_LT(L, self.parents, row) for row in self.J]

    def residuals(self, a: Sequence[Scalar]) -> RowVector:
        return RowVector(dot(row, a) for row in self.J) - self.e


def ltl(problem: ConstrainedProblem) -> Solution:
    space, L, Y, z = _factored(problem)
    Lambda = gram(Y)
    for r, idle in enumerate(problem.idle):
        Lambda[r][r] = Lambda[r][r] + idle
    right = RowVector(dot(y, z) for y in Y) - space.e
    lam, pivot, weakest, hiding = hard_multipliers(problem.tree.model, Lambda, right, weakest=problem.weakest)
    a, residuals = _accelerate(space, L, Y, z, lam)
    free = lost_to_free_accelerations(_free_size(space, L), a, sqrt(maximum(weakest, WEAKEST)))
    lost = maximum(lost_in_inertia_matrix(space.M, L), free)
    return Solution(a, lam, residuals, 1.0, [pivot], lost=lost, unsure=hiding)


def prox_ltl(problem: ConstrainedProblem, start: Sequence[Scalar]) -> DampedDelassus:
    """Ready for iterations (proximal.py), as prox_ltls is."""
    space, L, Y, z = _factored(problem)
    right = RowVector(dot(y, z) for y in Y) - space.e
    lost = lost_in_inertia_matrix(space.M, L)
    accelerate = lambda lam: _accelerate(space, L, Y, z, lam)  # noqa: E731
    held = lambda lam: _accelerate(space, L, Y, [0.0] * len(z), lam)[0]  # noqa: E731
    return DampedDelassus(problem, gram(Y), right, start, accelerate, lost, _free_size(space, L), held)


def ltl_soft(problem: ConstrainedProblem) -> Solution:
    """Penalties in place of constraints: one step of proxLTLs from zero. The penalty of a loop couples velocities that
    M does not, so with loops it is one step of proxLTL, which is the same in another order."""
    start, solve = [0.0] * len(problem.rows), prox_ltl if problem.tree.model.has_loops else prox_ltls
    return iterate(solve(problem, start), Iterations(1), start)


def prox_ltls(problem: ConstrainedProblem, start: Sequence[Scalar]) -> AugmentedInertia:
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
    return AugmentedInertia(problem, space, augmented, start)


class AugmentedInertia:
    """M + J' mu J = L'L, as the iterations of proximal.py see it; `inner` are the accelerations themselves."""

    squares = True
    beside_free = False

    def __init__(self, problem: ConstrainedProblem, space: JointSpace, augmented, start: Sequence[Scalar]):
        self.L = L = ltl_factor(augmented, space.parents)
        self.problem, self.space, self.lost = problem, space, lost_in_inertia_matrix(augmented, L, PENALTIES_ON_JOINTS)
        pull = RowVector(start) - problem.mu * space.e
        self.a = RowVector(ltl_solve(L, space.parents, list(space.free - _transposed(space, pull))))
        self.free_size = _free_size(space, L) * 5.0  # penalties on the way cost as much again, as measured

    @property
    def pivots(self) -> list[Scalar]:
        return [self.L[k][k] for k in range(len(self.L))]

    def residuals(self) -> RowVector:
        return self.space.residuals(self.a)

    def push(self, step: RowVector) -> None:
        self.a = self.a - ltl_solve(self.L, self.space.parents, _transposed(self.space, step))

    def solution(self) -> tuple[list[Scalar], RowVector]:
        return list(self.a), self.residuals()

    def response(self, step: RowVector, *, whole: bool = True) -> tuple[list[Scalar], RowVector]:
        change = ltl_solve(self.L, self.space.parents, _transposed(self.space, -step))
        return change, RowVector(dot(row, change) for row in self.space.J)

    def sizes(self) -> tuple[Scalar, Scalar]:
        """What the accelerations of single joints add to the rows; lengths and angles are not told apart."""
        square = RowVector(
            j * x for row in self.space.J for j, x in zip(row, self.a, strict=True) if not is_zero(j)
        ).square
        return square, square

    def finish(self, inner: list[Scalar], lam: RowVector, residuals: RowVector) -> tuple[list[Scalar], list[Scalar]]:
        return inner, list(residuals)


def gram(Y: Sequence[Sequence[Scalar]]) -> list[list[Scalar]]:
    """Y Y'."""
    n = len(Y)
    G: list[list[Scalar]] = [[0.0] * n for _ in range(n)]
    for r in range(n):
        for s in range(r + 1):
            G[r][s] = G[s][r] = dot(Y[r], Y[s])
    return G


def _free_size(space: JointSpace, L) -> Scalar:
    """The largest joint acceleration without constraints, about."""
    return RowVector(abs(f) / (L[k][k] * L[k][k]) for k, f in enumerate(space.free)).largest


def _factored(problem):
    space = JointSpace(problem)
    L = ltl_factor(space.M, space.parents)
    return space, L, space.delassus_rows(L), solve_LT(L, space.parents, space.free)


def _accelerate(space: JointSpace, L, Y, z, lam) -> tuple[list[Scalar], list[Scalar]]:
    """(a, residuals) from L a = z - Y' lam."""
    corrected = list(z)
    for y, x in zip(Y, lam, strict=True):
        corrected = [c if is_zero(e) else c - e * x for c, e in zip(corrected, y, strict=True)]
    a = solve_L(L, space.parents, corrected)
    return a, list(space.residuals(a))


def _transposed(space: JointSpace, values: Sequence[Scalar]) -> list[Scalar]:
    """J' values."""
    result: list[Scalar] = [0.0] * len(space.free)
    for row, x in zip(space.J, values, strict=True):
        result = [t if is_zero(j) else t + j * x for t, j in zip(result, row, strict=True)]
    return result
