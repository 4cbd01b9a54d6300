"""Directions of the constraints that are weak: which of them count, and what to do about those that do not.

Lanczos' method on the operator T of converge.py, from the residual that is left. Its few Ritz pairs (theta, u) tell
weak directions, which are enforced exactly, x = r / theta, from dependent ones: below the rank tolerance a direction
is neither enforced nor locked, so even what the penalty did is taken back, x + r = 0. Full reorthogonalization: there
are few vectors. What the dependent directions are left with decides whether constraints contradict one another, or
only repeat themselves.

Residuals r and multipliers x are scaled by the root of mu here, r = sqrt(mu) (K a - e), x = lam / sqrt(mu).
"""

from __future__ import annotations

from collections.abc import Sequence

from ...scalar import Scalar, guard, maximum, minimum, negated, sqrt, until, where
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
ROUNDING = 3.0
NOISE = 100.0  # errors of T, in units of the rounding of a number as large as kappa
# A Ritz vector below the limit is a direction if T u = theta u but for this share of the root of the limit: that much
# of strong directions, where T is 1, would lift theta to the limit.
RESOLVED = 1e-2
_LEAST_LEFT = 1e-12  # of 1 - T where directions are strong: what they were pushed is not asked for


class WeakDirections:
    """What descent has left undone. `start`, `first` are the multipliers that everything began with, and the residual
    they had.

    To take back how far a direction has been pushed, x, that must be known; but multipliers of strong directions are
    large beside those of weak ones, and a Ritz vector holds a little of everything. So (1 - T) x is looked at, which
    holds next to nothing of strong directions. T x is how far residuals have moved: it is at hand.
    """

    def __init__(
        self, factored: FactoredProblem, accuracy: Accuracy, sizes: AccelerationSizes, start: RowVector,
        first: RowVector,
    ):  # fmt: skip
        self.factored, self.accuracy, self.sizes = factored, accuracy, sizes
        self.root = RowVector(sqrt(m) for m in factored.problem.mu)
        self.inverse_root = RowVector(1.0 / x for x in self.root)
        self.start, self.first = start, first

    def resolved(
        self, inner: list[Scalar], residuals: RowVector, lam: RowVector, passes: Scalar, weakest: Scalar, undone: Scalar
    ):  # fmt: skip
        """(inner, residuals, multipliers, passes, weakest singular value met, outcome) where descent has not come to
        its end; else as they are. All of it stands behind a guard: hardly any sample needs it."""
        n_inner, n_rows = len(inner), len(residuals)

        def split(values):
            rows = [RowVector(values[n_inner + n_rows * k : n_inner + n_rows * (k + 1)]) for k in range(2)]
            return values[:n_inner], *rows, *values[-3:]

        def cycle(values):
            inner, residuals, lam, passes, weakest, _ = split(values)
            before = self.sizes.relative_square(residuals)
            directions, used = self._directions(inner, residuals, lam)
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
            inner = RowVector(inner) + change
            outcome = where(found, directions.outcome, NOT_CONVERGED)
            passes, weakest = passes + used + 1.0, minimum(weakest, directions.weakest)
            return [*inner, *residuals, *(lam + step), passes, weakest, outcome], found

        def search() -> list[Scalar]:
            start = [*inner, *residuals, *lam, passes, weakest, NOT_CONVERGED]
            return until(cycle, start, limit=CYCLES, expected=1.0)

        return split(guard(undone, search, [*inner, *residuals, *lam, passes, weakest, OK], expected=0.0))

    def _directions(self, inner: list[Scalar], residuals: RowVector, lam: RowVector) -> tuple[Directions, Scalar]:
        """(Ritz pairs, how many Lanczos vectors they took)."""
        hidden = self.accuracy.hidden
        r = self.root * residuals
        enough = 0.1 * hidden / sqrt(maximum(self.sizes.relative_square(residuals), hidden**2))
        Q, diagonal, beside, following, used = self._lanczos(r, enough)
        theta, V = eigenvectors(diagonal, beside)
        pairs = [
            (t, _combined(Q, v), abs(following[0] * v[0] + following[1] * v[1])) for t, v in zip(theta, V, strict=True)
        ]
        pushed = self.inverse_root * (lam - self.start) - self.root * (self.first - residuals)
        problem, sizes = self.factored.problem, self.sizes
        if inner:  # accelerations of the joints; where there are none, sizes are of unconstrained ones already
            sizes = sizes.beside(squared_joint_motions(problem, inner))
        return Directions(self, pairs, r, pushed, sizes), used

    def _lanczos(self, r: RowVector, enough: Scalar):
        """(vectors, newest first, diagonal and subdiagonal of Q'TQ, what T makes of the newest two beyond all of them,
        how many there are). Missing vectors are zero, and belong to the eigenvalue 1.

        They are enough when they hold the solution of (T + weakest) x = r but for that share of r: there the last entry
        of the solution in the vectors, times the next subdiagonal, is what is left; L D L' of the tridiagonal gives it.
        The last one must not mix dependent directions with others: the next one tells them apart. Where there is none
        it is left out: Ritz vectors of dependent directions would hold some of it, of which r holds nothing.
        """
        m, root, weakest = len(r), self.root, self.accuracy.weakest

        def mixes(alpha: Scalar, following: Scalar) -> Scalar:
            return (alpha <= weakest) & (following > RESOLVED * sqrt(weakest))

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
            enough_found = following * abs(right) <= enough * abs(pivot)
            return new, (following <= EXHAUSTED) | enough_found & negated(mixes(alpha, following))

        size = sqrt(r.square)
        start = [*r, *[0.0] * (VECTORS * m), *[1.0] * VECTORS, *[0.0] * VECTORS, size, 0.0, 1.0, 1.0]
        values = until(body, start, done=size <= _NOTHING, limit=VECTORS, expected=3.0)
        Q = [RowVector(values[m * k : m * (k + 1)]) for k in range(1, VECTORS + 1)]
        diagonal, beside, following = values[-2 * VECTORS - 4 : -VECTORS - 4], values[-VECTORS - 4 : -5], values[-4]
        mixed = mixes(diagonal[0], following)
        Q[0], diagonal[0] = Q[0] * where(mixed, 0.0, 1.0), where(mixed, 1.0, diagonal[0])
        beyond = where(mixed, 0.0, following), where(mixed, beside[0], 0.0)
        beside[0] = where(mixed, 0.0, beside[0])
        return Q, diagonal, beside, beyond, values[-3]


class Directions:
    """Ritz pairs, and what they say.

    One whose theta is small is a dependent direction only if it is a direction at all. What has hardly any share in
    the residual is not found in a few vectors: such a pair is a mixture of strong and dependent directions. Pushed back
    it would push the dependent ones by what held the strong ones, and no residual would tell. It gets Richardson's
    step, which leaves nothing of the strong ones.
    """

    def __init__(
        self, weak: WeakDirections, pairs: Sequence[tuple[Scalar, RowVector, Scalar]], r: RowVector, pushed: RowVector,
        sizes: AccelerationSizes,
    ):  # fmt: skip
        """`pairs` are (theta, u, |T u - theta u|), `pushed` is (1 - T) x since the start, `sizes` are of accelerations
        beside which contradictions are more than rounding."""
        accuracy, tolerance = weak.accuracy, weak.accuracy.rank_tolerance
        self.vectors = vectors = [u for _, u, _ in pairs]
        theta = [minimum(maximum(t, 0.0), 1.0) for t, _, _ in pairs]
        sigma = [accuracy.singular_value(t) for t in theta]
        self.counts = [t > accuracy.weakest for t in theta]
        self.dropped = [
            negated(counts) & (apart <= RESOLVED * sqrt(accuracy.weakest))
            for counts, (_, _, apart) in zip(self.counts, pairs, strict=True)
        ]
        self.weakest = -RowVector(where(c, -s, -1.0) for c, s in zip(self.counts, sigma, strict=True)).largest
        self.weakest = minimum(1.0, self.weakest)
        self.step = RowVector.zeros(len(r))
        begun = weak.inverse_root * weak.start
        contradicting: Scalar = 0.0
        near: Scalar = 0.0
        unsure: Scalar = 0.0
        for t, s, counts, dropped, u in zip(theta, sigma, self.counts, self.dropped, vectors, strict=True):
            gives = maximum(1.0 - t, _LEAST_LEFT)
            left, x = u.dot(r), u.dot(pushed) / gives + u.dot(begun)
            back = where(dropped, -(left + x) / gives, left)
            self.step = self.step + u * where(counts, left / maximum(t, _NOTHING), back)
            # what the direction asks for: its residual were the multipliers zero, relative to the rows' accelerations
            unpushed, rows = abs(left + t * x), weak.inverse_root * u
            asked = unpushed * sqrt(weak.sizes.relative_square(rows))
            effect = asked / sqrt(maximum(t, accuracy.weakest * 1e-2))
            is_near = (s > tolerance / NEAR) & (s < tolerance * NEAR) & (effect > NOTICEABLE)
            near = where(is_near, 1.0, near)
            if weak.factored.squares:  # digits of s, the square, that are missing from a direction that counts
                missing = accuracy.rounding * accuracy.kappa * NOISE
                unsure = where(counts & (effect * missing > NOTICEABLE * t), 1.0, unsure)
            asked = unpushed * sqrt(sizes.relative_square(rows))
            contradicts = dropped & (asked > maximum(ROUNDING * s, accuracy.consistent))
            contradicting = where(contradicts, 1.0, contradicting)
        unsure = where(unsure > 0.5, UNSURE, OK) if weak.factored.squares else OK
        self.outcome = where(contradicting > 0.5, INFEASIBLE, where(near > 0.5, SINGULAR, unsure))

    def parted(self, rows: RowVector) -> tuple[RowVector, RowVector]:
        """What of some rows lies in directions that count, and in those that do not."""
        aside = RowVector.zeros(len(rows))
        for dropped, u in zip(self.dropped, self.vectors, strict=True):
            aside = aside + u * where(dropped, u.dot(rows), 0.0)
        return rows - aside, aside


def is_unsure(outcome: Scalar) -> Scalar:
    return abs(outcome - UNSURE) < 0.25


def _combined(Q: list[RowVector], coefficients: list[Scalar]) -> RowVector:
    total = Q[0] * coefficients[0]
    for q, c in zip(Q[1:], coefficients[1:], strict=True):
        total = total + q * c
    return total
