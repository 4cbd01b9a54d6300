"""`linkwright bench convergence`: how fast and how far proximal solvers converge, [Sathya2025] Figures 10 and 11.

Half of the states are closed, with velocities that keep them so; the others are near by and not consistent.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from .. import compile as compile_algorithm
from ..assembly import project_configuration, project_velocity
from ..errors import MissingExtraError
from ..model import Model
from ..sim.figure_file import write_figure

ALGORITHMS = ("lcaba", "prox_bbo", "prox_ltl")
ITERATIONS = (1, 2, 3, 4, 5)
MU = 1e5
PENALTIES = (1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11)
# What the errors of the second figure are relative to: the paper's choice, with iterations to spare for a small mu.
_REFERENCE = {"algorithm": "prox_ltl", "mu": 1e3, "iterations": 20}
_SPREAD = 0.1  # of configurations about the one the mechanism is drawn in, radians and metres
_TORQUE = 0.01  # of the joints' random torques: what moves a finger


@dataclass(frozen=True)
class Convergence:
    """Of one solver: the largest and the median residual after each iteration, and errors for each penalty."""

    system: str
    algorithm: str
    largest: dict[int, float]
    median: dict[int, float]
    error: dict[float, float]

    def as_dictionary(self) -> dict:
        return asdict(self)


def states(model: Model, count: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    q = model.integrate(np.tile(model.drawn, (count, 1)), _SPREAD * rng.normal(size=(count, model.nv)))
    v, tau = rng.normal(size=(count, model.nv)), _TORQUE * rng.normal(size=(count, model.nv))
    half = count // 2
    q[:half] = project_configuration(model, q[:half])
    v[:half] = project_velocity(model, q[:half], v[:half])
    return q, v, tau


def measure(
    name: str, model: Model, algorithms: Sequence[str] = ALGORITHMS, *, count: int = 10_000,
    iterations: Sequence[int] = ITERATIONS, progress: Callable[[str], None] = lambda step: None,
) -> list[Convergence]:  # fmt: skip
    progress(f"{name}: closing {count // 2} states")
    state = states(model, count)
    progress(f"{name}: reference")
    options: dict[str, Any] = dict(_REFERENCE)
    exact = compile_algorithm(model, options.pop("algorithm"), outputs="a", **options)(*state)
    scale = np.linalg.norm(exact, axis=1)
    results = []
    for algorithm in algorithms:
        largest, median = {}, {}
        for n in iterations:
            progress(f"{name}: {algorithm}, {n} iterations")
            residual = compile_algorithm(model, algorithm, iterations=n, mu=MU, outputs="residual")(*state)
            largest[n], median[n] = float(residual.max()), float(np.median(residual))
        progress(f"{name}: {algorithm}, penalties")
        solve = compile_algorithm(model, algorithm, iterations=4, mu="input", outputs="a")
        error = {
            mu: float((np.linalg.norm(solve(*state, np.full((count, model.nc), mu)) - exact, axis=1) / scale).max())
            for mu in PENALTIES
        }
        results.append(Convergence(name, algorithm, largest, median, error))
    return results


def plot(results: Sequence[Convergence], file: str) -> None:
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise MissingExtraError("matplotlib", "plot", "a figure") from None
    systems = list(dict.fromkeys(r.system for r in results))
    figure = Figure(figsize=(9, 3.4 * len(systems)), layout="constrained")
    grid = figure.subplots(len(systems), 2, squeeze=False)
    for row, system in zip(grid, systems, strict=True):
        for r in (r for r in results if r.system == system):
            row[0].semilogy(list(r.largest), list(r.largest.values()), marker="o", label=r.algorithm)
            row[1].loglog(list(r.error), list(r.error.values()), marker="o", label=r.algorithm)
        row[0].axhline(1e-6, color="gray", linewidth=0.8, linestyle=":")
        row[0].set(title=system, xlabel="iterations", ylabel=f"largest residual, mu = {MU:.0e}")
        row[1].set(title=system, xlabel="mu", ylabel="largest relative error, 4 iterations")
        row[0].legend()
    write_figure(figure, file)
