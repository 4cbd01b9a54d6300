"""`linkwright bench constrained` and `bench delassus`: the papers' systems, beside Pinocchio's C++ and MuJoCo.

Delassus algorithms are measured on mechanisms with loops too, as far as they take these.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from functools import partial
from typing import Any, cast

import numpy as np

from .. import compile as compile_algorithm
from .. import delassus_operator, reference
from ..analysis.timing import best_seconds
from ..errors import LinkwrightError
from ..io import pinocchio_model, to_pinocchio
from ..model import Model
from ..model.editing import depth_first
from ..programs import RECIPES
from ..programs.constrained import CONSTRAINED
from ..programs.delassus import DELASSUS
from .loop_systems import SYSTEMS as LOOP_SYSTEMS
from .loop_systems import pinocchio_constraints
from .peers.mujoco_peer import MujocoPeer
from .peers.pinocchio_cpp import PinocchioCpp
from .systems import SYSTEMS

ITERATIONS = 3
BATCH = 1024
_PEER_ROWS, _CHECKED_ROWS = 64, 8
_LOOPS = ("two hands + cube", "humanoid + cube + feet", "biped", "jansen_beast", "delta_robot", "stewart_platform")
# Its stages are measured one by one; the others are called with q alone.
_OPERATOR = "delassus_operator"


@dataclass(frozen=True)
class SolverFamily:
    """Algorithms that solve one problem, what they take, and which of Pinocchio's do the same."""

    algorithms: tuple[str, ...]
    peers: tuple[str, ...]
    peer_reference: str  # whose converged result ours are compared with
    inputs: int  # how many of q, v, tau
    outputs: str | None
    inverse: tuple[str, ...] = ()  # those that give the inverse of what the others give
    damped: tuple[str, ...] = ()  # those that solve a slightly different problem, so there is no error to show
    systems: Mapping[str, Callable[[], Model]] = field(default_factory=lambda: SYSTEMS)
    loop_peers: tuple[str, ...] = ()  # those of the peers that take loops


FAMILIES = {
    "dynamics": SolverFamily(tuple(r.name for r in CONSTRAINED), ("lcaba", "prox_ltl"), "prox_ltl", 3, "a"),
    "delassus": SolverFamily(
        tuple(r.name for r in DELASSUS), ("delassus_pv_osimr", "delassus_efpa", "delassus_cholesky"),
        "delassus_cholesky", 1, None, ("pv_osim_fast",), ("caba_osim",),
        {**SYSTEMS, **{name: LOOP_SYSTEMS[name] for name in _LOOPS}}, ("delassus_cholesky",),
    ),
}  # fmt: skip


@dataclass(frozen=True)
class AlgorithmTime:
    """Microseconds; the error is relative to Pinocchio's result, where that is there."""

    algorithm: str
    operations: int
    single: float
    batched: float
    error: float | None


@dataclass(frozen=True)
class SystemTimes:
    system: str
    dof: int
    rows: int
    ours: list[AlgorithmTime] = field(default_factory=list)
    peers: dict[str, float] = field(default_factory=dict)  # microseconds

    def as_dictionary(self) -> dict:
        return asdict(self)


def measure(
    family: SolverFamily, systems=(), algorithms=(), *, peer: PinocchioCpp | None, seconds: float = 2.0,
    progress: Callable[[str], None] = lambda step: None,
) -> Iterator[SystemTimes]:  # fmt: skip
    """One system after the other; within a system all contenders take turns."""
    for name in systems or family.systems:
        model = family.systems[name]()
        able = [x for x in algorithms or family.algorithms if RECIPES[x].takes_constraints_of(model)]
        yield _measure_system(family, name, model, able, peer, seconds, progress)


def _measure_system(
    family: SolverFamily, name: str, model: Model, algorithms, peer, seconds: float, progress
) -> SystemTimes:
    model = depth_first(model)  # as Pinocchio numbers joints, so that vectors are those of both
    rng = np.random.default_rng(0)
    q = model.random_configuration(rng, BATCH)
    v, tau = rng.normal(size=(2, BATCH, model.nv))
    states = (q, v, tau)[: family.inputs]
    one = [np.ascontiguousarray(x[0]) for x in states]
    few = slice(0, _CHECKED_ROWS)
    checked = (q[few], consistent_velocities(model, q[few], v[few]), tau[few])
    functions, contenders = {}, cast(dict[str, Callable[[], object]], {})
    for algorithm in algorithms:
        progress(f"{name}: compiling {algorithm}")
        if algorithm == _OPERATOR:
            continue
        options: dict[str, Any] = {"iterations": ITERATIONS} if "iterations" in RECIPES[algorithm].options else {}
        functions[algorithm] = f = compile_algorithm(model, algorithm, outputs=family.outputs, **options)
        out = np.empty((BATCH, *f.outputs[0].shape))
        contenders[f"{algorithm} single"] = partial(f, *one)
        contenders[f"{algorithm} batched"] = partial(f, *states, out=out)
    stages = _operator_stages(model, q, rng.normal(size=(BATCH, model.nc))) if _OPERATOR in algorithms else {}
    for stage, (f, single, batched) in stages.items():
        contenders[f"{stage} single"] = partial(f, *single)
        outs = tuple(np.empty((BATCH, *spec.shape)) for spec in f.outputs)
        contenders[f"{stage} batched"] = partial(f, *batched, out=outs)
    best_peer: dict[str, float] = {}
    expected = None
    if peer is not None:
        calls, solve = _pinocchio_calls(family, model, peer, (q, v, tau), best_peer)
        contenders.update(calls)
        expected = solve(*checked)
        if not np.all(np.isfinite(expected)):
            expected = None  # Pinocchio's Cholesky factor does not exist where rows depend on one another
    progress(f"{name}: measuring")
    best = best_seconds(contenders, seconds=seconds)
    times = []
    for algorithm, f in functions.items():
        error = None
        if expected is not None and algorithm not in family.damped:
            result = f(*checked[: family.inputs])
            goal = np.linalg.inv(expected) if algorithm in family.inverse else expected
            error = float(np.abs(result - goal).max() / np.abs(goal).max())
        single, batched = best[f"{algorithm} single"] * 1e6, best[f"{algorithm} batched"] / BATCH * 1e6
        times.append(AlgorithmTime(algorithm, f.operations.total, single, batched, error))
    for stage, (f, *_) in stages.items():
        single, batched = best[f"{stage} single"] * 1e6, best[f"{stage} batched"] / BATCH * 1e6
        times.append(AlgorithmTime(stage, f.operations.total, single, batched, None))
    peers = {key: value * 1e6 for key, value in best_peer.items()}
    if family.inputs == 3:
        try:
            peers["mujoco mj_forward"] = MujocoPeer(model).time(q[:20], v[:20], tau[:20])[0] * 1e6
        except LinkwrightError:
            pass  # not installed, or a model it cannot hold
    return SystemTimes(name, model.nv, model.nc, times, peers)


def _operator_stages(model: Model, q: np.ndarray, x: np.ndarray) -> dict[str, tuple]:
    """Label -> (compiled stage, its arrays for one state, and for a batch)."""
    operator = delassus_operator(model, outputs=("product", "solve"))
    one, many = operator.factor(q[0].copy()), operator.factor(q)
    found = {"operator factor": (operator.stages["factor"], [q[0].copy()], [q])}
    for name in ("product", "solve"):
        arrays = [one.states[name], x[0].copy()], [many.states[name], x]
        found[f"operator {name}"] = (operator.stages[name], *arrays)
    return found


def _pinocchio_calls(family: SolverFamily, model: Model, peer: PinocchioCpp, states, best: dict[str, float]):
    """Contenders that note their best time in `best`, and a function that gives converged results."""
    other = pinocchio_model(model.without_constraints())
    damping = model.stacked("damping")  # Pinocchio leaves joint damping out
    constraints: Any = pinocchio_constraints(model, other)
    native = peer.model(other).constrained(constraints, mu=1e5, iterations=ITERATIONS)
    converged = peer.model(other).constrained(constraints, mu=1e5, iterations=10)
    rows = [x[:_PEER_ROWS] for x in states]
    there = (to_pinocchio(model, rows[0]), *rows[1:])

    def timed(algorithm: str):
        def call():
            seconds = native.time(algorithm, *there[: family.inputs], repeats=1)[0]
            name = f"pinocchio {algorithm}"
            best[name] = min(best.get(name, np.inf), seconds)

        return call

    def solve(q, v, tau):
        states = (to_pinocchio(model, q), v, tau - damping * v)[: family.inputs]
        result = converged.time(family.peer_reference, *states, repeats=1)[1]
        if result.ndim == 2:
            return result
        upper = np.triu(result)
        return upper + np.swapaxes(np.triu(result, 1), 1, 2)

    peers = family.loop_peers if model.has_loops else family.peers
    return {f"pinocchio {algorithm}": timed(algorithm) for algorithm in peers}, solve


def consistent_velocities(model: Model, q: np.ndarray, v: np.ndarray) -> np.ndarray:
    """The nearest velocities that violate no constraint. Where one is violated, conventions for J-dot v differ."""
    J = reference(model, "constraint_jacobian")(q)
    return v - np.einsum("bij,bj->bi", np.linalg.pinv(J) @ J, v)
