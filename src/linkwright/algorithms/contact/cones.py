"""The cost of one contact as a function of its rows' accelerations x: convex, with a force and a Hessian.

All costs are homogeneous of degree two in x - e, so that the force is -H (x - e) with the Hessian H there: a Newton
step is exactly one solution with the block H in the place of a penalty, and the load H e. Rows are scaled in the
beginning so that the law is isotropic in them (elliptic), or friction is one (pyramidal).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ...scalar import Numbers, Scalar, maximum, sqrt, where
from ...spatial import ArticulatedInertia, Force, Motion, sum_of
from ..rows.closure import Terms

Values = list[Scalar]
Line = Callable[[Scalar], tuple[Scalar, Scalar]]
_NO_LENGTH = 1e-15


class ContactRows:
    """Rows of one candidate, scaled: along the normal, then friction.

    scales   physical force of a row per force of the scaled one
    weight   how easily the contact point moves (1/kg), which says what an error of a force means
    """

    def __init__(self, terms: Terms, e: Sequence[Scalar], scales: Numbers, weight: float):
        self.terms: Terms = [
            (body, tuple(row * s for row, s in zip(K, scales, strict=True))) for body, K in terms
        ]
        self.e = [x * s for x, s in zip(e, scales, strict=True)]
        self.scales, self.weights = list(scales), [weight * s for s in scales]
        self.size = len(self.e)
        self._squares = {body: _squares(K[1:]) for body, K in self.terms} if len(self.terms) == 1 else {}

    def values(self, a: Sequence[Scalar], change: Sequence[Motion]) -> Values:
        body, K = self.terms[0]
        values = [row.dot(change[body]) for row in K]
        for body, K in self.terms[1:]:
            values = [x + row.dot(change[body]) for x, row in zip(values, K, strict=True)]
        return values

    def away(self, x: Values) -> Values:
        return [p - q for p, q in zip(x, self.e, strict=True)]

    def force(self, x: Values) -> Values:
        """On the scaled rows."""
        H = self.hessian(x)
        return [-y for y in H.times(self.away(x))]

    def hessian(self, x: Values) -> Hessian:
        raise NotImplementedError

    def line(self, x: Values, dx: Values) -> Line:
        """t -> (slope, curvature) of the cost at x + t dx."""
        raise NotImplementedError

    def friction_squares(self, body: int) -> ArticulatedInertia | None:
        """The sum of k k' over friction rows, which does not change between passes."""
        return self._squares.get(body)


class Hessian:
    """normal a, normal-friction b_j, friction c_jj: H = [a b'; b C], with C = shared 1 + turned t t' or diagonal."""

    def times(self, v: Values) -> Values:
        raise NotImplementedError

    def matrix(self) -> list[Values]:
        raise NotImplementedError

    def inertia(self, K: Sequence[Force], squares: ArticulatedInertia | None) -> ArticulatedInertia:
        """K' H K."""
        H = self.matrix()
        HK = [sum_of(row * h for row, h in zip(K, line, strict=True)) for line in H]
        return ArticulatedInertia.from_function(
            lambda r, s: sum_of(row[r] * other[s] for row, other in zip(K, HK, strict=True))
        )


class EllipticHessian(Hessian):
    def __init__(self, normal: Scalar, mixed: Scalar, shared: Scalar, turned: Scalar, t: Values):
        self.normal, self.mixed, self.shared, self.turned, self.t = normal, mixed, shared, turned, t

    def times(self, v: Values) -> Values:
        along = sum_of(p * q for p, q in zip(self.t, v[1:], strict=True))
        turned = self.mixed * v[0] + self.turned * along
        friction = (self.shared * p + turned * q for p, q in zip(v[1:], self.t, strict=True))
        return [self.normal * v[0] + self.mixed * along, *friction]

    def matrix(self) -> list[Values]:
        mixed = [self.mixed * x for x in self.t]
        rows = [[self.turned * x * y for y in self.t] for x in self.t]
        for k, row in enumerate(rows):
            row[k] = row[k] + self.shared
        return [[self.normal, *mixed], *([b, *row] for b, row in zip(mixed, rows, strict=True))]

    def inertia(self, K: Sequence[Force], squares: ArticulatedInertia | None) -> ArticulatedInertia:
        if squares is None:
            return super().inertia(K, squares)
        n = K[0]
        w: Force = sum_of(row * x for row, x in zip(K[1:], self.t, strict=True))
        A, B = n * self.normal + w * self.mixed, n * self.mixed + w * self.turned
        return ArticulatedInertia.from_function(
            lambda r, s: (A[r] * n[s] + B[r] * w[s]) + self.shared * squares[r, s]
        )


class EllipticContact(ContactRows):
    """With U = (mu jar_n, f_j jar_j), N = U_0 and T = |U_1 ...|: nothing where N >= mu T, c/2 |U|^2 where
    mu N + T <= 0, and c / (1 + mu^2) / 2 (N - mu T)^2 between.
    """

    def __init__(
        self, terms: Terms, e: Sequence[Scalar], D: Scalar, mu: float, friction: Numbers, weight: float
    ):  # fmt: skip
        super().__init__(terms, e, [mu, *friction], weight)
        self.mu = mu
        self.c = D * (1.0 / (mu * mu))
        self.between = self.c * (1.0 / (1.0 + mu * mu))

    def _regions(self, N: Scalar, T: Scalar, between: Scalar, inside: Scalar) -> Scalar:
        return where(N >= T * self.mu, 0.0, where(N * self.mu + T <= 0.0, inside, between))

    def hessian(self, x: Values) -> EllipticHessian:
        U, mu, between = self.away(x), self.mu, self.between
        N = U[0]
        T = sqrt(sum_of(u * u for u in U[1:]))
        inverse = 1.0 / maximum(T, _NO_LENGTH)
        n, pick = N * inverse, lambda mid, low: self._regions(N, T, mid, low)
        return EllipticHessian(
            pick(between, self.c), pick(-(between * mu), 0.0), pick(between * mu * (mu - n), self.c),
            pick(between * mu * n, 0.0), [u * inverse for u in U[1:]],
        )  # fmt: skip

    def line(self, x: Values, dx: Values) -> Line:
        U, mu = self.away(x), self.mu
        square = sum_of(u * u for u in U[1:])
        slope = sum_of(u * d for u, d in zip(U[1:], dx[1:], strict=True))
        growth = sum_of(d * d for d in dx[1:])

        def at(t: Scalar) -> tuple[Scalar, Scalar]:
            N, turning = U[0] + t * dx[0], slope + growth * t
            T = sqrt(maximum(square + t * (slope + turning), 0.0))
            inverse = 1.0 / maximum(T, _NO_LENGTH)
            rate = turning * inverse
            depth, deepening = N - mu * T, dx[0] - mu * rate
            first = self._regions(N, T, self.between * (depth * deepening), self.c * (N * dx[0] + turning))
            bend = deepening * deepening - depth * mu * ((growth - rate * rate) * inverse)
            return first, self._regions(N, T, self.between * bend, self.c * (dx[0] * dx[0] + growth))

        return at


class PyramidHessian(Hessian):
    def __init__(self, normal: Scalar, mixed: Values, own: Values):
        self.normal, self.mixed, self.own = normal, mixed, own

    def times(self, v: Values) -> Values:
        normal = sum_of([self.normal * v[0], *(m * x for m, x in zip(self.mixed, v[1:], strict=True))])
        return [normal, *(m * v[0] + o * x for m, o, x in zip(self.mixed, self.own, v[1:], strict=True))]

    def matrix(self) -> list[Values]:
        rows = [[m, *(o if j == k else 0.0 for j in range(len(self.own)))] for k, (m, o) in enumerate(
            zip(self.mixed, self.own, strict=True))]  # fmt: skip
        return [[self.normal, *self.mixed], *rows]


class PyramidContact(ContactRows):
    """Edges n + f_j t_j and n - f_j t_j, each a one-sided quadratic; without friction the normal alone."""

    def __init__(self, terms: Terms, e: Sequence[Scalar], D: Scalar, friction: Numbers, weight: float):
        super().__init__(terms, e, [1.0, *friction], weight)
        self.D = D

    def _edges(self, x: Values) -> Values:
        if self.size == 1:
            return [x[0]]
        return [value for u in x[1:] for value in (x[0] + u, x[0] - u)]

    def hessian(self, x: Values) -> PyramidHessian:
        on = [where(jar < 0.0, self.D, 0.0) for jar in self._edges(self.away(x))]
        if self.size == 1:
            return PyramidHessian(on[0], [], [])
        plus, minus = on[0::2], on[1::2]
        mixed = [p - m for p, m in zip(plus, minus, strict=True)]
        own = [p + m for p, m in zip(plus, minus, strict=True)]
        return PyramidHessian(sum_of(own), mixed, own)

    def line(self, x: Values, dx: Values) -> Line:
        start, steps = self._edges(self.away(x)), self._edges(dx)
        return one_sided_line(start, steps, [self.D] * len(start))


def one_sided_line(start: Values, steps: Values, D: Values) -> Line:
    """Of the sum of D/2 z^2 over those z that are negative."""

    def at(t: Scalar) -> tuple[Scalar, Scalar]:
        first: Scalar = 0.0
        second: Scalar = 0.0
        for z, d, stiff in zip(start, steps, D, strict=True):
            now, pulled = z + t * d, stiff * d
            on = now < 0.0
            first = first + where(on, pulled * now, 0.0)
            second = second + where(on, pulled * d, 0.0)
        return first, second

    return at


def _squares(K: Sequence[Force]) -> ArticulatedInertia | None:
    if not K:
        return None
    return ArticulatedInertia.from_function(lambda r, s: sum_of(row[r] * row[s] for row in K))
