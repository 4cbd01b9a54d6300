"""Which joints of a cluster would rather be independent: what drives it, and what is near the base.

Greedy: joints are taken in the order of preference, as long as the others still determine the dependent ones, well at
first and at all where that is not enough.
"""

from __future__ import annotations

import numpy as np

from ....fixed_order import PivotedColumns
from ....model import Model, Tree
from ....model.clusters import Cluster
from ..rotors import find_rotors

# Shares of the determinacy that is possible, in rounds: what is taken must leave so much. The first is low, for a left
# leg drawn close to a dead centre and a right one a little closer are to have the same joints.
_WELL, _DRIVEN, _AT_ALL = 0.02, 1e-3, 1e-6
_LEADERS, _MOTORS, _LINKS, _ROTORS, _MANIFOLDS, _FOLLOWERS = range(6)


def preferred_independent(
    model: Model, tree: Tree, cluster: Cluster, K: np.ndarray, velocities: list[int], rank: int
) -> list[int]:
    """Columns of K whose velocities become independent; `rank` others remain and span all."""
    freedom = len(velocities) - rank
    lengths = np.sqrt(np.add.reduce(K * K, axis=0))
    K = K / np.where(lengths > 1e-9 * lengths.max(initial=1e-300), lengths, 1.0)
    possible = _determinacy(K, [], rank)
    groups = _groups(model, tree, cluster, velocities)
    chosen: list[int] = []
    rounds = [(group, _DRIVEN if group in (_LEADERS, _MOTORS) else _WELL) for group in range(len(groups))]
    rounds += [(group, share) for share in (_DRIVEN, _AT_ALL) for group in range(len(groups))]
    for group, share in rounds:
        for column in groups[group]:
            if len(chosen) == freedom:
                return sorted(chosen)
            if column not in chosen and _determinacy(K, [*chosen, column], rank) > share * possible:
                chosen.append(column)
    return sorted(chosen)


def _determinacy(K: np.ndarray, without: list[int], rank: int) -> float:
    """How far the last of `rank` columns is from the others before it, some columns left out; 0 if there are fewer."""
    rest = np.delete(K, without, axis=1)
    columns = PivotedColumns(rest, 1e-12)
    if columns.rank < rank or not rank:
        return 0.0 if rank else 1.0
    return float(columns.R[rank - 1, columns.order[rank - 1]])


def _groups(model: Model, tree: Tree, cluster: Cluster, velocities: list[int]) -> list[list[int]]:
    """Columns by what kind of joint they belong to, those nearest to the base first."""
    leaders, followers = _named_by_couplings(model, cluster)
    rotors = {rotor.body for rotor in find_rotors(tree, cluster.bodies)}
    groups: list[list[int]] = [[] for _ in range(6)]
    for i in sorted(cluster.bodies, key=lambda i: (model.graph.depth[i], i)):
        joint = model.joints[i - 1]
        if joint.name in leaders:
            group = _LEADERS
        elif joint.name in followers:
            group = _FOLLOWERS
        elif joint.name in model.motors:
            group = _MOTORS
        elif not joint.motion().velocity_is_rate:
            group = _MANIFOLDS
        else:
            group = _ROTORS if i in rotors else _LINKS
        groups[group] += [velocities.index(n) for n in range(model.iv[i].start, model.iv[i].stop)]
    return groups


def _named_by_couplings(model: Model, cluster: Cluster) -> tuple[set[str], set[str]]:
    """Joints that functions are of, and joints that couplings and functions are written for."""
    leaders: set[str] = set()
    followers: set[str] = set()
    for c in cluster.constraints:
        followers |= set(model.constraints[c].followers)
        leaders |= set(model.constraints[c].leaders)
    return leaders - followers, followers
