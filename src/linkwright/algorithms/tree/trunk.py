"""Many solutions with the factors of the inertia matrix (ltl.py), by its trunk and limbs.

Most right-hand sides of a Jacobian are zero in most limbs. With L'L x = b and a limb P that hangs on velocities T,

    z_P = (L_PP' L_PP)^-1 b_P              each limb alone, the trunk held
    z_T = b_T + sum G_P' b_P               what limbs hand to the trunk
    L_TT' L_TT x_T = z_T                   the trunk, its limbs hanging freely
    x_P = z_P + G_P x_T                    limbs follow their trunk

with G_P = -L_PP^-1 L_PT. z_P is zero where b_P is, and G_P is the same for all right-hand sides: limbs without entries
take one product, without the chain from link to link. Limbs of one link have nothing to gain, long ones have more to
find beforehand: the trunk is what needs the fewest operations.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...scalar import Scalar, reciprocal
from .loop_costs import WRITTEN_DOWN
from .ltl import above


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
        as_limb = solutions * size[k] * depth[k] + (1.0 + WRITTEN_DOWN) * (depth[k] + own) * chains[k]
        is_trunk[k], cost[k] = as_trunk <= as_limb, min(as_trunk, as_limb)
    trunk: set[int] = set()
    for k in range(n):
        if is_trunk[k] and (parents[k] < 0 or parents[k] in trunk):
            trunk.add(k)
    return trunk


class TrunkAndLimbs:
    def __init__(self, L: Sequence[Sequence[Scalar]], parents: Sequence[int], trunk: set[int]):
        self.L, self.parents, self.trunk = L, parents, trunk
        paths = [list(above(k, parents)) for k in range(len(parents))]
        self.in_limb = [[j for j in path if j not in trunk] for path in paths]
        self.in_trunk = [[j for j in path if j in trunk] for path in paths]
        self.limbs = [k for k in range(len(parents)) if k not in trunk]
        self.G: dict[int, dict[int, Scalar]] = {k: {} for k in self.limbs}
        for t in sorted(trunk):
            reached = [k for k in self.limbs if t in self.in_trunk[k]]
            found = self._outward([-L[k][t] if k in reached else 0.0 for k in range(len(parents))], self.limbs)
            for k in reached:
                self.G[k][t] = found[k]

    def limbs_alone(self, b: Sequence[Scalar]) -> list[Scalar]:
        """z."""
        z = list(b)
        for k in reversed(self.limbs):
            z[k] = z[k] * reciprocal(self.L[k][k])
            for j in above(k, self.parents):
                z[j] = z[j] - self.L[k][j] * z[k]
        return self._outward(z, self.limbs)

    def limbs_of_unit(self, j: int, before: Sequence[Sequence[Scalar]]) -> list[Scalar]:
        """z of the unit vector j, `before` those of all before it. A limb's inverse is symmetric: of a column above the
        diagonal others have told, and below it sums run over what is known."""
        z: list[Scalar] = [0.0] * len(self.parents)
        if j in self.trunk:
            z[j] = 1.0
            return z
        z[j] = reciprocal(self.L[j][j])
        root = (self.in_limb[j] or [j])[-1]
        own = [k for k in self.limbs if k == root or root in self.in_limb[k]]
        for k in own:
            if k < j:
                z[k] = before[k][j]
        z = self._outward(z, [k for k in own if k >= j])
        for t in self.in_trunk[j]:
            z[t] = self.G[j][t]
        return z

    def trunk_inward(self, z: Sequence[Scalar]) -> list[Scalar]:
        """y: L_TT^-T z_T, limbs as they are."""
        y = list(z)
        for k in sorted(self.trunk, reverse=True):
            y[k] = y[k] * reciprocal(self.L[k][k])
            for j in self.in_trunk[k]:
                y[j] = y[j] - self.L[k][j] * y[k]
        return y

    def trunk_of_unit(self, j: int, before: Sequence[Sequence[Scalar]]) -> list[Scalar]:
        """x_T of the unit vector j of the trunk, limbs without entries, `before` those of all before it in the trunk:
        the inverse is symmetric, as in limbs_of_unit."""
        x: list[Scalar] = [0.0] * len(self.parents)
        x[j] = reciprocal(self.L[j][j])
        order = sorted(self.trunk)
        for k, known in zip(order, before, strict=False):
            x[k] = known[j]
        return self._trunk_outward(x, order[len(before) :])

    def trunk_outward(self, y: Sequence[Scalar]) -> list[Scalar]:
        """x_T, limbs as they are."""
        return self._trunk_outward(y, sorted(self.trunk))

    def following(self, y: Sequence[Scalar]) -> list[Scalar]:
        """x."""
        return self.limbs_following(self.trunk_outward(y))

    def limbs_following(self, x: Sequence[Scalar]) -> list[Scalar]:
        """x, of x_T and z_P."""
        x = list(x)
        for k in self.limbs:
            for t, share in self.G[k].items():
                x[k] = x[k] + share * x[t]
        return x

    def _trunk_outward(self, y: Sequence[Scalar], rows: Sequence[int]) -> list[Scalar]:
        """L_TT^-1 y_T of these rows."""
        x = list(y)
        for k in rows:
            for j in reversed(self.in_trunk[k]):
                x[k] = x[k] - self.L[k][j] * x[j]
            x[k] = x[k] * reciprocal(self.L[k][k])
        return x

    def _outward(self, w: Sequence[Scalar], rows: Sequence[int]) -> list[Scalar]:
        """L_PP^-1 w_P of these rows of limbs."""
        z = list(w)
        for k in rows:
            for j in reversed(self.in_limb[k]):
                z[k] = z[k] - self.L[k][j] * z[j]
            z[k] = z[k] * reciprocal(self.L[k][k])
        return z

    # multiply-adds of right-hand sides with entries at some places, and where there are entries afterwards

    def work_of_limbs_alone(self, places: frozenset[int]) -> tuple[int, frozenset[int]]:
        met = places.union(*([*self.in_limb[k], *self.in_trunk[k]] for k in places if k not in self.trunk))
        after = met.union(k for k in self.limbs if not met.isdisjoint(self.in_limb[k]))
        inward = sum(1 + len(self.in_limb[k]) + len(self.in_trunk[k]) for k in self.limbs if k in met)
        return inward + sum(1 + len(self.in_limb[k]) for k in self.limbs if k in after), after

    def work_of_trunk_inward(self, places: frozenset[int]) -> tuple[int, frozenset[int]]:
        after = places.union(*(self.in_trunk[k] for k in places if k in self.trunk))
        return sum(1 + len(self.in_trunk[k]) for k in after if k in self.trunk), after

    def work_of_trunk_outward(self, places: frozenset[int]) -> tuple[int, frozenset[int]]:
        after = places.union(k for k in self.trunk if not places.isdisjoint(self.in_trunk[k]))
        return sum(1 + len(self.in_trunk[k]) for k in after if k in self.trunk), after

    def work_of_following(self, places: frozenset[int]) -> tuple[int, frozenset[int]]:
        work, after = self.work_of_trunk_outward(places)
        more, after = self.work_of_limbs_following(after)
        return work + more, after

    def work_of_limbs_following(self, places: frozenset[int]) -> tuple[int, frozenset[int]]:
        met = {k: places.intersection(self.G[k]) for k in self.limbs}
        return sum(map(len, met.values())), places.union(k for k in self.limbs if met[k])
