"""Doubt leads to evidence: the answer is put into the equations of motion, and what is missing is solved for.

Estimates of lost digits (lost_digits.py) are bounds, mostly far too high. Where one of them raises doubt, what a step
of iterative refinement would change tells by how much the answer is off. What the rounding of the numbers does that the
equations are made of cannot be seen that way: it is the same both times. So the rounding of every sum is put in, with
some signs, and what the answer does then is that error. (With signs at random the largest of many components is hardly
ever small by chance; two patterns are tried.)

All of it is the solver once more with other right-hand sides, so its factors are at hand: when traced they are the same
nodes, computed before. Samples without doubt pay nothing: the rest stands behind a guard. Accelerations stay as they
are, so programs without `status` do not even have that.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from ...scalar import Scalar, guard, maximum, negated, until, where
from ...spatial import Force, RowVector, sum_of
from ...spatial.partial_factorization import WEAKEST
from ..rows.constrained_problem import NO, PERHAPS, PROBABLY, ConstrainedProblem, Solution
from ..rows.row_scales import row_scales
from ..tree.rnea import joint_torques
from .balance import Balance, balance

_DOUBT = 0.01  # of digits that are flagged otherwise: a few estimates are too low, and looking does no harm
_PATTERNS = 2
# Of the changes that patterns make, added up. On mass ratios to 1e9 and toggles (docs/trust.md) no error was larger
# than five times the larger of them.
_SAFETY = 5.0
# A pull is about 1 / sigma^2 of the weakest direction. The least pivot is four rank tolerances squared, this is two of
# them; directions a third of the tolerance strong and less pull fifty times as hard, so a pattern may be fifty times
# as blind to them as usual.
_PULL = 3.0
# Where WEAKEST stands in for a pivot, a singular mechanism pulls only as hard as that, less what a pattern is blind to;
# one that is far from singular does not come near a thousandth of it.
_PULL_IN_PLACE = 1e-3
# Rows that such a stand-in leaves unmet by more than this, beside the accelerations in them, contradict one another: it
# gives way by up to a tenth of this where they do not.
_CONTRADICTION = 1e-7
_FAR = 1.0  # an error that no answer may have


@dataclass(frozen=True)
class Trusted:
    """most_lost  digits lost, by an estimate, that are flagged where there is no evidence
    error      relative errors of accelerations that evidence may show
    rounding   of the arithmetic
    """

    most_lost: float
    error: float
    rounding: float


def examined(
    problem: ConstrainedProblem, solution: Solution, solve: Callable[[ConstrainedProblem], Solution], trusted: Trusted
) -> Solution:  # fmt: skip
    """The solution with digits lost, and dependent rows, as evidence shows, where estimates raise doubt.

    `solve` is the solver itself; of a proximal one, what it does first with multipliers of zero.
    """
    if solution.lost is None:  # nothing to lose: no constraints
        return solution
    doubt = where(solution.lost > trusted.most_lost * _DOUBT, 1.0, 0.0)
    if solution.unsure is not None:
        doubt = where(solution.unsure > NO, 1.0, doubt)
    for pivot in solution.pivots:  # what cannot be solved is beyond doubt
        doubt = where(pivot > 0.0, doubt, 0.0)
    stages = _Stages(problem, solution, solve, trusted.rounding)
    error, pull = stages.run(doubt)
    right = error <= trusted.error
    lost = where(doubt > 0.5, where(right, 0.0, 2.0 * trusted.most_lost), solution.lost)
    if pull is not None:
        weakest = problem.weakest or WEAKEST
        most = where(stages.assumed, min(_PULL, _PULL_IN_PLACE * weakest / WEAKEST), _PULL)
        # where nothing is carried it is known beforehand, a truth value of Python's, whose ~ is a number
        met = negated(stages.assumed)
        free = (pull * weakest < most) & (right | met)
        unsure = where(doubt > 0.5, where(free, NO, PROBABLY), NO)
    else:
        unsure = None if solution.unsure is None else where(right, NO, solution.unsure)
    return replace(solution, lost=lost, unsure=unsure)


class _Stages:
    """One stage a pass: torques that are missing; the rounding of what they are made of, a pattern of signs at a time;
    the same of rows; and,
    of solvers without iterations whose rows may be dependent, how hard it is to move rows by as much as they usually
    do.

    A damped solution moves rows only s / (1 + s) of the way (converge.py), so of proximal solvers there is another
    stage for what is `left` of them, which counts by how much it falls short in the weakest direction met.
    """

    def __init__(self, problem: ConstrainedProblem, solution: Solution, solve, rounding: float):
        self.problem, self.solution, self.solve, self.rounding = problem, solution, solve, rounding
        m = len(solution.lam)
        self.believed = RowVector([0.0] * m if solution.believed is None else solution.believed)
        self.proximal = solution.weakest is not None
        self.ranks = solution.unsure is not None and not self.proximal
        # that something stands in for a pivot, which gives way where rows contradict one another
        self.assumed = False if solution.unsure is None else solution.unsure > PERHAPS
        usual = row_scales(problem.tree.model).tolist() if m else []
        self.usual = RowVector(d**0.5 * (1.0 - idle) for d, idle in zip(usual, problem.idle, strict=True))
        self.names = ["torques", *["rounded"] * _PATTERNS, "rows", *["rounded rows"] * _PATTERNS]
        self.names += ["left"] * self.proximal + ["moved"] * (_PATTERNS * self.ranks)

    def run(self, doubt: Scalar) -> tuple[Scalar, Scalar | None]:
        """(Relative error of accelerations, largest pull that moves a row by its usual size)."""
        solution = self.solution
        left = [0.0] * len(solution.lam) if self.proximal else []
        start = [*solution.a, *solution.lam, *left, 0.0, 0.0, 0.0]
        count = len(self.names)
        found = guard(doubt > 0.5, lambda: until(self.stage, start, limit=count)[-3:-1], [0.0, 0.0], expected=0.0)
        return found[0], found[1] if self.ranks else None

    def stage(self, values):
        n, m = len(self.solution.a), len(self.solution.lam)
        a, lam, left, (error, pull, number) = values[:n], values[n : n + m], values[n + m : -3], values[-3:]
        here = [where(abs(number - k) < 0.5, 1.0, 0.0) for k in range(len(self.names))]
        at = {name: [x for x, other in zip(here, self.names, strict=True) if other == name] for name in self.names}

        found = balance(self.problem, a, lam)
        torques = found.torques * at["torques"][0] + self._rounded(found, at["rounded"])
        rows = self.believed - found.residuals
        rows = rows * at["rows"][0] + self._signed(found.residual_sizes * self.rounding, at["rounded rows"])
        short: Scalar = 1.0
        if self.proximal:
            weakest: Scalar = self.solution.weakest  # iterations say it
            short = 1.0 + 1.0 / weakest
            rows = rows + RowVector(left) * at["left"][0]
        if self.ranks:
            rows = rows + self._signed(self.usual, at["moved"])

        step = self.solve(self.problem.with_right_sides(torques, rows))
        counts = at["torques"][0] + at["rows"][0] + _SAFETY * sum_of(at["rounded"])
        counts = counts + short * (_SAFETY * sum_of(at["rounded rows"]) + sum_of(at.get("left", [0.0])))
        error = error + counts * (_largest(step.a) / maximum(_largest(a), 1.0))
        if self.ranks:
            missed = (_largest(found.residuals) > _CONTRADICTION * _largest(found.residual_sizes)) & self.assumed
            error = error + at["rows"][0] * where(missed, _FAR, 0.0)
            pull = maximum(pull, sum_of(at["moved"]) * _largest(self.usual * RowVector(step.lam)))
        if self.proximal:  # K a - rows is lam / mu
            left = [where(at["rows"][0] > 0.5, -r, x) for r, x in zip(step.residuals, left, strict=True)]
        return [*a, *lam, *left, error, pull, number + 1.0], number > len(self.names) - 1.5

    def _rounded(self, found: Balance, chosen: Sequence[Scalar]) -> RowVector:
        """Torques as large as their rounding, and those of wrenches as large as the rounding on each body."""
        sizes = RowVector(x * self.rounding for both in found.wrench_sizes for x in both for _ in range(3))
        every = self._signed(sizes, chosen)
        wrenches = [Force.of(every[6 * i : 6 * i + 6]) for i in range(len(found.wrench_sizes))]
        handed_on = joint_torques(self.problem.tree, self.problem.sweep, wrenches)
        return self._signed(found.torque_sizes * self.rounding, chosen) - RowVector(handed_on)

    def _signed(self, sizes: RowVector, chosen: Sequence[Scalar]) -> RowVector:
        """With the signs of the pattern that is chosen, or zeros."""
        return RowVector(
            x * sum_of(_sign(k, pattern) * here for pattern, here in enumerate(chosen)) for k, x in enumerate(sizes)
        )


def _largest(values: Sequence[Scalar]) -> Scalar:
    return RowVector([0.0, *(abs(x) for x in values)]).largest


def _sign(k: int, pattern: int) -> float:
    """Thue and Morse's sequence, which does not repeat itself; another stretch of it each time."""
    return -1.0 if (k + 37 * pattern).bit_count() % 2 else 1.0
