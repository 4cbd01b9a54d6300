"""Pairs whose contact is not computed but may occur: bounds around their shapes, and whether any of them overlap.

Bodies are looked at first, by balls around all that is watched of them; shapes of two bodies only where those overlap.
A status that is always there says nothing: pairs whose bounds overlap in the pose the model is drawn in, or in a
keyframe, are as close as their maker wants them, and are not watched unless they are named.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace

from ...errors import InputError
from ...model import Model, Tree, tree_of
from ...model.contact import Shape
from ...model.contact.bounds import bound_of
from ...scalar import Scalar, guard, where
from ...spatial import Placement, Vector
from ..tree.kinematics import placements
from .geometry.round_shapes import distance_of_round_shapes

_SHARE = 0.1  # of bodies' balls that overlap, for operation counts
Pair = tuple[str, str]


def watch(model: Model, *pairs: Pair) -> Model:
    """The model with status 6 where one of these pairs of shapes may touch; without any named, of all pairs that may
    touch, whose contact is not computed, whose bodies are no neighbours, and which are apart as drawn."""
    shapes = {shape.name: shape for shape in model.shapes}
    if not pairs:
        able = [s for s in model.shapes if s.kind != "plane"]
        pairs = tuple(
            (one.name, two.name)
            for k, two in enumerate(able) for one in able[:k]
            if one.surface.may_touch(two.surface) and not _are_near(model, one, two)
        )  # fmt: skip
        return watching(model, pairs_apart(model, pairs))
    for pair in pairs:
        if len(pair) != 2 or isinstance(pair, str):
            raise InputError(f"{pair!r} is watched; expected pairs of names of shapes, ('hand', 'knee')")
        for name in pair:
            if name in shapes and shapes[name].kind == "plane":
                raise InputError(f"{name!r} is a plane, which has no bounds; a contact with it can be computed")
    return watching(model, pairs)


def watching(model: Model, pairs: Iterable[Pair]) -> Model:
    computed = {frozenset((pair.first, pair.second)) for pair in model.pairs}
    kept = tuple((one, two) for one, two in pairs if frozenset((one, two)) not in computed)
    return replace(model, contact_law=replace(model.contact_law, watched=kept))


def pairs_apart(model: Model, pairs: Sequence[Pair]) -> list[Pair]:
    """Those whose bounds are apart in the pose the model is drawn in, and in its keyframes."""
    tree, apart = tree_of(model), list(pairs)
    for q in (model.drawn, *model.configurations.values()):
        bounds = _Bounds(tree, placements(tree, [float(x) for x in q]))
        apart = [pair for pair in apart if not bounds.overlap(*pair)]
    return apart


def may_meet(tree: Tree, poses: Sequence[Placement]) -> Scalar | None:
    """1 where bounds of a watched pair overlap, else 0; None if nothing is watched. `poses`: of all bodies."""
    model = tree.model
    computed = {frozenset((pair.first, pair.second)) for pair in model.pairs}
    watched = [pair for pair in model.contact_law.watched if frozenset(pair) not in computed]
    if not watched:
        return None
    bounds = _Bounds(tree, poses)
    by_bodies: dict[tuple[int, int], list[Pair]] = {}
    for one, two in watched:
        bodies = bounds.bodies[one], bounds.bodies[two]
        by_bodies.setdefault(bodies if bodies[0] <= bodies[1] else (bodies[1], bodies[0]), []).append((one, two))
    met: Scalar = 0.0
    for (first, second), own in by_bodies.items():
        balls = [bounds.ball(body, {name for pair in own for name in pair}) for body in (first, second)]
        near = _square(balls[0][0] - balls[1][0]) < (balls[0][1] + balls[1][1]) ** 2
        if len(own) == 1 and all(bounds.shapes[name].kind == "sphere" for name in own[0]):
            met = where(near, 1.0, met)  # the balls are all there is
            continue

        def look(own: list[Pair] = own, so_far: Scalar = met) -> list[Scalar]:
            found = so_far
            for pair in own:
                found = where(bounds.overlap(*pair), 1.0, found)
            return [found]

        met = guard(near, look, [met], expected=_SHARE)[0]
    return met


class _Bounds:
    """Of all shapes that are no planes, where bodies are at `poses`."""

    def __init__(self, tree: Tree, poses: Sequence[Placement]):
        self.shapes = {shape.name: bound_of(shape) for shape in tree.model.shapes if shape.kind != "plane"}
        places = {name: tree.frame_transform(shape.on, shape.placement) for name, shape in self.shapes.items()}
        self.bodies = {name: body for name, (body, _) in places.items()}
        self._poses, self._local = poses, {name: Placement.identity().after(X) for name, (_, X) in places.items()}
        self._transforms = places

    def _world(self, name: str) -> Placement:
        body, X = self._transforms[name]
        return self._poses[body].after(X)

    def overlap(self, one: str, two: str) -> Scalar:
        if self.shapes[one].kind == "sphere":
            one, two = two, one  # a capsule comes first
        return distance_of_round_shapes(
            self.shapes[one], self._world(one), self.shapes[two], self._world(two)
        ) < 0.0  # fmt: skip

    def ball(self, body: int, names: set[str]) -> tuple[Vector, float]:
        """(centre in the world, radius) around the bounds on one body."""
        own = [name for name in sorted(names) if self.bodies[name] == body]
        centers = [[float(x) for x in self._local[name].position] for name in own]
        reaches = [sum(self.shapes[name].size) for name in own]
        low = [min(c[k] - r for c, r in zip(centers, reaches, strict=True)) for k in range(3)]
        high = [max(c[k] + r for c, r in zip(centers, reaches, strict=True)) for k in range(3)]
        middle = [0.5 * (a + b) for a, b in zip(low, high, strict=True)]
        radius = max(math.dist(middle, c) + r for c, r in zip(centers, reaches, strict=True))
        pose = self._poses[body]
        return pose.position + pose.rotation @ Vector(*middle), radius


def _square(x: Vector) -> Scalar:
    return x @ x


def _are_near(model: Model, one: Shape, two: Shape) -> bool:
    """Shapes of one body, and of bodies that carry each other; of the ground nothing is near."""
    first, second = model.body_of(one.on), model.body_of(two.on)
    if first == second:
        return True
    return bool(first and second) and (model.bodies[first].parent == second or model.bodies[second].parent == first)
