"""`linkwright bench believe`: every mechanism with loops for a long time, and whether the verdict says what is so.

A batch is simulated: one sample as drawn and at rest, the others with random velocities. It is judged twice, by the
verdict and here, from the recorded states alone (`broken_invariants`). Half-seconds from states on the way are compared
with Runge-Kutta (half_seconds.py), and a sample is simulated again by itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import cast

import numpy as np

from ..assembly import project_configuration, project_velocity
from ..compilation import reference
from ..errors import LinkwrightError, SimulationError
from ..io import load
from ..model import Model, SimulationDefaults
from ..robots import robots
from ..sim import PD, Trajectory, simulate
from ..sim.invariants import energy_scale, energy_share, kept_energy, momentum_share
from ..sim.verdict import LARGEST_ENERGY_ERROR, LARGEST_MOMENTUM_ERROR, allowed_drift, complaints
from .half_seconds import NOT_COMPARED, half_seconds
from .rounded_files import rounded_copy

DT = 1e-3
SAMPLES = 8  # as many as a processor computes at once
_RECORD = 50
_KICK = 0.3  # rad/s, m/s: of the samples that do not start at rest
_ALONE = 10.0  # seconds for which a sample is simulated by itself
_TIME_CONSTANT = 0.1  # seconds: of the PD that holds a mechanism, on the inertia of each joint


@dataclass(frozen=True)
class Belief:
    robot: str
    control: str
    asked: float
    """Seconds that were to be simulated ..."""
    seconds: float
    """... and were."""
    finite: bool = False
    alone: bool = False
    """Whether a sample has the same bits by itself."""
    drift: float = np.nan
    energy: float = np.nan
    """Unaccounted, of what was exchanged."""
    window: float = np.nan
    """Largest difference (rad, m) to Runge-Kutta at dt / 10 within half a second: the median over windows ..."""
    worst_window: float = np.nan
    """... and the largest."""
    unknown: float = np.nan
    """By how much Runge-Kutta at dt / 10 and at dt / 20 differ: the largest over windows."""
    growth: float = np.nan
    """How many times larger a disturbance of the start is after half a second: the largest over windows."""
    start_off: float = np.nan
    """By how much (rad, m, or per second) the start would have to be off to explain a window: the largest."""
    missed: int = 0
    """Windows in which the integrator is off: not explained by what is unknown, nor by what becomes of a little."""
    complaints: tuple[str, ...] = ()
    broken: tuple[str, ...] = ()
    """What does not hold, judged from the states alone."""

    @property
    def right(self) -> bool:
        """Whether the verdict says what is so; a file that is refused is not judged."""
        return self.refused or bool(self.complaints) == bool(self.broken)

    @property
    def refused(self) -> bool:
        """Whether it could not be read, or its pose does not close: complaints say why."""
        return self.seconds == 0.0

    def as_dictionary(self) -> dict:
        return asdict(self)

    @classmethod
    def from_dictionary(cls, data: dict) -> Belief:
        return cls(**{**data, "complaints": tuple(data["complaints"]), "broken": tuple(data["broken"])})


def looped_robots() -> list[str]:
    """By their number of joints: most are small, and the largest take longest."""
    sizes = {robot.name: load(robot.name) for robot in robots() if robot.available}
    return sorted((name for name, model in sizes.items() if model.constraints), key=lambda name: sizes[name].nv)


def measure(
    names: Sequence[str] | None = None, *, seconds: float = 120.0, controls: Sequence[str] = ("none", "pd"),
    digits: int | None = None, windows: bool = True, known: Sequence[Belief] = (),
    progress: Callable[[str], None] = lambda step: None,
) -> Iterator[Belief]:  # fmt: skip
    """One result after the other, those in `known` left out.

    names    of mechanisms, or files; by default all mechanisms with loops
    digits   numbers of files are rounded to so many significant digits before they are read
    """
    done = {(b.robot, b.control, b.asked) for b in known}
    for name in looped_robots() if names is None else names:
        called = name if digits is None else f"{name} ({digits} digits)"
        left = [control for control in controls if (called, control, seconds) not in done]
        if not left:
            continue
        try:
            model, q = _closed(name, digits)
        except LinkwrightError as error:  # cannot be read, or cannot start: its pose does not close
            yield from (Belief(called, control, seconds, 0.0, complaints=(str(error),)) for control in left)
            continue
        for control in left:
            progress(f"{called}, control {control}")
            yield run(called, model, q, control, seconds, windows)


def _closed(name: str, digits: int | None) -> tuple[Model, np.ndarray]:
    if digits is None:
        model = load(name)
    else:
        with TemporaryDirectory() as folder:
            model = load(rounded_copy(Path(name), digits, Path(folder)))
    # loops are judged here, and nothing is said of contacts that are not computed
    model = replace(model, simulation=SimulationDefaults()).unwatched()
    return model, project_configuration(model, model.drawn)


def run(name: str, model: Model, q: np.ndarray, control: str, seconds: float, windows: bool) -> Belief:
    """From the closed configuration q."""
    chosen = replace(holding(model), q=q) if control == "pd" else None
    v = _KICK * np.random.default_rng(0).normal(size=(SAMPLES, model.nv))
    v[0] = 0.0
    v = np.array([project_velocity(model, q, row) for row in v])
    options = {"dt": DT, "control": chosen, "start": "as given"}
    trajectory = _as_far_as_it_goes(model, q, v, steps=round(seconds / DT), record=_RECORD, **options)
    short = round(min(seconds, _ALONE) / DT)
    by_itself = _as_far_as_it_goes(model, q, v[1], steps=short, record=_RECORD, **options)
    alone = np.array_equal(by_itself.q, trajectory.q[1, : len(by_itself.q)])
    comparable = windows and trajectory.contact is None and np.all(trajectory.finite)  # rk4 knows no contacts
    compared = half_seconds(trajectory, chosen) if comparable else NOT_COMPARED
    with np.errstate(all="ignore"):
        energy = np.max(energy_share(trajectory))
    return Belief(
        name, control, seconds, float(trajectory.t[-1]), bool(np.all(trajectory.finite)), alone,
        float(np.max(trajectory.worst[:, 0])), float(energy), *compared.summary,
        tuple(complaints(trajectory)), tuple(broken_invariants(trajectory, chosen)),
    )  # fmt: skip


def _as_far_as_it_goes(model: Model, q, v, **options) -> Trajectory:
    try:
        return simulate(model, q, v, **options)
    except SimulationError as error:
        return cast(Trajectory, error.trajectory)


def broken_invariants(tr: Trajectory, control: PD | None) -> list[str]:
    """What does not hold at the recorded states: closed loops (between records too), energy, momentum. Knows
    nothing of the books, but where things touch, or joints have limits: those push, and a controller that is cut off is
    no spring."""
    if not np.all(tr.finite):
        return ["finite"]
    broken = []
    if tr.model.nc and np.any(np.maximum(tr.drift.max(axis=1), tr.worst[:, 0]) > allowed_drift(tr)):
        broken.append("loops")
    q, _ = tr.where_velocities_belong
    energy = kept_energy(tr)
    if control is not None:  # the springs of a controller store energy too
        flat = tr.model.difference(
            np.broadcast_to(control.q, q.reshape(-1, tr.model.nq).shape), q.reshape(-1, tr.model.nq)
        )
        energy = energy + 0.5 * (control.kp * flat**2).sum(axis=-1).reshape(energy.shape)
    limited = any(np.isfinite(tr.model.stacked(what)).any() for what in ("lower", "upper", "effort_limit"))
    gained = (energy - np.minimum.accumulate(energy, axis=1)).max(axis=1)
    lost = np.ptp(energy, axis=1) if control is None and _lossless(tr.model) else 0.0
    off = energy_share(tr) if limited or tr.contact else np.maximum(gained, lost) / energy_scale(tr)
    if np.any(off > LARGEST_ENERGY_ERROR):
        broken.append("energy")
    momentum = momentum_share(tr)
    if momentum is not None and np.any(momentum > LARGEST_MOMENTUM_ERROR):
        broken.append("momentum")
    return broken


def _lossless(model: Model) -> bool:
    """Whether nothing takes energy out of it: dampers, friction, limits."""
    resists = any(model.stacked(what).any() for what in ("damping", "friction")) or model.passive
    return not resists and not any(np.isfinite(model.stacked(x)).any() for x in ("lower", "upper"))


def holding(model: Model) -> PD:
    """Gains that bring each joint back in a tenth of a second, by the inertia it moves as drawn."""
    inertia = np.diag(np.asarray(reference(model, "crba")(model.drawn))).copy()
    for i, joint in enumerate(model.joints, start=1):
        if joint.moves.is_free:
            inertia[model.iv[i]] = 0.0
    return PD(inertia / _TIME_CONSTANT**2, 2 * inertia / _TIME_CONSTANT)
