"""`linkwright bench clusters`: the algorithms of [Chignoli2023] on its six robots, beside its C++ library's figures.

The library itself is not run: what it takes is known on a machine where Pinocchio's C++ `aba` takes 7.5 us for Talos.
That `aba` is timed here in turns with ours, and the library's figures are scaled by it, so that machine speed cancels.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from functools import partial

import numpy as np

from .. import compile as compile_algorithm
from ..analysis.timing import best_seconds
from ..compilation import trace_program
from ..io import load
from ..io.pinocchio.pinocchio_model import pinocchio_model, to_pinocchio
from ..model import Model
from ..programs import RECIPES
from ..programs.cluster_state import plan_of
from ..programs.recipe import Recipe
from ..trace import count_operations
from .peers.pinocchio_cpp import PinocchioCpp

BATCH = 4096
TALOS_ABA = 7.5  # microseconds of Pinocchio's C++ where the library was timed
# Microseconds of the library, (C-ABA, C-RNEA).
LIBRARY = {
    "mit_humanoid": (34.5, 12.1), "mini_cheetah": (23.0, 8.2), "rotor_humanoid": (59.3, 21.4), "tello": (165.0, 150.0),
    "geared_chain:12": (20.3, 7.7), "belt_chain:12": (22.3, 7.3),
}  # fmt: skip
ROBOTS = tuple(LIBRARY)
FORWARD = ("cluster_aba", "projection", "lagrange", "approximate_aba")
INVERSE = ("cluster_rnea", "projected_rnea", "approximate_rnea")
ALGORITHMS = (*FORWARD, *INVERSE)
_COMPARED = {"cluster_aba": 0, "cluster_rnea": 1}


@dataclass(frozen=True)
class ClusterTimes:
    """Microseconds; `library` is what [Chignoli2023]'s C++ would take here, None where there is no figure or peer."""

    robot: str
    dof: int
    algorithm: str
    operations: int
    single: float
    batched: float  # per sample, one thread
    library: float | None

    @property
    def ratios(self) -> tuple[float, float] | None:
        return None if self.library is None else (self.library / self.single, self.library / self.batched)

    def as_dictionary(self) -> dict:
        ratios = self.ratios or (None, None)
        return {**asdict(self), "ratio_single": ratios[0], "ratio_batched": ratios[1]}


def measure(
    robots=ROBOTS, algorithms=ALGORITHMS, *, peer: PinocchioCpp | None, seconds: float = 2.0,
    progress: Callable[[str], None] = lambda step: None,
) -> Iterator[ClusterTimes]:  # fmt: skip
    talos = None if peer is None else _talos(peer)
    for robot in robots:
        progress(robot)
        yield from _measure_robot(robot, algorithms, talos, seconds)


def growth(
    robot: str, algorithms=FORWARD[:3], links=(2, 4, 8, 12, 16, 20, 24), *, seconds: float = 0.0
) -> dict[str, list[tuple[int, int, float | None]]]:
    """By algorithm: (links, operations, microseconds per sample in a batch) of a chain ([Chignoli2023] Fig. 11)."""
    found: dict[str, list[tuple[int, int, float | None]]] = {name: [] for name in algorithms}
    for n in links:
        model = load(f"{robot}:{n}")
        if not seconds:
            for name in algorithms:
                found[name].append((n, count_operations(trace_program(model, name)).total, None))
            continue
        for times in _measure_robot(f"{robot}:{n}", algorithms, None, seconds):
            found[times.algorithm].append((n, times.operations, times.batched))
    return found


def random_states(model: Model, rng: np.random.Generator, batch: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """y near the pose that closes the loops, yd, and torques or accelerations."""
    recipe: Recipe = RECIPES["cluster_aba"]
    plan = plan_of(model, recipe.options)
    ny = sum(map(len, plan.independent))
    q = model.integrate(np.tile(plan.reference, (batch, 1)), rng.uniform(-0.5, 0.5, (batch, model.nv)))
    return q[:, plan.coordinates], rng.normal(size=(batch, ny)), rng.normal(size=(batch, ny))


def _measure_robot(robot: str, algorithms, talos, seconds: float) -> Iterator[ClusterTimes]:
    model = load(robot)
    states = random_states(model, np.random.default_rng(0), BATCH)
    one = [np.ascontiguousarray(array[0]) for array in states]
    contenders: dict[str, Callable[[], object]] = {}
    functions = {}
    for name in algorithms:
        functions[name] = function = compile_algorithm(model, name)
        out = np.empty_like(function(*states))
        contenders[f"{name} single"] = partial(function, *one)
        contenders[f"{name} batched"] = partial(function, *states, out=out)
    measured: list[float] = []
    if talos is not None:
        contenders["talos"] = lambda: measured.append(talos())
    best = best_seconds(contenders, seconds=seconds)
    scale = min(measured) * 1e6 / TALOS_ABA if measured else None
    for name in algorithms:
        known = LIBRARY.get(robot)
        library = known[_COMPARED[name]] * scale if known and scale and name in _COMPARED else None
        yield ClusterTimes(
            robot, states[1].shape[1], name, functions[name].operations.total, best[f"{name} single"] * 1e6,
            best[f"{name} batched"] / BATCH * 1e6, library,
        )  # fmt: skip


def _talos(peer: PinocchioCpp) -> Callable[[], float]:
    """A call that times Pinocchio's aba once on a few states of Talos: seconds per state."""
    model = load("talos")
    native, rng = peer.model(pinocchio_model(model)), np.random.default_rng(0)
    q = to_pinocchio(model, model.random_configuration(rng, 64))
    v, tau = rng.normal(size=(2, 64, model.nv))
    return lambda: native.time("aba", q, v, tau, repeats=1)[0]
