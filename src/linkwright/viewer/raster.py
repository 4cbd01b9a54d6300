"""A canvas of pixels, drawn by Pillow at twice its size and made smaller, so that edges are smooth."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache, partial
from typing import Any

import numpy as np

from ..errors import MissingExtraError
from .arrows import arrow_shape
from .palette import CLOSURE, FORCE, THEMES, TRACE, TRACE_OPACITY, across_rod, colour_of, shade

_FINER = 2  # pixels drawn for each that is kept, along either side
_STRIPS = 9  # shades across a rod, of a ball
_DASH, _GAP = 5.0, 4.0  # pixels
_BALL = ((1.0, -0.35), (0.5, 0.0), (0.05, 0.45))  # (part of the radius, how much lighter), from outside
_SHADOW = 0.14  # how dark
_PLATE = 0.3  # how opaque

Item = Callable[[], None]


class Raster:
    """Items are what draws them; `pixels` is the picture, (height, width, 3) of bytes. The light theme."""

    def __init__(self, width: int, height: int):
        try:
            from PIL import Image, ImageDraw, ImageFilter
        except ImportError:
            raise MissingExtraError("Pillow", "view", "drawing pictures of pixels") from None
        self._image, self._draw, self._filter = Image, ImageDraw, ImageFilter
        theme = self._theme = THEMES["light"]
        self._picture = Image.new("RGB", (_FINER * width, _FINER * height))
        top, bottom = (np.array([int(theme[k][i : i + 2], 16) for i in (1, 3, 5)]) for k in ("sky", "horizon"))
        way = np.linspace(0.0, 1.0, _FINER * height)[:, None]
        rows = np.rint((1 - way) * top + way * bottom).astype(np.uint8)
        self._picture.paste(Image.fromarray(np.repeat(rows[:, None], _FINER * width, axis=1)))
        self._pen = ImageDraw.Draw(self._picture, "RGBA")

    @property
    def pixels(self) -> np.ndarray:
        return np.asarray(self._picture.reduce(_FINER))

    def add(self, item: Item) -> None:
        item()

    def across(self, a: np.ndarray, b: np.ndarray, radius: float, name: str) -> tuple[np.ndarray, tuple[str, ...]]:
        normal, stops = across_rod(a, b)
        at, lighter = zip(*stops, strict=True)
        shades = np.interp((np.arange(_STRIPS) + 0.5) / _STRIPS, at, lighter)
        return normal, tuple(_shaded(colour_of(name), round(50 * float(x)) / 50) for x in shades)

    def rod(self, paint: Any, a: np.ndarray, b: np.ndarray, width: float, label: str = "") -> Item:
        """With round ends; strips of one shade each, as long as the ends are there."""
        normal, colours = paint
        along = np.array([normal[1], -normal[0]])
        along = along if along @ (b - a)[:2] > 0 else -along
        edges = np.linspace(1.0, -1.0, _STRIPS + 1)
        ends = np.sqrt(1.0 - edges**2)
        start, end, radius = (_FINER * x for x in (a[:2], b[:2], width / 2))
        left = start + radius * (np.outer(edges, normal) - np.outer(ends, along))
        right = end + radius * (np.outer(edges, normal) + np.outer(ends, along))
        corners = np.concatenate([left[:-1], right[:-1], right[1:], left[1:]], axis=1)

        def draw() -> None:
            for strip, colour in zip(corners.tolist(), colours, strict=True):
                self._pen.polygon(strip, fill=colour)

        return draw

    def ball(self, centre: np.ndarray, radius: float, name: str, label: str = "") -> Item:
        part, lighter = (np.array(x[::-1]) for x in zip(*_BALL, strict=True))
        radius, middle = _FINER * max(0.8, radius), _FINER * centre[:2]

        def draw() -> None:
            for k in range(_STRIPS):
                r = 1.0 - k / _STRIPS
                x, y = middle - radius * (1 - r) * np.array([0.35, 0.4])
                tone = round(50 * float(np.interp(r, part, lighter))) / 50
                box = (x - r * radius, y - r * radius, x + r * radius, y + r * radius)
                self._pen.ellipse(box, fill=_shaded(colour_of(name), tone))

        return draw

    def plate(self, corners: Sequence[np.ndarray], name: str, label: str) -> Item:
        return partial(self._pen.polygon, _flat(corners), fill=f"{colour_of(name)}{round(255 * _PLATE):02x}")

    def face(self, corners: Sequence[np.ndarray], colour: str, edge: str, label: str) -> Item:
        return partial(self._pen.polygon, _flat(corners), fill=colour, outline=edge, width=_FINER)

    def triangle(self, corners: np.ndarray, colour: str) -> Item:
        return partial(self._pen.polygon, _flat(corners), fill=colour, outline=colour)

    def grid_line(self, a: np.ndarray, b: np.ndarray, opacity: float) -> Item:
        return partial(self._line, a, b, 1.0, f"{self._theme['grid']}{round(255 * opacity):02x}")

    def shadow(self, lines: Sequence[tuple[np.ndarray, np.ndarray, float]], areas: Sequence[Any]) -> Item:
        def draw() -> None:  # as large as the picture is in the end: what is blurred need not be fine
            mask = self._image.new("L", (self._picture.width // _FINER, self._picture.height // _FINER))
            pen = self._draw.Draw(mask)
            for a, b, width in lines:
                pen.line([*a[:2], *b[:2]], fill=255, width=max(1, round(width)))
                for x, y in (a[:2], b[:2]):
                    pen.ellipse((x - width / 2, y - width / 2, x + width / 2, y + width / 2), fill=255)
            for area in areas:
                pen.polygon([float(x) for corner in area for x in corner[:2]], fill=255)
            mask = mask.filter(self._filter.GaussianBlur(3)).point(lambda x: round(x * _SHADOW))
            self._picture.paste(self._theme["shadow"], mask=mask.resize(self._picture.size))

        return draw

    def foot(self, centre: np.ndarray, rx: float, ry: float) -> Item:
        x, y = _FINER * centre[:2]
        box = (x - _FINER * rx, y - _FINER * ry, x + _FINER * rx, y + _FINER * ry)
        return partial(self._pen.ellipse, box, fill=self._theme["post"])

    def tie(self, a: np.ndarray, b: np.ndarray) -> Item:
        length = max(float(np.hypot(*(b - a)[:2])), 1e-9)
        starts = np.arange(0.0, length, _DASH + _GAP)

        def draw() -> None:
            for s in starts:
                self._line(a + (b - a) * s / length, a + (b - a) * min(s + _DASH, length) / length, 1.5, CLOSURE)

        return draw

    def arrow(self, a: np.ndarray, b: np.ndarray) -> Item:
        shaft, head = arrow_shape(a, b)

        def draw() -> None:
            self._line(a, shaft, 2.4, FORCE)
            self._pen.polygon(_flat(head), fill=FORCE)

        return draw

    def trace(self, points: np.ndarray) -> Item:
        ink = f"{TRACE}{round(255 * TRACE_OPACITY):02x}"
        return partial(self._pen.line, _flat(points), fill=ink, width=round(1.6 * _FINER), joint="curve")

    def _line(self, a: np.ndarray, b: np.ndarray, width: float, colour: str) -> None:
        self._pen.line(_flat((a, b)), fill=colour, width=max(1, round(_FINER * width)))


_shaded = lru_cache(maxsize=4096)(shade)


def _flat(points: Any) -> list[float]:
    return [_FINER * float(x) for point in points for x in point[:2]]
