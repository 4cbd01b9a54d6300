"""PV-early: multipliers are eliminated as soon as a joint can move against them, in O(n + m).

[Sathya2024] sec. VIII, in its order. At each joint of one direction, on the way inward (`sweep_inward`):

    eq. (42)       the joint is eliminated as in the PV solver: H, f pass to the parent
    eq. (67)       the rows K that have come so far meet the joint with ks = K S
    eq. (65)       one reflection U = [U1 U2] turns them into one that the joint acts on, and others that it does not
    eq. (60, 68)   K and l in this basis
    eq. (57, 66)   the first moves against the joint: Sigma = ks^2 / D
    eq. (62, 63)   its multiplier is eliminated, and leaves an inertia and a wrench
    eq. (42c, d)   the others pass the joint as they are

and outward (`sweep_outward`) eq. (62) gives the multiplier of the first, eq. (64) those of the rows as they came.
Remarks 7, 8: `Reflection`, `Schedule.acts`; remark 9, more rows on a link than six: `MergedRows`.

**Not in the paper**, each in its own file:

- A joint of several directions is a chain of joints of one direction with nothing between them, which is what factoring
  its D = L Delta L' direction by direction amounts to (`directions`); so only rank-one steps occur.
- How many rows there are to carry depends on ranks, hence on values, but straight-line code carries a fixed number:
  `early_schedule.py` finds the ranks once, at random poses. Rows that depend on others at *every* pose are dropped
  where they meet, exactly.
- A row that a joint hardly acts on is put off, and of it and the next one the stronger goes: `spare_rows.py`. With
  nothing put off L is the 1 x 1 Sigma, and `eliminate` is eq. (62).
- What is said of the answer where that did not help: `early_doubts.py`.
"""

from __future__ import annotations

from ...scalar import Scalar
from ...spatial import Motion, RowVector
from ...spatial.partial_factorization import PartialLDL
from ..parts.articulation import Articulation
from ..rows.constrained_problem import ConstrainedProblem, Solution
from ..rows.merged_rows import MergedRows
from .early_doubts import Decided, judged
from .early_rows import Arrival, EliminatedDirection
from .early_schedule import Schedule, directions, schedule_of


def pv_early(problem: ConstrainedProblem, schedule: Schedule | None = None) -> Solution:
    schedule = schedule_of(problem.tree.model) if schedule is None else schedule
    arrivals = sweep_inward(problem, schedule)
    a, lam, change, decided = sweep_outward(problem, schedule, arrivals)
    return judged(problem, arrivals, a, lam, change, decided, drops_rows=schedule.drops_rows)


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
        here.rows = MergedRows(here.K, here.l, schedule.rank(i, here.K))  # remark 9
        here.K, here.l = here.rows.K, here.rows.l
        if len(here.spare.K) > schedule.most_spare(i):
            here.merged = here.spare.eliminate(schedule.most_spare(i), schedule.at_body(i))
            I, f = here.merged.felt(I, f)
        constrained = here.constrained
        for S, iv in directions(sweep.S[i], tree.iv[i]) if constrained else [(sweep.S[i], tree.iv[i])]:
            armature = tree.armature[i][iv.start - tree.iv[i].start : iv.stop - tree.iv[i].start]
            joint = Articulation(I, S, armature)  # D, U of eq. (42)
            y = joint.D.solve(problem.tau[iv] - S.project(f))
            I, f = joint.inertia_felt(I), joint.force_felt(f, y, problem.tau[iv])  # eq. (42a, b)
            step = EliminatedDirection(iv, joint, y)
            if constrained:
                leave = here.meet(step, schedule)  # eq. (67), (65), (60), (57)
                if len(here.spare.K) > leave:
                    step.eliminated = here.spare.eliminate(leave, schedule.behind(iv.start, here.spare.L))  # eq. (62)
                    I, f = step.eliminated.felt(I, f)  # eq. (63)
            here.steps.append(step)
        IA[p] = IA[p] + X.congruence(I)
        pA[p] = pA[p] + X.T @ f
        for k, l in zip(here.K, here.l, strict=True):  # eq. (42c, d)
            arrivals[p].add(("child", i), X.T @ k, l)
        arrivals[p].spare.add([X.T @ k for k in here.spare.K], here.spare.l, here.spare.L)
        arrivals[p].spare.sources += [i] * len(here.spare.K)
    return arrivals


def sweep_outward(
    problem: ConstrainedProblem, schedule: Schedule, arrivals: list[Arrival]
) -> tuple[list[Scalar], list[Scalar], list[Motion], Decided]:
    """(Joint accelerations, multipliers of the constraints' rows, changes of bodies' accelerations, factors used)."""
    tree, sweep = problem.tree, problem.sweep
    a: list[Scalar] = [0.0] * tree.nv
    change = [Motion.zero()] * len(tree.parent)
    lam: list[Scalar] = [0.0] * len(problem.rows)
    rigid: dict[int, list[Scalar]] = {}  # multipliers that go out to each body: of rows as the paper has them
    spare: dict[int, list[Scalar]] = {}  # and of rows put off
    last = arrivals[0].spare  # the ground does not move: L lam = l
    factor = PartialLDL(last.L, schedule.at_ground(last.L), window=2)
    x = factor.scaled(factor.forward(last.l)[0])
    decided: Decided = [(factor, x)]
    arrivals[0].hand_out_spare(factor.backward(x, []), spare)
    for i in tree.outward():
        arrival, carried = arrivals[i], sweep.X[i] @ change[tree.parent[i]]
        rest = rigid.get(i, [0.0] * len(arrival.K))  # rows that reached the ground push nothing
        x = spare.get(i, [])
        for step in reversed(arrival.steps):
            rates = step.joint.rates(step.y, carried)
            if step.eliminated is not None:
                own = step.eliminated.own(carried)  # eq. (62)
                decided.append((step.eliminated.factor, own))
                x = step.eliminated.factor.backward(own, x)
            for pull, multiplier in zip(step.pulls, x, strict=True):
                rates = rates - RowVector([pull * multiplier])
            if step.reflection is not None:
                *x, acted = x
                rest = step.reflection.join(acted, rest)  # eq. (64)
            a[step.iv] = rates
            carried = step.joint.S.add_motion(carried, rates)
        change[i] = carried
        if arrival.merged is not None:
            own = arrival.merged.own(carried)
            decided.append((arrival.merged.factor, own))
            x = arrival.merged.factor.backward(own, x)
        arrival.hand_out_spare(x, spare)
        for source, multiplier in zip(arrival.sources, arrival.rows.restore(rest), strict=True):
            if source[0] == "row":
                lam[source[1]] = multiplier * problem.constraints[source[2]].active
            else:
                rigid.setdefault(source[1], []).append(multiplier)
    return a, lam, change, decided
