"""Perspective: where points of the world are on the picture."""

from __future__ import annotations

import math

import numpy as np

FOCAL = 2.6  # of half the smaller side: a moderate tele lens, so that parallels stay nearly so
MARGIN = 0.07  # of the smaller side


class Camera:
    """Looks at a box from a direction, from as near as shows all of it."""

    def __init__(self, box: np.ndarray, azimuth: float, elevation: float, width: float, height: float):
        self.width, self.height = width, height
        self.outward = np.array(
            [math.cos(elevation) * math.cos(azimuth), math.cos(elevation) * math.sin(azimuth), math.sin(elevation)]
        )
        self.right = np.cross(-self.outward, [0, 0, 1])
        self.right /= np.linalg.norm(self.right)
        self.up = np.cross(self.right, -self.outward)
        self.target = box.mean(axis=0)
        self._pixels = FOCAL * min(width, height) / 2
        radius = max(1e-9, 0.5 * float(np.linalg.norm(box[1] - box[0])))
        low, high = 0.1 * radius, 60 * radius
        for _ in range(40):
            self.distance = (low + high) / 2
            low, high = (low, self.distance) if self._shows(box) else (self.distance, high)
        self.distance = high

    @property
    def eye(self) -> np.ndarray:
        return self.target + self.distance * self.outward

    def project(self, points) -> np.ndarray:
        """(..., 3) to (..., 4): x, y on the picture, depth, pixels per metre there."""
        d = np.asarray(points, dtype=float) - self.eye
        depth = np.maximum(0.05 * self.distance, -(d @ self.outward))
        scale = self._pixels / depth
        x, y = self.width / 2 + d @ self.right * scale, self.height / 2 - d @ self.up * scale
        return np.stack([x, y, depth, scale], axis=-1)

    def _shows(self, box: np.ndarray) -> bool:
        corners = np.array([[box[s[k], k] for k in range(3)] for s in np.ndindex(2, 2, 2)])
        if np.any((self.eye - corners) @ self.outward < 0.05 * self.distance):
            return False
        x, y = self.project(corners)[:, :2].T
        margin = MARGIN * min(self.width, self.height)
        inside_across = x.min() >= margin and x.max() <= self.width - margin
        return bool(inside_across and y.min() >= margin and y.max() <= self.height - margin)
