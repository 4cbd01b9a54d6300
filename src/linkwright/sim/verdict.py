"""A trajectory in a few lines that say whether it can be believed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from .trajectory import Trajectory

LARGEST_DRIFT = 1e-4  # m or rad: beyond, constraints count as coming apart
LARGEST_ENERGY_ERROR = 0.05  # of the energy exchanged
_NAMES = {"damped_euler": "damped Euler", "euler": "semi-implicit Euler", "rk4": "Runge-Kutta 4"}


def complaints(trajectory: Trajectory) -> list[str]:
    """What is wrong with it; nothing if it can be believed."""
    if not np.all(trajectory.finite):
        bad = np.argwhere(~np.isfinite(trajectory.q).all(axis=-1))
        which = f" in {np.sum(~trajectory.finite)} of {trajectory.batch} samples" if trajectory.batch else ""
        return [f"not finite from t = {trajectory.t[bad[:, -1].min()]:.6g} s on{which}: take a smaller dt or rk4"]
    found = []
    drift = float(np.max(trajectory.worst[..., 0], initial=0.0))
    if drift > LARGEST_DRIFT:
        found.append(f"constraints come apart by {drift:.2g}: take a smaller dt, projection=True or rk4")
    if _energy_share(trajectory) > LARGEST_ENERGY_ERROR:
        share = _energy_share(trajectory)
        found.append(f"energy is off by {share:.1%} of what was exchanged: take a smaller dt or rk4")
    return found


def describe(trajectory: Trajectory) -> str:
    tr = trajectory
    wrong = complaints(tr)
    samples = f"{tr.batch} samples, " if tr.batch is not None else ""
    lines = [
        f"{tr.model.name}: {samples}{tr.t[-1]:.6g} s in {tr.steps} steps of {tr.dt * 1e3:.4g} ms "
        f"({_NAMES[tr.integrator]}, {tr.solver}): {'; '.join(wrong) or 'ok'}"
    ]
    if tr.model.constraints:
        drift, residual = (float(np.max(tr.worst[..., k], initial=0.0)) for k in (0, 1))
        lines.append(f"  drift     {drift:.2g} m or rad at most, solver residual {residual:.2g}")
    if np.all(tr.finite) and tr.q.size:
        parts = zip(("controls", "dampers", "limits"), np.moveaxis(tr.work[..., -1, :], -1, 0), strict=True)
        by = ", ".join(f"{name} {np.mean(work):.4g} J" for name, work in parts)
        error = float(np.max(np.abs(tr.energy_error)))
        each = " (mean)" if tr.batch else ""
        lines.append(
            f"  energy    {np.mean(tr.energy[..., 0]):.6g} J -> {np.mean(tr.energy[..., -1]):.6g} J; work{each}: {by}; "
            f"unaccounted {error:.2g} J, {_energy_share(tr):.2g} of what was exchanged"
        )
    if tr.seconds:
        real = tr.steps_per_second * tr.dt
        lines.append(f"  speed     {tr.steps_per_second:.3g} steps/s, {real:.3g} times real time")
    return "\n".join(lines)


def _energy_share(tr: Trajectory) -> float:
    scale = np.maximum(tr.energy_exchanged, 1e-12)
    return float(np.max(np.abs(tr.energy_error).max(axis=-1) / scale, initial=0.0))
