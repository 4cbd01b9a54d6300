"""Mechanisms with loops, drawn for tests."""

import numpy as np

import linkwright as lw

ROD = lw.Inertia(1.0, np.array([0.2, 0.0, 0.0]), np.diag([0.001, 0.02, 0.02]))


def between(start, end, mass=1.0):
    """A rod drawn from one point to another, its inertia in the coordinates of the drawing."""
    start, end = np.array(start, dtype=float), np.array(end, dtype=float)
    along = end - start
    tensor = (along @ along * np.eye(3) - np.outer(along, along)) * mass / 12 + np.eye(3) * mass * 1e-4
    return lw.Inertia(mass, (start + end) / 2, tensor)


POINTS = {"A": (0, 0, 0), "B": (0, 0, 0.3), "C": (0.8, 0, 0.6), "D": (0.7, 0, 0)}


def four_bar(**kinds):
    """Ground - A - crank - B - coupler - C - rocker - D - ground, all axes y; kinds replaces joints by name."""
    graph = lw.GraphBuilder("four_bar")
    for name, start, end in (("crank", "A", "B"), ("coupler", "B", "C"), ("rocker", "D", "C")):
        graph.add_body(name, between(POINTS[start], POINTS[end]))
    for name, first, second in (
        ("A", "world", "crank"), ("B", "crank", "coupler"), ("C", "coupler", "rocker"), ("D", "rocker", "world"),
    ):  # fmt: skip
        make = kinds.get(name, lw.revolute)
        graph.add_joint(make(name, axis="y") if make is lw.revolute else make(name), first, second, at=POINTS[name])
    return graph


def stewart_platform():
    """Six legs of universal, prismatic (driven) and spherical joints."""
    graph = lw.GraphBuilder("stewart")
    graph.add_body("platform", lw.Inertia(5.0, np.array([0, 0, 1.0]), np.diag([0.2, 0.2, 0.4])))
    for k in range(6):
        a, b = (np.pi / 3 * (k // 2 * 2 + s * (k % 2 * 2 - 1)) for s in (0.2, 0.8))
        foot, top = np.array([np.cos(a), np.sin(a), 0]), np.array([0.5 * np.cos(b), 0.5 * np.sin(b), 1.0])
        z = (top - foot) / np.linalg.norm(top - foot)
        x = np.cross([0.0, 0.0, 1.0], z)
        x /= np.linalg.norm(x)
        R = np.column_stack([x, np.cross(z, x), z])
        graph.add_body(f"cylinder_{k}", between(foot, (foot + top) / 2))
        graph.add_body(f"piston_{k}", between((foot + top) / 2, top))
        graph.add_joint(lw.universal(f"U{k}"), "world", f"cylinder_{k}", at=lw.Pose(R, foot))
        graph.add_joint(
            lw.prismatic(f"P{k}"), f"cylinder_{k}", f"piston_{k}", at=lw.Pose(R, (foot + top) / 2), actuated=True
        )
        graph.add_joint(lw.spherical(f"S{k}"), f"piston_{k}", "platform", at=top)
    return graph
