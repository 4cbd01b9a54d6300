"""Shapes and pairs of a model: checked, listed, added, and carried along when models are edited."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from ...errors import InputError, ModelError, unknown_name
from ..pose import PoseLike
from .law import ContactLaw
from .pair import ContactPair, ContactPoint, is_computed, ordered, points_of
from .possible_pairs import ShapeNames, possible_pairs
from .shape import UNCOMPUTED, Shape, plane

if TYPE_CHECKING:
    from ..model import Model

GROUND = "world"
_FLOOR = "ground"


def check_contacts(model: Model) -> None:
    if not isinstance(model.contact_law, ContactLaw):
        raise InputError(f"contact_law is {model.contact_law!r}; expected a linkwright.model.contact.ContactLaw")
    sizes = {joint.name: joint.nv for joint in model.joints} if model.contact_law.joints else {}
    for name, own in model.contact_law.joints.items():
        if own.inverse_weight is not None and len(own.inverse_weight) != sizes.get(name, len(own.inverse_weight)):
            raise ModelError(f"joint {name!r} has {len(own.inverse_weight)} inverse weights; expected one per velocity")
    for name, own in model.contact_law.tendons.items():
        if own.inverse_weight is not None and len(own.inverse_weight) != 1:
            raise ModelError(f"tendon {name!r} has {len(own.inverse_weight)} inverse weights; expected one")
    shapes: dict[str, Shape] = {}
    for shape in model.shapes:
        if not isinstance(shape, Shape):
            raise InputError(f"{shape!r} is not a shape; expected e.g. linkwright.sphere('foot', 0.02)")
        if shape.name in shapes:
            raise InputError(f"two shapes are named {shape.name!r}; names must be unique: give one with name=...")
        shapes[shape.name] = shape
        if model.body_of(shape.on) and shape.kind == "plane":
            raise ModelError(
                f"plane {shape.name!r} is on {shape.on!r}, which moves; planes are part of the ground: use a box or a "
                f"convex shape"
            )
    law = model.contact_law
    for names in (*(law.watched or ()), *law.listed, *law.excluded):
        for name in names:
            if name not in shapes:
                raise unknown_name("shape", name, shapes)
    for names in law.watched or ():
        if len({model.body_of(shapes[name].on) for name in names}) == 1:
            raise ModelError(f"shapes {names[0]!r} and {names[1]!r} are watched and on one body")
    seen: set[frozenset[str]] = set()
    for pair in model.pairs:
        if not isinstance(pair, ContactPair):
            raise InputError(f"{pair!r} is not a contact; expected e.g. linkwright.contact('foot', 'floor')")
        for name in (pair.first, pair.second):
            if name not in shapes:
                raise unknown_name("shape", name, shapes)
        one, two = shapes[pair.first], shapes[pair.second]
        if ordered(one, two) != (one, two):
            raise ModelError(f"contact {pair.name!r}: {two.kind} {two.name!r} is to be named first, then {one.name!r}")
        if model.body_of(one.on) == model.body_of(two.on):
            raise ModelError(f"contact {pair.name!r} is between two shapes of one body, on {one.on!r} and {two.on!r}")
        if frozenset((pair.first, pair.second)) in seen:
            raise InputError(f"contact {pair.name!r} is there twice")
        seen.add(frozenset((pair.first, pair.second)))


def contact_points(model: Model) -> tuple[ContactPoint, ...]:
    """Candidate points of all pairs, in their order."""
    shapes = {shape.name: shape for shape in model.shapes}
    return tuple(
        point for pair in model.pairs for point in points_of(pair, shapes[pair.first], shapes[pair.second])
    )


def with_contacts(model: Model, given: Sequence[ContactPair]) -> Model:
    """With further pairs; where one names a body, all shapes on it are meant."""
    pairs = {frozenset((pair.first, pair.second)): pair for pair in model.pairs}
    for pair in given:
        if not isinstance(pair, ContactPair):
            raise InputError(f"{pair!r} is not a contact; expected e.g. linkwright.contact('foot', 'floor')")
        for one in _meant(model, pair.first):
            for two in _meant(model, pair.second):
                first, second = ordered(one, two)
                pairs[frozenset((first.name, second.name))] = pair.between(first.name, second.name)
    return replace(model, pairs=tuple(pairs.values()))


def _meant(model: Model, name: str) -> list[Shape]:
    found = [shape for shape in model.shapes if shape.name == name]
    if found:
        return found
    names = {shape.name for shape in model.shapes} | {shape.on for shape in model.shapes}
    try:
        body = model.body_of(name)
    except InputError:
        raise unknown_name("shape or body with shapes", name, names) from None
    found = [shape for shape in model.shapes if model.body_of(shape.on) == body]
    if not found:
        raise unknown_name("shape or body with shapes", name, names)
    return found


def shapes_to_stand_on(model: Model) -> list[Shape]:
    """Those that move, may touch anything, and whose contact with a plane is computed; a file's may be there for listed
    pairs alone."""
    return [
        s for s in model.shapes
        if model.body_of(s.on) and (s.surface.contype or s.surface.conaffinity) and s.kind not in UNCOMPUTED
    ]  # fmt: skip


def on_ground(model: Model, friction, condim: int | None, at: PoseLike, **surface) -> Model:
    """With a plane named "ground", in contact with every moving shape that may touch anything."""
    floors = [shape.name for shape in model.shapes if shape.kind == "plane"]
    if floors:
        raise InputError(f"{model.name!r} stands on {floors[0]!r} already; with_contacts(...) changes what touches it")
    touching = shapes_to_stand_on(model)
    if not touching:
        raise InputError(
            f"{model.name!r} has no shapes that could stand on the ground; give it some: "
            f"robot.with_shapes(linkwright.sphere('foot', 0.02, at=(0, 0, -0.2)), ...); or, if its links collide with "
            f"meshes, take the hulls of those: linkwright.load(file, meshes=True)"
        )
    floor = plane(GROUND, at=at, name=_FLOOR, **surface)
    sliding = None if friction is None else (friction, friction)
    pairs = [ContactPair(shape.name, _FLOOR, condim, sliding) for shape in touching]
    return replace(model, shapes=(*model.shapes, floor), pairs=(*model.pairs, *pairs))


def floor_pairs(model: Model) -> list[ContactPair]:
    """Planes with every moving shape that their masks let them touch and that has no contact with them yet."""
    known = {frozenset((pair.first, pair.second)) for pair in model.pairs}
    floors = [shape for shape in model.shapes if shape.kind == "plane"]
    return [
        ContactPair(shape.name, floor.name)
        for floor in floors
        for shape in model.shapes
        if shape.kind != "plane" and model.body_of(shape.on) and is_computed(shape, floor)
        and shape.surface.may_touch(floor.surface) and frozenset((shape.name, floor.name)) not in known
    ]  # fmt: skip


def kept_after_locking(locked: Model, model: Model) -> Model:
    """`locked` with the shapes of `model`, and the pairs of those that can still move relative to each other.

    Weights of the file were of the mechanism before: they are computed anew.
    """
    shapes = tuple(replace(shape, inverse_weight=None) for shape in model.shapes)
    body = {shape.name: locked.body_of(shape.on) for shape in shapes}
    pairs = tuple(pair for pair in model.pairs if body[pair.first] != body[pair.second])
    law = _without_weights(model.contact_law)
    if law.watched is not None:
        law = replace(law, watched=tuple((one, two) for one, two in law.watched if body[one] != body[two]))
    return replace(locked, shapes=shapes, pairs=pairs, contact_law=law)


def joined(attached: Model, model: Model, other: Model, prefix: str, mount: str) -> Model:
    """`attached` with the shapes of both; floors of either are touched by the other's shapes, as masks say."""
    shapes = [replace(shape, inverse_weight=None) for shape in model.shapes]
    shapes += [replace(shape.renamed(prefix, mount, GROUND), inverse_weight=None) for shape in other.shapes]
    planes_move = attached.body_of(mount) != 0
    lost = {shape.name for shape in shapes if shape.kind == "plane" and planes_move and shape.on == mount}
    pairs = [*model.pairs, *(pair.between(prefix + pair.first, prefix + pair.second) for pair in other.pairs)]
    law, its = model.contact_law, other.contact_law

    def renamed(pairs: Sequence[ShapeNames]) -> list[ShapeNames]:
        return [(prefix + one, prefix + two) for one, two in pairs]

    law = replace(
        _without_weights(law),
        joints={**_without_weights(law).joints, **{prefix + k: x for k, x in _without_weights(its).joints.items()}},
        equalities={
            **_without_weights(law).equalities, **{prefix + k: x for k, x in _without_weights(its).equalities.items()},
        },
        tendons={**_without_weights(law).tendons, **{prefix + k: x for k, x in _without_weights(its).tendons.items()}},
        watched=None if law.watched is None is its.watched else (*_watched(model), *renamed(_watched(other))),
        excluded=(*law.excluded, *renamed(its.excluded)), listed=(*law.listed, *renamed(its.listed)),
    )  # fmt: skip
    if lost:
        kept = lambda pairs: tuple(pair for pair in pairs if not lost & set(pair))  # noqa: E731
        watched = None if law.watched is None else kept(law.watched)
        law = replace(law, watched=watched, excluded=kept(law.excluded), listed=kept(law.listed))
    result = replace(
        attached, contact_law=law, shapes=tuple(shape for shape in shapes if shape.name not in lost),
        pairs=tuple(pair for pair in pairs if not {pair.first, pair.second} & lost),
    )  # fmt: skip
    return replace(result, pairs=(*result.pairs, *floor_pairs(result)))


def _watched(model: Model) -> Sequence[ShapeNames]:
    law = model.contact_law
    return possible_pairs(model) if law.watched is None else law.watched


def _without_weights(law: ContactLaw) -> ContactLaw:
    return replace(
        law,
        joints={name: replace(x, inverse_weight=None) for name, x in law.joints.items()},
        equalities={name: replace(x, inverse_weight=None) for name, x in law.equalities.items()},
        tendons={name: replace(x, inverse_weight=None) for name, x in law.tendons.items()},
    )
