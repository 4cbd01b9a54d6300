"""Pairs whose contact is not computed but may occur: which they are, and whether any of them overlap.

Bodies are looked at first, by balls around all that is watched of them, then shapes by balls, by boxes, and by what
they are like (geometry/separation.py). From the balls on that is one piece of code for all pairs that share a body,
with a row of numbers for each.

A status that is always there says nothing: shapes that overlap in the pose the model is drawn in, or in a keyframe, are
as close as their maker wants them, and are not watched unless they are named. Those that fly freely are watched all the
same: how they are drawn is where they start.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial, reduce
from typing import NamedTuple

from ...call_errors import names_arguments
from ...errors import InputError
from ...model import Model, Tree, tree_of
from ...model.contact.possible_pairs import ShapeNames, fly_freely, possible_pairs
from ...model.contact.untold_pairs import with_told_pairs as told_pairs
from ...model.found_once import found_once
from ...model.pose import finite_array
from ...scalar import Scalar, guard, maximum, repeat, sqrt, where
from ...spatial import Matrix, Placement, Vector
from ..tree.kinematics import placements
from .geometry.separation import boxes_overlap, overlap, turned_into
from .geometry.solid import Solid, solid_of

# Shares, for operation counts, in random poses of Go1, G1 and two hands: of pairs of bodies whose balls overlap, of
# those with shapes whose balls do, of such pairs of shapes among theirs; of bodies with a pair of shapes whose boxes
# overlap, of such pairs among theirs.
_NEAR, _SOME, _BALLS, _ANY, _CLOSEST = 0.26, 0.5, 0.4, 0.3, 0.03

_FEW = 4  # pairs of shapes of two bodies whose boxes are compared one after the other, without a loop
_TOGETHER = 25  # pairs of shapes in one loop, about: code for each loop, and numbers for each pair in it are read
Bodies = tuple[int, int]


@names_arguments
def watch(model: Model, *pairs: ShapeNames) -> Model:
    """The model with status 6 where one of these pairs of shapes may touch; without any named, of all pairs that may
    touch, whose contact is not computed, whose bodies are no neighbours, and which are apart as drawn."""
    shapes = {shape.name: shape for shape in model.shapes}
    if not pairs:
        unnamed = replace(model, contact_law=replace(model.contact_law, watched=None))
        return watching(model, watched_pairs(unnamed))
    for pair in pairs:
        if len(pair) != 2 or isinstance(pair, str):
            raise InputError(f"{pair!r} is watched; expected pairs of names of shapes, ('hand', 'knee')")
        if all(name in shapes and shapes[name].kind == "plane" for name in pair):
            raise InputError(f"{pair!r} is watched; both are planes, which are parts of the ground")
    return watching(model, pairs)


def watching(model: Model, pairs: Iterable[ShapeNames]) -> Model:
    computed = {frozenset((pair.first, pair.second)) for pair in model.pairs}
    kept = tuple((one, two) for one, two in pairs if frozenset((one, two)) not in computed)
    return replace(model, contact_law=replace(model.contact_law, watched=kept))


@names_arguments
def watched_pairs(model: Model) -> tuple[ShapeNames, ...]:
    """Pairs of shapes, by name, whose contact is not computed and which are watched: where one may overlap, status is
    6."""
    return _chosen(model)[0]


def overlapping_as_drawn(model: Model) -> tuple[ShapeNames, ...]:
    """Pairs of shapes that may touch, whose contact is not computed, and which are not watched: they overlap in the
    pose the model is drawn in, or in a keyframe."""
    return _chosen(model)[1]


def with_told_pairs(model: Model) -> Model:
    """With what is not computed of pairs, and what is not even watched, in `not_computed`."""
    return told_pairs(model, overlapping_as_drawn(model))


@found_once
def _chosen(model: Model) -> tuple[tuple[ShapeNames, ...], tuple[ShapeNames, ...]]:
    """(watched, left out since they overlap as drawn)."""
    if model.contact_law.watched is not None:
        computed = {frozenset((pair.first, pair.second)) for pair in model.pairs}
        return tuple(pair for pair in model.contact_law.watched if frozenset(pair) not in computed), ()
    possible = possible_pairs(model)
    if not possible:
        return (), ()
    apart = set(_apart_as_drawn(model, possible))
    body = {shape.name: model.body_of(shape.on) for shape in model.shapes}
    kept = [pair for pair in possible if pair in apart or fly_freely(model, body[pair[0]], body[pair[1]])]
    watched = set(kept)
    return tuple(kept), tuple(pair for pair in possible if pair not in watched)


def _apart_as_drawn(model: Model, pairs: Sequence[ShapeNames]) -> list[ShapeNames]:
    tree, apart = tree_of(model), list(pairs)
    for q in (model.drawn, *model.configurations.values()):
        solids = _Solids(tree, placements(tree, [float(x) for x in q]))
        apart = [pair for pair in apart if not solids.meet(*pair) > 0.5]
    return apart


@names_arguments
def overlapping_pairs(model: Model, q) -> list[ShapeNames]:
    """Pairs of shapes, by name, that are watched and overlap in the configuration q (nq,)."""
    given = finite_array(q, (model.nq,), "q").tolist()
    return [pair for pair, met in meeting(model, given) if met > 0.5]


def meeting(model: Model, q: Sequence[Scalar]) -> list[tuple[ShapeNames, Scalar]]:
    """Watched pairs, and where each overlaps (1, else 0); q numbers, or arrays of them, one per sample."""
    tree = tree_of(model)
    solids = _Solids(tree, placements(tree, list(q)))
    return [(pair, solids.meet(*pair)) for pair in watched_pairs(model)]


def may_meet(tree: Tree, poses: Sequence[Placement]) -> Scalar | None:
    """1 where a watched pair overlaps, else 0; None if nothing is watched. `poses`: of all bodies."""
    watched = watched_pairs(tree.model)
    if not watched:
        return None
    solids = _Solids(tree, poses)
    met: Scalar = 0.0
    by_bodies: dict[Bodies, list[ShapeNames]] = {}
    for one, two in watched:
        if two in solids.planes:
            met = where(solids.height(one, two) < 0.0, 1.0, met)
            continue
        first, second = solids.bodies[one], solids.bodies[two]
        by_bodies.setdefault((min(first, second), max(first, second)), []).append(
            (one, two) if first <= second else (two, one)
        )
    for group in _groups(by_bodies):
        met = _Group(solids, group).look(met)
    return met


def _groups(by_bodies: dict[Bodies, list[ShapeNames]]) -> list[dict[Bodies, list[ShapeNames]]]:
    """Pairs of bodies in groups of about `_TOGETHER` pairs of shapes."""
    found: list[dict[Bodies, list[ShapeNames]]] = []
    count = _TOGETHER
    for bodies, pairs in sorted(by_bodies.items()):
        if count >= _TOGETHER:
            found.append({})
            count = 0
        found[-1][bodies] = pairs
        count += len(pairs)
    return found


class _Row(NamedTuple):
    """A pair of shapes that is looked at, and the number of the pair of bodies they are on."""

    number: int
    bodies: Bodies
    pair: ShapeNames


@dataclass(frozen=True)
class _Group:
    """Pairs of bodies, and what is watched of each."""

    solids: _Solids
    by_bodies: dict[Bodies, list[ShapeNames]]

    def look(self, met: Scalar) -> Scalar:
        """1 where a pair overlaps or `met` is 1, else 0."""
        solids, flags = self.solids, []
        for bodies, pairs in self.by_bodies.items():
            (one, its), (two, other) = (
                solids.ball(body, {pair[k] for pair in pairs}) for k, body in enumerate(bodies)
            )
            near = _square(one - two) < (its + other) ** 2
            flags += guard(near, partial(self._closer, bodies, pairs), [0.0], expected=_NEAR)
        rows = [
            _Row(k, bodies, pair) for k, (bodies, pairs) in enumerate(self.by_bodies.items()) for pair in pairs
        ]  # fmt: skip
        most = max(len(solids.solids[name].corners) for row in rows for name in row.pair)
        first = guard((_largest(flags) > 0.5) & (met < 0.5), partial(self._first_look, flags, rows, most),
                      [0.0] * (len(rows) if most else 1), expected=_ANY)  # fmt: skip
        if not most:
            return maximum(met, first[0])
        second = partial(self._second_look, first, rows, most)
        return maximum(met, guard(_largest(first) > 0.5, second, [0.0], expected=_ANY * _CLOSEST)[0])

    def _place(self, bodies: Bodies) -> Placement:
        """Of the second body in the first."""
        return turned_into(*(self.solids.poses[body] for body in bodies))

    def _places(self, rows: list[_Row]) -> list[list[Scalar]]:
        known = {bodies: _numbers(self._place(bodies)) for bodies in self.by_bodies}
        return [known[row.bodies] for row in rows]

    def _closer(self, bodies: Bodies, pairs: list[ShapeNames]) -> list[Scalar]:
        """[1 where the boxes of some pair of shapes on two bodies overlap, else 0]."""
        solids, place = self.solids, self._place(bodies)
        touching = [where(self._balls_overlap(pair, place), 1.0, 0.0) for pair in pairs]
        rows = [[x for name in pair for x in (*self._local(name), *solids.solids[name].half)] for pair in pairs]

        def each(values: Sequence[Scalar], flag: Scalar, row) -> tuple[list[Scalar], list[Scalar]]:
            (so_far,) = values
            boxes = lambda: [_boxes(row, place)]  # noqa: E731
            return guard((flag > 0.5) & (so_far < 0.5), boxes, [so_far], expected=_BALLS), []

        def all_of() -> list[Scalar]:
            if len(pairs) <= _FEW:
                return [_largest([_boxes(row, place) for row in rows])]
            return repeat(each, [0.0], count=len(pairs), tables=[touching, rows])[0]

        return guard(_largest(touching) > 0.5, all_of, [0.0], expected=_SOME)

    def _balls_overlap(self, pair: ShapeNames, place: Placement) -> Scalar:
        """`place`: of the second's body in the first's."""
        one, two = (self.solids.local[name].position for name in pair)
        reach = self.solids.solids[pair[0]].ball + self.solids.solids[pair[1]].ball
        return _square(place.position + place.rotation @ two - one) < reach**2

    def _first_look(self, flags: list[Scalar], rows: list[_Row], most: int) -> list[Scalar]:
        """Of every pair, 1 where the solids overlap, corners known by how far they reach, else 0; where no shape has
        corners, of all together."""
        solids = self.solids.solids
        known = {name: [*self._local(name), *s.half, *s.numbers] for name, s in solids.items()}
        numbers = [[x for name in row.pair for x in known[name]] for row in rows]
        tables = [[flags[row.number] for row in rows], self._places(rows), numbers]

        def each(values: Sequence[Scalar], flag: Scalar, place, row) -> tuple[list[Scalar], list[Scalar]]:
            so_far = values[0] if values else 0.0
            half = len(row) // 2
            sizes = [*row[:15], *row[half : half + 15]]
            shapes = [*row[:12], *row[15:half], *row[half : half + 12], *row[half + 15 :]]

            def look() -> list[Scalar]:
                boxes = _boxes(sizes, _placement(place))
                return guard(boxes > 0.5, lambda: [_overlap(place, shapes, Solid.of_numbers)], [so_far],
                             expected=_CLOSEST)  # fmt: skip

            found = guard((flag > 0.5) & (so_far < 0.5), look, [so_far], expected=_BALLS)
            return (found, []) if values else ([], found)

        ended, found = repeat(each, [] if most else [0.0], count=len(rows), tables=tables)
        return [flag for (flag,) in found] if most else ended

    def _second_look(self, flags: list[Scalar], rows: list[_Row], most: int) -> list[Scalar]:
        """[1 where the solids of some pair overlap, corner by corner; else 0]."""
        known = {name: [*self._local(name), *s.close_numbers(most)] for name, s in self.solids.solids.items()}
        numbers = [[x for name in row.pair for x in known[name]] for row in rows]

        def each(values: Sequence[Scalar], flag: Scalar, place, row) -> tuple[list[Scalar], list[Scalar]]:
            (so_far,) = values
            look = lambda: [_overlap(place, row, Solid.of_close_numbers)]  # noqa: E731
            return guard((flag > 0.5) & (so_far < 0.5), look, [so_far], expected=_CLOSEST), []

        return repeat(each, [0.0], count=len(rows), tables=[flags, self._places(rows), numbers])[0]

    def _local(self, name: str) -> list[Scalar]:
        return _numbers(self.solids.local[name])


def _largest(flags: Sequence[Scalar]) -> Scalar:
    return reduce(maximum, flags)


def _boxes(row: Sequence[Scalar], place: Placement) -> Scalar:
    """1 where the boxes of one row overlap, else 0: of both, where they are on their bodies, and half lengths."""
    pose = _seen(_placement(row[:12]), place, _placement(row[15:27]))
    return where(boxes_overlap(row[12:15], row[27:], pose), 1.0, 0.0)


def _overlap(
    place: Sequence[Scalar], row: Sequence[Scalar], solid: Callable[[Sequence[Scalar]], Solid]
) -> Scalar:
    """1 where the solids of one row overlap, else 0; `place` is of the second's body in the first's."""
    half = len(row) // 2
    local = [_placement(row[k * half : k * half + 12]) for k in range(2)]
    one, two = (solid(row[k * half + 12 : (k + 1) * half]) for k in range(2))
    return overlap(one, two, _seen(local[0], _placement(place), local[1]))


def _seen(one: Placement, place: Placement, two: Placement) -> Placement:
    """The pose of a shape in another, of both on their bodies, and `place` of the second's body in the first's."""
    return turned_into(one, _composed(place, two))


class _Solids:
    """Of all shapes, where bodies are at `poses`."""

    def __init__(self, tree: Tree, poses: Sequence[Placement]):
        self.poses, self.planes = poses, {}
        self.bodies: dict[str, int] = {}
        self.solids: dict[str, Solid] = {}
        self.local: dict[str, Placement] = {}
        self._placed: dict[str, Placement] = {}
        for shape in tree.model.shapes:
            if shape.kind == "plane":
                _, X = tree.shape_transform(shape)
                self.planes[shape.name] = Placement.identity().after(X), shape.surface.margin
                continue
            self.solids[shape.name], middle = solid_of(shape)
            self.bodies[shape.name], X = tree.shape_transform(shape)
            pose = Placement.identity().after(X)
            self.local[shape.name] = Placement(pose.rotation, pose.position + pose.rotation @ middle)

    def _world(self, name: str) -> Placement:
        if name not in self._placed:
            self._placed[name] = _composed(self.poses[self.bodies[name]], self.local[name])
        return self._placed[name]

    def height(self, name: str, plane: str) -> Scalar:
        """Of the lowest point of a shape over a plane."""
        (floor, margin), pose, solid = self.planes[plane], self._world(name), self.solids[name]
        normal = Vector(*(row[2] for row in floor.rotation.rows))
        lowest = solid.farthest(-(pose.rotation.T @ normal))
        return normal @ (pose.position - floor.position + pose.rotation @ lowest) - (solid.radius + margin)

    def meet(self, one: str, two: str) -> Scalar:
        """1 where two shapes overlap, else 0."""
        if two in self.planes:
            return where(self.height(one, two) < 0.0, 1.0, 0.0)
        poses, solids = [self._world(name) for name in (one, two)], [self.solids[name] for name in (one, two)]
        away = poses[0].position - poses[1].position

        def closer() -> list[Scalar]:
            pose = turned_into(poses[0], poses[1])
            boxes = boxes_overlap(solids[0].half, solids[1].half, pose)
            return guard(boxes, lambda: [overlap(solids[0], solids[1], pose)], [0.0])

        return guard(_square(away) < (solids[0].ball + solids[1].ball) ** 2, closer, [0.0])[0]

    def ball(self, body: int, names: set[str]) -> tuple[Vector, float]:
        """(centre in the world, radius) around the shapes of one body."""
        own = [name for name in sorted(names) if self.bodies[name] == body]
        centers = [list(self.local[name].position) for name in own]
        reaches = [self.solids[name].ball for name in own]
        if not all(isinstance(x, float | int) for center in centers for x in center):
            return self._given_ball(body, centers, reaches)
        low = [min(c[k] - r for c, r in zip(centers, reaches, strict=True)) for k in range(3)]
        high = [max(c[k] + r for c, r in zip(centers, reaches, strict=True)) for k in range(3)]
        middle = [0.5 * (a + b) for a, b in zip(low, high, strict=True)]
        radius = max(math.dist(middle, c) + r for c, r in zip(centers, reaches, strict=True))
        pose = self.poses[body]
        return pose.position + pose.rotation @ Vector(*middle), radius

    def _given_ball(self, body: int, centers: list[list[Scalar]], reaches: list[float]) -> tuple[Vector, Scalar]:
        """Where placements of shapes are given with the call: around the body's origin."""
        radius: Scalar = 0.0
        for center, reach in zip(centers, reaches, strict=True):
            radius = maximum(radius, sqrt(center[0] ** 2 + center[1] ** 2 + center[2] ** 2) + reach)
        return self.poses[body].position, radius


def _square(x: Vector) -> Scalar:
    return x @ x


def _numbers(pose: Placement) -> list[Scalar]:
    return [*(x for row in pose.rotation.rows for x in row), *pose.position]


def _placement(numbers: Sequence[Scalar]) -> Placement:
    rows = [tuple(numbers[3 * k : 3 * k + 3]) for k in range(3)]
    return Placement(Matrix(rows), Vector(*numbers[9:12]))


def _composed(one: Placement, two: Placement) -> Placement:
    return Placement(one.rotation @ two.rotation, one.position + one.rotation @ two.position)
