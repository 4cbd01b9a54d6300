"""What PV-early says of its answer. Not in the paper, which supposes that no joint acts weakly on its row.

At a given pose a joint may hardly act on a row, or not at all (a straight leg, a constraint switched off). Where the
rows put off (spare_rows.py) did not help, as where a straight limb loses two directions at once, 1.5e-9 of what usually
moves them stands in for their compliance. Accelerations then err by about 1e-8 unless the mechanism itself is singular,
which cannot be told from here: evidence.py tells. A pivot is zero where rows were dropped that are not met.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...scalar import Scalar, maximum, sqrt, where
from ...spatial import Motion, RowVector
from ...spatial.partial_factorization import WEAKEST, PartialLDL, most_doubtful, weakest_of
from ..convergence.lost_digits import lost_to_free_accelerations, usually_lost_to_masses
from ..convergence.met_constraints import unmet
from ..convergence.overstretched import overstretched
from ..rows.constrained_problem import NO, PERHAPS, PROBABLY, ConstrainedProblem, Solution
from .early_rows import Arrival, every_elimination, every_step

# A pivot weaker than this raises doubt about the rank (evidence.py): a weak direction shows in several of them.
WEAKEST_AS_GIVEN = 1e-5

Decided = list[tuple[PartialLDL, Sequence[Scalar]]]  # factors in the order of the outward sweep, and their multipliers


def judged(
    problem: ConstrainedProblem, arrivals: Sequence[Arrival], a: list[Scalar], lam: list[Scalar],
    change: Sequence[Motion], decided: Decided, *, drops_rows: bool,
) -> Solution:  # fmt: skip
    """The solution, with what there is to say against it."""
    tree, steps = problem.tree, every_step(arrivals)
    residuals = list(problem.residuals(change))
    (ground, x), *others = decided
    doubt = most_doubtful(ground, x, weakest=problem.weakest)
    for factor, x in others:
        doubt = most_doubtful(factor, x, doubt, problem.weakest)
    pivots = [
        x for i in tree.outward() for step in reversed(arrivals[i].steps) for x in step.joint.D.pivots
    ]  # fmt: skip
    if drops_rows:
        sizes = [abs(x) for x in a]
        for step in steps:
            sizes[step.iv] = [x + abs(y) for x, y in zip(sizes[step.iv], step.y, strict=True)]
        pivots.append(where(unmet(problem, sizes, residuals) > 0.0, 0.0, 1.0))
    weakest = weakest_of([ground, *(x.factor for x in every_elimination(arrivals))])
    free_size = RowVector(abs(y) for step in steps for y in step.y).largest
    free = lost_to_free_accelerations(free_size, a, sqrt(maximum(weakest, WEAKEST)))
    pulled = overstretched(problem, [(step.joint, step.y) for step in steps], lam)
    unsure = where(doubt > 0.0, PROBABLY, where((weakest < WEAKEST_AS_GIVEN) | pulled, PERHAPS, NO))
    lost = maximum(usually_lost_to_masses(tree.model), free)
    return Solution(a, lam, residuals, 1.0, pivots, lost=lost, unsure=unsure)
