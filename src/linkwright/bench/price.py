"""`linkwright bench price`: what running until converged costs, beside three of the papers' iterations, in one run."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import partial

import numpy as np

from ..analysis.timing import best_seconds
from ..compilation import compile as compile_algorithm
from ..model import Model
from ..scalar import Numbers
from .loop_systems import SYSTEMS

ITERATIONS = 3
BATCH = 256
SINGLES = 16  # states that single calls take turns on: some need more passes than others


@dataclass(frozen=True)
class Price:
    """Microseconds per state of (three iterations, until converged), and what the latter took."""

    system: str
    single: tuple[float, float]
    batched: tuple[float, float]
    passes: float
    most_passes: int

    @property
    def ratios(self) -> tuple[float, float]:
        return self.single[1] / self.single[0], self.batched[1] / self.batched[0]

    def as_dictionary(self) -> dict:
        return asdict(self)


def measure(
    systems: Sequence[str] = tuple(SYSTEMS), algorithm: str = "lcaba", *, seconds: float = 1.0,
    progress: Callable[[str], None] = lambda step: None,
) -> Iterator[Price]:  # fmt: skip
    """At random states, which are harder than closed ones; all contenders take turns."""
    for name in systems:
        progress(name)
        yield _measured(name, SYSTEMS[name](), algorithm, seconds)


def _one_by_one(f: Callable[..., object], states: list[list[np.ndarray]]) -> None:
    for state in states:
        f(*state)


def _measured(name: str, model: Model, algorithm: str, seconds: float) -> Price:
    rng = np.random.default_rng(0)
    q = model.random_configuration(rng, BATCH)
    v, tau = rng.normal(size=(2, BATCH, model.nv))
    passes = compile_algorithm(model, algorithm, outputs="iterations")(q, v, tau)
    singles = [[np.ascontiguousarray(x[k]) for x in (q, v, tau)] for k in range(SINGLES)]
    out = np.empty((BATCH, model.nv))
    contenders: dict[str, Callable[[], object]] = {}
    for k, count in enumerate((ITERATIONS, None)):
        f = compile_algorithm(model, algorithm, outputs="a", iterations=count)
        contenders[f"single {k}"] = partial(_one_by_one, f, singles)
        contenders[f"batched {k}"] = partial(f, q, v, tau, out=out)
    best = {key: seconds * 1e6 for key, seconds in best_seconds(contenders, seconds=seconds).items()}
    return Price(
        name,
        (best["single 0"] / SINGLES, best["single 1"] / SINGLES),
        (best["batched 0"] / BATCH, best["batched 1"] / BATCH),
        float(passes.mean()),
        int(passes.max()),
    )


def geometric_mean(values: Numbers) -> float:
    return math.exp(sum(map(math.log, values)) / len(values))
