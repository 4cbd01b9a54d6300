"""`linkwright bench trust`: can every number that comes with status ok be believed, at default options?

Each solver's accelerations are compared with the dense referee's, which decides by the same rank tolerance what counts.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, field

import numpy as np

from ..compilation import compile as compile_algorithm
from ..compilation import reference
from ..errors import LinkwrightError, UnsupportedError
from ..programs import RECIPES
from ..programs.row_scales import rank_tolerance, row_scales
from ..referee import KKTSolution, solve_kkt
from .trust_poses import States
from .trust_states import KINDS, draw

SOLVERS: dict[str, tuple[str, dict]] = {
    **{name: (name, {}) for name in ("lcaba", "prox_bbo", "prox_ltl", "bbo", "ltl")},
    **{name: (name, {}) for name in ("constrained_aba", "prox_pv", "prox_ltls", "pv")},
    "pv, base last": ("pv", {"base": "last"}),
    "pv_early": ("pv_early", {}),
}
LIMIT = {"float64": 1e-6, "float32": 1e-3}  # of relative errors
NEAR = 3.0  # singular values within this factor of the rank tolerance: the answer may be either
# What is left of the rows, relative to what they ask for, is rounding below the first, a contradiction above the second;
# in directions that do not count it may be that many times their singular value.
ROUNDING = {"float64": (1e-9, 1e-6), "float32": (1e-6, 1e-3)}
_OF_DROPPED = (1.0, 100.0)
_LARGEST_COMPILED = 30  # degrees of freedom: more would take minutes to compile
STATUS_OK, STATUS_INFEASIBLE = 0, 4


@dataclass(frozen=True)
class Run:
    """One way to run all solvers. `count` states of each mechanism: compiling pays for many."""

    precision: str
    compiled: bool
    share: float
    count: int

    def __str__(self) -> str:
        return f"{self.precision}, compiled" if self.compiled else self.precision


RUNS = (Run("float64", False, 0.6, 16), Run("float32", True, 0.3, 64), Run("float64", True, 0.1, 64))

# What can become of a state, worst first.
VERDICTS = {
    "not finite": "not finite without a flag",
    "silent": "status ok but off",
    "unsaid": "status ok although constraints contradict one another",
    "compromise off": "said to be infeasible, and not the compromise that is promised",
    "misnamed": "constraints contradict one another, and the flag says something else",
    "needless": "flagged although right",
    "flagged": "flagged, and off",
    "declined": "rows depend on one another: flagged by a solver for independent ones",
    "right": "right, and said to be so",
    "near": "a direction is within a factor of 3 of the rank tolerance: counted apart",
}
WRONG = ("not finite", "silent", "unsaid")


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

    def share(self, verdict: str) -> float:
        """Of the states that are not counted apart, in percent."""
        return 100.0 * self.verdicts[verdict] / max(1, self.states - self.verdicts["near"])

    def as_dictionary(self) -> dict:
        found = {"run": self.run, "class": self.kind, "solver": self.solver, "states": self.states}
        mean, largest = (np.mean(self.passes), max(self.passes)) if self.passes else (0.0, 0.0)
        return {**found, "verdicts": dict(self.verdicts), "passes": {"mean": float(mean), "largest": float(largest)}}


@dataclass(frozen=True)
class Case:
    """One state that is worth a look, and where it comes from."""

    verdict: str
    error: float
    status: int
    passes: float
    run: str
    solver: str
    kind: str
    number: int
    sample: int
    label: str
    seed: int
    held_out: bool
    count: int
    singular_value: float  # the one nearest to the rank tolerance, over it

    def rebuild(self) -> str:
        """A line of Python that looks at it again."""
        compiled, precision = self.run.endswith("compiled"), self.run.partition(",")[0]
        return (
            f"recheck({self.kind!r}, {self.number}, {self.sample}, {self.solver!r}, precision={precision!r}, "
            f"compiled={compiled}, seed={self.seed}, held_out={self.held_out}, count={self.count})"
        )


@dataclass
class Report:
    tallies: list[Tally] = field(default_factory=list)
    cases: list[Case] = field(default_factory=list)
    skipped: Counter = field(default_factory=Counter)
    refused: Counter = field(default_factory=Counter)
    states: int = 0

    def worst(self, count: int) -> list[Case]:
        order = list(VERDICTS)
        return sorted(self.cases, key=lambda c: (order.index(c.verdict), -c.error))[:count]

    def wrong(self) -> int:
        return sum(t.verdicts[v] for t in self.tallies for v in WRONG)

    def as_dictionary(self) -> dict:
        return {
            "states": self.states,
            "results": [t.as_dictionary() for t in self.tallies],
            "skipped": dict(self.skipped),
            "refused": dict(self.refused),
            "cases": [{**asdict(c), "rebuild": c.rebuild()} for c in self.worst(len(self.cases))],
        }


def measure(
    states: int = 10_000, kinds: Sequence[str] = tuple(KINDS), solvers: Sequence[str] = tuple(SOLVERS), *, seed: int = 0,
    held_out: bool = False, runs: Sequence[Run] = RUNS, progress: Callable[[str], None] = lambda step: None,
) -> Report:  # fmt: skip
    """At least so many states, shared evenly among the classes, and among the runs by their shares."""
    report, total = Report(), sum(run.share for run in runs)
    for run in runs:
        for kind in kinds:
            wanted = math.ceil(states * run.share / total / len(kinds))
            tallies = {name: Tally(str(run), kind, name) for name in solvers}
            done = 0
            for number, drawn in _draws(kind, run, seed, held_out, report):
                progress(f"{run}: {kind}, {done} of {wanted} states ({drawn.label})")
                exact = Exact(drawn, run.precision)
                for name in solvers:
                    found = _solved(drawn, name, run, report)
                    if found is not None:
                        origin = (number, drawn.label, seed, held_out, run.count)
                        _judge(exact, *found, tallies[name], report, origin)
                done += len(drawn)
                report.states += len(drawn)
                if done >= wanted:
                    break
            report.tallies += [t for t in tallies.values() if t.states]
    return report


def recheck(
    kind: str, number: int, sample: int, solver: str, *, precision: str = "float64", compiled: bool = False,
    seed: int = 0, held_out: bool = False, count: int = 16,
) -> dict:  # fmt: skip
    """One state again: what the solver says, and what the referee does."""
    run = Run(precision, compiled, 1.0, count)
    drawn = _as_precise(draw(kind, number, seed=seed, held_out=held_out, count=count), precision)
    found = _solved(drawn, solver, run, Report())
    one = States(drawn.label, drawn.model, *(x if x is None else x[sample : sample + 1] for x in _arrays(drawn)))
    exact = Exact(one, precision)
    a, status, passes = (x[sample] for x in found)
    return {
        "model": drawn.model, "state": one, "a": a, "exact": exact.solutions[0], "status": int(status),
        "passes": float(passes), "error": float(exact.errors(a[None])[0]), "rank_tolerance": exact.tolerance,
        "contradiction": ("no", "perhaps", "yes")[int(exact.contradiction[0])],
    }  # fmt: skip


class Exact:
    """The referee's answers to some states, and what is to be said about them."""

    def __init__(self, states: States, precision: str):
        model, self.precision = states.model, precision
        self.tolerance, scales = rank_tolerance(model, precision), row_scales(model)
        self.solutions: list[KKTSolution] = [
            solve_kkt(
                model, states.q[k], states.v[k], states.tau[k], rank_tolerance=self.tolerance, scales=scales,
                desired=None if states.desired is None else states.desired[k],
            )
            for k in range(len(states))
        ]  # fmt: skip
        self.a = np.array([s.a for s in self.solutions])
        ratios = [s.singular_values / self.tolerance for s in self.solutions]
        self.nearest = np.array([r[np.argmin(abs(np.log(np.maximum(r, 1e-300))))] if len(r) else np.inf for r in ratios])
        self.is_near = (self.nearest > 1 / NEAR) & (self.nearest < NEAR)
        self.independent = np.array([s.rank == s.rows for s in self.solutions])
        self.contradiction = np.array([self._contradiction(s) for s in self.solutions])

    def _contradiction(self, s: KKTSolution) -> int:
        """0 no, 1 perhaps, 2 yes."""
        dropped = max(s.singular_values[s.rank :], default=0.0)
        left = s.residual / max(s.asked, 1e-300)
        least, most = (max(x, y * dropped) for x, y in zip(ROUNDING[self.precision], _OF_DROPPED, strict=True))
        return int(left > least) + int(left > most)

    def errors(self, a: np.ndarray) -> np.ndarray:
        error = np.abs(a - self.a).max(axis=1, initial=0.0) / np.maximum(1.0, np.abs(self.a).max(axis=1, initial=0.0))
        return np.where(np.isfinite(error), error, np.inf)


def verdict(error: float, limit: float, status: int, contradiction: int, *, independent: bool, is_hard: bool) -> str:
    right = error <= limit
    if status == STATUS_OK:
        if not math.isfinite(error):
            return "not finite"
        if not right:
            return "silent"
        return "unsaid" if contradiction == 2 else "right"
    if is_hard and not independent:
        return "declined"
    if status == STATUS_INFEASIBLE and contradiction:
        return "right" if right else "compromise off"
    if contradiction == 2:
        return "misnamed"
    return "needless" if right and not contradiction else "flagged"


def _judge(exact: Exact, a, status, passes, tally: Tally, report: Report, origin) -> None:
    number, label, seed, held_out, count = origin
    is_hard = "iterations" not in RECIPES[SOLVERS[tally.solver][0]].options
    for k, error in enumerate(exact.errors(a)):
        found = verdict(
            error, LIMIT[exact.precision], int(status[k]), exact.contradiction[k], independent=exact.independent[k],
            is_hard=is_hard,
        )  # fmt: skip
        if exact.is_near[k] and found != "not finite":
            found = "near"
        tally.verdicts[found] += 1
        tally.passes.append(float(passes[k]))
        if found not in ("right", "near", "declined"):
            report.cases.append(
                Case(
                    found, float(error), int(status[k]), float(passes[k]), tally.run, tally.solver, tally.kind, number,
                    k, label, seed, held_out, count, float(exact.nearest[k]),
                )
            )  # fmt: skip


def _draws(kind: str, run: Run, seed: int, held_out: bool, report: Report) -> Iterator[tuple[int, States]]:
    number = -1
    while True:
        number += 1
        try:
            drawn = draw(kind, number, seed=seed, held_out=held_out, count=run.count)
        except LinkwrightError as error:
            report.skipped[f"{kind}: {type(error).__name__}"] += 1
            continue
        if run.compiled and drawn.model.nv > _LARGEST_COMPILED:
            report.skipped["too large to compile here"] += 1
            continue
        yield number, _as_precise(drawn, run.precision)


def _as_precise(states: States, precision: str) -> States:
    """Rounded to what the solver is given, so that the referee solves the same problem."""
    rounded = (x if x is None else x.astype(precision).astype(float) for x in _arrays(states))
    return States(states.label, states.model, *rounded)


def _arrays(states: States):
    return states.q, states.v, states.tau, states.desired


def _solved(states: States, solver: str, run: Run, report: Report) -> tuple[np.ndarray, np.ndarray, np.ndarray] | None:
    """(accelerations, status, passes); None if this solver is not for this mechanism."""
    name, options = SOLVERS[solver]
    arrays = [x.astype(run.precision) for x in _arrays(states) if x is not None]
    if states.desired is not None:
        options = {**options, "desired": "input"}
    outputs = ("a", "status", "iterations")
    try:
        if run.compiled:
            solve = compile_algorithm(states.model, name, outputs=outputs, dtype=run.precision, **options)
        else:
            solve = reference(states.model, name, outputs=outputs, **options)
    except UnsupportedError:
        return None
    except LinkwrightError as error:
        report.refused[f"{solver}: {type(error).__name__}"] += 1
        return None
    found = solve(*arrays)
    return found.a, found.status, found.iterations
