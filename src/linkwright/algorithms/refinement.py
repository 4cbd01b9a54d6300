"""Doubt leads to evidence: the answer is put into the equations of motion, and what is missing is solved for.

Estimates of lost digits (lost_digits.py) are bounds, mostly far too high. Where one of them raises doubt, a step of
iterative refinement tells by how much the answer is off, and so corrects it. What the rounding of the numbers does that
the equations are made of cannot be seen that way: it is the same both times. So the rounding of every sum is put in,
with some signs, and what the answer does then is the error that is left. (With signs at random the largest of many
components is hardly ever small by chance, and several are tried.)

All of it is the solver once more with other right-hand sides, so its factors are at hand: when traced they are the same
nodes, computed before the loop. Samples without doubt pay nothing: `until` is done before it begins.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from ..scalar import Scalar, maximum, until, where
from ..spatial import RowVector
from ..spatial.partial_factorization import WEAKEST
from .balance import balance
from .constrained_problem import ConstrainedProblem, Solution
from .row_scales import row_scales

PROBES = 2
# On mass ratios to 1e9 and toggles (docs/trust.md) no error was larger than five times what the probes had shown.
SAFETY = 10.0


@dataclass(frozen=True)
class Trusted:
    """most_lost  estimates of lost digits above this raise doubt
    error      relative errors of accelerations that evidence may show
    rounding   of the arithmetic
    """

    most_lost: float
    error: float
    rounding: float


def examined(
    problem: ConstrainedProblem, solution: Solution, solve: Callable[[ConstrainedProblem], Solution], trusted: Trusted,
    stiffer: float | None = None,
) -> Solution:  # fmt: skip
    """The solution with the digits lost that evidence shows, where estimates raise doubt.

    stiffer  None: of a solver without iterations. Accelerations stay as they are, straight-line code.
             A number: of a proximal one, which is corrected, with penalties so many times as stiff.
    """
    return _Examination(problem, solution, solve, trusted, stiffer).verdict()


class _Examination:
    """Stages: a correction; probes of rounding; then, of a proximal solver, what is left of the rows, or of one whose
    rows may be dependent, how far they can be moved."""

    def __init__(self, problem, solution, solve, trusted: Trusted, stiffer):
        self.problem, self.solution, self.solve, self.trusted = problem, solution, solve, trusted
        self.proximal, self.stiffer = stiffer is not None, stiffer
        self.n, m = len(solution.a), len(solution.lam)
        self.believed = RowVector(solution.believed or [0.0] * m)
        patterns = [[_sign(k, p) for k in range(self.n + m)] for p in range(PROBES)]
        self.patterns = [RowVector(p) for p in patterns]
        self.roots = RowVector(float(d) ** 0.5 for d in row_scales(problem.tree.model)) if m else RowVector([])
        self.active = RowVector(1.0 - x for x in problem.idle)
        after = 1 if self.proximal else PROBES if solution.unsure is not None else 0
        self.stages = 1 + PROBES + after

    def stage(self, values):
        n = self.n
        a, lam, (moved, shaken, last, number, one) = values[:n], RowVector(values[n:-5]), values[-5:]
        found = balance(self.problem, a, lam)
        is_first, is_probe = number < 0.5, number < PROBES + 0.5
        rows = self.believed - found.residuals
        noise = RowVector([*found.torque_sizes, *found.residual_sizes]) * self.trusted.rounding
        signs = self._signs(number - 1.0)
        missing = RowVector([*found.torques, *rows]) + noise * signs
        torques, rows = missing[:n], missing[n:]
        if self.stages > 1 + PROBES:
            late = -self.believed if self.proximal else self.active * self.roots * RowVector(self._signs(number - 1.0 - PROBES)[n:])
            torques = [where(is_probe, x, 0.0) for x in torques]
            rows = [where(is_probe, x, y) for x, y in zip(rows, late, strict=True)]
        stiffer = self.stiffer * one if self.proximal else 1.0
        step = self.solve(self.problem.with_right_sides(torques, rows, stiffer=stiffer))
        change = _largest(step.a) / maximum(_largest(a), 1.0)
        moved = where(is_first, change, moved)
        shaken = where(is_probe, where(is_first, shaken, maximum(shaken, change)), shaken)
        late = change if self.proximal else _largest(self.roots * RowVector(step.lam))
        last = where(is_probe, last, maximum(last, late))
        taken = where(is_first, 1.0, 0.0)
        a = [x + d * taken for x, d in zip(a, step.a, strict=True)]
        lam = lam + RowVector(step.lam) * taken
        return [*a, *lam, moved, shaken, last, number + 1.0, one], number > self.stages - 1.5

    def _signs(self, number: Scalar) -> RowVector:
        """A pattern by its number, else zeros."""
        chosen = [p * where(abs(number - k) < 0.5, 1.0, 0.0) for k, p in enumerate(self.patterns)]
        return sum(chosen[1:], chosen[0])

    def verdict(self) -> Solution:
        solution, trusted = self.solution, self.trusted
        doubt = where(solution.lost > trusted.most_lost, 1.0, 0.0)
        if solution.unsure is not None:
            doubt = maximum(doubt, solution.unsure)
        start = [*solution.a, *solution.lam, 0.0, 0.0, 0.0, 0.0, 1.0]
        values = until(self.stage, start, done=doubt < 0.5, limit=self.stages, expected=0.0)
        moved, shaken, last, *_ = values[-5:]
        if self.proximal:
            # in one step a direction is moved s / (1 + s) of the way
            error = SAFETY * shaken + last * (1.0 + 1.0 / (self.stiffer * solution.weakest))
            solution = replace(solution, a=values[: self.n], lam=values[self.n : -5])
        else:
            error = SAFETY * shaken + moved
        right = error <= trusted.error
        lost = where(doubt > 0.5, where(right, 0.0, 2.0 * trusted.most_lost), solution.lost)
        if solution.unsure is None:
            return replace(solution, lost=lost)
        unsure = where(right, 0.0, solution.unsure)
        if not self.proximal:
            unsure = where(last * WEAKEST < 1.0, unsure, solution.unsure)
        return replace(solution, lost=lost, unsure=unsure)


def _largest(values: Sequence[Scalar]) -> Scalar:
    return RowVector(abs(x) for x in values).largest


def _sign(k: int, pattern: int) -> float:
    """Thue and Morse's sequence, which does not repeat itself; another stretch of it each time."""
    return -1.0 if (k + 37 * pattern).bit_count() % 2 else 1.0
