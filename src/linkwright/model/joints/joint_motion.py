"""What every kind of joint can do."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Literal

import numpy as np

from ...scalar import Numbers, Scalar, is_zero
from ...spatial import Subspace, Transform
from .straight import PlainMotion

FIXED = "fixed"  # no kind of motion: the child becomes part of its parent, and no model has such a joint
Directions = Literal["all", "across", "along", "none"]


class JointMotion:
    """Coordinates q (nq numbers) and velocities v (nv numbers) of one joint, and the motion they stand for.

    Velocities are those of the child in the child's frame, in the directions of the motion subspace.
    """

    kind: ClassVar[str]
    nq: ClassVar[int]
    nv: ClassVar[int]
    has_axis: ClassVar[bool] = False
    """The joint has one distinguished axis, coordinate axis `k` of its frame."""
    velocity_is_rate: ClassVar[bool] = True
    """v is dq/dt, so that forces along q (springs) do work v' f. Not so where v lives in the moving frame."""
    is_free: ClassVar[bool] = False
    """Nothing holds the child: q = [position, quaternion], v = [linear; angular] in the child's frame."""
    slides: ClassVar[bool] = False
    """The one coordinate is a length along the axis, in metres; of other joints with one coordinate it is an angle."""
    turns: ClassVar[bool] = False
    """A hinge: the one coordinate is an angle about the axis, and nothing moves along it."""
    endless: ClassVar[bool] = False
    """Its one angle has no limits."""
    has_pitch: ClassVar[bool] = False
    """The joint's `pitch` is part of how it moves."""
    has_quaternion: ClassVar[bool] = False
    """q ends in a quaternion x, y, z, w, whose length must be one."""
    leading_lengths: ClassVar[int] = 0
    """How many coordinates, from the first, say where the child is along axes of the parent (m)."""
    in_turning_axes: ClassVar[int] = 0
    """How many velocities, from the first, are along axes that turn with the child (m/s)."""
    vectors: ClassVar[int] = 0
    """How many times three of its velocities are one vector along all three axes."""
    straight: ClassVar[type[PlainMotion]] = PlainMotion
    """Velocities in which the child moves straight on if nothing pushes it (straight.py)."""
    slides_freely: ClassVar[bool] = False
    """Moving the frame along the axis, or turning it about the axis, changes nothing about the motion."""

    aligned_with: ClassVar[Literal["nothing", "axis", "both_axes"]] = "nothing"
    """Which axes of the joint decide the frame its motion is written in: z along one, or x and y along both."""
    held: ClassVar[tuple[Directions, Directions] | None] = None
    """Of a loop that is closed by such a joint: which (linear, angular) directions of its frame it holds, relative to
    the axis. None where rows that are fixed in the child do not say it; then no loop is closed by such a joint."""
    holds_point: ClassVar[bool] = False
    """Of such a loop: the linear directions are those of a point, which the child may turn about; with "both_axes" the
    two axes stay crossed as well."""
    turned_round: ClassVar[Literal["axis", "both_axes", "sign", "uniform", "plain"]] = "plain"
    """What makes it the same joint when its parent and child change places (reversal.py): the axis the other way; both,
    in the other order; coordinates the other way; nothing, if what it carries is the same in all directions
    ("uniform"), or if it carries nothing ("plain")."""
    drawn_as: ClassVar[Literal["hinge", "slide", "ball", "nothing"]] = "nothing"

    leaves_in_place: ClassVar[Literal["nothing", "axis", "centre", "turning"]] = "nothing"
    """What of its child's inertia moves alike whether it belongs to the child or to the parent (lumping.py): mass on
    the axis, mass at the origin, or all that resists turning, where the joint does not turn."""

    def __init__(self, k: int = 2, pitch: float = 0.0):
        self.k, self.pitch = k, pitch

    def __init_subclass__(cls, **options):
        super().__init_subclass__(**options)
        if cls.has_axis and "aligned_with" not in cls.__dict__:
            cls.aligned_with = "axis"

    def transform(self, q: Sequence[Scalar]) -> Transform:
        """From the joint's frame on the parent to the child's frame."""
        raise NotImplementedError

    def subspace(self, q: Sequence[Scalar]) -> Subspace:
        raise NotImplementedError

    def subspace_rate(self, q: Sequence[Scalar], v: Sequence[Scalar]) -> Subspace | None:
        """dS/dt in the child's frame; None where the subspace is constant."""
        return None

    @property
    def turning_velocities(self) -> list[int]:
        """Which of its velocities turn the child."""
        S, units = self.subspace(self.neutral()), np.eye(self.nv).tolist()
        return [k for k, unit in enumerate(units) if not all(is_zero(x) for x in (S @ unit).angular)]

    @property
    def has_constant_subspace(self) -> bool:
        """Whether its directions do not move in the child's frame."""
        return type(self).subspace_rate is JointMotion.subspace_rate

    def lacking(self, v: Sequence[Scalar]) -> list[Scalar]:
        """What the rates of its velocities lack of those along axes that stand still: w x v, where axes turn."""
        return [0.0] * self.nv

    # The configuration manifold. These run on numbers, on arrays of shape (B,) and on traced values.

    def neutral(self) -> list[float]:
        return [0.0] * self.nq

    def random(self, rng: np.random.Generator, lower: Numbers, upper: Numbers) -> list[float]:
        """Uniform between the limits; coordinates without finite limits are drawn from [-pi, pi]."""
        low = [x if np.isfinite(x) else -np.pi for x in lower]
        high = [x if np.isfinite(x) else max(np.pi, a) for x, a in zip(upper, low, strict=True)]
        return [float(rng.uniform(a, b)) for a, b in zip(low, high, strict=True)]

    def integrate(self, q: Sequence[Scalar], v: Sequence[Scalar]) -> list[Scalar]:
        """Where q gets by moving with v for unit time."""
        return [a + b for a, b in zip(q, v, strict=True)]

    def difference(self, q0: Sequence[Scalar], q1: Sequence[Scalar]) -> list[Scalar]:
        """The v that leads from q0 to q1 in unit time."""
        return [b - a for a, b in zip(q0, q1, strict=True)]

    # Its tangent space: velocities are its coordinates where v is not dq/dt.

    def coordinate_rates(self, q: Sequence[Scalar], v: Sequence[Scalar]) -> list[Scalar]:
        """dq/dt when moving with v."""
        return list(v)

    def velocities_of(self, q: Sequence[Scalar], rates: Sequence[Scalar]) -> list[Scalar]:
        """The v that moves q with these rates dq/dt."""
        return list(rates)


class Rigid(JointMotion):
    """What a fixed joint says of itself."""

    kind, nq, nv = FIXED, 0, 0
    velocity_is_rate = False
