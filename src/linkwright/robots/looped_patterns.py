"""Mechanisms with loops, of any size and a regular shape: the families of [Sathya2025] Figures 6 to 9.

Drawn closed, in the vertical plane: q = neutral. The axis of every other joint is normal to the plane, those of the
others across their link, and of every sixth along it, so that the loops are spatial; with `planar=True` all are normal,
and half of each weld is redundant.
"""

from __future__ import annotations

import math

import numpy as np

from ..errors import InputError
from ..model import GROUND, Model
from ..model.constraints import weld
from ..model.joint import free_flyer, revolute
from .checks import count
from .closed_drawing import ClosedDrawing
from .patterns import LINK_LENGTH
from .plane import NORMAL


def ring(n: int = 12, *, planar: bool = False, floating_base: bool = False) -> Model:
    """A cycle of n links; the last is welded to the first. Mobility n - 6 (planar: n - 3), if n is not small.

    Bodies "link_1" ...; link_1 is on the ground, or the floating base. Constraint "closure".
    """
    count("n", n, smallest=3)
    drawing = _LinkDrawing(f"ring_{n}", planar, floating_base)
    corners = _polygon((0, 0), (LINK_LENGTH, 0), n)
    last = drawing.run("link", corners, GROUND)
    drawing.weld("closure", last, "link_1", corners[0])
    return drawing.build()


def chain_of_loops(loops: int = 4, links: int = 7, *, planar: bool = False, floating_base: bool = False) -> Model:
    """Loops one after the other: 1 + loops links bodies. Mobility 1 + loops (links - 6), if there are six and more.

    Each loop is a chain of `links` links whose last is welded to the body on which the first hangs, so that `links`
    rigid bodies make a cycle. The middle link carries the next loop. Bodies "base", "loop1_1" ... "loop2_1" ...;
    constraints "loop1" ....
    """
    count("loops", loops)
    count("links", links, smallest=3)
    count("number of links", 1 + loops * links)
    drawing = _LinkDrawing(f"chain_of_loops_{loops}_{links}", planar, floating_base)
    begin, end = np.zeros(2), np.array([LINK_LENGTH, 0.0])
    carrier = drawing.link("base", begin, end, GROUND)
    for k in range(1, loops + 1):
        corners = _polygon(begin, end, links + 1)
        last = drawing.run(f"loop{k}", [*corners[1:], corners[0]], carrier, closed=False)
        drawing.weld(f"loop{k}", last, carrier, corners[0])
        middle = (links + 1) // 2
        carrier, begin, end = f"loop{k}_{middle}", corners[(middle + 1) % (links + 1)], corners[middle]
    return drawing.build()


def all_coupled(n: int = 36, spacing: int = 6, *, planar: bool = False, floating_base: bool = False) -> Model:
    """A chain of n links, folded in two, with welds across: the worst case, each loop shares joints with all others.

    Links 1 and n, 1 + spacing and n - spacing, ... are welded, as long as `2 spacing` joints remain within the
    innermost loop. With six and more links in between, the loops are independent. Constraints "rung1" ....
    """
    count("n", n, smallest=4)
    count("spacing", spacing)
    pairs = [(i, n + 1 - i) for i in range(1, n, spacing) if n + 1 - 2 * i >= 2 * spacing]
    if not pairs:
        raise InputError(f"n is {n} and spacing {spacing}; expected more than {2 * spacing} links")
    drawing = _LinkDrawing(f"all_coupled_{n}_{spacing}", planar, floating_base)
    up = (n - 1) // 2
    gap = LINK_LENGTH if n % 2 else 2 * LINK_LENGTH * math.cos(math.pi / 6)
    corners = [(0.0, k * LINK_LENGTH) for k in range(up + 1)]
    if n % 2 == 0:  # an even number leaves two links for the top: a gable
        corners.append((gap / 2, up * LINK_LENGTH + LINK_LENGTH / 2))
    corners += [(gap, k * LINK_LENGTH) for k in range(up, -1, -1)]
    drawing.run("link", corners, GROUND, closed=False)
    for k, (i, j) in enumerate(pairs, start=1):
        drawing.weld(f"rung{k}", f"link_{j}", f"link_{i}", np.add(corners[i - 1], corners[j]) / 2)
    return drawing.build()


def star(pairs: int = 4, length: int = 4, *, planar: bool = False, floating_base: bool = True) -> Model:
    """Pairs of chains from one hub, the tips of each pair welded together: 1 + 2 pairs length bodies.

    Each pair adds mobility 2 length - 6. Bodies "hub", "pair1a_1" ..., "pair1b_1" ...; constraints "pair1" ....
    """
    count("pairs", pairs)
    count("length", length, smallest=2)
    count("number of links", 1 + 2 * pairs * length)
    drawing = _LinkDrawing(f"star_{pairs}_{length}", planar, floating_base)
    sides = 2 * length + 1
    width = LINK_LENGTH / math.sin(math.pi / sides)  # of one loop
    radius = max(LINK_LENGTH, pairs * width / (2 * math.pi))
    hub = drawing.link("hub", np.zeros(2), np.array([radius, 0.0]), GROUND)
    for k in range(1, pairs + 1):
        angle = 2 * math.pi * (k - 2 / 3) / pairs  # none along x or z, whose zeros would make that pair cheaper
        outward, across = np.array([math.cos(angle), math.sin(angle)]), np.array([-math.sin(angle), math.cos(angle)])
        left, right = radius * outward + across * LINK_LENGTH / 2, radius * outward - across * LINK_LENGTH / 2
        corners = _polygon(left, right, sides)
        one, other = (
            drawing.run(f"pair{k}{side}", half, hub, closed=False)
            for side, half in (("a", corners[1 : length + 2]), ("b", [corners[0], *corners[: length : -1]]))
        )
        drawing.weld(f"pair{k}", one, other, corners[length + 1])
    return drawing.build()


def common_tip(branches: int = 4, length: int = 7, *, planar: bool = False, floating_base: bool = True) -> Model:
    """Chains from one hub, the tips of all of them welded to that of the first: [Sathya2025] Figure 9a.

    1 + branches length bodies; each branch after the first adds mobility length - 6. Bodies "hub", "branch1_1" ...;
    constraints "tip2" .... The branches are drawn as bows of different height from hub to tip.
    """
    count("branches", branches, smallest=2)
    count("length", length, smallest=2)
    count("number of links", 1 + branches * length)
    drawing = _LinkDrawing(f"common_tip_{branches}_{length}", planar, floating_base)
    hub = drawing.link("hub", np.zeros(2), np.array([LINK_LENGTH, 0.0]), GROUND)
    span = 0.8 * length * LINK_LENGTH
    tips = []
    for k in range(1, branches + 1):
        height = 0.25 * span * (2 * (k - 1) / (branches - 1) - 1) + 0.07 * span  # none is straight: that is singular
        along = np.arange(length + 1) / length
        corners = [np.array([LINK_LENGTH + span * t, 4 * height * t * (1 - t)]) for t in along]
        tips.append(drawing.run(f"branch{k}", corners, hub, closed=False))
    for k, tip in enumerate(tips[1:], start=2):
        drawing.weld(f"tip{k}", tip, tips[0], (LINK_LENGTH + span, 0.0))
    return drawing.build()


class _LinkDrawing(ClosedDrawing):
    """Links in the x-z plane, one bar each."""

    def __init__(self, name: str, planar: bool, floating: bool):
        super().__init__(name, density=1 / LINK_LENGTH)
        self.planar, self.floating = planar, floating

    def link(self, name: str, begin, end, parent: str, k: int = 1) -> str:
        (x0, z0), (x1, z1) = begin, end
        bar = ((x0, 0.0, z0), (x1, 0.0, z1))
        if parent == GROUND and self.floating:
            return self.add(name, free_flyer("root_joint"), bar[0], bars=[bar])
        in_plane = not self.planar and k % 2 == 0
        along, across = (x1 - x0, 0.0, z1 - z0), (z0 - z1, 0.0, x1 - x0)
        axis = (along if k % 6 == 0 else across) if in_plane else NORMAL
        return self.add(name, revolute(f"{name}_joint", axis), bar[0], parent=parent, bars=[bar])

    def run(self, name: str, corners, parent: str, *, closed: bool = True) -> str:
        """Links from corner to corner, and back to the first if closed; the last one's name."""
        ends = [*corners[1:], corners[0]] if closed else corners[1:]
        for k, (begin, end) in enumerate(zip(corners, ends, strict=False), start=1):
            parent = self.link(f"{name}_{k}", begin, end, parent, k)
        return parent

    def weld(self, name: str, first: str, second: str, at) -> None:
        self.hold(weld(*self.marks(name, first, second, (at[0], 0.0, at[1])), name=name))


def _polygon(p, q, sides: int) -> list[np.ndarray]:
    """The corners of a regular polygon on the left of its first side, from p to q."""
    (x, z), turn = np.subtract(q, p) / 2, 2 * math.pi / sides
    centre = np.add(p, (x, z)) + np.array([-z, x]) / math.tan(turn / 2)
    spoke = np.subtract(p, centre)
    return [
        centre + _turned(spoke, k * turn)
        for k in range(sides)
    ]


def _turned(p: np.ndarray, angle: float) -> np.ndarray:
    c, s = math.cos(angle), math.sin(angle)
    return np.array([c * p[0] - s * p[1], s * p[0] + c * p[1]])
