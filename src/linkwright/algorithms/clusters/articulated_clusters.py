"""C-ABA's backward pass over inertias, cluster by cluster: what every cluster meets of those it carries.

Shared by C-ABA and C-EFPA, which have forces of their own to pass at each cluster.
"""

from __future__ import annotations

from collections.abc import Sequence

from .cluster_articulation import ClusterArticulation, SingleBody, TiedColumn
from .cluster_joint import ClusterJoint, Inertia, add_inertias
from .clustered_tree import ClusteredTree


class ArticulatedClusters:
    """Clusters are eliminated one by one, from the tips to the ground, and then are here by number."""

    def __init__(self, system: ClusteredTree, joints: Sequence[ClusterJoint]):
        self._system, self._joints = system, joints
        self._IA: list[Inertia] = list(system.tree.lumped)
        self._tied: list[list[TiedColumn]] = [[] for _ in system.clusters]
        self._eliminated: dict[int, SingleBody | ClusterArticulation] = {}

    def eliminate(self, k: int) -> SingleBody | ClusterArticulation:
        """U, D of cluster k, whose children have handed on their inertias."""
        inertia = {i: self._IA[i] for i in self._joints[k].links}
        self._eliminated[k] = cluster = self._system.eliminate(k, self._joints[k], inertia, self._tied[k])
        return cluster

    def hand_on(self, k: int) -> None:
        """I - U D^-1 U' of cluster k, to the bodies that carry it."""
        inertia, columns = self._eliminated[k].felt()
        for o, part in inertia.items():
            self._IA[o] = add_inertias(self._IA[o], part)
        self._tied[self._system.clusters[k].parent] += columns

    def __getitem__(self, k: int) -> SingleBody | ClusterArticulation:
        return self._eliminated[k]
