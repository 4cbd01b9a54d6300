"""`linkwright bench believe`: every mechanism with loops for a long time, and whether the verdict says what is so.

A run is judged twice: by the verdict, and here by its own invariants, from the recorded states alone. Windows of half a
second are repeated with Runge-Kutta at a tenth of the step from states on the way.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass

import numpy as np

from ..errors import LinkwrightError, SimulationError
from ..io import load
from ..model import Model
from ..robots import robots
from ..sim import PD, simulate
from ..sim.verdict import complaints

DT = 1e-3
WINDOW = 0.5  # seconds
_RECORD = 50
_TIME_CONSTANT = 0.1  # seconds: of the PD that holds a mechanism, on the inertia of each joint


@dataclass(frozen=True)
class Belief:
    robot: str
    control: str
    seconds: float
    finite: bool
    drift: float
    energy: float
    """Unaccounted, of what was exchanged."""
    window: float
    """Largest difference (rad, m) to Runge-Kutta at dt / 10 after half a second from the start."""
    complaints: tuple[str, ...]

    def as_dictionary(self) -> dict:
        return asdict(self)


def looped_robots() -> list[str]:
    return [robot.name for robot in robots() if robot.available and load(robot.name).constraints]


def measure(
    names: Sequence[str] | None = None, *, seconds: float = 120.0, controls: Sequence[str] = ("none", "pd"),
    progress: Callable[[str], None] = lambda step: None,
) -> Iterator[Belief]:  # fmt: skip
    for name in looped_robots() if names is None else names:
        model = load(name)
        for control in controls:
            progress(f"{name}, control {control}")
            try:
                yield run(name, model, control, seconds)
            except SimulationError:
                raise
            except LinkwrightError as error:  # cannot start: its pose does not close
                yield Belief(name, control, 0.0, False, np.nan, np.nan, np.nan, (str(error),))


def run(name: str, model: Model, control: str, seconds: float) -> Belief:
    chosen = holding(model) if control == "pd" else None
    steps = round(seconds / DT)
    try:
        trajectory = simulate(model, dt=DT, steps=steps, control=chosen, record=_RECORD, start="project")
    except SimulationError as error:
        trajectory = error.trajectory
    q, v = trajectory.q[0], trajectory.v[0]
    short = {"control": chosen, "start": "as given", "record": 10**6}
    ours = simulate(model, q, v, dt=DT, steps=round(WINDOW / DT), **short).final[0]
    fine = simulate(model, q, v, dt=DT / 10, steps=round(WINDOW / DT) * 10, integrator="rk4", **short).final[0]
    with np.errstate(all="ignore"):
        energy = np.max(np.abs(trajectory.energy_error)) / np.max(trajectory.energy_exchanged)
    return Belief(
        name, control, float(trajectory.t[-1]), bool(np.all(trajectory.finite)), float(trajectory.worst[0]),
        float(energy), float(np.abs(model.difference(fine, ours)).max()), tuple(complaints(trajectory)),
    )  # fmt: skip


def holding(model: Model) -> PD:
    """Gains that bring each joint back in a tenth of a second, by the inertia it moves as drawn."""
    from ..compilation import reference

    inertia = np.diag(np.asarray(reference(model, "crba")(model.reference))).copy()
    for i, joint in enumerate(model.joints, start=1):
        if joint.kind == "free_flyer":
            inertia[model.iv[i]] = 0.0
    return PD(inertia / _TIME_CONSTANT**2, 2 * inertia / _TIME_CONSTANT)
