"""Small pictures of the graph between eliminations, in rows below the large one."""

from __future__ import annotations

from collections.abc import Sequence

from ..model import Model
from .elimination_steps import Node, Stage
from .palette import limb_name
from .svg import shortened, tooltip, xml_text

Place = tuple[float, float]

_SCALE = 0.42  # of the large picture
_MOST_PANELS = 8
_LETTER = 6.4  # pixels
_CONSTRAINT_ASIDE = 52  # where a constraint's node is, to the right of what it holds, in pixels of the large picture


def panel_strip(
    model: Model, title: str, stages: Sequence[Stage], at: Sequence[Place], groups: Sequence[int], y: float,
    widest: float,
) -> tuple[str, float, float]:  # fmt: skip
    """(markup, width, height) of the panels of some stages, as many in a row as fit; `at` is where links are above."""
    shown = _some(stages)
    wide = (max(x for x, _ in at) + 90) * _SCALE + 24
    tall = (max(y for _, y in at) + 10) * _SCALE + 46
    columns = max(1, min(len(shown), int(max(widest, 900) // wide)))
    parts = [f'<text class="part" x="24" y="{y + 16:.0f}">{xml_text(title)}</text>']
    for k, stage in enumerate(shown):
        left, top = 18 + (k % columns) * wide, y + 26 + (k // columns) * tall
        parts.append(_panel(model, stage, at, groups, left, top, wide - 12, tall - 12))
    return "".join(parts) + "\n", 24 + columns * wide, 30 + -(-len(shown) // columns) * tall


def _some(stages: Sequence[Stage]) -> list[Stage]:
    if len(stages) <= _MOST_PANELS:
        return list(stages)
    kept = {round(k * (len(stages) - 1) / (_MOST_PANELS - 1)) for k in range(_MOST_PANELS)}
    return [stages[k] for k in sorted(kept)]


def _panel(
    model: Model, stage: Stage, at: Sequence[Place], groups: Sequence[int], x: float, y: float, wide: float, tall: float
) -> str:  # fmt: skip
    def place(node: Node) -> Place:
        big = at[node] if node >= 0 else _constraint_place(model, ~node, at)
        return x + big[0] * _SCALE + 2, y + (big[1] - 40) * _SCALE + 22

    names = ", ".join(str(node) if node >= 0 else model.constraints[~node].name for node in stage.eliminated)
    caption = shortened(f"after {names}" if names else "at the start", int(wide / _LETTER))
    parts = [
        f'<rect class="panel" x="{x:.0f}" y="{y:.0f}" width="{wide:.0f}" height="{tall:.0f}" rx="8"/>',
        f'<text class="caption" x="{x + 10:.0f}" y="{y + 17:.0f}">{xml_text(caption)}</text>',
    ]
    for i in range(1, model.nbodies):
        (x1, y1), (x2, y2) = place(model.bodies[i].parent), place(i)
        style = "edge gone" if i in stage.gone else "edge"
        parts.append(f'<path class="{style}" d="M{x1:.1f} {y1:.1f}L{x2:.1f} {y2:.1f}"/>')
    for a, b in sorted(stage.coupled):
        parts.append(arc(place(a), place(b), "", least=22, most=40) if a >= 0 else _straight(place(a), place(b)))
    for i in range(model.nbodies):
        x1, y1 = place(i)
        style = "ground" if not i else "gone node" if i in stage.gone else f"{limb_name(groups[i])} node"
        parts.append(f'<circle class="{style}" cx="{x1:.1f}" cy="{y1:.1f}" r="6.5"/>')
        if i and i not in stage.gone:
            parts.append(f'<text class="tiny" x="{x1:.1f}" y="{y1 + 2.8:.1f}">{i}</text>')
    for k in sorted({~node for pair in stage.coupled for node in pair if node < 0}):
        x1, y1 = place(~k)
        square = f'x="{x1 - 5:.1f}" y="{y1 - 5:.1f}" width="10" height="10" rx="2"'
        parts.append(f'<rect class="badge" {square}>{tooltip(model.constraints[k].name)}</rect>')
    return "".join(parts)


def _constraint_place(model: Model, k: int, at: Sequence[Place]) -> Place:
    ends = [at[i] for i in model.constraint_bodies[k]]
    return max(x for x, _ in ends) + _CONSTRAINT_ASIDE, sum(y for _, y in ends) / len(ends)


def _straight(a: Place, b: Place) -> str:
    return f'<path class="cut" d="M{a[0]:.1f} {a[1]:.1f}L{b[0]:.1f} {b[1]:.1f}"/>'


def arc(a: Place, b: Place, label: str, least: float = 44, most: float = 80) -> str:
    """A dashed curve that leaves the straight line to the right, or upward if it is level; tree edges stay visible."""
    (x1, y1), (x2, y2) = a, b
    nx, ny = y2 - y1, x1 - x2
    level = abs(ny) > 2 * abs(nx)
    if ny > 0 if level else nx < 0:
        nx, ny = -nx, -ny
    if level:
        most *= 1.5
    length = (nx * nx + ny * ny) ** 0.5 or 1.0
    bend = min(most, max(least, 0.36 * length)) / length
    cx, cy = (x1 + x2) / 2 + bend * nx, (y1 + y2) / 2 + bend * ny
    curve = f"M{x1:.1f} {y1:.1f}Q{cx:.1f} {cy:.1f} {x2:.1f} {y2:.1f}"
    return f'<path class="cut" d="{curve}">{tooltip(label)}</path>'
