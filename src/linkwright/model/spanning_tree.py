"""Choosing which joints of a kinematic graph carry bodies and which are cut.

A spanning tree grows from its root joint by joint (Prim). Among the joints that reach a new body comes first one that
should not be cut (a motor; a joint with springs, damping, friction or armature, which need its coordinate; a fixed or
helical joint), then the one with the fewest degrees of freedom, then the one nearest to the root, then the one added
first. So the joints left over, which are cut, have as many degrees of freedom in all as is possible: a spherical joint
is cut rather than a revolute one, which leaves three rows instead of five and one coordinate instead of three. Among
equals the tree is shallow, and a loop is cut half-way round.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Edge:
    """A joint between two bodies, with what speaks against cutting it."""

    name: str
    first: str
    second: str
    needed: bool
    freedom: int


def grow(root: str, edges: Sequence[Edge], depth: dict[str, int]) -> list[tuple[Edge, str, str]]:
    """Everything that can be reached from `root`, as (joint, parent, child) from the root outward.

    `depth` holds the bodies that are in a tree already and is added to.
    """
    touching = _touching(edges)
    depth[root] = 0
    grown: list[tuple[Edge, str, str]] = []
    waiting: list[tuple[bool, int, int, int, str]] = []
    order = {edge.name: k for k, edge in enumerate(edges)}

    def look_around(body: str) -> None:
        for edge in touching.get(body, ()):
            heapq.heappush(waiting, (not edge.needed, edge.freedom, depth[body], order[edge.name], body))

    look_around(root)
    while waiting:
        *_, k, parent = heapq.heappop(waiting)
        edge = edges[k]
        child = edge.second if edge.first == parent else edge.first
        if child in depth:
            continue
        depth[child] = depth[parent] + 1
        grown.append((edge, parent, child))
        look_around(child)
    return grown


def components(bodies: Iterable[str], edges: Sequence[Edge]) -> list[list[str]]:
    """Bodies that hang together, each group in the order given."""
    touching, seen, groups = _touching(edges), set(), []
    for start in bodies:
        if start in seen:
            continue
        group = set(_distances(start, touching))
        seen |= group
        groups.append([body for body in bodies if body in group])
    return groups


def centre(bodies: Sequence[str], edges: Sequence[Edge]) -> str:
    """The body with the shortest way to the one farthest from it; the first of several."""
    touching = _touching(edges)
    return min(bodies, key=lambda body: max(_distances(body, touching).values()))


def _touching(edges: Iterable[Edge]) -> dict[str, list[Edge]]:
    touching: dict[str, list[Edge]] = {}
    for edge in edges:
        touching.setdefault(edge.first, []).append(edge)
        touching.setdefault(edge.second, []).append(edge)
    return touching


def _distances(start: str, touching: Mapping[str, Sequence[Edge]]) -> dict[str, int]:
    """Joints between `start` and every body that can be reached from it."""
    distance, ring = {start: 0}, [start]
    while ring:
        beyond = []
        for body in ring:
            for edge in touching.get(body, ()):
                other = edge.second if edge.first == body else edge.first
                if other not in distance:
                    distance[other] = distance[body] + 1
                    beyond.append(other)
        ring = beyond
    return distance
