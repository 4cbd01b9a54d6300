"""Candidate points of all pairs of a model at one state, each with its rows on the bodies it acts on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from ...model import Tree
from ...model.contact import Interaction, Shape
from ...model.contact.surface import SMALLEST_FRICTION
from ...scalar import Scalar, maximum, where
from ...spatial import Force, Matrix, Placement, Vector
from ..rows import Terms
from .geometry import Touch, View, touches


@dataclass(frozen=True)
class Candidate:
    """One point: what touches, where, in whose frame that is written, and by which law."""

    touch: Touch
    body: int  # whose frame the touch is written in
    sign: float  # +1 if that body is the first's, else -1
    other: int  # the other body; 0 is the ground
    other_pose: Placement  # in that frame
    view: View
    interaction: Interaction
    shapes: tuple[Shape, Shape]

    def terms(self) -> Terms:
        """Rows of the relative velocity of the first body: along normal, t1, t2, then about them."""
        dimension, place = self.interaction.condim, self.touch.place()
        directions = (place.normal, place.t1, place.t2)
        own = rows_at(place.point, directions, dimension)
        terms: Terms = [(self.body, tuple(row * self.sign for row in own))]
        if self.other:
            back = self.other_pose.rotation.T
            point = back @ (place.point - self.other_pose.position)
            its = rows_at(point, [back @ d for d in directions], dimension)
            terms.append((self.other, tuple(row * -self.sign for row in its)))
        return terms

    @property
    def overlap(self) -> Scalar:
        """How far the shapes are within each other's margin: positive where they push."""
        return self.interaction.margin - self.touch.gap

    @property
    def depth(self) -> Scalar:
        """How far (m) the shapes are within each other; negative where they are apart."""
        gap, possible = self.touch.gap, self.touch.possible
        return -gap if possible is None else where(possible, -gap, 0.0)

    @property
    def touches(self) -> Scalar:
        """Whether they do."""
        overlaps = self.overlap > 0.0
        return overlaps if self.touch.possible is None else overlaps & self.touch.possible


def rows_at(point: Vector, directions: Sequence[Vector], dimension: int) -> list[Force]:
    linear = [Force(point.cross(d), d) for d in directions[: min(dimension, 3)]]
    return linear + [Force(d, Vector.zero()) for d in directions[: max(dimension - 3, 0)]]


def candidates(tree: Tree, poses: Sequence[Placement]) -> list[Candidate]:
    """`poses`: of every body's frame of computation in the world."""
    model = tree.model
    shapes = {shape.name: shape for shape in model.shapes}
    found = []
    for number, pair in enumerate(model.pairs):
        first, second = shapes[pair.first], shapes[pair.second]
        places = [tree.shape_transform(shape) for shape in (first, second)]
        bodies = [body for body, _ in places]
        body = bodies[0] or bodies[1]  # the first that moves
        other = bodies[1] if bodies[0] else 0
        own = poses[body]
        view = View(tuple(Vector(*row) for row in own.rotation.rows), own.position)  # type: ignore[arg-type]
        seen = {body: Placement.identity(), other: _seen_from(own, poses[other])}
        local = [
            Placement.identity().after(X) if shape.kind == "plane" else seen[b].after(X)
            for shape, (b, X) in zip((first, second), places, strict=True)
        ]
        law, given = pair.interaction(first, second), tree.contact_friction(number)
        law = law if given is None else replace(law, friction=tuple(maximum(f, SMALLEST_FRICTION) for f in given))
        sign = 1.0 if bodies[0] else -1.0
        found += [
            Candidate(touch, body, sign, other, seen[other], view, law, (first, second))
            for touch in touches(first, local[0], second, local[1], view)
        ]
    return found


def _seen_from(own: Placement, other: Placement) -> Placement:
    back: Matrix = own.rotation.T
    return Placement(back @ other.rotation, back @ (other.position - own.position))
