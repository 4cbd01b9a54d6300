"""`linkwright bench constrained`: the constrained solvers on the papers' systems, beside Pinocchio's C++ and MuJoCo."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field

import numpy as np

from .. import compile as compile_algorithm
from .. import reference
from ..errors import LinkwrightError
from ..io.pinocchio import pinocchio_model, to_pinocchio
from ..model import Model
from ..programs import RECIPES
from ..programs.constrained import CONSTRAINED
from .peers.mujoco_peer import MujocoPeer
from .peers.pinocchio_cpp import PinocchioCpp
from .systems import SYSTEMS
from .timing import best_seconds

SOLVERS = tuple(recipe.name for recipe in CONSTRAINED)
ITERATIONS = 3
BATCH = 1024
_PEER_ALGORITHMS = {"pinocchio_lcaba": "lcaba", "pinocchio_prox_ltl": "prox_ltl"}


@dataclass(frozen=True)
class SolverTime:
    """Microseconds; the error is relative to Pinocchio's solution, where that is there."""

    solver: str
    operations: int
    single: float
    batched: float
    error: float | None


@dataclass(frozen=True)
class SystemTimes:
    system: str
    dof: int
    rows: int
    solvers: list[SolverTime] = field(default_factory=list)
    peers: dict[str, float] = field(default_factory=dict)  # microseconds

    def as_dictionary(self) -> dict:
        return asdict(self)


def measure(
    systems=tuple(SYSTEMS), solvers=SOLVERS, *, peer: PinocchioCpp | None, seconds: float = 2.0,
    progress: Callable[[str], None] = lambda step: None,
) -> Iterator[SystemTimes]:  # fmt: skip
    """One system after the other; within a system all contenders take turns."""
    for name in systems:
        progress(name)
        yield _measure_system(name, SYSTEMS[name](), solvers, peer, seconds, progress)


def _measure_system(name: str, model: Model, solvers, peer, seconds: float, progress) -> SystemTimes:
    rng = np.random.default_rng(0)
    q = model.random_configuration(rng, BATCH)
    v, tau = rng.normal(size=(2, BATCH, model.nv))
    one = [np.ascontiguousarray(x[0]) for x in (q, v, tau)]
    functions = {}
    for solver in solvers:
        progress(f"{name}: compiling {solver}")
        options = {"iterations": ITERATIONS} if "iterations" in RECIPES[solver].options else {}
        functions[solver] = compile_algorithm(model, solver, outputs="a", **options)
    out = np.empty((BATCH, model.nv))
    contenders: dict[str, Callable[[], object]] = {}
    for solver, function in functions.items():
        contenders[f"{solver} single"] = lambda f=function: f(*one)
        contenders[f"{solver} batched"] = lambda f=function: f(q, v, tau, out=out)
    best_peer: dict[str, float] = {}
    expected = None
    checked = q[:8], consistent_velocities(model, q[:8], v[:8]), tau[:8]
    if peer is not None:
        calls, solve = _pinocchio_calls(model, peer, q[:64], v[:64], tau[:64], best_peer)
        contenders.update(calls)
        expected = solve(*checked)
    progress(f"{name}: measuring")
    best = best_seconds(contenders, seconds=seconds)
    times = []
    for solver, function in functions.items():
        error = None
        if expected is not None:
            error = float(np.abs(function(*checked) - expected).max() / np.abs(expected).max())
        times.append(
            SolverTime(
                solver,
                function.operations.total,
                best[f"{solver} single"] * 1e6,
                best[f"{solver} batched"] / BATCH * 1e6,
                error,
            )
        )
    peers = {key: value * 1e6 for key, value in best_peer.items()}
    try:
        peers["mujoco"] = MujocoPeer(model).time(q[:20], v[:20], tau[:20])[0] * 1e6
    except LinkwrightError:
        pass  # not installed, or a model it cannot hold
    return SystemTimes(name, model.nv, model.nc, times, peers)


def _pinocchio_calls(model: Model, peer: PinocchioCpp, q, v, tau, best: dict[str, float]):
    """Contenders that note their best time in `best`, and a function that gives converged accelerations."""
    other = pinocchio_model(model)
    there, damping = to_pinocchio(model, q), model.stacked("damping")  # Pinocchio leaves joint damping out
    frames = [other.frames[other.getFrameId(c.frame)] for c in model.constraints]
    constraints = [
        (frame.parentJoint, frame.placement, f"{c.size}d") for frame, c in zip(frames, model.constraints, strict=True)
    ]
    native = peer.model(other).constrained(constraints, mu=1e5, iterations=ITERATIONS)
    converged = peer.model(other).constrained(constraints, mu=1e5, iterations=10)

    def timed(name: str, algorithm: str):
        def call():
            seconds = native.time(algorithm, there, v, tau, repeats=1)[0]
            best[name] = min(best.get(name, np.inf), seconds)

        return call

    def solve(q, v, tau):
        return converged.time("prox_ltl", to_pinocchio(model, q), v, tau - damping * v, repeats=1)[1]

    return {name: timed(name, algorithm) for name, algorithm in _PEER_ALGORITHMS.items()}, solve


def consistent_velocities(model: Model, q: np.ndarray, v: np.ndarray) -> np.ndarray:
    """The nearest velocities that violate no constraint. Where one is violated, conventions for J-dot v differ."""
    frames = [reference(model, "frame_jacobian", frame=c.frame)(q) for c in model.constraints]
    J = np.concatenate([c.rows @ frame for c, frame in zip(model.constraints, frames, strict=True)], axis=1)
    return v - np.einsum("bij,bj->bi", np.linalg.pinv(J) @ J, v)
