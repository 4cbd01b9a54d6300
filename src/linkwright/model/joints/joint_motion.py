"""What every kind of joint can do."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Literal

import numpy as np

from ...scalar import Numbers, Scalar
from ...spatial import Subspace, Transform


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
    slides: ClassVar[bool] = False
    """The one coordinate is a length along the axis, in metres; of other joints with one coordinate it is an angle."""
    slides_freely: ClassVar[bool] = False
    """Moving the frame along the axis, or turning it about the axis, changes nothing about the motion."""

    leaves_in_place: ClassVar[Literal["nothing", "axis", "centre", "turning"]] = "nothing"
    """What of its child's inertia moves alike whether it belongs to the child or to the parent (lumping.py): mass on
    the axis, mass at the origin, or all that resists turning, where the joint does not turn."""

    def __init__(self, k: int = 2, pitch: float = 0.0):
        self.k, self.pitch = k, pitch

    def transform(self, q: Sequence[Scalar]) -> Transform:
        """From the joint's frame on the parent to the child's frame."""
        raise NotImplementedError

    def subspace(self, q: Sequence[Scalar]) -> Subspace:
        raise NotImplementedError

    def subspace_rate(self, q: Sequence[Scalar], v: Sequence[Scalar]) -> Subspace | None:
        """dS/dt in the child's frame; None where the subspace is constant."""
        return None

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
