"""Contacts of one body with the ground, computed only where they touch.

Of a shape that is apart only gaps are known. The rest stands behind a guard, which is taken where any sample computed
together with this one touches: reference accelerations and stiffnesses once, the shape's share of the body's penalty in
every pass. Shares are added up from guard to guard.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from ...scalar import Scalar, guard
from ...spatial import ArticulatedInertia, Force, Motion
from .candidates import Candidate
from .cones import Values
from .sites import MODEL_SIZE, BodySite, flat_model

EXPECTED_SHARE = 0.1  # of shapes that touch, for operation counts


class Contact(Protocol):
    """The law of one candidate at one state."""

    def model(self, X: Motion) -> tuple[ArticulatedInertia, Force]: ...


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
    def __init__(self, body: int, weights: Sequence[float], touching: Sequence[Touching]):
        super().__init__(body, weights)
        self.touching = touching

    def evaluate(self, x: Values) -> Values:
        X, total = Motion.of(x), [0.0] * MODEL_SIZE
        for some in self.touching:
            total = guard(some.flag > 0.5, lambda: _more(some, X, total), total, expected=EXPECTED_SHARE)  # noqa: B023
        return total


def _more(some: Touching, X: Motion, total: Values) -> Values:
    for contact in some.contacts():
        total = [x + y for x, y in zip(total, flat_model(*contact.model(X)), strict=True)]
    return total
