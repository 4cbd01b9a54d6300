"""What `linkwright bench trust` says about one answer of a solver, and how it counts."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import asdict, dataclass, field

import numpy as np

from ..algorithms.rows.row_scales import rank_tolerance, row_scales
from ..programs.status import STATUS_INFEASIBLE, STATUS_OK, STATUS_SINGULAR
from ..referee import KKTSolution, solve_kkt
from .trust_poses import States

VERDICTS = {  # worst first
    "not finite": "not finite, and status ok",
    "off": "off, and status ok",
    "unsaid": "constraints contradict one another, and status ok",
    "compromise off": "said to be infeasible, and not the compromise that is promised",
    "misnamed": "constraints contradict one another, and the status says something else",
    "needless": "flagged although right",
    "cautious": "said to be singular although right, with a direction within a factor of 10 of the rank tolerance",
    "flagged": "flagged, and off",
    "declined": "rows depend on one another: flagged by a solver for independent ones",
    "right": "right, and said to be so",
    "apart": "a direction is within a factor of 3 of the rank tolerance",
}
WRONG = ("not finite", "off", "unsaid")
LIMIT = {"float64": 1e-6, "float32": 1e-3}  # of relative errors of accelerations
APART, CAUTIOUS = 3.0, 10.0  # factors from the rank tolerance
# The referee's own arithmetic may err by this many limits, at mass ratios of 1e9: below, 50 digits decide.
_DOUBTFUL = 1e3
# What is left of the rows, relative to what they ask for, is rounding below the first and a contradiction above the
# second. Directions that do not count may leave so many times their singular value.
_LEFT = {"float64": (1e-9, 1e-6), "float32": (1e-6, 1e-3)}
_OF_DROPPED = (1.0, 1e3)
NO, PERHAPS, YES = range(3)


class Exact:
    """The referee's answers to some states, and what is to be known about them.

    contradiction   NO, PERHAPS or YES: whether rows contradict one another in directions that do not count, by what is
                    left beside what they would do without constraints
    unmet           whether something is left beside the accelerations that there are: where a light tip would
                    accelerate a million times as much without constraints, rows may be unmet for all to see
    nearest         the scaled singular value nearest to the rank tolerance, over it
    """

    def __init__(self, states: States, precision: str, *, digits: str = "double"):
        self.states, self.precision = states, precision
        self.tolerance = rank_tolerance(states.known or states.model, precision)
        self.scales = row_scales(states.model)
        # quaternions of floats stand for rotations: of unit length in all digits that are computed with
        nowhere = np.zeros(states.v.shape)
        self._q = states.q if precision == "float64" else states.model.integrate(states.q, nowhere)
        self.solutions = [self._solved(k, digits) for k in range(len(states))]
        self.a = np.array([s.a for s in self.solutions])
        self.nearest = np.array([_nearest(s.singular_values / self.tolerance) for s in self.solutions])
        self.independent = np.array([s.rank == s.rows for s in self.solutions])
        self.contradiction = np.array([self._contradiction(s) for s in self.solutions])
        self.unmet = np.array([self._is_unmet(s) for s in self.solutions])
        self._settled = digits == "extended"
        self._known: set[int] = set()

    def within(self, factor: float) -> np.ndarray:
        """Where a direction is so near to the rank tolerance."""
        return (self.nearest > 1 / factor) & (self.nearest < factor)

    def errors(self, a: np.ndarray) -> np.ndarray:
        """Relative to the largest acceleration, or to 1."""
        limit = LIMIT[self.precision]
        found = np.array([self._error(k, x) for k, x in enumerate(a)])
        for k in np.flatnonzero((found > limit) & (found < _DOUBTFUL * limit)).tolist():
            if not self._settled and self.precision == "float64" and k not in self._known:
                self._known.add(int(k))
                self.a[k] = self._solved(k, "extended").a
            found[k] = self._error(k, a[k])
        return found

    def _error(self, k: int, a: np.ndarray) -> float:
        error = np.abs(a - self.a[k]).max(initial=0.0) / max(1.0, np.abs(self.a[k]).max(initial=0.0))
        return float(error) if np.isfinite(error) else math.inf

    def _solved(self, k: int, digits: str) -> KKTSolution:
        s = self.states
        return solve_kkt(
            s.model, self._q[k], s.v[k], s.tau[k], desired=None if s.desired is None else s.desired[k],
            precision=digits, rank_tolerance=self.tolerance, scales=self.scales,
        )  # fmt: skip

    def _contradiction(self, s: KKTSolution) -> int:
        least, most = self._left(s)
        return NO if s.residual <= least * s.asked else PERHAPS if s.residual <= most * s.asked else YES

    def _is_unmet(self, s: KKTSolution) -> bool:
        return s.residual > _LEFT[self.precision][1] * max(1.0, s.moving)

    def _left(self, s: KKTSolution) -> tuple[float, float]:
        """What is rounding, and what is more than that, relative to some accelerations of the rows."""
        dropped = max(s.singular_values[s.rank :], default=0.0)
        least, most = (max(x, y * dropped) for x, y in zip(_LEFT[self.precision], _OF_DROPPED, strict=True))
        return least, most


def _nearest(ratios: np.ndarray) -> float:
    return float(ratios[np.argmin(np.abs(np.log(np.maximum(ratios, 1e-300))))]) if len(ratios) else math.inf


def verdicts(exact: Exact, errors: np.ndarray, status: np.ndarray, *, hard: bool) -> list[str]:
    """Of one solver's answers; `hard` solvers may decline rows that depend on one another."""
    apart, close = exact.within(APART), exact.within(CAUTIOUS)
    found = []
    for k, error in enumerate(errors):
        word = _verdict(
            error, LIMIT[exact.precision], int(status[k]), int(exact.contradiction[k]),
            declines=hard and not exact.independent[k], close=bool(close[k]), unmet=bool(exact.unmet[k]),
        )  # fmt: skip
        found.append("apart" if apart[k] and word != "not finite" else word)
    return found


def _verdict(
    error: float, limit: float, status: int, contradiction: int, *, declines: bool, close: bool, unmet: bool
) -> str:  # fmt: skip
    right = error <= limit
    if status == STATUS_OK:
        if not right:
            return "off" if math.isfinite(error) else "not finite"
        return "unsaid" if contradiction == YES else "right"
    if declines:
        return "declined"
    if status == STATUS_INFEASIBLE and (contradiction != NO or unmet):
        return "right" if right else "compromise off"
    if contradiction == YES:
        return "misnamed"
    if not right:
        return "flagged"
    return "cautious" if status == STATUS_SINGULAR and close else "needless"


@dataclass
class Tally:
    """Of one solver on one class of states."""

    run: str
    kind: str
    solver: str
    verdicts: Counter = field(default_factory=Counter)
    passes: list[float] = field(default_factory=list)

    @property
    def states(self) -> int:
        return sum(self.verdicts.values())

    def share(self, *words: str) -> float:
        """Of the states that are not counted apart, in percent."""
        return 100.0 * sum(self.verdicts[w] for w in words) / max(1, self.states - self.verdicts["apart"])

    @property
    def mean_and_most_passes(self) -> tuple[float, float]:
        return (float(np.mean(self.passes)), max(self.passes)) if self.passes else (0.0, 0.0)

    def __add__(self, other: Tally) -> Tally:
        counts, passes = self.verdicts + other.verdicts, self.passes + other.passes
        return Tally(self.run, "all", self.solver, counts, passes)

    def as_dictionary(self) -> dict:
        mean, most = self.mean_and_most_passes
        return {
            "run": self.run, "class": self.kind, "solver": self.solver, "states": self.states,
            "verdicts": dict(self.verdicts), "mean_passes": mean, "most_passes": most,
        }  # fmt: skip


@dataclass(frozen=True)
class Case:
    """One state that is worth a look, and where it comes from."""

    verdict: str
    error: float
    status: int
    passes: float
    nearest: float
    run: str
    solver: str
    kind: str
    number: int
    sample: int
    label: str
    seed: int
    held_out: bool

    @property
    def rebuilt(self) -> str:
        """A call of `trust.recheck` that looks at it again."""
        others = f", seed={self.seed}" * bool(self.seed) + ", held_out=True" * self.held_out
        return f"recheck({self.kind!r}, {self.number}, {self.sample}, {self.solver!r}, {self.run!r}{others})"

    def as_dictionary(self) -> dict:
        return {**asdict(self), "rebuilt": self.rebuilt}
