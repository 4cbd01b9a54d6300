"""Cluster CRBA: the inertia matrix H = G' M G of the independent coordinates, without forming M."""

from __future__ import annotations

from collections.abc import Sequence

from ...scalar import Scalar
from ..delassus.propagators import Posture
from .cluster_joint import Inertia, add_inertias
from .clustered_tree import ClusteredTree
from .embedding import Embedding


def cluster_crba(
    system: ClusteredTree, q: Sequence[Scalar], embeddings: Sequence[Embedding]
) -> list[list[Scalar]]:
    """Return H, full and symmetric, rotors and armatures included."""
    posture = Posture(system.spanning, q)
    joints = system.joints(posture.X, posture.S, embeddings)
    Ic: list[Inertia] = list(system.tree.lumped)
    H: list[list[Scalar]] = [[0.0] * system.ny for _ in range(system.ny)]
    for k in system.graph.inward():
        composite, felt = joints[k].composites({i: Ic[i] for i in joints[k].links})
        D, columns = joints[k].columns(composite)
        for o, inertia in felt.items():
            Ic[o] = add_inertias(Ic[o], inertia)
        for a, row in zip(system.iy[k], D, strict=True):
            for b, entry in zip(system.iy[k], row, strict=True):
                H[a][b] = entry
        for b, forces in zip(system.iy[k], columns, strict=True):
            ancestor = system.clusters[k].parent
            while ancestor and forces:
                entries, forces = joints[ancestor].inward(forces)
                for a, entry in zip(system.iy[ancestor], entries, strict=True):
                    H[a][b] = H[b][a] = entry
                ancestor = system.clusters[ancestor].parent
    return H
