"""`linkwright bench trust`: can every number that comes with status ok be believed, at default options?

Each solver's accelerations are compared with those of the dense referee, which knows by the same rank tolerance which
directions of the constraints count. docs/trust.md says how to read the table.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from ..compilation import compile as compile_algorithm
from ..compilation import reference
from ..errors import LinkwrightError, UnsupportedError
from ..model import Model
from ..programs import RECIPES
from .trust_poses import States
from .trust_states import KINDS, draw
from .trust_verdicts import VERDICTS, WRONG, Case, Exact, Tally, verdicts

Options = dict[str, Any]


def _every_other(model: Model) -> Options:
    """A mixture that no count would choose."""
    return {"carried": tuple(c.name for c in model.constraints[::2])}


SOLVERS: dict[str, tuple[str, Options | Callable[[Model], Options]]] = {
    **{name: (name, {}) for name in ("lcaba", "prox_bbo", "prox_ltl", "bbo", "ltl")},
    "mixed": ("mixed", _every_other),
    **{name: (name, {}) for name in ("constrained_aba", "prox_pv", "prox_ltls", "pv")},
    "pv first": ("pv", {"base": "first"}),
    "pv_early": ("pv_early", {}),
}
_LARGEST_COMPILED = 30  # degrees of freedom: more would take minutes to compile
_UNREMARKABLE = ("right", "apart", "declined")


@dataclass(frozen=True)
class SolverRun:
    """One way to run all solvers.

    share   of all states
    count   states of each mechanism: compiling pays for many, the reference takes a batch as it comes
    """

    title: str
    precision: str
    compiled: bool
    share: float
    count: int


RUNS = {
    "reference": SolverRun("float64, as written", "float64", False, 0.65, 16),
    "float64": SolverRun("float64, compiled", "float64", True, 0.1, 32),
    "reference32": SolverRun("float32, as written", "float32", False, 0.15, 16),
    "float32": SolverRun("float32, compiled", "float32", True, 0.1, 32),
}


@dataclass
class Report:
    """What was found. `skipped` draws gave no mechanism, `refused` are those that solvers did not take."""

    tallies: list[Tally] = field(default_factory=list)
    cases: list[Case] = field(default_factory=list)
    skipped: Counter = field(default_factory=Counter)
    refused: Counter = field(default_factory=Counter)
    states: int = 0

    def wrong(self) -> list[Case]:
        """Status ok and not to be believed, the worst first."""
        return [c for c in self.worst() if c.verdict in WRONG]

    def worst(self) -> list[Case]:
        order = list(VERDICTS)
        return sorted(self.cases, key=lambda c: (order.index(c.verdict), -c.error))

    def worst_by_mechanism(self) -> list[tuple[Case, int]]:
        """The worst state of each mechanism, solver and verdict, and how many there are like it; the worst first."""
        groups: dict[tuple, list[Case]] = {}
        for c in self.worst():
            groups.setdefault((c.verdict, c.run, c.solver, c.kind, c.number), []).append(c)
        return [(cases[0], len(cases)) for cases in groups.values()]

    def totals(self) -> list[Tally]:
        """By run and solver, over all classes."""
        sums: dict[tuple[str, str], Tally] = {}
        for t in self.tallies:
            sums[t.run, t.solver] = sums.get((t.run, t.solver), Tally(t.run, "all", t.solver)) + t
        return list(sums.values())

    def as_dictionary(self) -> dict:
        return {
            "states": self.states,
            "results": [t.as_dictionary() for t in self.tallies],
            "skipped": dict(self.skipped),
            "refused": dict(self.refused),
            "cases": [c.as_dictionary() for c in self.worst()],
        }


def measure(
    states: int = 10_000, kinds: Sequence[str] = tuple(KINDS), solvers: Sequence[str] = tuple(SOLVERS),
    runs: Sequence[str] = tuple(RUNS), *, seed: int = 0, held_out: bool = False,
    progress: Callable[[str], None] = lambda step: None,
) -> Report:  # fmt: skip
    """At least so many states, shared evenly among the classes, and among the runs by their shares."""
    report, total = Report(), sum(RUNS[name].share for name in runs)
    for run in runs:
        wanted = math.ceil(states * RUNS[run].share / total / len(kinds))
        for kind in kinds:
            tallies = [Tally(run, kind, solver) for solver in solvers]
            done = 0
            for number, drawn in _draws(kind, run, seed, held_out, report):
                progress(f"{run}: {kind}, {done} of {wanted} states, {drawn.label}")
                exact = Exact(drawn, RUNS[run].precision)
                for tally in tallies:
                    _count(tally, exact, report, number=number, seed=seed, held_out=held_out)
                done += len(drawn)
                if done >= wanted:
                    break
            report.states += done
            report.tallies += [t for t in tallies if t.states]
    return report


def recheck(
    kind: str, number: int, sample: int, solver: str, run: str = "reference", *, seed: int = 0, held_out: bool = False,
    digits: str = "extended",
) -> dict[str, Any]:  # fmt: skip
    """One state again: what the solver says, and what the referee does, by default with 50 digits."""
    drawn = _rounded(draw(kind, number, seed=seed, held_out=held_out, count=RUNS[run].count), RUNS[run].precision)
    found = _solved(drawn, solver, run, Report())
    if found is None:
        raise UnsupportedError(f"{solver!r} is not for {drawn.label!r}")
    arrays: dict[str, Any] = {name: x[sample : sample + 1] for name, x in _arrays(drawn).items()}
    one = replace(drawn, **arrays)
    exact = Exact(one, RUNS[run].precision, digits=digits)
    a, status, passes = (x[sample : sample + 1] for x in found)
    errors = exact.errors(a)
    word = verdicts(exact, errors, status, hard=_is_hard(solver))[0]
    return {
        "verdict": word, "error": errors[0], "status": int(status[0]), "passes": float(passes[0]), "a": a[0],
        "exact": exact.solutions[0], "rank_tolerance": exact.tolerance,
        "contradiction": ("no", "perhaps", "yes")[exact.contradiction[0]], "model": drawn.model, "state": one,
    }  # fmt: skip


def _draws(kind: str, run: str, seed: int, held_out: bool, report: Report) -> Iterator[tuple[int, States]]:
    """Mechanisms without end; those that cannot be made are skipped and counted."""
    number = -1
    while True:
        number += 1
        try:
            drawn = draw(kind, number, seed=seed, held_out=held_out, count=RUNS[run].count)
        except LinkwrightError as error:
            report.skipped[f"{kind}: {type(error).__name__}"] += 1
            continue
        if RUNS[run].compiled and drawn.model.nv > _LARGEST_COMPILED:
            report.skipped[f"{kind}: more than {_LARGEST_COMPILED} degrees of freedom, not compiled"] += 1
            continue
        yield number, _rounded(drawn, RUNS[run].precision)


def _count(tally: Tally, exact: Exact, report: Report, *, number: int, seed: int, held_out: bool) -> None:
    found = _solved(exact.states, tally.solver, tally.run, report)
    if found is None:
        return
    a, status, passes = found
    errors = exact.errors(a)
    for k, word in enumerate(verdicts(exact, errors, status, hard=_is_hard(tally.solver))):
        tally.verdicts[word] += 1
        tally.passes.append(float(passes[k]))
        if word not in _UNREMARKABLE:
            report.cases.append(
                Case(
                    word, float(errors[k]), int(status[k]), float(passes[k]), float(exact.nearest[k]), tally.run,
                    tally.solver, tally.kind, number, k, exact.states.label, seed, held_out,
                )
            )  # fmt: skip


def _is_hard(solver: str) -> bool:
    return "iterations" not in RECIPES[SOLVERS[solver][0]].options


def _solved(states: States, solver: str, run: str, report: Report) -> tuple[np.ndarray, np.ndarray, np.ndarray] | None:
    """(accelerations, status, passes) at default options; None if this solver is not for this mechanism."""
    name, given = SOLVERS[solver]
    arrays, options = _arrays(states), given(states.model) if callable(given) else given
    if "desired" in arrays:
        options = {**options, "desired": "input"}
    how = RUNS[run]
    solve: Callable[..., Any]
    try:
        outputs = ("a", "status", "iterations")
        if how.compiled:
            solve = compile_algorithm(states.model, name, outputs=outputs, dtype=how.precision, **options)
        else:
            solve = reference(states.model, name, outputs=outputs, dtype=how.precision, **options)
    except UnsupportedError:
        return None
    except LinkwrightError as error:
        report.refused[f"{solver}: {type(error).__name__}"] += 1
        return None
    found = solve(*(x.astype(how.precision) for x in arrays.values()))
    return found.a, found.status, found.iterations


def _rounded(states: States, precision: str) -> States:
    """As the solver is given them, so that the referee solves the same problem."""
    rounded: dict[str, Any] = {name: x.astype(precision).astype(float) for name, x in _arrays(states).items()}
    return replace(states, **rounded)


def _arrays(states: States) -> dict[str, np.ndarray]:
    arrays = {"q": states.q, "v": states.v, "tau": states.tau, "desired": states.desired}
    return {name: x for name, x in arrays.items() if x is not None}
