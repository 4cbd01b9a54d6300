"""Half-seconds of a simulation beside Runge-Kutta at a tenth of its step, and what a difference says.

A mechanism may make so much of little that no two integrators agree, nor one with itself. So two things are measured
beside every difference: by how much Runge-Kutta at dt / 10 and at dt / 20 differ, and how many times larger a
disturbance of the start has become. What neither explains is the integrator's.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..algorithms.parts.straight_motion import StraightMotion
from ..errors import SimulationError
from ..model import Model
from ..sim import PD, Trajectory, simulate

WINDOW = 0.5  # seconds
AGREE = 1e-3  # rad, m: of a window, or of the start that would explain it
_UNKNOWN = 10.0  # times the difference of rk4 to itself explain one to rk4
_EVERY = 10  # steps, of which one is compared; the first of them know nothing of what was before, and are left out
_DISTURBANCE = 1e-9  # rad/s, m/s: of starts, to see what becomes of it


@dataclass(frozen=True)
class Compared:
    """Of each window, (windows,)."""

    off: np.ndarray
    """Largest difference (rad, m) to Runge-Kutta at dt / 10."""
    unknown: np.ndarray
    """Largest difference of that to Runge-Kutta at dt / 20."""
    growth: np.ndarray
    """How many times larger a disturbance of the start has become."""

    @property
    def start_off(self) -> np.ndarray:
        """By how much (rad, m, or per second) the start would have to be off to explain it."""
        return self.off / self.growth

    @property
    def missed(self) -> np.ndarray:
        """Whether it is the integrator that is off."""
        return (self.start_off > AGREE) & ~(self.off <= _UNKNOWN * self.unknown)

    @property
    def summary(self) -> tuple[float, float, float, float, float, int]:
        """As `Belief` has them."""
        off, unknown, growth, start = (float(np.max(x)) for x in (self.off, self.unknown, self.growth, self.start_off))
        return float(np.median(self.off)), off, unknown, growth, start, int(np.sum(self.missed))


NOT_COMPARED = Compared(*(np.full(1, np.nan) for _ in range(3)))


def half_seconds(tr: Trajectory, control: PD | None) -> Compared:
    """One window per sample, each from another time on; without limits and dry friction, which are as steep as a step
    bears: they are others for Runge-Kutta."""
    samples, count = tr.q.shape[:2]
    dt, steps = tr.dt, round(WINDOW / tr.dt)
    at = np.arange(samples), (np.arange(samples) * (count - 1)) // samples
    options: dict[str, Any] = {"control": control, "start": "as given", "limits": False, "friction": False}
    ours = simulate(tr.model, tr.q[at], tr.v[at], dt=dt, steps=steps + _EVERY, record=_EVERY, outputs="a", **options)
    # velocities are of half a step ago, or where a step in parts has made up for it, of now: Runge-Kutta starts there,
    # and is compared there
    there, rates = _where_velocities_belong(ours)
    when = (ours.t - ours.lag)[:, 1:]
    disturbance = _DISTURBANCE * np.random.default_rng(1).normal(size=rates[:, 0].shape)

    def runge_kutta(finer: int, start: np.ndarray) -> np.ndarray:
        """Configurations at every half step."""
        half = finer // 2
        timing: dict[str, Any] = {"dt": dt / finer, "steps": finer * steps + half, "record": half}
        return simulate(tr.model, there[:, 0], start, integrator="rk4", **timing, **options).q

    try:
        fine, finer = (runge_kutta(n, rates[:, 0]) for n in (10, 20))
        disturbed = runge_kutta(10, rates[:, 0] + disturbance)
    except SimulationError:
        return Compared(np.array([np.inf]), np.zeros(1), np.ones(1))
    same = np.arange(samples)[:, None], np.rint(2 * (when - when[:, :1]) / dt).astype(int)
    off, unknown, grown = (_apart(tr.model, fine[same], x) for x in (there, finer[same], disturbed[same]))
    return Compared(off, unknown, np.maximum(grown / _DISTURBANCE, 1.0))


def _where_velocities_belong(tr: Trajectory) -> tuple[np.ndarray, np.ndarray]:
    """(q, v) of all states but the first. On the way there velocities have changed, which energies hardly notice."""
    there, rates = (x[:, 1:] for x in tr.where_velocities_belong)
    straight = StraightMotion(tr.model)
    late = 0.5 * np.square(tr.lag[:, 1:]).ravel()
    q, v, a = (list(x.reshape(-1, x.shape[-1]).T) for x in (there, rates, tr["a"]))
    bent = straight.moved(q, [-late * x for x in straight.rate(q, v, a)])
    return np.stack(bent, axis=-1).reshape(there.shape), rates


def _apart(model: Model, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """The largest difference of configurations, per sample."""
    return np.array([np.abs(model.difference(x, y)).max() for x, y in zip(a, b, strict=True)])
