"""`linkwright bench clusters`: the algorithms of [Chignoli2023] on its six robots, exact ones beside the others."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from functools import partial

import numpy as np

from .. import compile as compile_algorithm
from ..analysis.timing import best_seconds
from ..compilation import trace_program
from ..io import load
from ..model import Model
from ..programs import RECIPES, Recipe
from ..programs.cluster_state import plan_of
from ..trace import count_operations

BATCH = 4096
ROBOTS = ("mit_humanoid", "mini_cheetah", "rotor_humanoid", "tello", "geared_chain:12", "belt_chain:12")
FORWARD = ("cluster_aba", "projection", "lagrange", "approximate_aba")
INVERSE = ("cluster_rnea", "projected_rnea", "approximate_rnea")
ALGORITHMS = (*FORWARD, *INVERSE)


@dataclass(frozen=True)
class ClusterTimes:
    """Microseconds; `more` is the share of operations above the exact algorithm's, C-ABA or C-RNEA."""

    robot: str
    dof: int
    algorithm: str
    operations: int
    single: float
    batched: float  # per sample, one thread
    more: float | None

    def as_dictionary(self) -> dict:
        return asdict(self)


def measure(
    robots=ROBOTS, algorithms=ALGORITHMS, *, seconds: float = 2.0, progress: Callable[[str], None] = lambda step: None
) -> Iterator[ClusterTimes]:
    for robot in robots:
        progress(robot)
        yield from _measure_robot(robot, algorithms, seconds)


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
        for times in _measure_robot(f"{robot}:{n}", algorithms, seconds):
            found[times.algorithm].append((n, times.operations, times.batched))
    return found


def random_states(model: Model, rng: np.random.Generator, batch: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """y near the pose that closes the loops, yd, and torques or accelerations."""
    recipe: Recipe = RECIPES["cluster_aba"]
    plan = plan_of(model, recipe.options)
    ny = sum(map(len, plan.independent))
    q = model.integrate(np.tile(plan.drawn, (batch, 1)), rng.uniform(-0.5, 0.5, (batch, model.nv)))
    return q[:, plan.coordinates], rng.normal(size=(batch, ny)), rng.normal(size=(batch, ny))


def _measure_robot(robot: str, algorithms, seconds: float) -> Iterator[ClusterTimes]:
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
    best = best_seconds(contenders, seconds=seconds)
    operations = {name: function.operations.total for name, function in functions.items()}
    for name in algorithms:
        exact = operations.get("cluster_aba" if name in FORWARD else "cluster_rnea")
        yield ClusterTimes(
            robot, states[1].shape[1], name, operations[name], best[f"{name} single"] * 1e6,
            best[f"{name} batched"] / BATCH * 1e6, None if exact is None else operations[name] / exact - 1,
        )  # fmt: skip
