"""`linkwright bench tree`: ABA, RNEA and CRBA beside Pinocchio, from Python and as C++, in one run."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass

import numpy as np

from .. import compile as compile_algorithm
from ..analysis.timing import best_seconds
from ..io import load, pinocchio_model, to_pinocchio
from ..model import Model
from ..model.editing import depth_first
from .peers.pinocchio_cpp import PinocchioCpp

ROBOTS = ("panda", "solo12", "go1", "simple_humanoid", "talos", "g1", "icub")
ALGORITHMS = ("aba", "rnea", "crba")
BATCH = 4096


@dataclass(frozen=True)
class Measurement:
    """Microseconds; None where a peer is not there."""

    robot: str
    dof: int
    algorithm: str
    operations: int
    single: float
    batched: float  # per sample, one thread
    threaded: float  # per sample, all threads
    pinocchio_python: float | None
    pinocchio_cpp: float | None
    error: float | None  # largest difference to Pinocchio relative to the largest entry

    @property
    def ratios(self) -> tuple[float, float] | None:
        """Pinocchio's C++ time over ours: single call, and per sample in a batch on one thread."""
        if self.pinocchio_cpp is None:
            return None
        return self.pinocchio_cpp / self.single, self.pinocchio_cpp / self.batched

    def as_dictionary(self) -> dict:
        ratios = self.ratios or (None, None)
        return {**asdict(self), "ratio_single": ratios[0], "ratio_batched": ratios[1]}


def measure(
    robots=ROBOTS, algorithms=ALGORITHMS, *, peer: PinocchioCpp | None, seconds: float = 1.0,
    progress: Callable[[str], None] = lambda step: None,
) -> Iterator[Measurement]:  # fmt: skip
    for robot in robots:
        model = load(robot)
        for algorithm in algorithms:
            progress(f"{robot} {algorithm}")
            yield _measure_one(robot, model, algorithm, peer, seconds)


def call_overhead(robot: str, seconds: float = 0.2) -> float:
    """Microseconds of a single call that computes nothing, with the arrays of the robot's ABA."""
    model = load(robot)
    nq, nv = model.nq, model.nv
    empty = compile_algorithm(lambda q, v, tau: np.zeros(nv), inputs={"q": nq, "v": nv, "tau": nv})
    q, v, tau = np.zeros(nq), np.zeros(nv), np.zeros(nv)
    return best_seconds({"empty": lambda: empty(q, v, tau)}, seconds=seconds)["empty"] * 1e6


def _measure_one(robot: str, model: Model, algorithm: str, peer: PinocchioCpp | None, seconds: float) -> Measurement:
    model = depth_first(model)  # as Pinocchio numbers joints, so that vectors are those of both
    rng = np.random.default_rng(0)
    q = model.random_configuration(rng, BATCH)
    v, x = rng.normal(size=(BATCH, model.nv)), rng.normal(size=(BATCH, model.nv))
    states = (q,) if algorithm == "crba" else (q, v, x)
    one = [np.ascontiguousarray(array[0]) for array in states]
    serial = compile_algorithm(model, algorithm)
    parallel = compile_algorithm(model, algorithm, threads="all")
    out = np.empty_like(serial(*states))
    contenders: dict[str, Callable[[], object]] = {
        "single": lambda: serial(*one),
        "batched": lambda: serial(*states, out=out),
        "threaded": lambda: parallel(*states, out=out),
    }
    cpp_seconds: list[float] = []
    expected = None
    try:
        import pinocchio
    except ImportError:
        pass
    else:
        other = pinocchio_model(model)
        data = other.createData()
        call = getattr(pinocchio, algorithm)
        there = (to_pinocchio(model, one[0]), *one[1:])
        contenders["pinocchio_python"] = lambda: call(other, data, *there)
        expected = np.array(call(other, data, *there))
        if algorithm == "crba":
            expected = np.triu(expected) + np.triu(expected, 1).T
        elif model.stacked("damping").any():
            expected = None  # Pinocchio's ABA and RNEA leave joint damping out
        if peer is not None:
            native, rows = peer.model(other), 64
            many = [to_pinocchio(model, q[:rows]), *(array[:rows] for array in states[1:])]
            contenders["pinocchio_cpp"] = lambda: cpp_seconds.append(native.time(algorithm, *many, repeats=1)[0])
    best = best_seconds(contenders, seconds=seconds)
    return Measurement(
        robot=robot,
        dof=model.nv,
        algorithm=algorithm,
        operations=serial.operations.total,
        single=best["single"] * 1e6,
        batched=best["batched"] / BATCH * 1e6,
        threaded=best["threaded"] / BATCH * 1e6,
        pinocchio_python=best["pinocchio_python"] * 1e6 if "pinocchio_python" in best else None,
        pinocchio_cpp=min(cpp_seconds) * 1e6 if cpp_seconds else None,
        error=None if expected is None else float(np.abs(serial(*one) - expected).max() / np.abs(expected).max()),
    )
