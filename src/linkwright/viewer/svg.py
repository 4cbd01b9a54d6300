"""SVG by hand: shapes, gradients across rods, and a style that follows the reader's light or dark."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Any

import numpy as np

from ..printable import printable
from .arrows import arrow_shape
from .mark import GENERATOR
from .palette import CLOSURE, FORCE, LIMBS, THEMES, TRACE, TRACE_OPACITY, across_rod, colour_of, shade


def polygon(points: Sequence[np.ndarray], style: str = "", label: str = "") -> str:
    listed = " ".join(f"{p[0]:.1f},{p[1]:.1f}" for p in points)
    return f'<polygon points="{listed}" {style}>{tooltip(label)}</polygon>'


def tooltip(label: str) -> str:
    return f"<title>{xml_text(label)}</title>" if label else ""


def shortened(given: str, longest: int = 17) -> str:
    name = printable(given)
    return name if len(name) <= longest else name[: max(1, longest - 1)] + "…"


def xml_text(text: str) -> str:
    """A name as itself: no markup, and printable, so that nothing is left that XML has no way to write."""
    return escape(printable(text))


class Markup:
    """Collects markup and the gradients it uses."""

    def __init__(self, width: float, height: float):
        self.width, self.height = width, height
        self._parts: list[str] = []
        self._definitions: list[str] = []

    def add(self, markup: str) -> None:
        self._parts.append(markup)

    def line(self, a, b, width: float, style: str = "", label: str = "") -> str:
        ends = f'x1="{a[0]:.1f}" y1="{a[1]:.1f}" x2="{b[0]:.1f}" y2="{b[1]:.1f}" stroke-width="{width:.1f}"'
        if a[0] == b[0] or abs(a[1] - b[1]) < 0.05:  # a line without extent has no cap in some renderers
            ends = f'x1="{a[0]:.1f}" y1="{a[1]:.2f}" x2="{b[0] + 0.01:.2f}" y2="{b[1]:.2f}" stroke-width="{width:.1f}"'
        return f"<line {ends} {style}>{tooltip(label)}</line>" if label else f"<line {ends} {style}/>"

    def shaded(self, name: str, amount: float) -> str:
        return shade(colour_of(name), amount)

    def across(self, a, b, radius: float, name: str) -> str:
        """Paint for a rod from a to b, lit from above and the left."""
        normal, stops = across_rod(a, b)
        (x1, y1), (x2, y2) = a[:2] + normal * radius, a[:2] - normal * radius
        place = f'x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"'
        return self._gradient("linearGradient", place, stops, name)

    def ball(self, centre, radius: float, name: str, label: str = "") -> str:
        radius = max(0.8, radius)
        x, y = centre[:2]
        place = f'cx="{x:.1f}" cy="{y:.1f}" r="{1.05 * radius:.1f}" '
        place += f'fx="{x - 0.35 * radius:.1f}" fy="{y - 0.4 * radius:.1f}"'
        paint = self._gradient("radialGradient", place, ((0.05, 0.45), (0.5, 0.0), (1, -0.35)), name)
        return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius:.1f}" fill="{paint}">{tooltip(label)}</circle>'

    def _gradient(self, kind: str, place: str, stops, name: str) -> str:
        identity = f"p{len(self._definitions)}"
        marks = "".join(f'<stop offset="{at}" stop-color="{self.shaded(name, amount)}"/>' for at, amount in stops)
        self._definitions.append(f'<{kind} id="{identity}" gradientUnits="userSpaceOnUse" {place}>{marks}</{kind}>')
        return f"url(#{identity})"

    def rod(self, paint: str, a, b, width: float, label: str = "") -> str:
        return self.line(a, b, width, f'stroke="{paint}"', label)

    def plate(self, corners: Sequence[np.ndarray], name: str, label: str) -> str:
        return polygon(corners, f'class="{name} plate"', label)

    def face(self, corners: Sequence[np.ndarray], colour: str, edge: str, label: str) -> str:
        return polygon(corners, f'fill="{colour}" stroke="{edge}" stroke-linejoin="round"', label)

    def triangle(self, corners: np.ndarray, colour: str) -> str:
        points = "L".join(f"{x:.1f} {y:.1f}" for x, y, *_ in corners)
        return f'<path d="M{points}z" fill="{colour}" stroke="{colour}"/>'

    def grid_line(self, a, b, opacity: float) -> str:
        return self.line(a, b, 1, f'class="grid" stroke-opacity="{opacity:.2f}"')

    def shadow(self, lines: Sequence[tuple[np.ndarray, np.ndarray, float]], areas: Sequence[Any]) -> str:
        parts = [*(self.line(a, b, width) for a, b, width in lines), *(polygon(area) for area in areas)]
        return f'<g class="shadow">{"".join(parts)}</g>'

    def foot(self, centre, rx: float, ry: float) -> str:
        place = f'cx="{centre[0]:.1f}" cy="{centre[1]:.1f}" rx="{rx:.1f}" ry="{ry:.1f}"'
        return f'<ellipse class="post" {place}/>'

    def tie(self, a, b) -> str:
        return self.line(a, b, 1.5, 'class="tie"')

    def arrow(self, a, b) -> str:
        shaft, head = arrow_shape(a, b)
        return self.line(a, shaft, 2.4, f'stroke="{FORCE}"') + polygon(head, f'fill="{FORCE}"')

    def trace(self, points: np.ndarray) -> str:
        line = " ".join(f"{p[0]:.1f},{p[1]:.1f}" for p in points)
        return f'<polyline points="{line}" fill="none" stroke="{TRACE}" stroke-width="1.6" opacity="{TRACE_OPACITY}"/>'

    def text(self, title: str) -> str:
        size = f'width="{self.width:g}" height="{self.height:g}" viewBox="0 0 {self.width:g} {self.height:g}"'
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img">\n<!-- {GENERATOR} -->\n'
            f"<title>{xml_text(title)}</title>\n"
            f"<style>{_style()}</style>\n<defs>{''.join(self._definitions)}</defs>\n"
            f'<rect class="sky" width="100%" height="100%" rx="12"/>\n' + "\n".join(self._parts) + "\n</svg>\n"
        )


def _style() -> str:
    light, dark = THEMES["light"], THEMES["dark"]
    plates = "".join(f".limb{k}.plate{{fill:{colour}}}" for k, colour in enumerate(LIMBS))
    return (
        f"line{{stroke-linecap:round}}path{{stroke-width:.6;stroke-linejoin:round}}.plate{{fill-opacity:.3}}{plates}"
        f".sky{{fill:{light['horizon']}}}.grid{{stroke:{light['grid']}}}.post{{fill:{light['post']}}}"
        f".tie{{stroke:{CLOSURE};stroke-dasharray:5 4}}"
        f".shadow{{fill:{light['shadow']};stroke:{light['shadow']};opacity:.14;filter:blur(3px)}}"
        f"@media(prefers-color-scheme:dark){{.sky{{fill:{dark['horizon']}}}.grid{{stroke:{dark['grid']}}}"
        f".post{{fill:{dark['post']}}}.shadow{{fill:#000;stroke:#000;opacity:.4}}}}"
    )
