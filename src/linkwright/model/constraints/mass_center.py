"""The centre of mass of some bodies: the sum of m_i c_i over the sum of m_i, in the world's coordinates."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from ...call_errors import names_arguments
from ...errors import InputError, ModelError
from ...scalar import Scalar
from ...spatial import Force, Transform, Vector, sum_of
from ..pose import finite_array
from .at_state import ConstraintAtState, Motions, Terms
from .constraint import GROUND_FRAME, Constraint, chosen_directions, constraint_kind


@constraint_kind
@dataclass(frozen=True, eq=False, kw_only=True)
class CenterOfMass(Constraint):
    """The centre of mass of some bodies does not move in some of the world's directions.

    among       names of the bodies; None: all
    directions  some of 0, 1, 2: x, y, z of the world
    target      (3,) its position in the world (m); without it there is nothing to stabilize
    """

    among: tuple[str, ...] | None
    directions: tuple[int, ...]
    target: np.ndarray | None = None

    kind: ClassVar[str] = "center_of_mass"

    def __post_init__(self):
        super().__post_init__()
        if self.among is not None:
            object.__setattr__(self, "among", tuple(self.among))
        if self.target is not None:
            object.__setattr__(self, "target", finite_array(self.target, (3,), f"position of {self.name!r}"))
        object.__setattr__(self, "directions", tuple(self.directions))

    @property
    def size(self) -> int:
        return len(self.directions)

    @property
    def has_position(self) -> bool:
        return self.target is not None

    def bodies(self, model) -> tuple[int, ...]:
        if self.among is None:
            chosen = list(range(1, model.nbodies))
        else:
            try:
                chosen = [model.body_index(name) for name in self.among]
            except InputError as error:
                raise InputError(f"constraint {self.name!r}: {error}") from None
        massive = tuple(dict.fromkeys(i for i in chosen if i and model.bodies[i].inertia.mass > 0))
        if not massive:
            raise InputError(f"constraint {self.name!r}: none of the bodies it names has mass, so they have no centre")
        return massive

    def renamed(self, prefix: str, ground: str) -> CenterOfMass:
        if ground != GROUND_FRAME or self.among is None:
            raise ModelError(
                f"constraint {self.name!r} is on a centre of mass in the world, which means something else in a larger "
                f"model; attach the model without it and add it again"
            )
        return replace(self, name=prefix + self.name, among=tuple(prefix + body for body in self.among))

    def to_dictionary(self) -> dict[str, Any]:
        return {
            "among": None if self.among is None else list(self.among),
            "directions": list(self.directions),
            "target": None if self.target is None else self.target.tolist(),
        }

    def at(self, tree, q, poses) -> CenterOfMassAtState:
        return CenterOfMassAtState(tree, q, poses, self)

    def cut(self, model, loop) -> str:
        return f"a sum over {len(loop.ends)} bodies"


class CenterOfMassAtState(ConstraintAtState):
    @cached_property
    def _bodies(self) -> tuple[int, ...]:
        return self.constraint.bodies(self.tree.model)

    @cached_property
    def _share(self) -> Scalar:
        """One over the mass of all."""
        return 1.0 / sum_of(self.tree.inertia[i].m for i in self._bodies)

    def rows(self) -> list[Force]:
        return [Force(Vector.zero(), Vector.unit(k)) for k in self.constraint.directions]

    def terms(self) -> Terms:
        terms: Terms = []
        for i in self._bodies:
            R, inertia = self.poses.seen_from(0, i).rotation, self.tree.inertia[i]
            directions = [R.T @ (Vector.unit(k) * self._share) for k in self.constraint.directions]
            terms.append((i, tuple(Force(inertia.h.cross(d), d * inertia.m) for d in directions)))
        return terms

    def motion(self, motions: Motions) -> tuple[list[Scalar], list[Scalar]]:
        velocity, rate = [], []
        for i in self._bodies:
            R, inertia, field = self.poses.seen_from(0, i).rotation, self.tree.inertia[i], motions.field(i)
            moving = motions.velocity((i, Transform()))
            velocity.append(R @ (moving.linear * inertia.m + moving.angular.cross(inertia.h)))
            rate.append(R @ (field.origin * inertia.m + field.B @ inertia.h))
        speed, felt = sum_of(velocity) * self._share, sum_of(rate) * self._share
        acceleration = felt + self.tree.gravity
        return [speed[k] for k in self.constraint.directions], [acceleration[k] for k in self.constraint.directions]

    def error(self) -> list[Scalar]:
        moments = []
        for i in self._bodies:
            pose, inertia = self.poses.seen_from(0, i), self.tree.inertia[i]
            moments.append(pose.position * inertia.m + pose.rotation @ inertia.h)
        offset = sum_of(moments) * self._share - Vector.of(self.constraint.target.tolist())
        return [offset[k] for k in self.constraint.directions]


@names_arguments
def center_of_mass(
    bodies: Sequence[str] | None = None, *, directions="x y z", at=None, name: str = "center_of_mass", mu=None
) -> CenterOfMass:
    """Hold the centre of mass of the bodies (of all if None) in directions of the world; `at` is its position."""
    if isinstance(bodies, str):
        bodies = [bodies]
    chosen = chosen_directions(directions, ("x", "y", "z"), name)
    among = None if bodies is None else tuple(bodies)
    return CenterOfMass(name=name, among=among, directions=tuple(chosen), target=at, mu=mu)
