"""What PV-early must know before it is traced: how many rows to carry from where, found at a few random poses."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from ...model import Model, Tree
from ...model.found_once import found_once
from ...scalar import Scalar
from ...spatial import CoordinateSubspace, DenseSubspace, Force, Motion, Subspace
from ..delassus.kjr import add, carried, projected
from ..delassus.propagators import UNITS
from ..parts.articulation import Articulation
from ..parts.reflection import TINIEST
from ..rows.constrained_problem import ConstrainedProblem
from .spare_rows import RowMobility

# Singular values and products K S below this, relative to the rows, are zero when ranks are determined, and what varies
# less than this from pose to pose is the same at all poses.
RANK_TOLERANCE = 1e-9
# Rows put off where limbs meet: two, so that both arms may be straight.
MOST_SPARE = 2
_POSES = 5


@dataclass
class Schedule:
    """How many rows to carry from each body on, which directions take a row away, and how far rows move there."""

    ranks: dict[int, int] = field(default_factory=dict)
    acting: set[int] = field(default_factory=set)  # directions, by their velocity
    steady: set[int] = field(default_factory=set)
    free: dict[int, int] = field(default_factory=dict)  # directions between each one and the ground
    mobility: dict[int, RowMobility] = field(default_factory=dict)
    body_mobility: dict[int, RowMobility] = field(default_factory=dict)
    ground: list[float] = field(default_factory=list)
    last: set[int] = field(default_factory=set)  # bodies on the ground
    drops_rows: bool = False  # some depend on others at every pose

    def rank(self, i: int, K: Sequence[Force]) -> int:
        return self.ranks.get(i, 0)

    def acts(self, v: int, ks: Sequence[Scalar], K: Sequence[Force]) -> bool:
        """Whether the direction of velocity v ever acts on the rows."""
        return v in self.acting

    def spare(self, v: int, rigid: int, square: Scalar) -> int:
        """How many rows to put off from direction v on, with so many rigid ones left: see spare_rows.py.

        None either if this direction acts alike on the rows at all poses, as the first joints from a weld do.
        """
        return 0 if v in self.steady else min(1, max(self.free[v] - rigid, 0))

    def most_spare(self, i: int) -> int:
        """Next to the ground six are never too few, and cost little."""
        return 6 if i in self.last else MOST_SPARE

    def behind(self, v: int, L: Sequence[Sequence[Scalar]]) -> RowMobility:
        return self.mobility[v]

    def at_body(self, i: int) -> RowMobility:
        return self.body_mobility[i]

    def at_ground(self, L: Sequence[Sequence[Scalar]]) -> list[Scalar]:
        """What the pivots of the rows that are left are compared with."""
        return [L[r][r] + least for r, least in enumerate(self.ground)]


class _Exploration(Schedule):
    """A schedule being found: scalars are arrays with one number per pose, and a rank is the highest of any pose."""

    def rank(self, i, K):
        if not K:
            return 0
        rows = np.stack([_numbers(k) for k in K], axis=1)
        rows = rows / np.maximum(np.linalg.norm(rows, axis=2, keepdims=True), TINIEST)
        self.ranks[i] = int(max(np.linalg.matrix_rank(sample, tol=RANK_TOLERANCE) for sample in rows))
        self.drops_rows |= self.ranks[i] < len(K)
        return self.ranks[i]

    def acts(self, v, ks, K):
        if not K:
            return False
        size = np.max([np.abs(_numbers(k)) for k in K])
        if max(np.max(np.abs(x)) for x in ks) > RANK_TOLERANCE * size:
            self.acting.add(v)
        return v in self.acting

    def spare(self, v, rigid, square):
        square = np.asarray(square, dtype=float)
        if np.ptp(square) <= RANK_TOLERANCE * np.max(square):
            self.steady.add(v)
        return super().spare(v, rigid, square)

    def behind(self, v, L):
        """The least size of a row is that of the usual pivot: it counts where nothing is behind."""
        found = self.mobility[v]
        self.mobility[v] = RowMobility(found.angular, found.linear, _usual([L[r][r] for r in range(len(L))]))
        return self.mobility[v]


@found_once
def schedule_of(model: Model) -> Schedule:
    """Found at a few random poses and remembered."""
    return find_schedule(model)


def find_schedule(model: Model) -> Schedule:
    from .pv_early import sweep_inward

    tree = Tree(model, choose_cheap_frames=False)  # ranks and compliances are the same in all frames
    zeros = [0.0] * model.nv
    q = list(model.random_configuration(np.random.default_rng(0), _POSES).T)
    found = _Exploration(last={i for i in tree.outward() if tree.parent[i] == 0})
    with np.errstate(all="ignore"):
        problem = ConstrainedProblem(tree, q, zeros, zeros)
        _find_mobility(problem, found)
        ground = sweep_inward(problem, found)[0]
    found.drops_rows |= bool(ground.K)
    usual = _usual([ground.spare.L[r][r] for r in range(len(ground.spare.K))])
    return Schedule(**(vars(found) | {"ground": [usual] * len(ground.spare.K)}))


def directions(S: Subspace, iv: slice) -> list[tuple[Subspace, slice]]:
    """A joint as a chain of joints of one direction, from the outermost."""
    if isinstance(S, CoordinateSubspace):
        single: list[Subspace] = [CoordinateSubspace(k) for k in S.directions]
    else:
        single = [DenseSubspace(m) for m in S.motions]
    return [(s, slice(iv.start + k, iv.start + k + 1)) for k, s in reversed(list(enumerate(single)))]


def _find_mobility(problem: ConstrainedProblem, found: Schedule) -> None:
    """Of every body and of what is behind every direction: inverse inertias without constraints, as in KJR."""
    tree, sweep = problem.tree, problem.sweep
    IA = [inertia.articulated() for inertia in tree.lumped]
    chains: list[list[tuple[int, Articulation]]] = [[] for _ in tree.parent]
    for i in tree.inward():
        I = IA[i]
        for S, iv in directions(sweep.S[i], tree.iv[i]):
            joint = Articulation(I, S, tree.armature[i][iv.start - tree.iv[i].start :][:1])
            I = joint.inertia_felt(I)
            chains[i].append((iv.start, joint))
        IA[tree.parent[i]] = IA[tree.parent[i]] + sweep.X[i].congruence(I)
    Omega = [[Motion.zero()] * 6 for _ in tree.parent]
    free = [0] * len(tree.parent)
    for i in tree.outward():
        p = tree.parent[i]
        free[i] = free[p]
        Omega[i] = carried(sweep.X[i], Omega[p])
        for v, joint in reversed(chains[i]):
            found.mobility[v], found.free[v] = _mobility(Omega[i]), free[i]
            own = [joint.S @ joint.D.solve(joint.S.project(unit)) for unit in UNITS]
            Omega[i], free[i] = add(projected(joint, Omega[i]), own), free[i] + 1
        found.body_mobility[i] = _mobility(Omega[i])


def _mobility(Omega: Sequence[Motion]) -> RowMobility:
    angular, linear = (_usual([Omega[k][k] for k in part]) for part in (range(3), range(3, 6)))
    return RowMobility(angular, linear, TINIEST)


def _usual(values: Sequence[Scalar]) -> float:
    """The mean of some numbers at the median pose; one if there are none, or none that can be used."""
    samples = np.mean([np.broadcast_to(np.asarray(x, dtype=float), _POSES) for x in values], axis=0) if values else []
    usable = [x for x in samples if np.isfinite(x)]
    return float(np.median(usable)) if usable else 1.0


def _numbers(k: Force) -> np.ndarray:
    return np.stack([np.broadcast_to(np.asarray(x, dtype=float), _POSES) for x in k], axis=-1)
