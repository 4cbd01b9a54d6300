"""All contacts of a mechanism at one state: those with the ground body by body, those of two links one by one."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from ...scalar import Scalar, guard, where
from ...spatial import ArticulatedInertia, Force, Motion, Placement, Vector
from ..rows.constraint_rows import combine
from .candidates import Candidate, rows_at
from .cones import ContactRows
from .grounded import EXPECTED_SHARE, Contact, GroundedBody, Touching
from .isotropic import IsotropicContact
from .rows import RowLaw
from .sites import PairSite

_TOGETHER = 8  # candidates of one pair that stand behind one guard, at most: points of convex shapes are many


@dataclass(frozen=True)
class RowContact:
    """The law of a contact with the ground in rows, where friction has preferred directions."""

    rows: ContactRows

    def _x(self, X: Motion) -> list[Scalar]:
        return [row.dot(X) for row in self.rows.terms[0][1]]

    def model(self, X: Motion) -> tuple[ArticulatedInertia, Force]:
        (body, K), rows, x = self.rows.terms[0], self.rows, self._x(X)
        H = rows.hessian(x)
        return H.inertia(K, rows.friction_squares(body)), combine(K, [-y for y in H.times(rows.away(x))])

    def slopes(self, X: Motion, D: Motion) -> tuple[Scalar, Scalar]:
        return self.rows.slopes(self._x(X), self._x(D))

    def force(self, X: Motion) -> list[Scalar]:
        return [s * y for s, y in zip(self.rows.scales, self.rows.force(self._x(X)), strict=True)]


class Contacts:
    """`found`: candidates in their order; `law`: what follows from the state."""

    def __init__(self, found: Sequence[Candidate], law: RowLaw):
        self.found, self.law = found, law
        grounded = [c for c in found if not c.other]
        bodies = sorted({c.body for c in grounded})
        self.bodies = [self._grounded(body, [c for c in grounded if c.body == body]) for body in bodies]
        self.pairs = {k: PairSite(self._rows(c)) for k, c in enumerate(found) if c.other}

    def _rows(self, candidate: Candidate) -> ContactRows:
        terms = candidate.terms()
        return self.law.rows(candidate, terms, self.law.references(candidate, terms), self.law.stiffness(candidate))

    def _grounded(self, body: int, own: list[Candidate]) -> GroundedBody:
        groups: list[list[Candidate]] = []
        for candidate in own:
            if not groups or groups[-1][0].shapes != candidate.shapes or len(groups[-1]) == _TOGETHER:
                groups.append([])
            groups[-1].append(candidate)
        weight = max(self.law.weight(c) for c in own)
        reach = max(_reach(self.law.tree, c) for c in own)
        # an error of a force at the farthest point counts alike, whether it pushes or turns
        return GroundedBody(body, [weight / reach] * 3 + [weight] * 3, [self._touching(group) for group in groups])

    def _touching(self, group: list[Candidate]) -> Touching:
        touches = group[0].touches
        for candidate in group[1:]:
            touches = touches | candidate.touches
        sizes = [_size(candidate, self.law) for candidate in group]
        prepare = lambda: [x for candidate in group for x in _numbers(candidate, self.law)]  # noqa: E731
        flag = where(touches, 1.0, 0.0)
        numbers = guard(touches, prepare, [0.0] * sum(sizes), expected=EXPECTED_SHARE)
        return Touching(group, flag, numbers, partial(_laws, group, sizes, self.law))

    def forces(self, x: Sequence[Sequence[Scalar]]) -> list[list[Scalar]]:
        """Of every candidate on the first body, six along and about axes of its frame; `x`: bodies', then pairs'."""
        result: dict[int, list[Scalar]] = {}
        place = {id(candidate): k for k, candidate in enumerate(self.found)}
        for site, own in zip(self.bodies, x, strict=False):
            for some in site.touching:
                group = some.candidates
                pushed = partial(_pushed, group, some, Motion.of(own))
                forces = guard(some.flag > 0.5, pushed, [0.0] * (6 * len(group)), expected=EXPECTED_SHARE)
                result |= {place[id(c)]: forces[6 * n : 6 * n + 6] for n, c in enumerate(group)}
        for (k, pair), own in zip(self.pairs.items(), x[len(self.bodies) :], strict=False):
            rows = pair.rows
            f = [s * y for s, y in zip(rows.scales, rows.force(list(own)), strict=True)]
            result[k] = f + [0.0] * (6 - len(f))
        return [result[k] for k in range(len(self.found))]


def _is_isotropic(candidate: Candidate, law: RowLaw) -> bool:
    condim, f = candidate.interaction.condim, candidate.interaction.friction
    if "contact_frictions" in law.tree.parameters:  # any, as far as one knows
        return False
    return law.cone == "elliptic" and condim > 1 and f[0] == f[1] and (condim < 6 or f[3] == f[4])


def _size(candidate: Candidate, law: RowLaw) -> int:
    condim = candidate.interaction.condim
    known = 0 if candidate.touch.normal is not None else 3
    if _is_isotropic(candidate, law):
        return 4 + known + (6 if condim > 3 else 3)
    return 4 + known + 3 + condim


def _numbers(candidate: Candidate, law: RowLaw) -> list[Scalar]:
    """What the law of a contact is made of: D, point, (normal,) e; in rows also t1."""
    place = candidate.touch.place()
    known = [] if candidate.touch.normal is not None else [*place.normal]
    numbers = [law.stiffness(candidate), *place.point, *known]
    if not _is_isotropic(candidate, law):
        return [*numbers, *place.t1, *law.references(candidate, candidate.terms())]
    V, lacking, point = law.velocity[candidate.body], law.lacking[candidate.body], place.point
    speed, lacks = (motion.linear + motion.angular.cross(point) for motion in (V, lacking))
    b, friction_b = law.damping(candidate)
    normal = place.normal * candidate.sign
    push = law.push(candidate)
    if b is not friction_b:
        push = push - (b - friction_b) * (normal @ speed)
    numbers += [*(normal * push - speed * friction_b - lacks)]
    if candidate.interaction.condim > 3:
        numbers += [*(-(V.angular * friction_b) - lacking.angular)]
    return numbers


def _laws(group: list[Candidate], sizes: list[int], law: RowLaw, numbers: Sequence[Scalar]) -> list[Contact]:
    found: list[Contact] = []
    at = 0
    for candidate, size in zip(group, sizes, strict=True):
        found.append(_law(candidate, law, list(numbers[at : at + size])))
        at += size
    return found


def _law(candidate: Candidate, law: RowLaw, numbers: list[Scalar]) -> Contact:
    condim, normal = candidate.interaction.condim, candidate.touch.normal
    D, point, rest = numbers[0], Vector(*numbers[1:4]), numbers[4:]
    if normal is None:
        normal, rest = Vector(*rest[:3]), rest[3:]
    if _is_isotropic(candidate, law):
        angular = Vector(*rest[3:]) if condim > 3 else Vector.zero()
        friction = list(candidate.interaction.friction[: condim - 1])
        mu = law.scale_of_normal(candidate)
        return IsotropicContact(normal * candidate.sign, point, Motion(angular, Vector(*rest[:3])), D, mu, friction)
    t1 = Vector(*rest[:3])
    own = rows_at(point, (normal, t1, normal.cross(t1)), condim)
    terms = [(candidate.body, tuple(row * candidate.sign for row in own))]
    return RowContact(law.rows(candidate, terms, rest[3:], D))


def _pushed(group: list[Candidate], some: Touching, X: Motion) -> list[Scalar]:
    forces: list[Scalar] = []
    for candidate, contact in zip(group, some.contacts(), strict=True):
        if isinstance(contact, IsotropicContact):
            place = candidate.touch.place()
            axes = [d * candidate.sign for d in (place.normal, place.t1, place.t2)]
            f = contact.force(X, axes)[: candidate.interaction.condim]
        else:
            f = contact.force(X)  # type: ignore[attr-defined]
        forces += [*f, *[0.0] * (6 - len(f))]
    return forces


def _reach(tree, candidate: Candidate) -> float:
    """How far (m) a point of the moving shape may be from the origin of its body's frame of computation."""
    shape = next(s for s in candidate.shapes if tree.frame_transform(s.on, s.placement)[0] == candidate.body)
    _, X = tree.frame_transform(shape.on, shape.placement)
    away = math.dist((0.0, 0.0, 0.0), [float(x) for x in Placement.identity().after(X).position])
    own = max((math.dist((0.0, 0.0, 0.0), point) for point in shape.points), default=math.hypot(*shape.size))
    return away + own
