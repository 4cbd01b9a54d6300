"""Which pairs of shapes may touch: by masks, by who carries whom, and by what a file says beyond that."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .shape import Shape

if TYPE_CHECKING:
    from ..model import Model

ShapeNames = tuple[str, str]
MOST_SHAPES = 300  # with more of them pairs are not looked for one by one


def possible_pairs(model: Model) -> list[ShapeNames]:
    """Pairs that may touch and whose contact is not computed, in the order of the shapes; of more than `MOST_SHAPES`
    shapes those with planes, and those that are listed."""
    law, shapes = model.contact_law, model.shapes
    many = len(shapes) > MOST_SHAPES
    known = {frozenset((pair.first, pair.second)) for pair in model.pairs}
    listed = {frozenset(pair) for pair in law.listed}
    known |= {frozenset(pair) for pair in law.excluded} - listed
    bodies = [model.body_of(shape.on) for shape in shapes]
    carriers = [_carriers(model, body) for body in range(model.nbodies)]
    found = []
    for k, two in enumerate(shapes):
        for j, one in enumerate(shapes[:k]):
            pair = frozenset((one.name, two.name))
            if many and "plane" not in (one.kind, two.kind) and pair not in listed:
                continue
            if bodies[j] == bodies[k] or pair in known or "plane" == one.kind == two.kind:
                continue
            near = bodies[j] in carriers[bodies[k]] or bodies[k] in carriers[bodies[j]]
            if pair in listed or (one.surface.may_touch(two.surface) and not near):
                found.append(named_in_order(one, two))
    return found


def named_in_order(one: Shape, two: Shape) -> ShapeNames:
    """A plane comes last."""
    return (two.name, one.name) if one.kind == "plane" else (one.name, two.name)


def _carriers(model: Model, body: int) -> set[int]:
    """The bodies that carry one, down to the first that weighs something: between several joints of one link there are
    bodies that do not. The ground is not among them."""
    found: set[int] = set()
    parent = model.bodies[body].parent if body else 0
    while parent:
        found.add(parent)
        if model.bodies[parent].inertia.mass > 0.0:
            break
        parent = model.bodies[parent].parent
    return found


def fly_freely(model: Model, one: int, two: int) -> bool:
    """Whether a joint that holds nothing is between two bodies: then how they are drawn says little of how they are to
    be."""
    above = [set(_joints_below(model, body)) for body in (one, two)]
    return any(model.bodies[body].joint.moves.is_free for body in above[0] ^ above[1])


def _joints_below(model: Model, body: int) -> list[int]:
    found = []
    while body:
        found.append(body)
        body = model.bodies[body].parent
    return found
