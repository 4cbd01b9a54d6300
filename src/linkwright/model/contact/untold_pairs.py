"""Pairs whose contact is not computed, as entries of `Model.not_computed`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from ..not_computed import NotComputed
from .pair import is_computed
from .possible_pairs import MOST_SHAPES, ShapeNames, possible_pairs
from .shape import UNCOMPUTED, Shape

if TYPE_CHECKING:
    from ..model import Model

_WORD = "contact"
WATCHED = "it is watched: status 6 says where it may have occurred"
_UNWATCHED = "nothing tells where it occurs: watching was switched off"
AS_DRAWN = "nothing tells where it occurs: the shapes overlap as drawn, so it would be told always"
_MANY = f"with more than {MOST_SHAPES} shapes pairs are not looked for one by one, and nothing tells where they touch"
_OURS = (WATCHED, _UNWATCHED, AS_DRAWN, _MANY)
_HULLS = "load(..., meshes=True) takes the hulls of meshes, whose contact with floors is computed"
_PAIRS = "robot.with_contacts(linkwright.contact(...)) computes it"
_ROUND = "replace one of the two by spheres or capsules"
_SHOWN = 3  # pairs of an entry by name


def with_told_pairs(model: Model, as_drawn: Sequence[ShapeNames] = ()) -> Model:
    """With entries about all pairs that may touch and are not computed; `as_drawn` are those that are not watched."""
    kept = [entry for entry in model.not_computed if entry.why not in _OURS]
    return replace(model, not_computed=(*kept, *entries_of(model, as_drawn)))


def entries_of(model: Model, as_drawn: Sequence[ShapeNames] = ()) -> list[NotComputed]:
    law = model.contact_law
    shapes = {shape.name: shape for shape in model.shapes}
    left, watched = set(as_drawn), set(law.watched or ())
    told: dict[tuple[str, str], list[ShapeNames]] = {}
    for pair in possible_pairs(model):
        chosen = law.watched is None or pair in watched or (pair[1], pair[0]) in watched
        why = AS_DRAWN if pair in left else WATCHED if chosen else _UNWATCHED
        told.setdefault((why, remedy(*(shapes[name] for name in pair))), []).append(pair)
    found = []
    for (why, help_), pairs in told.items():
        names = tuple(dict.fromkeys(name for pair in pairs for name in pair))
        seen = " (watched)" if why == WATCHED else ""
        found.append(NotComputed(f"contact of {named_pairs(pairs)}{seen}", why, help_, _WORD, names))
    if len(shapes) > MOST_SHAPES:
        found.append(NotComputed(f"contact of {len(shapes)} shapes with each other", _MANY, _PAIRS, _WORD))
    return found


def remedy(one: Shape, two: Shape) -> str:
    """What helps where two shapes may touch and are not computed."""
    if is_computed(one, two):
        return _PAIRS
    if "plane" in (one.kind, two.kind) and "mesh" in (one.kind, two.kind):
        return _HULLS
    if one.kind in UNCOMPUTED or two.kind in UNCOMPUTED:
        return "replace meshes and height fields by spheres, capsules or boxes where that matters"
    return _ROUND


def named_pairs(pairs: Sequence[ShapeNames]) -> str:
    """The first few by name."""
    shown = ", ".join(f"{one!r} with {two!r}" for one, two in pairs[:_SHOWN])
    return shown if len(pairs) <= _SHOWN else f"{shown} and {len(pairs) - _SHOWN} more pairs"


def watched_alone(entry: NotComputed) -> bool:
    """Whether status 6 tells of it: where that has not been raised, nothing is missing."""
    return entry.why == WATCHED
