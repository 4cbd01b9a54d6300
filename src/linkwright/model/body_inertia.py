"""Mass properties of a body, as plain numbers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..call_errors import names_arguments
from ..errors import ModelError
from ..fixed_order import dot, eigenvalues, product
from ..scalar import Numbers
from .pose import LARGEST_NUMBER, Pose, finite_array, real_array


@names_arguments
@dataclass(frozen=True, eq=False)
class Inertia:
    """What resists a body's motion.

    mass    kg
    com     (3,) centre of mass in the body's frame, m
    tensor  (3, 3) rotational inertia about the centre of mass in the body's axes, kg m^2
    """

    mass: float
    com: np.ndarray
    tensor: np.ndarray

    def __post_init__(self):
        try:
            mass = float(real_array(self.mass))
        except (TypeError, ValueError):
            raise ModelError(f"mass is {self.mass!r}; expected a number") from None
        if not 0 <= mass <= LARGEST_NUMBER:
            raise ModelError(f"mass is {mass}; expected a finite number that is not negative, up to {LARGEST_NUMBER:g}")
        object.__setattr__(self, "mass", mass)
        for name, shape in (("com", (3,)), ("tensor", (3, 3))):
            array = finite_array(getattr(self, name), shape, f"{name} of an inertia")
            array.flags.writeable = False
            object.__setattr__(self, name, array)
        scale = max(1e-12, float(np.abs(self.tensor).max()))
        if np.abs(self.tensor - self.tensor.T).max() > 1e-6 * scale:
            raise ModelError(f"rotational inertia {self.tensor.tolist()} is not symmetric")

    @classmethod
    def zero(cls) -> Inertia:
        """Of a body without mass."""
        return cls(0.0, np.zeros(3), np.zeros((3, 3)))

    @classmethod
    def sphere(cls, mass: float, radius: float) -> Inertia:
        """A solid ball of `mass` kg and `radius` m about the frame's origin."""
        return cls(mass, np.zeros(3), np.eye(3) * (0.4 * mass * radius**2))

    @classmethod
    def box(cls, mass: float, size: Numbers, com: Numbers = (0, 0, 0)) -> Inertia:
        """A solid box of `mass` kg: `size` (3,) are its lengths along the axes and `com` (3,) its centre, in m."""
        x, y, z = (s * s for s in size)
        return cls(mass, np.array(com, dtype=float), np.diag([y + z, x + z, x + y]) * (mass / 12))

    @classmethod
    def from_dynamic_parameters(cls, parameters: Numbers) -> Inertia:
        """Inverse of `dynamic_parameters`."""
        m, *h = (float(x) for x in parameters[:4])
        xx, xy, yy, xz, yz, zz = (float(x) for x in parameters[4:])
        com = np.array(h) / m if m > 0 else np.zeros(3)
        about_origin = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        return cls(m, com, about_origin - m * _steiner(com))

    @property
    def about_origin(self) -> np.ndarray:
        """(3, 3) rotational inertia about the frame's origin, kg m^2."""
        return self.tensor + self.mass * _steiner(self.com)

    @property
    def dynamic_parameters(self) -> np.ndarray:
        """[m, m c (3), Ixx, Ixy, Iyy, Ixz, Iyz, Izz] about the frame's origin; the dynamics are linear in them."""
        J = self.about_origin
        return np.array([self.mass, *(self.mass * self.com), J[0, 0], J[0, 1], J[1, 1], J[0, 2], J[1, 2], J[2, 2]])

    def __add__(self, other: Inertia) -> Inertia:
        if not self.mass and not self.tensor.any():
            return other  # exact: a model that is read back has the very numbers that were written
        return Inertia.from_dynamic_parameters(self.dynamic_parameters + other.dynamic_parameters)

    def moved(self, pose: Pose) -> Inertia:
        """The same mass, given in a frame that sits at `pose`, expressed in the reference of `pose`."""
        R = pose.rotation
        return Inertia(self.mass, product(R, self.com) + pose.translation, product(product(R, self.tensor), R.T))

    def implausibility(self) -> str | None:
        """What no real body has: None, or a sentence."""
        if self.mass == 0:
            return "has no mass" if not self.tensor.any() else "has no mass but a rotational inertia"
        moments = eigenvalues(self.tensor)
        tolerance = 1e-9 * max(1e-9, moments.max())
        if moments.min() < -tolerance:
            return f"has a negative principal moment of inertia ({moments.min():.3g})"
        if moments[2] > moments[0] + moments[1] + tolerance:
            a, b, c = moments
            return f"has principal moments of inertia {a:.3g}, {b:.3g}, {c:.3g} that break the triangle inequality"
        return None


def _steiner(c: np.ndarray) -> np.ndarray:
    """What a unit of mass at c adds to the rotational inertia about the origin."""
    return dot(c, c) * np.eye(3) - np.outer(c, c)
