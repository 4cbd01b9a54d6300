"""Where one body is seen from another, by way of the closest body that carries both."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ...spatial import Matrix, Placement, Transform, Vector

if TYPE_CHECKING:
    from ..tree import Tree


class RelativePoses:
    def __init__(self, tree: Tree, X: Sequence[Transform]):
        self._graph, self._X = tree.graph, X
        self._known: dict[tuple[int, int], Placement] = {}

    def seen_from(self, ancestor: int, i: int) -> Placement:
        """The pose of body i in the frame of a body that carries it."""
        if i == ancestor:
            return Placement.identity()
        if (ancestor, i) not in self._known:
            outer = self.seen_from(ancestor, self._graph.parent[i])
            self._known[ancestor, i] = outer.after(self._X[i])
        return self._known[ancestor, i]

    def between(self, first: tuple[int, Transform], second: tuple[int, Transform]) -> tuple[Matrix, Vector]:
        """Of two (body, frame on it): the rotation from the second's coordinates to the first's, and the second's
        origin in the first.
        """
        root = self._graph.common_ancestor(first[0], second[0])
        one, two = (self.seen_from(root, body).after(frame) for body, frame in (first, second))
        back = one.rotation.T
        return back @ two.rotation, back @ (two.position - one.position)
