"""Proximal iterations, common to all solvers that factor once and then only sweep right-hand sides.

With the multipliers lam, a factorization gives accelerations whose residual K a - e is what a penalty mu leaves.
Changing lam by a step d changes that residual by -T d (in rows scaled by sqrt(mu): T = S (1 + S)^-1 with S the Delassus
matrix, scaled likewise), and costs one sweep inward and one outward. The papers' iteration is Richardson's, d = mu (K a
- e) ([Sathya2025] Algorithms 3 and 6, [Sathya2024b] eq. 9): `iterate`. Going on from it until everything has converged:
converge.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from ...scalar import Scalar, until, where
from ...spatial import RowVector
from ..rows.constrained_problem import ConstrainedProblem, Solution
from ..rows.constraint_rows import largest_residual


class FactoredProblem(Protocol):
    """A solver after its factorization, at some multipliers.

    `inner` is whatever the accelerations are affine in besides the multipliers, as a flat list: mostly themselves.
    """

    problem: ConstrainedProblem

    def residuals(self) -> RowVector:
        """K a - e, from as few bodies as that takes."""

    def push(self, step: RowVector) -> None:
        """Change the multipliers."""

    def solution(self) -> tuple[list[Scalar], RowVector]:
        """(inner, K a - e) at the present multipliers, all bodies."""

    def response(self, step: RowVector, *, whole: bool = True) -> tuple[list[Scalar], RowVector]:
        """What a change of multipliers does to (inner, K a - e); without `whole`, to the latter alone."""

    def sizes(self) -> tuple[Scalar, Scalar]:
        """(Linear, angular) accelerations that the rows take the difference of, squared, after `solution`."""

    def finish(self, inner: list[Scalar], lam: RowVector, residuals: RowVector) -> tuple[list[Scalar], list[Scalar]]:
        """(accelerations of the joints, K a - e), from what the iterations say they are."""

    @property
    def pivots(self) -> Sequence[Scalar]:
        """Positive unless something cannot be solved."""

    @property
    def lost(self) -> Scalar:
        """Digits: see lost_digits.py."""

    squares: bool
    """Whether it works with the Delassus matrix: a singular value of the constraints is known from its square there,
    and accelerations are what multipliers leave of unconstrained ones, the largest of which is about `free_size`."""

    beside_free: bool
    """Whether `sizes` are those of the rows without constraints, beside which what contradicts may be small."""


def least_motion(factored: FactoredProblem, rows: Sequence[Scalar]) -> list[Scalar]:
    """The least accelerations, as the inertia measures them, that a mechanism at rest answers K a = rows with: one
    iteration, by the same factors. What contradicts itself in the rows moves nothing."""
    own = getattr(factored, "least_motion", None)
    return factored.response(-(factored.problem.mu * RowVector(rows)))[0] if own is None else own(rows)


@dataclass(frozen=True)
class Iterations:
    """How the papers' iterations end: after `limit` of them or, with a tolerance, as soon as all residuals are within
    it, or no acceleration changed by more than it ([Sathya2025] Algorithm 6): contradictory rows have residuals for
    ever."""

    limit: int
    tolerance: Scalar | None = None


def iterate(factored: FactoredProblem, iterations: Iterations, start: Sequence[Scalar]) -> Solution:
    """Richardson's iteration to the end of `iterations`, from the multipliers that the problem was factored with."""
    mu, lam = factored.problem.mu, RowVector(start)
    if iterations.tolerance is not None:
        return _iterate_until(factored, iterations, lam)
    for _ in range(iterations.limit - 1):
        step = mu * factored.residuals()
        lam = lam + step
        factored.push(step)
    inner, residuals = factored.solution()
    lam = lam + mu * residuals
    a, left = factored.finish(inner, lam, residuals)
    return Solution(a, list(lam), left, float(iterations.limit), factored.pivots, lost=factored.lost)


def _iterate_until(factored: FactoredProblem, iterations: Iterations, lam: RowVector) -> Solution:
    mu, m = factored.problem.mu, len(lam)
    inner, residuals = factored.solution()  # Algorithm 3, line 1; Algorithm 6, line 1
    n = len(inner)

    def settled(residuals, change) -> Scalar:
        largest = largest_residual(residuals)
        # Algorithm 3, lines 9, 10; Algorithm 6, lines 7, 8
        return (largest <= iterations.tolerance) | (largest_residual(change) <= iterations.tolerance)

    def body(values):  # Algorithm 3, line 2; Algorithm 6, line 2
        inner, residuals, lam = values[:n], RowVector(values[n : n + m]), RowVector(values[n + m : n + 2 * m])
        step = mu * residuals  # Algorithm 3, lines 5, 6
        # Algorithm 3, lines 3-5, 7: lcaba.py; line 11; Algorithm 6, lines 3-6: bbo.py; line 9
        change, moved = factored.response(step)
        inner, residuals = RowVector(inner) + change, residuals + moved  # Algorithm 3, line 12; Algorithm 6, line 10
        lam = lam + step  # Algorithm 3, line 8; Algorithm 6, line 11
        # what the accelerations are affine in changes with them; solvers of the dual have only the rows to look at
        done = settled(residuals, change or moved)
        return [*inner, *residuals, *lam, values[-2] + 1.0, where(done, 1.0, 0.0)], done

    done = largest_residual(residuals) <= iterations.tolerance
    start = [*inner, *residuals, *lam, 1.0, where(done, 1.0, 0.0)]
    values = until(body, start, done=done, limit=iterations.limit - 1)
    inner, residuals, lam = values[:n], RowVector(values[n : n + m]), RowVector(values[n + m : n + 2 * m])
    lam = lam + mu * residuals
    a, left = factored.finish(inner, lam, residuals)
    converged = values[-1] > 0.5
    return Solution(a, list(lam), left, values[-2], factored.pivots, converged, lost=factored.lost)
