"""PV-early: multipliers are eliminated as soon as a joint can move against them, in O(n + m).

[Sathya2024] sec. VIII. At each joint direction the rows K that have come so far meet the joint with ks = K S. One
reflection (eq. 65) turns them into one row that the joint acts on and others that it does not. The first fixes the
joint's acceleration; its multiplier is eliminated on the spot and leaves an inertia and a wrench with the parent (eq.
62, 63). The others pass the joint as they are.

A joint of several directions is a chain of joints of one direction with nothing between them, which is what factoring
its D = L Delta L' direction by direction amounts to; so only rank-one steps occur.

How many rows there are to carry depends on ranks, hence on values, but straight-line code carries a fixed number.
`Schedule` holds the ranks of the mechanism at random poses. Rows that depend on others at *every* pose (the same foot
welded twice; more than six on one link, remark 9) are dropped where they meet, exactly. A direction that never acts on
the rows takes none away (remark 8).

**Not in the paper**: at a given pose a joint may hardly act on its row, or not at all (a straight leg, a constraint
switched off). So a row is put off per limb, and of it and the next one the stronger goes: `spare_rows.py`. If both are
weak, 1.5e-9 of what usually moves them stands in for their compliance; accelerations then err by about 1e-8 unless the
mechanism itself is singular, which cannot be told from here, so a pivot is zero. So it is where rows were dropped that
are not met.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from ...scalar import Scalar, maximum, sqrt, where
from ...spatial import Force, Motion, RowVector, Subspace
from ...spatial.partial_factorization import WEAKEST, PartialLDL, most_doubtful, weakest_of
from ..convergence.lost_digits import lost_to_free_accelerations, usually_lost_to_masses
from ..convergence.met_constraints import unmet
from ..convergence.overstretched import overstretched
from ..parts.articulation import Articulation
from ..parts.reflection import Reflection
from ..rows.constrained_problem import NO, PERHAPS, ConstrainedProblem, Solution
from ..rows.merged_rows import MergedRows
from .early_schedule import Schedule, directions, schedule_of
from .spare_rows import EliminatedRows, SpareRows

# A pivot weaker than this raises doubt about the rank (evidence.py): a weak direction shows in several of them.
WEAKEST_AS_GIVEN = 1e-5


def pv_early(problem: ConstrainedProblem, schedule: Schedule | None = None) -> Solution:
    tree, sweep = problem.tree, problem.sweep
    schedule = schedule_of(tree.model) if schedule is None else schedule
    arrivals = sweep_inward(problem, schedule)

    a: list[Scalar] = [0.0] * tree.nv
    change = [Motion.zero()] * len(tree.parent)
    lam: list[Scalar] = [0.0] * len(problem.rows)
    pivots: list[Scalar] = []
    rigid: dict[int, list[Scalar]] = {}  # multipliers that go out to each body: of rows as the paper has them
    spare: dict[int, list[Scalar]] = {}  # and of rows put off
    last = arrivals[0].spare  # the ground does not move: L lam = l
    factor = PartialLDL(last.L, schedule.at_ground(last.L), window=2)
    x = factor.scaled(factor.forward(last.l)[0])
    doubt = most_doubtful(factor, x, weakest=problem.weakest)
    arrivals[0].hand_out_spare(factor.backward(x, []), spare)
    for i in tree.outward():
        arrival, carried = arrivals[i], sweep.X[i] @ change[tree.parent[i]]
        rest = rigid.get(i, [0.0] * len(arrival.K))  # rows that reached the ground push nothing
        x = spare.get(i, [])
        for step in reversed(arrival.steps):
            rates = step.joint.rates(step.y, carried)
            if step.eliminated is not None:
                own = step.eliminated.own(carried)  # eq. (62)
                doubt = most_doubtful(step.eliminated.factor, own, doubt, problem.weakest)
                x = step.eliminated.factor.backward(own, x)
            for pull, multiplier in zip(step.pulls, x, strict=True):
                rates = [rate - pull * multiplier for rate in rates]
            if step.reflection is not None:
                *x, acted = x
                rest = step.reflection.join(acted, rest)  # eq. (64)
            pivots.extend(step.joint.D.pivots)
            a[step.iv] = rates
            carried = step.joint.S.add_motion(carried, rates)
        change[i] = carried
        if arrival.merged is not None:
            own = arrival.merged.own(carried)
            doubt = most_doubtful(arrival.merged.factor, own, doubt, problem.weakest)
            x = arrival.merged.factor.backward(own, x)
        arrival.hand_out_spare(x, spare)
        for source, multiplier in zip(arrival.sources, arrival.rows.restore(rest), strict=True):
            if source[0] == "row":
                lam[source[1]] = multiplier * problem.constraints[source[2]].active
            else:
                rigid.setdefault(source[1], []).append(multiplier)
    residuals = [r for c in problem.constraints for r in c.residual(change)]
    pivots.append(where(doubt > 0.0, 0.0, 1.0))
    if schedule.drops_rows:
        sizes = [abs(x) for x in a]
        for step in (step for arrival in arrivals for step in arrival.steps):
            sizes[step.iv] = [x + abs(y) for x, y in zip(sizes[step.iv], step.y, strict=True)]
        pivots.append(where(unmet(problem, sizes, residuals) > 0.0, 0.0, 1.0))
    steps = [step for arrival in arrivals for step in arrival.steps]
    eliminated = [x.eliminated for x in steps] + [arrival.merged for arrival in arrivals]
    weakest = weakest_of([factor, *(x.factor for x in eliminated if x is not None)])
    free_size = RowVector(abs(y) for step in steps for y in step.y).largest
    free = lost_to_free_accelerations(free_size, a, sqrt(maximum(weakest, WEAKEST)))
    pulled = overstretched(problem, [(step.joint, step.y) for step in steps], lam)
    unsure = where((weakest < WEAKEST_AS_GIVEN) | pulled, PERHAPS, NO)
    lost = maximum(usually_lost_to_masses(tree.model), free)
    return Solution(a, lam, residuals, 1.0, pivots, lost=lost, unsure=unsure)


def sweep_inward(problem: ConstrainedProblem, schedule: Schedule) -> list[Arrival]:
    tree, sweep = problem.tree, problem.sweep
    IA, pA = [inertia.articulated() for inertia in tree.lumped], list(problem.wrenches)
    arrivals = [Arrival() for _ in tree.parent]
    number = 0
    for which, c in enumerate(problem.constraints):
        for row, e in zip(c.K, c.e, strict=True):
            arrivals[c.body].add(("row", number, which), row, -e)
            number += 1
    for i in tree.inward():
        p, X, here = tree.parent[i], sweep.X[i], arrivals[i]
        I, f = IA[i], pA[i]
        here.rows = MergedRows(here.K, here.l, schedule.rank(i, here.K))
        here.K, here.l = here.rows.K, here.rows.l
        if len(here.spare.K) > schedule.most_spare(i):
            here.merged = here.spare.eliminate(schedule.most_spare(i), schedule.at_body(i))
            I, f = here.merged.felt(I, f)
        constrained = here.K or here.spare.K
        for S, iv in directions(sweep.S[i], tree.iv[i]) if constrained else [(sweep.S[i], tree.iv[i])]:
            armature = tree.armature[i][iv.start - tree.iv[i].start : iv.stop - tree.iv[i].start]
            joint = Articulation(I, S, armature)
            y = joint.D.solve([t - s for t, s in zip(problem.tau[iv], S.project(f), strict=True)])
            I, f = joint.inertia_felt(I), joint.force_felt(f, y, problem.tau[iv])
            step = EliminatedDirection(iv, joint, y)
            if constrained:
                leave = here.meet(step, schedule)
                if len(here.spare.K) > leave:
                    step.eliminated = here.spare.eliminate(leave, schedule.behind(iv.start, here.spare.L))
                    I, f = step.eliminated.felt(I, f)  # eq. (63)
            here.steps.append(step)
        IA[p] = IA[p] + X.congruence(I)
        pA[p] = pA[p] + X.T @ f
        for k, l in zip(here.K, here.l, strict=True):
            arrivals[p].add(("child", i), X.T @ k, l)
        arrivals[p].spare.add([X.T @ k for k in here.spare.K], here.spare.l, here.spare.L)
        arrivals[p].spare.sources += [i] * len(here.spare.K)
    return arrivals


@dataclass
class EliminatedDirection:
    """One direction eliminated (a whole joint where no rows pass), and the rows that went with it."""

    iv: slice
    joint: Articulation
    y: list[Scalar]
    reflection: Reflection | None = None
    pulls: list[Scalar] = field(default_factory=list)  # joint acceleration per multiplier of the spare rows
    eliminated: EliminatedRows | None = None


@dataclass
class Arrival:
    """The rows K a + l = 0 at a body, where they came from, and those put off."""

    K: list[Force] = field(default_factory=list)
    l: list[Scalar] = field(default_factory=list)
    sources: list[tuple] = field(default_factory=list)
    rows: MergedRows = field(default_factory=MergedRows)
    spare: SpareRows = field(default_factory=SpareRows)
    merged: EliminatedRows | None = None
    steps: list[EliminatedDirection] = field(default_factory=list)

    def add(self, source: tuple, k: Force, l: Scalar) -> None:
        self.sources.append(source)
        self.K.append(k)
        self.l.append(l)

    def meet(self, step: EliminatedDirection, schedule: Schedule) -> int:
        """Rows meet a joint: the one that it acts on joins those put off. Returns how many of these to leave."""
        S, before = step.joint.S, len(self.spare.K)
        ks = [S.project(k)[0] for k in self.spare.K]
        own = [S.project(k)[0] for k in self.K]
        leave = before
        if schedule.acts(step.iv.start, own, self.K):
            step.reflection = Reflection(own)
            first, others = step.reflection.split(self.K)
            number, self.l = step.reflection.split(self.l)
            self.K = [_cleared(k, S) for k in others]
            self.spare.add([first], [number], [[0.0]])
            ks.append(step.reflection.alpha)
            leave = max(before, schedule.spare(step.iv.start, len(self.K), step.reflection.square))
        step.pulls = self.spare.pass_joint(step.joint, step.y[0], ks)
        return leave

    def hand_out_spare(self, multipliers: list[Scalar], to: dict[int, list[Scalar]]) -> None:
        for source, x in zip(self.spare.sources, multipliers, strict=True):
            to.setdefault(source, []).append(x)


def _cleared(row: Force, S: Subspace) -> Force:
    """A row that the joint does not act on: exactly so along coordinate directions."""
    return Force.of(0.0 if r in S.directions else x for r, x in enumerate(row))

