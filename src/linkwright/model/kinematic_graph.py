"""The kinematic graph of a tree: who carries whom. Computed once per model."""

from __future__ import annotations

from collections.abc import Sequence


class KinematicGraph:
    """`parent[i] < i`; body 0 is the ground and its own root."""

    def __init__(self, parent: Sequence[int]):
        n = len(parent)
        self.parent = tuple(parent)
        children: list[list[int]] = [[] for _ in range(n)]
        for i in range(1, n):
            children[parent[i]].append(i)
        self.children = tuple(tuple(c) for c in children)
        depth = [0] * n
        support: list[tuple[int, ...]] = [()] * n
        for i in range(1, n):
            depth[i] = depth[parent[i]] + 1
            support[i] = (*support[parent[i]], i)
        self.depth = tuple(depth)
        self.support = tuple(support)
        """support[i]: the bodies from the ground's child down to i itself, whose joints move body i."""
        subtree: list[list[int]] = [[i] for i in range(n)]
        for i in range(n - 1, 0, -1):
            subtree[parent[i]].extend(subtree[i])
        self.subtree = tuple(tuple(sorted(s)) for s in subtree)
        """subtree[i]: i and everything it carries."""

    @property
    def leaves(self) -> tuple[int, ...]:
        return tuple(i for i in range(1, len(self.parent)) if not self.children[i])

    def is_ancestor(self, ancestor: int, i: int) -> bool:
        """Whether `ancestor` carries i (a body carries itself, the ground carries all)."""
        return ancestor == 0 or ancestor in self.support[i]

    def common_ancestor(self, i: int, j: int) -> int:
        """The closest body that carries both, possibly the ground or one of them."""
        while i != j:
            if i > j:
                i = self.parent[i]
            else:
                j = self.parent[j]
        return i
