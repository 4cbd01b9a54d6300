"""`graph_svg`: the kinematic graph as [Sathya2025] draws it in Figures 2 and 4.

Spanning tree in solid lines from the ground on the left, constraints dashed, above each link when it is eliminated and
how many neighbours it then has; below, the couplings that are left after each limb is gone.
"""

from __future__ import annotations

import math
from itertools import pairwise
from pathlib import Path

from ..model import Model
from ..model.loops import constrained_ends
from .elimination_steps import Stage, elimination, stages
from .palette import CLOSURE, LIMBS, THEMES
from .scene import limb_groups
from .svg import limb_class, tooltip, xml_text
from .tree_layout import tree_layout

_COLUMN, _ROW, _NODE = 118, 74, 15  # pixels
_LEFT, _TOP = 60, 98
_LONGEST_NAME = 17
_SMALL = 0.42  # scale of the panels that show the elimination
_MOST_PANELS = 8
_MOST_BODIES_IN_PANELS = 60


def graph_svg(model: Model, path) -> Path:
    """Write a picture of the kinematic graph to `path`; returns the path."""
    path = Path(path)
    path.write_text(graph_picture(model), encoding="utf-8")
    return path


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
        self.stages = stages(model, self.order)

    def text(self) -> str:
        panels = self._panels()
        body = self._tree() + self._closures() + self._nodes()
        width, height = self.width, self.height
        if panels:
            extra, across, tall = self._panel_strip(panels)
            body, width, height = body + extra, max(width, across), height + tall
        width = max(width, 520)
        legend = self._legend(height + 8)
        height += 44
        size = f'width="{width:.0f}" height="{height:.0f}" viewBox="0 0 {width:.0f} {height:.0f}"'
        about = f"{self.model.nbodies - 1} links, {self.model.nv} dof, {self.model.nc} constraint rows"
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img">\n'
            f"<title>kinematic graph of {xml_text(self.model.name)}</title>\n<style>{_style()}</style>\n"
            f'<rect class="sky" width="100%" height="100%" rx="12"/>\n'
            f'<text class="heading" x="24" y="34">{xml_text(self.model.name)}</text>'
            f'<text class="faint" x="24" y="52">{about}</text>\n{body}{legend}</svg>\n'
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
                f'<circle class="{limb_class(self.groups[i])} node" cx="{x:.1f}" cy="{y:.1f}" r="{_NODE}"/>'
                f'<text class="index" x="{x:.1f}" y="{y + 4.5:.1f}">{i}</text>'
                f'<text class="name" x="{x:.1f}" y="{y + 30:.1f}">{xml_text(_shortened(body.name))}</text>'
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
            parts += [_arc(self.at[a], self.at[b], label) for a, b in pairwise(moving)]
        return "".join(parts) + "\n"

    # The elimination

    def _panels(self) -> list[Stage]:
        if len(self.stages) < 2 or self.model.nbodies > _MOST_BODIES_IN_PANELS:
            return []
        if len(self.stages) <= _MOST_PANELS:
            return self.stages
        kept = {round(k * (len(self.stages) - 1) / (_MOST_PANELS - 1)) for k in range(_MOST_PANELS)}
        return [self.stages[k] for k in sorted(kept)]

    def _panel_strip(self, panels: list[Stage]) -> tuple[str, float, float]:
        """(markup, width, height) of the panels, as many in a row as fit."""
        wide, tall = self.width * _SMALL + 24, (self.height - 30) * _SMALL + 46
        columns = max(1, min(len(panels), int(max(self.width, 900) // wide)))
        parts = [f'<text class="part" x="24" y="{self.height + 16:.0f}">Elimination</text>']
        for k, stage in enumerate(panels):
            x, y = 18 + (k % columns) * wide, self.height + 26 + (k // columns) * tall
            parts.append(self._panel(stage, x, y, wide - 12, tall - 12))
        rows = -(-len(panels) // columns)
        return "".join(parts) + "\n", 24 + columns * wide, 30 + rows * tall

    def _panel(self, stage: Stage, x: float, y: float, wide: float, tall: float) -> str:
        names = ", ".join(str(i) for i in stage.eliminated) or "at the start"
        caption = _shortened(f"after {names}" if stage.eliminated else names, int(wide / 6.4))
        parts = [f'<rect class="panel" x="{x:.0f}" y="{y:.0f}" width="{wide:.0f}" height="{tall:.0f}" rx="8"/>']
        parts.append(f'<text class="caption" x="{x + 10:.0f}" y="{y + 17:.0f}">{caption}</text>')

        def place(i: int) -> tuple[float, float]:
            return x + self.at[i][0] * _SMALL + 2, y + (self.at[i][1] - 40) * _SMALL + 22

        for i in range(1, self.model.nbodies):
            (x1, y1), (x2, y2) = place(self.model.bodies[i].parent), place(i)
            style = "edge gone" if i in stage.gone else "edge"
            parts.append(f'<path class="{style}" d="M{x1:.1f} {y1:.1f}L{x2:.1f} {y2:.1f}"/>')
        parts += [_arc(place(a), place(b), "", least=22, most=40) for a, b in sorted(stage.coupled)]
        for i in range(self.model.nbodies):
            x1, y1 = place(i)
            style = "ground" if not i else "gone node" if i in stage.gone else f"{limb_class(self.groups[i])} node"
            parts.append(f'<circle class="{style}" cx="{x1:.1f}" cy="{y1:.1f}" r="6.5"/>')
            if i and i not in stage.gone:
                parts.append(f'<text class="tiny" x="{x1:.1f}" y="{y1 + 2.8:.1f}">{i}</text>')
        return "".join(parts)

    def _legend(self, y: float) -> str:
        entries = "solid: spanning tree  ·  above a link: when LCABA eliminates it"
        if self.model.constraints:
            entries += "  ·  dashed: constraints  ·  red number: its neighbours then"
        return f'<text class="faint" x="24" y="{y + 18:.0f}">{entries}</text>\n'


def _shortened(name: str, longest: int = _LONGEST_NAME) -> str:
    return name if len(name) <= longest else name[: longest - 1] + "…"


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


def _arc(a: tuple[float, float], b: tuple[float, float], label: str, least: float = 44, most: float = 80) -> str:
    """A dashed curve that leaves the straight line to the right of it, so that tree edges stay visible."""
    (x1, y1), (x2, y2) = a, b
    nx, ny = y2 - y1, x1 - x2
    if nx < 0 or (nx == 0 and ny > 0):
        nx, ny = -nx, -ny
    length = math.hypot(nx, ny) or 1.0
    bend = min(most, max(least, 0.36 * length)) / length
    cx, cy = (x1 + x2) / 2 + bend * nx, (y1 + y2) / 2 + bend * ny
    text = tooltip(label) if label else ""
    return f'<path class="cut" d="M{x1:.1f} {y1:.1f}Q{cx:.1f} {cy:.1f} {x2:.1f} {y2:.1f}">{text}</path>'


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
