"""`linkwright bench loops`: mechanisms with closed loops, beside Pinocchio's C++ in the same run."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from functools import partial
from typing import Any, cast

import numpy as np

from .. import compile as compile_algorithm
from .. import reference
from ..analysis.timing import best_seconds
from ..io import pinocchio_model, to_pinocchio
from ..model import Model
from ..model.editing import depth_first
from ..programs import RECIPES
from .loop_systems import SYSTEMS, pinocchio_constraints
from .peers.pinocchio_cpp import PinocchioCpp

ALGORITHMS = tuple(name for name in ("lcaba", "prox_bbo", "prox_ltl", "aba") if name in RECIPES)
ITERATIONS = (1, 3)
BATCH = 256
_CHECKED_ROWS = 4
_PASS_SECONDS = 5e-4  # of a peer over its rows: short against the scheduler's slices
_CONVERGED = 20  # iterations of the peer that ours are compared with


@dataclass(frozen=True)
class LoopTime:
    """Microseconds. `error` is relative to Pinocchio's converged result; of one iteration it is what mu leaves."""

    algorithm: str
    iterations: int | None  # None: not iterative
    operations: int
    single: float
    batched: float
    error: float | None = None


@dataclass(frozen=True)
class LoopTimes:
    system: str
    dof: int
    rows: int
    ours: list[LoopTime] = field(default_factory=list)
    peers: dict[str, float] = field(default_factory=dict)  # "lcaba 1", "prox_ltl 3", "aba" -> microseconds
    note: str = ""
    """Why there are no peers, if there are none."""
    peer_errors: dict[str, float] = field(default_factory=dict)
    """What they leave with as many iterations, relative to the same result as ours."""

    def ratio(self, peer: str, time: LoopTime) -> tuple[float, float] | None:
        """Pinocchio's time with as many iterations over ours: single call, and per sample in a batch."""
        key = peer if time.iterations is None else f"{peer} {time.iterations}"
        return None if key not in self.peers else (self.peers[key] / time.single, self.peers[key] / time.batched)

    def as_dictionary(self) -> dict:
        return asdict(self)


def measure(
    systems: Sequence[str] = tuple(SYSTEMS), algorithms: Sequence[str] = ALGORITHMS, *, peer: PinocchioCpp | None,
    seconds: float = 2.0, progress: Callable[[str], None] = lambda step: None,
) -> Iterator[LoopTimes]:  # fmt: skip
    """One system after the other; within a system all contenders take turns."""
    for name in systems:
        yield measure_model(name, SYSTEMS[name](), algorithms, peer=peer, seconds=seconds, progress=progress)


def measure_model(
    name: str, model: Model, algorithms: Sequence[str] = ALGORITHMS, *, peer: PinocchioCpp | None = None,
    iterations: Sequence[int] = ITERATIONS, seconds: float = 2.0, progress: Callable[[str], None] = lambda step: None,
) -> LoopTimes:  # fmt: skip
    model = depth_first(model)  # as Pinocchio numbers joints, so that vectors are those of both
    rng = np.random.default_rng(0)
    q = model.random_configuration(rng, BATCH)
    v, tau = rng.normal(size=(2, BATCH, model.nv))
    one = [np.ascontiguousarray(x[0]) for x in (q, v, tau)]
    functions, contenders = {}, cast(dict[str, Callable[[], object]], {})
    for algorithm in algorithms:
        tree_only = "iterations" not in RECIPES[algorithm].options
        for count in (None,) if tree_only else iterations:
            progress(f"{name}: compiling {algorithm} {count or ''}")
            options: dict[str, Any] = {} if tree_only else {"iterations": count}
            f = compile_algorithm(
                model.without_constraints() if tree_only else model, algorithm, outputs="a", **options
            )
            functions[algorithm, count] = f
            out = np.empty((BATCH, model.nv))
            contenders[f"{algorithm} {count} single"] = partial(f, *one)
            contenders[f"{algorithm} {count} batched"] = partial(f, q, v, tau, out=out)
    best_peer: dict[str, float] = {}
    peer_errors: dict[str, float] = {}
    expected, note = None, "Pinocchio C++ is not there"
    if peer is not None:
        other = pinocchio_model(model.without_constraints())
        constraints = pinocchio_constraints(model, other)
        note = f"Pinocchio has no constraint like {constraints!r}" if isinstance(constraints, str) else ""
        if not note:
            progress(f"{name}: setting up Pinocchio")
            native = _Native(model, peer, other, constraints, iterations, (q, v, tau))
            contenders.update(native.contenders(best_peer, with_tree="aba" in algorithms))
            expected = native.solution(checked := closed_states(model, rng))
            peer_errors = native.errors(checked, expected)
    progress(f"{name}: measuring")
    best = best_seconds(contenders, seconds=seconds)
    times = []
    for (algorithm, count), f in functions.items():
        error = None
        if expected is not None and count is not None:
            error = _relative(f(*checked), expected)
        single, batched = (best[f"{algorithm} {count} {how}"] * 1e6 for how in ("single", "batched"))
        times.append(LoopTime(algorithm, count, f.operations.total, single, batched / BATCH, error))
    peers = {key: s * 1e6 for key, s in best_peer.items()}
    return LoopTimes(name, model.nv, model.nc, times, peers, note, peer_errors)


def _relative(found: np.ndarray, expected: np.ndarray) -> float:
    return float(np.abs(found - expected).max() / np.abs(expected).max())


class _Native:
    """Pinocchio's C++ on the same model, constraints and states."""

    def __init__(self, model: Model, peer: PinocchioCpp, other, constraints, iterations: Sequence[int], states):
        self.model, self.tree = model, peer.model(other)
        self.problems = {n: self.tree.constrained(constraints, mu=1e5, iterations=n) for n in iterations}
        self.converged = self.tree.constrained(constraints, mu=1e5, iterations=_CONVERGED)
        q, v, tau = states
        self.states = (to_pinocchio(model, q), v, tau)

    def contenders(self, best: dict[str, float], *, with_tree: bool) -> dict[str, Callable[[], None]]:
        """Calls that note their best time in `best`."""

        def timed(key: str, problem, algorithm: str):
            seconds = problem.time(algorithm, *(x[:4] for x in self.states), repeats=3)[0]
            rows = [x[: max(1, min(len(x), int(_PASS_SECONDS / seconds)))] for x in self.states]

            def call() -> None:
                best[key] = min(best.get(key, np.inf), problem.time(algorithm, *rows, repeats=1)[0])

            return call

        calls = {
            f"pinocchio {algorithm} {n}": timed(f"{algorithm} {n}", problem, algorithm)
            for algorithm in ("lcaba", "prox_ltl")
            for n, problem in self.problems.items()
        }
        return calls | ({"pinocchio aba": timed("aba", self.tree, "aba")} if with_tree else {})

    def solution(self, states) -> np.ndarray:
        return self.converged.time("prox_ltl", *self._undamped(states), repeats=1)[1]

    def errors(self, states, expected: np.ndarray) -> dict[str, float]:
        """By algorithm and iterations."""
        there = self._undamped(states)
        return {
            f"{algorithm} {n}": _relative(problem.time(algorithm, *there, repeats=1)[1], expected)
            for algorithm in ("lcaba", "prox_ltl")
            for n, problem in self.problems.items()
        }

    def _undamped(self, states):
        q, v, tau = states
        damping = self.model.stacked("damping")  # Pinocchio leaves joint damping out
        return to_pinocchio(self.model, q), v, tau - damping * v


def closed_states(model: Model, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Closed loops, and velocities that keep them so: elsewhere conventions for J-dot v differ."""
    q = np.tile(model.drawn, (_CHECKED_ROWS, 1))
    v, tau = rng.normal(size=(2, _CHECKED_ROWS, model.nv))
    J = reference(model, "constraint_jacobian")(model.drawn)
    return q, v - v @ np.linalg.pinv(J, rcond=1e-10) @ J, tau
