"""C-EFPA: J H^-1 J' of frames on a mechanism with loops, by extended force propagators ([Chignoli2023] sec. VIII).

As efpa.py, over clusters: a row on one body is felt by several bodies of a cluster that carries it.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...scalar import Scalar
from ...spatial import Force, Motion, RowVector, sum_of
from ..delassus.propagators import Posture, mirrored, pass_inward, pass_outward, zeros
from .articulated_clusters import ArticulatedClusters
from .cluster_articulation import ClusterArticulation, SingleBody
from .clustered_tree import ClusteredTree
from .embedding import Embedding

Row = tuple[int, Force]


def cluster_efpa(
    system: ClusteredTree, q: Sequence[Scalar], embeddings: Sequence[Embedding], rows: Sequence[Row]
) -> list[list[Scalar]]:
    """The matrix of the given rows, each a covector on a body."""
    posture = Posture(system.spanning, q)
    joints = system.joints(posture.X, posture.S, embeddings)
    eliminated = ArticulatedClusters(system, joints)
    for k in system.graph.inward():
        eliminated.eliminate(k)
        eliminated.hand_on(k)
    paths = [_path(system, body) for body, _ in rows]
    carriers = sorted({k for path in paths for k in path})
    K: dict[int, dict[int, dict[int, Force]]] = {k: {} for k in (0, *carriers)}  # K[k][r]: row r on cluster k's bodies
    for r, (body, row) in enumerate(rows):
        K[system.graph.of_body[body]][r] = {body: row}
    solved: dict[int, dict[int, RowVector]] = {}
    for k in reversed(carriers):
        solved[k], felt = _pass_inward(eliminated[k], K[k])
        K[system.clusters[k].parent].update(felt)

    a: dict[int, dict[int, dict[int, Motion]]] = {0: {}}  # a[k][r]: accelerations of cluster k's bodies by force r
    for k in carriers:
        above = a[system.clusters[k].parent]
        a[k] = {r: _pass_outward(eliminated[k], y, above.get(r, {})) for r, y in solved[k].items()}

    L = zeros(len(rows))
    for r in range(len(rows)):
        for s in range(r + 1):
            meeting = max((k for k in paths[r] if k in paths[s]), key=paths[r].index, default=0)
            if meeting:  # rows that meet at the ground do not feel each other
                L[r][s] = sum_of(f.dot(a[meeting][r][i]) for i, f in K[meeting][s].items())
    return mirrored(L)


def _path(system: ClusteredTree, body: int) -> list[int]:
    """Clusters from the ground's child to that of the body."""
    path, k = [], system.graph.of_body[body]
    while k:
        path.append(k)
        k = system.clusters[k].parent
    return path[::-1]


def _pass_inward(joint: SingleBody | ClusterArticulation, K: dict[int, dict[int, Force]]):
    """(what each row leaves at the cluster's coordinates, the rows as the parent cluster feels them)."""
    if isinstance(joint, SingleBody):
        through, passed = pass_inward(joint.joint, joint.X, [forces[joint.body] for forces in K.values()])
        return (
            dict(zip(K, through.solved, strict=True)),
            {r: {joint.parent: row} for r, row in zip(K, passed, strict=True) if joint.parent},
        )
    solved: dict[int, RowVector] = {}
    felt: dict[int, dict[int, Force]] = {}
    for r, forces in K.items():
        own, outer = joint.cluster_joint.inward(forces)
        solved[r] = y = joint.D.solve(own)
        felt[r] = joint.less_columns(outer, y)
    return solved, felt


def _pass_outward(joint: SingleBody | ClusterArticulation, y: RowVector, above: dict[int, Motion]):
    if isinstance(joint, SingleBody):
        if not joint.parent:
            return {joint.body: joint.joint.S @ y}
        carried = pass_outward(joint.joint, joint.X @ above[joint.parent])
        return {joint.body: joint.joint.S.add_motion(carried, y)}
    return joint.accelerate(y, above)[1]
