"""Contacts of one body with the ground, computed only where they touch.

Of a shape that is apart only gaps are known. The rest stands behind guards, which are taken where any sample computed
together with this one touches: reference accelerations and stiffnesses once, the body's model, the change of its force
and the slopes of its costs in every pass. Shapes of one body have guards of their own within those of the body.
Contacts of samples that do not touch are computed along, with a stiffness of zero: they add nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar

from ...scalar import Scalar, guard, maximum
from ...spatial import ArticulatedInertia, Force, Motion
from .candidates import Candidate
from .cones import Values
from .sites import INERTIA_SIZE, WRENCH_SIZE, Along, BodySite, Slopes, flat_inertia

EXPECTED_SHARE = 0.1  # of shapes that touch, for operation counts
_EXPECTED_BODIES = 0.3

Sums = TypeVar("Sums", bound=Sequence)


class Contact(Protocol):
    """The law of one candidate at one state."""

    def model(self, X: Motion) -> tuple[ArticulatedInertia, Force]:
        """(H, the force on the body) at the body's acceleration X."""
        ...

    def slopes(self, X: Motion, D: Motion) -> tuple[Scalar, Scalar]:
        """Of its cost at X along D."""
        ...


@dataclass(frozen=True)
class Touching:
    """Candidates that stand behind one guard: 1 where any of them touches, and their laws from numbers that are known
    where it is."""

    candidates: list[Candidate]
    flag: Scalar
    numbers: Sequence[Scalar]
    laws: Callable[[Sequence[Scalar]], Sequence[Contact]]

    def contacts(self) -> Sequence[Contact]:
        return self.laws(self.numbers)


class GroundedBody(BodySite):
    kept = 1 + INERTIA_SIZE + WRENCH_SIZE

    def __init__(self, body: int, weights: Sequence[float], touching: Sequence[Touching]):
        super().__init__(body, weights)
        self.touching = touching
        self.flag = touching[0].flag
        for some in touching[1:]:
            self.flag = maximum(self.flag, some.flag)

    def _where_it_touches(self, compute: Callable[[], Values], otherwise: Sequence[Scalar]) -> Values:
        share = EXPECTED_SHARE if len(self.touching) == 1 else _EXPECTED_BODIES
        return guard(self.flag > 0.5, compute, list(otherwise), expected=share, keeps=True)

    def _sum(self, more: Callable[[Contact, Values], Values], start: Sequence[Scalar]) -> Values:
        """Of all contacts that touch, one after the other."""
        total = list(start)
        for some in self.touching:

            def with_these(some=some, total=total) -> Values:
                for contact in some.contacts():
                    total = more(contact, total)
                return total

            alone = len(self.touching) == 1
            total = with_these() if alone else guard(some.flag > 0.5, with_these, total, expected=0.5, keeps=True)
        return total

    def model(self, x: Values, phi: Values, last: Sequence[Scalar] = ()) -> Values:
        X = Motion.of(x)

        def more(contact: Contact, total: Values) -> Values:
            H, force = contact.model(X)
            return [p + q for p, q in zip(total, [*flat_inertia(H), *-force], strict=True)]

        def compute() -> Values:
            numbers = self._sum(more, [*[0.0] * INERTIA_SIZE, *phi])
            return [super(GroundedBody, self).error(numbers), *numbers]

        return self._where_it_touches(compute, last or [0.0] * self.kept)

    def error(self, numbers: Values) -> Scalar:
        return numbers[0]

    def change(self, numbers: Values, phi: Values, d: Values, so_far: Along) -> tuple[Values, Along]:
        def compute() -> Values:
            new, sums = super(GroundedBody, self).change(numbers, phi, d, so_far)
            return [*new, *sums]

        values = self._where_it_touches(compute, [*[0.0] * WRENCH_SIZE, *so_far])
        return values[:WRENCH_SIZE], Along(*values[WRENCH_SIZE:])

    def slopes(self, x: Values, d: Values, t: Scalar, so_far: Slopes) -> Slopes:
        X, D = Motion.of(x), Motion.of(d)

        def more(contact: Contact, total: Values) -> Values:
            first, second = contact.slopes(X + D * t, D)
            return [total[0] + first, total[1] + second]

        return Slopes(*self._where_it_touches(lambda: self._sum(more, so_far), so_far))
