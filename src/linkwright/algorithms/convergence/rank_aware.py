"""Directions of the constraints that are weak: which of them count, and what to do about those that do not.

Lanczos' method on the operator T of converge.py, from the residual that is left. Its few Ritz pairs (theta, u) tell
weak directions, which are enforced exactly, x = r / theta, from dependent ones: below the rank tolerance a direction
is neither enforced nor locked, so even what the penalty did is taken back, x + r = 0. Full reorthogonalization: there
are few vectors. What the dependent directions are left with decides whether constraints contradict one another, or
only repeat themselves.

Residuals r and multipliers x are scaled by the root of mu here, r = sqrt(mu) (K a - e), x = lam / sqrt(mu).
"""

from __future__ import annotations

from ...scalar import Scalar, maximum, minimum, sqrt, until, where
from ...spatial import RowVector, eigenvectors
from ..rows.joint_motions import squared_joint_motions
from .converge import _NOTHING, AccelerationSizes, Accuracy
from .proximal import FactoredProblem

OK, NOT_CONVERGED, SINGULAR, INFEASIBLE = 0.0, 1.0, 2.0, 4.0
UNSURE = 2.5  # digits of a weak direction are missing: singular, unless the accelerations are shown to be right
VECTORS = 6  # Lanczos vectors of a cycle
CYCLES = 4
# T has eigenvalues up to 1: what is left of T q after this much has been found in earlier vectors is rounding.
EXHAUSTED = 1e-12
# Near the limit, within this factor, an answer that hangs on which side a direction falls is said to be singular ...
NEAR = 3.0
NOTICEABLE = 1e-6  # ... if accelerations change by more than this, relatively
# Rounding asks of a dependent direction about sigma times the accelerations; contradictions ask for more.
ROUNDING = 10.0
NOISE = 100.0  # errors of T, in units of the rounding of a number as large as kappa


class WeakDirections:
    """What descent has left undone.

    start, first   the multipliers that everything began with, and the residual they had, along which the first step
                   went
    way            how far descent has gone since, the lengths of its steps added up: along directions so weak that
                   their residual does not change, that is how far it has pushed the multipliers
    """

    def __init__(
        self, factored: FactoredProblem, accuracy: Accuracy, sizes: AccelerationSizes, start: RowVector,
        first: RowVector, way: Scalar,
    ):  # fmt: skip
        self.factored, self.accuracy, self.sizes = factored, accuracy, sizes
        self.root = RowVector(sqrt(m) for m in factored.problem.mu)
        self.inverse_root = RowVector(1.0 / x for x in self.root)
        self.start, self.first, self.way = start, first, way

    def resolved(
        self, inner: list[Scalar], residuals: RowVector, lam: RowVector, passes: Scalar, weakest: Scalar, done: Scalar
    ):  # fmt: skip
        """(inner, residuals, multipliers, passes, weakest singular value met, outcome) where descent has not come to
        its end; else as they are."""
        n_inner, n_rows = len(inner), len(residuals)

        def split(values):
            rows = [RowVector(values[n_inner + n_rows * k : n_inner + n_rows * (k + 1)]) for k in range(3)]
            return values[:n_inner], *rows, *values[-4:]

        def cycle(values):
            inner, residuals, lam, x, passes, weakest, is_first, _ = split(values)
            begun = self.inverse_root * self.start + self.root * (self.first + residuals * self.way)
            x = RowVector(where(is_first > 0.5, a, b) for a, b in zip(begun, x, strict=True))
            before = self.sizes.relative_square(residuals)
            directions, used = self._directions(inner, residuals, x)
            step = self.root * directions.step
            change, moved = self.factored.response(step)
            residuals = residuals + moved
            counting, dropped = directions.parted(self.root * residuals)
            left, beside = (self.sizes.relative_square(self.inverse_root * part) for part in (counting, dropped))
            # what T makes of the dropped part is rounding, and looks like a residual of the others; so does, to a
            # lesser degree, what it makes of all that was there
            noise = self.accuracy.rounding * self.accuracy.kappa * NOISE
            rounding = (beside + 0.01 * before) * (noise * noise)
            found = left <= self.accuracy.allowed(directions.weakest) + rounding
            inner = [a + b for a, b in zip(inner, change, strict=True)]
            outcome = where(found, directions.outcome, NOT_CONVERGED)
            passes, weakest = passes + used + 1.0, minimum(weakest, directions.weakest)
            return [*inner, *residuals, *(lam + step), *(x + directions.step), passes, weakest, 0.0, outcome], found

        nothing = [0.0] * n_rows
        start = [*inner, *residuals, *lam, *nothing, passes, weakest, 1.0, where(done, OK, NOT_CONVERGED)]
        values = until(cycle, start, done=done, limit=CYCLES, expected=0.0)
        inner, residuals, lam, _, passes, weakest, _, outcome = split(values)
        return inner, residuals, lam, passes, weakest, outcome

    def _directions(self, inner: list[Scalar], residuals: RowVector, x: RowVector) -> tuple[Directions, Scalar]:
        """(Ritz pairs, how many Lanczos vectors they took)."""
        hidden = self.accuracy.hidden
        r = self.root * residuals
        enough = 0.1 * hidden / sqrt(maximum(self.sizes.relative_square(residuals), hidden**2))
        Q, diagonal, beside, used = self._lanczos(r, enough)
        theta, V = eigenvectors(diagonal, beside)
        vectors = [_combined(Q, v) for v in V]
        problem, sizes = self.factored.problem, self.sizes
        if inner:  # accelerations of the joints; where there are none, sizes are of unconstrained ones already
            sizes = sizes.beside(squared_joint_motions(problem, inner))
        return Directions(self, theta, vectors, r, x, sizes), used

    def _lanczos(self, r: RowVector, enough: Scalar):
        """(vectors, newest first, diagonal and subdiagonal of Q'TQ, how many there are). Missing vectors are zero, and
        belong to the eigenvalue 1.

        They are enough when they hold the solution of (T + weakest) x = r but for that share of r: there the last entry
        of the solution in the vectors, times the next subdiagonal, is what is left; L D L' of the tridiagonal gives it.
        """
        m, root, weakest = len(r), self.root, self.accuracy.weakest

        def body(values):
            w, Q = RowVector(values[:m]), [RowVector(values[m * k : m * (k + 1)]) for k in range(1, VECTORS + 1)]
            diagonal, beside = values[-2 * VECTORS - 4 : -VECTORS - 4], values[-VECTORS - 4 : -4]
            size, used, pivot, right = values[-4:]
            q = w * (1.0 / maximum(size, _NOTHING))
            w = root * -self.factored.response(root * q, whole=False)[1]
            alpha = q.dot(w)
            for _ in range(2):  # twice is enough
                for old in (q, *Q[:-1]):
                    w = w - old * old.dot(w)
            following = sqrt(w.square)
            coupling = where(used > 0.5, size, 0.0)
            ratio = coupling / pivot
            pivot, right = alpha + weakest - coupling * ratio, where(used > 0.5, -ratio * right, 1.0)
            new = [
                *w, *(x for vector in (q, *Q[:-1]) for x in vector), alpha, *diagonal[:-1], coupling, *beside[:-1],
                following, used + 1.0, pivot, right,
            ]  # fmt: skip
            return new, (following <= EXHAUSTED) | (following * abs(right) <= enough * abs(pivot))

        size = sqrt(r.square)
        start = [*r, *[0.0] * (VECTORS * m), *[1.0] * VECTORS, *[0.0] * VECTORS, size, 0.0, 1.0, 1.0]
        values = until(body, start, done=size <= _NOTHING, limit=VECTORS, expected=3.0)
        Q = [RowVector(values[m * k : m * (k + 1)]) for k in range(1, VECTORS + 1)]
        return Q, values[-2 * VECTORS - 4 : -VECTORS - 4], values[-VECTORS - 4 : -5], values[-3]


class Directions:
    """Ritz pairs, and what they say."""

    def __init__(
        self, weak: WeakDirections, theta: list[Scalar], vectors: list[RowVector], r: RowVector, x: RowVector,
        sizes: AccelerationSizes,
    ):  # fmt: skip
        """`sizes` of accelerations beside which contradictions are more than rounding."""
        accuracy, tolerance = weak.accuracy, weak.accuracy.rank_tolerance
        self.vectors = vectors
        theta = [minimum(maximum(t, 0.0), 1.0) for t in theta]
        sigma = [accuracy.singular_value(t) for t in theta]
        self.counts = [t > accuracy.weakest for t in theta]
        self.weakest = -RowVector(where(c, -s, -1.0) for c, s in zip(self.counts, sigma, strict=True)).largest
        self.weakest = minimum(1.0, self.weakest)
        self.step = RowVector.zeros(len(r))
        contradicting: Scalar = 0.0
        near: Scalar = 0.0
        unsure: Scalar = 0.0
        for t, s, counts, u in zip(theta, sigma, self.counts, vectors, strict=True):
            left, pushed = u.dot(r), u.dot(x)
            along = where(counts, left / maximum(t, _NOTHING), -(left + pushed) / maximum(1.0 - t, 1e-3))
            self.step = self.step + u * along
            # what the direction asks for: its residual were the multipliers zero, relative to the rows' accelerations
            unpushed, rows = abs(left + t * pushed), weak.inverse_root * u
            asked = unpushed * sqrt(weak.sizes.relative_square(rows))
            effect = asked / sqrt(maximum(t, accuracy.weakest * 1e-2))
            is_near = (s > tolerance / NEAR) & (s < tolerance * NEAR) & (effect > NOTICEABLE)
            near = where(is_near, 1.0, near)
            if weak.factored.squares:  # digits of s, the square, that are missing from a direction that counts
                missing = accuracy.rounding * accuracy.kappa * NOISE
                unsure = where(counts & (effect * missing > NOTICEABLE * t), 1.0, unsure)
            asked = unpushed * sqrt(sizes.relative_square(rows))
            contradicts = ~counts & (asked > maximum(ROUNDING * s, accuracy.consistent))
            contradicting = where(contradicts, 1.0, contradicting)
        unsure = where(unsure > 0.5, UNSURE, OK) if weak.factored.squares else OK
        self.outcome = where(contradicting > 0.5, INFEASIBLE, where(near > 0.5, SINGULAR, unsure))

    def parted(self, rows: RowVector) -> tuple[RowVector, RowVector]:
        """What of some rows lies in directions that count, and in those that do not."""
        dropped = RowVector.zeros(len(rows))
        for counts, u in zip(self.counts, self.vectors, strict=True):
            dropped = dropped + u * where(counts, 0.0, u.dot(rows))
        return rows - dropped, dropped


def is_unsure(outcome: Scalar) -> Scalar:
    return abs(outcome - UNSURE) < 0.25


def _combined(Q: list[RowVector], coefficients: list[Scalar]) -> RowVector:
    total = Q[0] * coefficients[0]
    for q, c in zip(Q[1:], coefficients[1:], strict=True):
        total = total + q * c
    return total
