"""Pairs of shapes whose contact is computed, and the candidate points that each has."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from ...call_errors import names_arguments
from ...errors import ModelError, UnsupportedError
from .naming import refused_as_of
from .shape import UNCOMPUTED, Shape
from .softness import Softness, checked_solref
from .surface import (
    SMALLEST_FRICTION,
    Interaction,
    checked_condim,
    checked_friction,
    checked_length,
    interaction_of,
)

# Candidate points of (second, first) as MuJoCo gives them; -1: as many as the first shape has points.
POINTS = {
    ("plane", "sphere"): 1, ("plane", "capsule"): 2, ("plane", "ellipsoid"): 1, ("plane", "cylinder"): 4,
    ("plane", "box"): 4, ("plane", "convex"): -1, ("sphere", "sphere"): 1, ("sphere", "capsule"): 1,
    ("capsule", "capsule"): 1, ("sphere", "box"): 1, ("capsule", "box"): 2,
}  # fmt: skip
_PAIR_FRICTION = (1.0, 1.0, 0.005, 0.0001, 0.0001)


@dataclass(frozen=True)
class ContactPair:
    """`first` and `second` are names of shapes; the normal points from the second to the first.

    Made by `contact`. What is None is combined from the two surfaces; `friction` has five directions.
    """

    first: str
    second: str
    condim: int | None = None
    friction: tuple[float, ...] | None = None
    solref: tuple[float, ...] | None = None
    solimp: tuple[float, ...] | None = None
    friction_solref: tuple[float, ...] | None = None
    margin: float | None = None

    def __post_init__(self):
        for what in ("first", "second"):
            if not isinstance(getattr(self, what), str) or not getattr(self, what):
                raise ModelError(f"a contact is between {self.first!r} and {self.second!r}; expected names")
        if self.first == self.second:
            raise ModelError(f"a contact is between {self.first!r} and itself")
        with refused_as_of(f"contact of {self.first!r} and {self.second!r}"):
            self._check_numbers()

    def _check_numbers(self) -> None:
        if self.condim is not None:
            checked_condim(self.condim)
        if self.friction is not None:
            object.__setattr__(self, "friction", checked_friction(self.friction, _PAIR_FRICTION))
        if self.margin is not None:
            object.__setattr__(self, "margin", checked_length(self.margin, "margin"))
        if self.friction_solref is not None:
            object.__setattr__(self, "friction_solref", checked_solref(self.friction_solref))
        for name in ("solref", "solimp"):
            if getattr(self, name) is not None:
                object.__setattr__(self, name, getattr(Softness(**{name: getattr(self, name)}), name))

    @property
    def name(self) -> str:
        return f"{self.first}/{self.second}"

    def between(self, first: str, second: str) -> ContactPair:
        return replace(self, first=first, second=second)

    def interaction(self, first: Shape, second: Shape) -> Interaction:
        mixed = interaction_of(first.surface, second.surface)
        friction = None if self.friction is None else tuple(max(x, SMALLEST_FRICTION) for x in self.friction)
        given: dict[str, Any] = {
            "condim": self.condim, "friction": friction, "margin": self.margin,
            "friction_solref": self.friction_solref,
        }  # fmt: skip
        softness = Softness(self.solref or mixed.softness.solref, self.solimp or mixed.softness.solimp)
        return replace(mixed, softness=softness, **{key: x for key, x in given.items() if x is not None})


@names_arguments
def contact(
    a: str, b: str, *, friction=None, condim: int | None = None, solref=None, solimp=None, margin: float | None = None
) -> ContactPair:  # fmt: skip
    """Contact between two shapes, or all shapes of two bodies, by name: for `robot.with_contacts(...)`.

    `friction` is one number for sliding in both directions, or up to five: two of sliding, torsional, two of rolling.
    """
    if friction is not None and not hasattr(friction, "__len__"):
        friction = (friction, friction)
    return ContactPair(a, b, condim, friction, solref, solimp, None, margin)


def ordered(one: Shape, two: Shape) -> tuple[Shape, Shape]:
    """(first, second) as contacts have them; raises where nobody can compute the contact."""
    first, second = (one, two) if one.rank > two.rank else (two, one) if two.rank > one.rank else (one, two)
    if first.kind in UNCOMPUTED:
        what = f"contact of {first.kind.replace('_', ' ')} {first.name!r} with {second.kind} {second.name!r}"
        raise UnsupportedError(
            f"{what} is not computed, only watched: take the hulls of meshes, linkwright.load(file, meshes=True), or "
            f"replace it by spheres, capsules or boxes"
        )
    if (second.kind, first.kind) not in POINTS:
        raise UnsupportedError(
            f"contact of {first.kind} {first.name!r} with {second.kind} {second.name!r} is not computed; computed are "
            f"all shapes with planes, and spheres and capsules with spheres, capsules and boxes: replace one of the "
            f"two by spheres or capsules"
        )
    return first, second


def is_computed(one: Shape, two: Shape) -> bool:
    return (one.kind, two.kind) in POINTS or (two.kind, one.kind) in POINTS


@dataclass(frozen=True)
class ContactPoint:
    """A candidate: the `index`-th point of a pair."""

    name: str
    first: str
    second: str
    index: int


def points_of(pair: ContactPair, first: Shape, second: Shape) -> list[ContactPoint]:
    count = POINTS[second.kind, first.kind]
    count = len(first.points) if count < 0 else count
    if count == 1:
        return [ContactPoint(pair.name, pair.first, pair.second, 0)]
    return [ContactPoint(f"{pair.name}/{k}", pair.first, pair.second, k) for k in range(count)]
