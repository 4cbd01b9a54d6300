"""Many solutions with the factor L of the inertia matrix (ltl.py): limbs follow the trunk that they hang on.

Most right-hand sides of a Jacobian are zero in most limbs. With L x = b and a limb P that hangs on velocities T,

    x_P = z_P + G_P x_T,    z_P = L_PP^-1 b_P,    G_P = -L_PP^-1 L_PT.

z_P is zero where b_P is, and G_P is the same for all right-hand sides: what is left to do for each is one product,
without the chain from link to link. Limbs of one link have nothing to gain, long ones have more to find beforehand:
the trunk is what needs the fewest operations.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...scalar import Scalar, reciprocal
from .ltl import above

# Operations that are made once count so much more than those of a loop over right-hand sides: each is code of its own.
_WRITTEN_OUT = 2.0


def trunk_velocities(parents: Sequence[int], solutions: int) -> set[int]:
    """The velocities of the trunk, for so many right-hand sides, each with entries in one limb and the trunk."""
    n = len(parents)
    depth = [len(list(above(k, parents))) for k in range(n)]
    children: list[list[int]] = [[] for _ in range(n)]
    for k in range(n):
        if parents[k] >= 0:
            children[parents[k]].append(k)
    # of all that hangs on k: velocities, pairs of them on one path, operations
    size, chains, cost = [1] * n, [0] * n, [0.0] * n
    is_trunk = [False] * n
    for k in reversed(range(n)):
        size[k] += sum(size[c] for c in children[k])
        chains[k] = size[k] - 1 + sum(chains[c] for c in children[k])
        as_trunk = solutions * depth[k] + sum(cost[c] for c in children[k])
        own = solutions * size[k] / n  # right-hand sides with entries here
        as_limb = solutions * size[k] * depth[k] + _WRITTEN_OUT * (depth[k] + own) * chains[k]
        is_trunk[k], cost[k] = as_trunk <= as_limb, min(as_trunk, as_limb)
    trunk: set[int] = set()
    for k in range(n):
        if is_trunk[k] and (parents[k] < 0 or parents[k] in trunk):
            trunk.add(k)
    return trunk


class TrunkAndLimbs:
    def __init__(self, L: Sequence[Sequence[Scalar]], parents: Sequence[int], trunk: set[int]):
        self.L, self.parents, self.trunk = L, parents, trunk
        self.G: dict[int, dict[int, Scalar]] = {k: {} for k in range(len(parents)) if k not in trunk}
        for t in sorted(trunk):
            reached = [k for k in self.G if t in above(k, parents)]
            found = self.limbs_alone([-L[k][t] if k in reached else 0.0 for k in range(len(parents))])
            for k in reached:
                self.G[k][t] = found[k]

    def limbs_alone(self, b: Sequence[Scalar]) -> list[Scalar]:
        """z: b solved for within each limb, the trunk as it is."""
        z = list(b)
        for k in self.G:
            for j in reversed(list(above(k, self.parents))):
                if j not in self.trunk:
                    z[k] = z[k] - self.L[k][j] * z[j]
            z[k] = z[k] * reciprocal(self.L[k][k])
        return z

    def following(self, z: Sequence[Scalar]) -> list[Scalar]:
        """x with L x = b, of z = limbs_alone(b)."""
        x = list(z)
        for k in range(len(x)):
            if k in self.trunk:
                for j in reversed(list(above(k, self.parents))):
                    x[k] = x[k] - self.L[k][j] * x[j]
                x[k] = x[k] * reciprocal(self.L[k][k])
            else:
                for t, share in self.G[k].items():
                    x[k] = x[k] + share * x[t]
        return x
