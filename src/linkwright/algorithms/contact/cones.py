"""The cost of one contact as a function of its rows' accelerations x: convex, with a force and a Hessian.

All costs are homogeneous of degree two in x - e, so that the force is -H (x - e) with the Hessian H there: a Newton
step is exactly one solution with the block H in the place of a penalty, and the load H e. Rows are scaled in the
beginning so that the law is isotropic in them (elliptic), or friction is one (pyramidal).
"""

from __future__ import annotations

from collections.abc import Sequence

from ...scalar import Numbers, Scalar, maximum, minimum, sqrt, where
from ...spatial import ArticulatedInertia, Force, Motion, sum_of
from ..rows import Terms

Values = list[Scalar]
NO_LENGTH = 1e-15


def cone_regions(
    N: Scalar, T: Scalar, inverse: Scalar, mu: float, c: Scalar
) -> tuple[Scalar, Scalar, Scalar, Scalar]:  # fmt: skip
    """(normal, mixed, shared, turned) of the Hessian [normal, mixed t'; mixed t, shared 1 + turned t t'] of the
    elliptic cost with weight c, where t is the direction of the friction rows and `inverse` is 1 / T:

    nothing where N >= mu T, c/2 (N^2 + T^2) where mu N + T <= 0, and c / (1 + mu^2) / 2 (N - mu T)^2 between.
    """
    apart, inside = N >= T * mu, N * mu + T <= 0.0
    between, n = c * (1.0 / (1.0 + mu * mu)), N * inverse

    def pick(mid: Scalar, low: Scalar) -> Scalar:
        return where(apart, 0.0, where(inside, low, mid))

    return (
        pick(between, c), pick(-(between * mu), 0.0), pick(between * mu * (mu - n), c), pick(between * mu * n, 0.0)
    )  # fmt: skip


def cone_slopes(
    N: Scalar, dN: Scalar, square: Scalar, rise: Scalar, steps: Scalar, mu: float, c: Scalar
) -> tuple[Scalar, Scalar]:  # fmt: skip
    """First and second derivative of that cost along a step by dN and by friction rows d, where `square` is T^2, `rise`
    the product of those rows and d, `steps` d's own square."""
    T = sqrt(square)
    inverse = 1.0 / maximum(T, NO_LENGTH)
    apart, inside = N >= T * mu, N * mu + T <= 0.0
    dT = rise * inverse
    beyond, growing = N - T * mu, dN - dT * mu
    between = c * (1.0 / (1.0 + mu * mu))
    first = where(inside, c * (N * dN + rise), between * (beyond * growing))
    bent = beyond * mu * ((steps - dT * dT) * inverse)
    second = where(inside, c * (dN * dN + steps), between * (growing * growing - bent))
    return where(apart, 0.0, first), where(apart, 0.0, second)


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

    def slopes(self, x: Values, d: Values) -> tuple[Scalar, Scalar]:
        """First and second derivative of the cost at x along d."""
        raise NotImplementedError

    def hessian(self, x: Values) -> Hessian:
        raise NotImplementedError

    def hessian_of(self, numbers: Values) -> Hessian:
        raise NotImplementedError

    def friction_squares(self, body: int) -> ArticulatedInertia | None:
        """The sum of k k' over friction rows, which does not change between passes."""
        return self._squares.get(body)


class Hessian:
    """normal a, normal-friction b_j, friction c_jj: H = [a b'; b C], with C = shared 1 + turned t t' or diagonal."""

    def numbers(self) -> Values:
        """All that it is made of; `ContactRows.hessian_of` takes them."""
        raise NotImplementedError

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

    def numbers(self) -> Values:
        return [self.normal, self.mixed, self.shared, self.turned, *self.t]

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
    """The cost of N = U_0 and T = |U_1 ...| with U = (mu jar_n, f_j jar_j)."""

    def __init__(
        self, terms: Terms, e: Sequence[Scalar], D: Scalar, mu: float, friction: Numbers, weight: float
    ):  # fmt: skip
        super().__init__(terms, e, [mu, *friction], weight)
        self.mu = mu
        self.c = D * (1.0 / (mu * mu))

    def slopes(self, x: Values, d: Values) -> tuple[Scalar, Scalar]:
        N, *u = self.away(x)
        dN, *step = d
        square, rise, steps = (
            sum_of(p * q for p, q in zip(one, other, strict=True)) for one, other in ((u, u), (u, step), (step, step))
        )
        return cone_slopes(N, dN, square, rise, steps, self.mu, self.c)

    def hessian_of(self, numbers: Values) -> EllipticHessian:
        normal, mixed, shared, turned, *t = numbers
        return EllipticHessian(normal, mixed, shared, turned, t)

    def hessian(self, x: Values) -> EllipticHessian:
        U = self.away(x)
        T = sqrt(maximum(sum_of(u * u for u in U[1:]), NO_LENGTH * NO_LENGTH))
        inverse = 1.0 / T
        return EllipticHessian(*cone_regions(U[0], T, inverse, self.mu, self.c), [u * inverse for u in U[1:]])


class PyramidHessian(Hessian):
    def __init__(self, normal: Scalar, mixed: Values, own: Values):
        self.normal, self.mixed, self.own = normal, mixed, own

    def numbers(self) -> Values:
        return [self.normal, *self.mixed, *self.own]

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

    def slopes(self, x: Values, d: Values) -> tuple[Scalar, Scalar]:
        first: Scalar = 0.0
        second: Scalar = 0.0
        for jar, step in zip(self._edges(self.away(x)), self._edges(d), strict=True):
            first = first + minimum(jar, 0.0) * step
            second = second + where(jar < 0.0, step * step, 0.0)
        return self.D * first, self.D * second

    def hessian_of(self, numbers: Values) -> PyramidHessian:
        n = self.size - 1
        return PyramidHessian(numbers[0], list(numbers[1 : 1 + n]), list(numbers[1 + n :]))

    def hessian(self, x: Values) -> PyramidHessian:
        on = [where(jar < 0.0, self.D, 0.0) for jar in self._edges(self.away(x))]
        if self.size == 1:
            return PyramidHessian(on[0], [], [])
        plus, minus = on[0::2], on[1::2]
        mixed = [p - m for p, m in zip(plus, minus, strict=True)]
        own = [p + m for p, m in zip(plus, minus, strict=True)]
        return PyramidHessian(sum_of(own), mixed, own)


def _squares(K: Sequence[Force]) -> ArticulatedInertia | None:
    if not K:
        return None
    return ArticulatedInertia.from_function(lambda r, s: sum_of(row[r] * row[s] for row in K))
