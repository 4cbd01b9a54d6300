"""The mechanisms whose size is varied, drawn: [Sathya2025] Figures 6a to 9a, [Sathya2024] Figure 2e, [Sathya2023] 3a.

Circles are links, lines are joints, dashed lines are welds; G is the ground.
"""

from __future__ import annotations

import math
from itertools import pairwise

from ..item import Diagram, Panel

Places = dict[str, tuple[float, float]]
Edges = list[tuple[str, str, str]]


def _run(names: list[str]) -> Edges:
    return [(a, b, "tree") for a, b in pairwise(names)]


def ring() -> Panel:
    """Links around a circle, the last one welded to the first."""
    n = 8
    turn = 2 * math.pi / n
    places: Places = {str(k + 1): (2 * math.sin(k * turn), 2 * math.cos(k * turn)) for k in range(n)}
    names = list(places)
    places["G"] = (0.0, 3.2)
    return Panel("a loop of n links", Diagram(places, [*_run(["G", *names]), (names[-1], names[0], "coupling")]))


def chain_of_loops() -> Panel:
    """Loops of seven links; the middle one of each carries the next."""
    places: Places = {"G": (-2.4, 0.0), "0": (-1.2, 0.0)}
    edges: Edges = [("G", "0", "tree")]
    carrier, at = "0", 0.0
    for loop in "abc":
        names = [f"{loop}{k}" for k in range(1, 8)]
        for k, name in enumerate(names):
            angle = math.pi * (1 - (k + 0.5) / 3.5)
            places[name] = (at + 1.1 * math.cos(angle) + 1.1, 1.2 * math.sin(angle))
        edges += [*_run([carrier, *names]), (names[-1], carrier, "coupling")]
        carrier, at = names[3], at + 3.1
    return Panel("a chain of loops of seven links", Diagram(places, edges))


def all_coupled() -> Panel:
    """A chain that is folded in two, with welds across."""
    n = 12
    places: Places = {str(k): (k if k <= n // 2 else n + 1 - k, 0.0 if k <= n // 2 else 1.6) for k in range(1, n + 1)}
    places["G"] = (0.0, 0.0)
    edges = _run(["G", *(str(k) for k in range(1, n + 1))])
    edges += [(str(k), str(n + 1 - k), "coupling") for k in (1, 3, 5)]
    return Panel("a chain folded in two, welded across", Diagram(places, edges))


def common_tip() -> Panel:
    """Branches from one free link, all tips welded to that of the last one."""
    places: Places = {"hub": (0.0, 0.0)}
    edges: Edges = []
    tips = []
    for b, x in enumerate((-2.0, -0.7, 0.7, 2.0)):
        names = [f"{'abcd'[b]}{k}" for k in (1, 2, 3)]
        places |= {name: (x, 1.0 + 0.9 * k) for k, name in enumerate(names)}
        edges += _run(["hub", *names])
        tips.append(names[-1])
    return Panel(
        "branches with one common tip", Diagram(places, edges + [(tip, tips[-1], "coupling") for tip in tips[:-1]])
    )


def stem() -> Panel:
    """A stem with branches at both ends, whose tips are welded to the ground."""
    places: Places = {f"s{k}": (float(k), 0.0) for k in range(1, 6)}
    edges = _run(list(places))
    for end, x, out in (("s1", 1.0, -1.0), ("s5", 5.0, 1.0)):
        for y in (-0.9, 0.9):
            names = [f"{'f' if out < 0 else 'r'}{'-+'[y > 0]}{k}" for k in (1, 2)]
            places |= {name: (x + out * (k + 1), y * (k + 1) / 1.4) for k, name in enumerate(names)}
            ground = f"G{names[0][:2]}"
            places[ground] = (x + out * 3, y * 3 / 1.4)
            edges += [*_run([end, *names]), (names[-1], ground, "coupling")]
    return Panel("a stem with branches at both ends, tips welded", Diagram(places, edges))
