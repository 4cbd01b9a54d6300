"""From where a mechanism is looked at, and where its floor is."""

from __future__ import annotations

import math

import numpy as np

from ..errors import InputError
from .scene import Scene

_ROOM = 1.25  # around what is followed: limbs reach further than in the first frame
FLAT = 0.12  # a mechanism this thin, compared to its extent, is looked at from the side


def extreme_points(scene: Scene, rotations: np.ndarray, positions: np.ndarray) -> np.ndarray:
    """(N, 3): points that everything drawn lies between, over all frames (T, n, ...)."""
    found = [anchor[None] for anchor in scene.anchors]
    for rod in scene.rods:
        for body, p in (rod.start, rod.end):
            centres = rotations[:, body] @ p + positions[:, body]
            found += [centres + rod.radius * direction for direction in (*np.eye(3), *-np.eye(3))]
    for box in scene.boxes:
        for signs in np.ndindex(2, 2, 2):
            corner = box.centre + box.rotation @ (box.half * (2 * np.array(signs) - 1))
            found.append(rotations[:, box.body] @ corner + positions[:, box.body])
    for skin in scene.skins:
        found += [rotations[:, skin.body] @ corner + positions[:, skin.body] for corner in skin.corners]
    return np.concatenate(found) if found else np.array([[-0.5] * 3, [0.5] * 3])


def bounds(scene: Scene, rotations: np.ndarray, positions: np.ndarray) -> np.ndarray:
    """(lowest, highest) corner of everything drawn."""
    points = extreme_points(scene, rotations, positions)
    return np.array([points.min(axis=0), points.max(axis=0)])


def floor_height(floor: float | bool | None, box: np.ndarray) -> float | None:
    if floor is False:
        return None
    if floor is None or floor is True:
        return float(box[0, 2])
    if not isinstance(floor, (int, float)) or not math.isfinite(floor):
        raise InputError(f"floor is {floor!r}; expected its height, or False for none")
    return float(floor)


def travelled(positions: np.ndarray) -> float:
    """How far the bodies (T, n, 3) get on the whole, the ground left out."""
    return float(np.linalg.norm(np.ptp(positions[:, 1:].mean(axis=1), axis=0))) if positions.shape[1] > 1 else 0.0


def start_view(box: np.ndarray, first: np.ndarray, size: float, travel: float = 0.0) -> dict:
    """Azimuth and elevation of the camera, the point it looks at, and the box and radius of what it should see.

    `box` is of the whole motion, `first` of its first frame; the camera follows what travels further than it is large.
    """
    spread, at_first = box[1] - box[0], first[1] - first[0]
    thin = int(np.argmin(at_first[:2]))
    flat = at_first[thin] < FLAT * at_first.max()
    azimuth = (-90.0 if thin == 1 else 0.0) + 16.0 if flat else -52.0
    radius = 0.5 * float(np.linalg.norm(spread))
    follow = travel > size
    wide = np.maximum(at_first * _ROOM, (0.0, 0.0, spread[2]))  # of what travels, the height of all of its motion
    seen = (box[0] + box[1]) / 2 + np.array([[-0.5], [0.5]]) * wide if follow else box
    return {
        "azimuth": math.radians(azimuth), "elevation": math.radians(12.0 if flat else 22.0),
        "target": ((box[0] + box[1]) / 2).tolist(), "radius": min(radius, 0.8 * size) if follow else radius,
        "follow": bool(follow), "box": seen.tolist(),
    }  # fmt: skip
