"""Perspective: where points of the world are on the picture."""

from __future__ import annotations

import math

import numpy as np

FOCAL = 2.6  # of half the smaller side: a moderate tele lens, so that parallels stay nearly so
MARGIN = 0.09  # of the smaller side
NEAR = 0.05  # of the distance: what is closer than that is not looked at


class Camera:
    """Looks at points (N, 3) from a direction, from as near as shows all of them, with them in the middle."""

    def __init__(self, points: np.ndarray, azimuth: float, elevation: float, width: float, height: float):
        self.width, self.height = width, height
        self.outward = np.array(
            [math.cos(elevation) * math.cos(azimuth), math.cos(elevation) * math.sin(azimuth), math.sin(elevation)]
        )
        self.right = np.cross(-self.outward, [0, 0, 1])
        self.right /= np.linalg.norm(self.right)
        self.up = np.cross(self.right, -self.outward)
        self._pixels = FOCAL * min(width, height) / 2
        low, high = points.min(axis=0), points.max(axis=0)
        self.target = (low + high) / 2
        radius = max(1e-9, 0.5 * float(np.linalg.norm(high - low)))
        for _ in range(3):
            self._approach(points, radius)
            self._centre(points)

    @property
    def eye(self) -> np.ndarray:
        return self.target + self.distance * self.outward

    def project(self, points) -> np.ndarray:
        """(..., 3) to (..., 4): x, y on the picture, depth, pixels per metre there."""
        d = np.asarray(points, dtype=float) - self.eye
        depth = np.maximum(NEAR * self.distance, -(d @ self.outward))
        scale = self._pixels / depth
        x, y = self.width / 2 + d @ self.right * scale, self.height / 2 - d @ self.up * scale
        return np.stack([x, y, depth, scale], axis=-1)

    def _approach(self, points: np.ndarray, radius: float) -> None:
        low, high = 0.1 * radius, 60 * radius
        for _ in range(40):
            self.distance = (low + high) / 2
            low, high = (low, self.distance) if self._shows(points) else (self.distance, high)
        self.distance = high

    def _centre(self, points: np.ndarray) -> None:
        x, y = self.project(points)[:, :2].T
        per_pixel = self.distance / self._pixels
        across, upward = (x.min() + x.max() - self.width) / 2, (self.height - y.min() - y.max()) / 2
        self.target = self.target + (across * self.right + upward * self.up) * per_pixel

    def _shows(self, points: np.ndarray) -> bool:
        if np.any((self.eye - points) @ self.outward < NEAR * self.distance):
            return False
        x, y = self.project(points)[:, :2].T
        margin = MARGIN * min(self.width, self.height)
        return bool(np.ptp(x) <= self.width - 2 * margin and np.ptp(y) <= self.height - 2 * margin)
