"""Where one frame sits in another, as plain numbers."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from ..call_errors import names_arguments
from ..errors import ModelError
from ..fixed_order import determinant, norm, product
from ..scalar import Numbers

# Entries of placements this close to 0, 1 or -1 are taken to be meant so: files print rounded angles, and an exact
# zero vanishes from the compiled program. Done once, when a model is built.
SNAP = 1e-10
# What products of a few rotations leave of an exact zero.
ROUNDING = 1e-14
# Masses times squared lengths beyond this overflow; nothing that large is a mechanism.
LARGEST_NUMBER = 1e50


@names_arguments
@dataclass(frozen=True, eq=False)
class Pose:
    """`rotation` (3x3) maps the frame's coordinates to those of the reference, `translation` is its origin there."""

    rotation: np.ndarray
    translation: np.ndarray

    def __post_init__(self):
        for name, shape in (("rotation", (3, 3)), ("translation", (3,))):
            array = finite_array(getattr(self, name), shape, f"{name} of a pose") + 0.0  # no zero is negative
            array.flags.writeable = False
            object.__setattr__(self, name, array)
        error = _orthogonality_error(self.rotation)
        if error > 1e-6 or determinant(self.rotation) < 0:
            raise ModelError(f"rotation is not a proper rotation matrix (R R' differs from 1 by {error:.1e})")

    @classmethod
    def identity(cls) -> Pose:
        """No displacement."""
        return cls(np.eye(3), np.zeros(3))

    @classmethod
    def of(cls, value: PoseLike) -> Pose:
        """From a pose, a position of three numbers, [position, quaternion x y z w], a 4x4 matrix, or None."""
        if value is None:
            return cls.identity()
        if isinstance(value, Pose):
            return value
        try:
            array = real_array(value)
        except (TypeError, ValueError):
            raise ModelError(f"placement {value!r} is not a pose: give a Pose, (x, y, z), or a 4x4 matrix") from None
        if array.shape == (3,):
            return cls(np.eye(3), array)
        if array.shape == (7,):
            return cls.from_quaternion(array[:3], array[3:])
        if array.shape == (4, 4):
            return cls(array[:3, :3], array[:3, 3])
        raise ModelError(f"placement has shape {array.shape}; expected (3,), (7,) [position, quaternion] or (4, 4)")

    @classmethod
    def from_rpy(cls, xyz: Numbers, rpy: Numbers) -> Pose:
        """Position and fixed-axis roll, pitch, yaw, as URDF writes them."""
        angles = finite_array(rpy, (3,), "roll, pitch, yaw").tolist()
        (cr, cp, cy), (sr, sp, sy) = map(math.cos, angles), map(math.sin, angles)
        rotation = np.array(
            [
                [cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr],
                [sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr],
                [-sp, cp * sr, cp * cr],
            ]
        )
        return cls(rotation, np.asarray(xyz, dtype=float))

    @classmethod
    def from_quaternion(cls, translation: Numbers, quaternion: Numbers) -> Pose:
        """Position and quaternion x, y, z, w of any length but zero."""
        q = scaled_down(finite_array(quaternion, (4,), "quaternion", largest=math.inf))
        length = norm(q)
        if length < 1e-12:
            raise ModelError(f"quaternion {q.tolist()} has no direction; expected x, y, z, w of length 1")
        x, y, z, w = (q / length).tolist()
        rotation = np.array(
            [
                [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
                [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
            ]
        )
        return cls(rotation, np.asarray(translation, dtype=float))

    @property
    def quaternion(self) -> np.ndarray:
        """x, y, z, w with w >= 0."""
        R = self.rotation
        # the largest of the four squared components is computed from the diagonal, the others from it (Shepperd)
        squares = np.array(
            [
                1 + R[0, 0] - R[1, 1] - R[2, 2],
                1 - R[0, 0] + R[1, 1] - R[2, 2],
                1 - R[0, 0] - R[1, 1] + R[2, 2],
                1 + np.trace(R),
            ]
        )
        k = int(np.argmax(squares))
        sums, skews = R + R.T, np.array([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]])
        q = np.append(skews, squares[3]) if k == 3 else np.append(sums[k], skews[k])
        if k < 3:
            q[k] = squares[k]
        q /= norm(q)
        return -q if q[3] < 0 else q

    def __matmul__(self, other: Pose) -> Pose:
        return Pose(
            product(self.rotation, other.rotation), product(self.rotation, other.translation) + self.translation
        )

    def inverse(self) -> Pose:
        """The pose of the reference frame, seen from this one."""
        return Pose(self.rotation.T, -product(self.rotation.T, self.translation))

    def snapped(self, tolerance: float = SNAP) -> Pose:
        """With entries that are meant to be 0, 1 or -1 made exactly so."""
        rotation = _snap(self.rotation, (0.0,), tolerance)
        for r, s in np.argwhere(np.abs(rotation) > 0.5):
            # the cosine of a small angle is nearly 1 long before the sine is nearly 0: both must be
            if np.count_nonzero(rotation[r]) == np.count_nonzero(rotation[:, s]) == 1:
                rotation[r, s] = np.sign(rotation[r, s])
        if _orthogonality_error(rotation) > _orthogonality_error(self.rotation) + ROUNDING:
            rotation = self.rotation  # the small entries were products of small angles, and meant
        return Pose(rotation, _snap(self.translation, (0.0, 1.0, -1.0), tolerance))

    def is_close(self, other: Pose, tolerance: float = 1e-9) -> bool:
        """Whether all entries of rotation and translation (m) agree to `tolerance`."""
        return bool(
            np.allclose(self.rotation, other.rotation, rtol=0, atol=tolerance)
            and np.allclose(self.translation, other.translation, rtol=0, atol=tolerance)
        )


PoseLike = Pose | Numbers | None


def _orthogonality_error(R: np.ndarray) -> float:
    return float(np.abs(product(R, R.T) - np.eye(3)).max())


def _snap(values: np.ndarray, targets: tuple[float, ...], tolerance: float) -> np.ndarray:
    values = np.array(values, dtype=float)
    for exact in targets:
        values[np.abs(values - exact) < tolerance] = exact
    return values


def scaled_down(direction: np.ndarray) -> np.ndarray:
    """The same direction, with numbers whose squares do not overflow."""
    largest = float(np.abs(direction).max())
    return direction / largest if largest > LARGEST_NUMBER else direction


def real_array(values) -> np.ndarray:
    """A copy as floats. TypeError or ValueError where it is no such thing: NumPy would read texts, and count truths."""
    if np.asarray(values).dtype.kind in "bUS":
        raise TypeError("texts and truth values are not numbers")
    return np.array(values, dtype=float)


def finite_array(
    values, shape: tuple[int, ...], what: str, *, largest: float = LARGEST_NUMBER
) -> np.ndarray:
    """`values` as an array of floats of that shape, or an error that says what is wrong with them."""
    try:
        array = real_array(values)
    except (TypeError, ValueError):
        raise ModelError(f"{what} is {values!r}; expected {shape} numbers") from None
    if array.shape != shape:
        raise ModelError(f"{what} has shape {array.shape}; expected {shape}")
    if not np.all(np.isfinite(array)):
        raise ModelError(f"{what} is {array.tolist()}; every number must be finite")
    if np.any(np.abs(array) > largest):
        raise ModelError(f"{what} is {array.tolist()}; no number may be larger than {largest:g}")
    return array
