"""`graph_svg`: the kinematic graph as [Sathya2025] draws it in Figures 2, 4 and 5.

Spanning tree in solid lines from the ground on the left, constraints dashed, above each link when it is eliminated and
how many neighbours it then has; below, the couplings that are left after each limb is gone, in LCABA and in proxBBO.
"""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

from ..atomic_file import write_atomically
from ..call_errors import names_arguments
from ..model import Model
from ..model.loops import constrained_ends
from .elimination_panels import arc, panel_strip
from .elimination_steps import bbo_stages, elimination, lcaba_stages
from .palette import CLOSURE, LIMBS, THEMES, limb_name
from .scene import limb_groups
from .svg import shortened, tooltip, xml_text
from .tree_layout import tree_layout

_COLUMN, _ROW, _NODE = 118, 74, 15  # pixels
_LEFT, _TOP = 60, 98
_MOST_BODIES_IN_PANELS = 60


@names_arguments
def graph_svg(model: Model, path) -> Path:
    """Write a picture of the kinematic graph to `path`; returns the path."""
    return write_atomically(path, graph_picture(model))


def graph_picture(model: Model) -> str:
    """The picture as text."""
    return _GraphPicture(model).text()


class _GraphPicture:
    def __init__(self, model: Model):
        self.model = model
        self.groups = limb_groups(model)
        places = tree_layout(model.graph)
        self.at = [(_LEFT + _COLUMN * column, _TOP + _ROW * row) for column, row in places]
        self.width = max(x for x, _ in self.at) + 90
        self.height = max(y for _, y in self.at) + 56
        self.order = elimination(model)

    def text(self) -> str:
        strips, across, tall = self._strips(self.height)
        width, height = max(self.width, across, 760), self.height + tall + 44
        size = f'width="{width:.0f}" height="{height:.0f}" viewBox="0 0 {width:.0f} {height:.0f}"'
        about = f"{self.model.nbodies - 1} links, {self.model.nv} dof, {self.model.nc} constraint rows"
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img">\n'
            f"<title>kinematic graph of {xml_text(self.model.name)}</title>\n<style>{_style()}</style>\n"
            f'<rect class="sky" width="100%" height="100%" rx="12"/>\n'
            f'<text class="heading" x="24" y="34">{xml_text(self.model.name)}</text>'
            f'<text class="faint" x="24" y="52">{about}</text>\n'
            f"{self._tree()}{self._closures()}{self._nodes()}{strips}{self._legend(height - 36)}</svg>\n"
        )

    # The tree

    def _tree(self) -> str:
        parts = []
        for i, body in enumerate(self.model.bodies[1:], start=1):
            (x1, y1), (x2, y2) = self.at[body.parent], self.at[i]
            middle = (x1 + x2) / 2
            curve = f"M{x1:.1f} {y1:.1f}C{middle:.1f} {y1:.1f} {middle:.1f} {y2:.1f} {x2:.1f} {y2:.1f}"
            label = tooltip(f"{body.joint.name} ({body.joint.kind})")
            parts.append(f'<path class="edge" d="{curve}">{label}</path>')
        return "".join(parts) + "\n"

    def _nodes(self) -> str:
        parts = [_ground(*self.at[0])]
        step = {i: (k, neighbours) for k, (i, neighbours) in enumerate(self.order, start=1)}
        for i, body in enumerate(self.model.bodies[1:], start=1):
            x, y = self.at[i]
            k, neighbours = step[i]
            label = f"{body.name}: eliminated as number {k}"
            if neighbours:
                label += ", neighbours " + ", ".join(self.model.bodies[j].name for j in neighbours)
            parts.append(
                f"<g>{tooltip(label)}"
                f'<circle class="{limb_name(self.groups[i])} node" cx="{x:.1f}" cy="{y:.1f}" r="{_NODE}"/>'
                f'<text class="index" x="{x:.1f}" y="{y + 4.5:.1f}">{i}</text>'
                f'<text class="name" x="{x:.1f}" y="{y + 30:.1f}">{xml_text(shortened(body.name))}</text>'
                f'<text class="step" x="{x - (8 if neighbours else 0):.1f}" y="{y - 20:.1f}">{k}.</text>'
                + (_badge(x + 11, y - 24, len(neighbours)) if neighbours else "")
                + "</g>"
            )
        return "".join(parts) + "\n"

    def _closures(self) -> str:
        parts = []
        for constraint in self.model.constraints:
            ends = list(dict.fromkeys(constrained_ends(self.model, constraint)))
            label = f"{constraint.name} ({constraint.size} rows)"
            moving = [end for end in ends if end]
            if len(moving) == 1:
                parts.append(_held(*self.at[moving[0]], label))
            parts += [arc(self.at[a], self.at[b], label) for a, b in pairwise(moving)]
        return "".join(parts) + "\n"

    # The elimination

    def _strips(self, y: float) -> tuple[str, float, float]:
        """(markup, width, height) of the panels below the tree."""
        if len(self.model.constraints) == 0 or self.model.nbodies > _MOST_BODIES_IN_PANELS:
            return "", 0.0, 0.0
        parts, width, height = [], 0.0, 0.0
        for title, stages in (
            ("Elimination by LCABA: couplings between links", lcaba_stages(self.model)),
            ("Elimination by proxBBO: squares are constraints", bbo_stages(self.model)),
        ):
            if len(stages) > 1:
                markup, across, tall = panel_strip(
                    self.model, title, stages, self.at, self.groups, y + height, self.width
                )
                parts.append(markup)
                width, height = max(width, across), height + tall
        return "".join(parts), width, height

    def _legend(self, y: float) -> str:
        entries = "solid: spanning tree  ·  above a link: when LCABA eliminates it"
        if self.model.constraints:
            entries += "  ·  dashed: constraints  ·  red number: its neighbours then"
        return f'<text class="faint" x="24" y="{y + 18:.0f}">{entries}</text>\n'


def _ground(x: float, y: float) -> str:
    hatch = "".join(f"M{x - 14 + 7 * k:.1f} {y + 12:.1f}l-6 8" for k in range(5))
    return (
        f'<g><title>world</title><circle class="ground" cx="{x:.1f}" cy="{y:.1f}" r="12"/>'
        f'<path class="hatch" d="M{x - 18:.1f} {y + 12:.1f}h36{hatch}"/></g>'
    )


def _held(x: float, y: float, label: str) -> str:
    """A link held by the ground, shown beside it: the ground is no neighbour."""
    hatch = "".join(f"M{x + 48:.1f} {y - 8 + 5 * k:.1f}l5 5" for k in range(4))
    return (
        f'<g>{tooltip(label)}<path class="cut" d="M{x + _NODE:.1f} {y:.1f}H{x + 46:.1f}"/>'
        f'<path class="hatch" d="M{x + 47:.1f} {y - 11:.1f}v22{hatch}"/></g>'
    )


def _badge(x: float, y: float, count: int) -> str:
    circle = f'<circle class="badge" cx="{x:.1f}" cy="{y:.1f}" r="7.5"/>'
    return circle + f'<text class="count" x="{x:.1f}" y="{y + 3.5:.1f}">{count}</text>'


def _style() -> str:
    light, dark = THEMES["light"], THEMES["dark"]
    limbs = "".join(f".limb{k}{{fill:{colour}}}" for k, colour in enumerate(LIMBS))
    font = "system-ui,-apple-system,'Segoe UI',Roboto,'Helvetica Neue',Arial,sans-serif"

    def theme(t: dict[str, str], panel: str, gone: str) -> str:
        return (
            f".sky{{fill:{t['sky']}}}.heading,.name,.part,.caption{{fill:{t['ink']}}}.faint,.step{{fill:{t['faint']}}}"
            f".edge{{stroke:{t['faint']}}}.ground{{fill:{t['ink']}}}.hatch{{stroke:{t['faint']}}}.panel{{fill:{panel}}}"
            f".gone{{fill:{gone}}}.edge.gone{{stroke:{gone}}}.node{{stroke:{t['sky']}}}"
        )

    return (
        f"text{{font-family:{font};font-size:12px}}.heading{{font-size:18px;font-weight:650}}.part{{font-weight:600}}"
        ".name,.step,.index,.count,.tiny{text-anchor:middle}.index{fill:#fff;font-weight:600}.tiny{fill:#fff;font-size:8px}"
        f".count{{fill:#fff;font-size:10.500px;font-weight:700}}.badge{{fill:{CLOSURE}}}.step{{font-size:11px}}"
        f".edge{{fill:none;stroke-width:2}}.cut{{fill:none;stroke:{CLOSURE};stroke-width:2;stroke-dasharray:6 4}}"
        f".hatch{{fill:none;stroke-width:1.5}}.node{{stroke-width:2}}.edge.gone{{fill:none}}{limbs}"
        f"{theme(light, '#f4f6f9', '#d9dee6')}"
        f"@media(prefers-color-scheme:dark){{{theme(dark, '#1c212b', '#333b48')}}}"
    )
