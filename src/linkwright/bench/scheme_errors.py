"""`linkwright bench schemes`: how far off schemes are, and what they cost, beside the pair at a high accuracy.

Mechanisms with loops, bodies that tumble, tops: from a kick, without limits and dry friction. docs/design/stepping.md
has the table.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from .. import Inertia, ModelBuilder, free_flyer, load, revolute, spherical
from ..assembly import project_configuration, project_velocity
from ..compilation import reference
from ..errors import InputError, SimulationError
from ..model import Model
from ..physics import Integrator, integrator_of
from ..sim import Trajectory, simulate

SCHEMES = ("damped_euler", "leapfrog")
DT = 1e-3
_ACCURACY = 1e-11  # of what is measured against
_REFERENCE_DT = 1e-2
_SECONDS = 1.0
_SEED = 3
_RANDOM = 10.0  # rad/s^2 or m/s^2 that random torques would give joints that are free

# Kicks: the largest velocity, in rad/s or m/s.
KICKS = {
    "four_bar": 10.0, "five_bar": 6.0, "slider_crank": 20.0, "jansen_leg": 5.0, "delta_robot": 2.0,
    "stewart_platform": 2.0, "digit_like": 2.0, "cassie": 1.0,
}  # fmt: skip
_BRIEF = {"digit_like": 0.2, "cassie": 0.2}  # seconds: what makes a thousand times as much of an error says nothing


@dataclass(frozen=True)
class SchemeErrors:
    """Of one scheme on one mechanism.

    off       largest coordinate difference (rad, m) at the end
    energy    how much energy changes that should not, as a share of the largest kinetic one
    drift     m, rad: how far constraints come apart at most
    solves    solutions of the dynamics per step; in_parts: share of steps that took more than one
    jumping   share of steps in parts where torques jump at random in every step
    """

    mechanism: str
    scheme: str
    seconds: float
    off: float
    energy: float
    drift: float
    solves: float
    in_parts: float
    jumping: float

    def as_dictionary(self) -> dict[str, Any]:
        """For JSON."""
        return asdict(self)


def mechanisms() -> dict[str, Callable[[], tuple[Model, np.ndarray, np.ndarray]]]:
    """(Model, q0, v0) by name."""
    found: dict[str, Callable[[], tuple[Model, np.ndarray, np.ndarray]]] = {
        "pendulum": _pendulum, "brick": _brick, "top": _top
    }  # fmt: skip
    return found | {name: lambda name=name: kicked(name, KICKS[name]) for name in KICKS}


def measure(
    names: Sequence[str], schemes: Sequence[str | Integrator] = SCHEMES, dt: float = DT,
    progress: Callable[[str], None] = lambda what: None,
) -> Iterator[SchemeErrors]:  # fmt: skip
    """One result per mechanism and scheme."""
    known = mechanisms()
    for name in names:
        if name not in known:
            raise InputError(f"mechanism is {name!r}; expected one of {', '.join(known)}")
        progress(name)
        model, q0, v0 = known[name]()
        seconds = _BRIEF.get(name, _SECONDS)
        exact = _run(model, q0, v0, seconds, _REFERENCE_DT, accuracy=_ACCURACY)
        for scheme in schemes:
            yield _measured(name, model, q0, v0, seconds, dt, integrator_of(scheme), exact)


def kicked(name: str, kick: float) -> tuple[Model, np.ndarray, np.ndarray]:
    """A mechanism of ours as drawn, with a random velocity that keeps its loops closed."""
    model, rng = load(name).unwatched(), np.random.default_rng(_SEED)
    q0 = project_configuration(model, model.drawn)
    v0 = rng.normal(size=model.nv)
    for _ in range(3):
        v0 = project_velocity(model, q0, v0)
    return model, q0, v0 * (kick / np.abs(v0).max())


def _measured(
    name: str, model: Model, q0: np.ndarray, v0: np.ndarray, seconds: float, dt: float, scheme: Integrator,
    exact: Trajectory,
) -> SchemeErrors:  # fmt: skip
    try:
        found = _run(model, q0, v0, seconds, dt, integrator=scheme, outputs="iterations")
    except SimulationError:
        nothing = float("nan")
        return SchemeErrors(name, scheme.name, seconds, *[nothing] * 6)
    steps = np.random.default_rng(_SEED).normal(size=(len(found.t) - 1, model.nv))
    random = steps * _RANDOM * _free_inertias(model, q0)
    pushed = _run(model, q0, 0.2 * v0, seconds, dt, integrator=scheme, outputs="iterations", control=random)
    energy = found.energy - found.energy[0] - found.work.sum(axis=-1)
    solves = found["iterations"]
    return SchemeErrors(
        name, scheme.name, seconds, float(np.abs(model.difference(exact.q[-1], found.q[-1])).max()),
        float(np.ptp(energy) / exact.kinetic_energy.max()), float(found.drift.max()), float(solves.mean()),
        float(np.mean(solves > 1.5)), float(np.mean(pushed["iterations"] > 1.5)),
    )  # fmt: skip


def _run(model: Model, q0: np.ndarray, v0: np.ndarray, seconds: float, dt: float, **options: Any) -> Trajectory:
    return simulate(
        model, q0, v0, dt=dt, steps=round(seconds / dt), contact=None, limits=False, friction=False,
        effort_limits=False, velocity_limits=False, start="as given", **options,
    )  # fmt: skip


def _free_inertias(model: Model, q0: np.ndarray) -> np.ndarray:
    M = np.asarray(reference(model.without_constraints(), "crba")(q0))
    return 1.0 / np.diag(np.linalg.inv(M))


def _pendulum() -> tuple[Model, np.ndarray, np.ndarray]:
    builder = ModelBuilder("pendulum")
    builder.add_body("bob", revolute("hinge", axis="y"), inertia=Inertia.box(1.0, (0.02, 0.02, 0.6), (0, 0, -0.3)))
    return builder.build(), np.array([2.5]), np.array([1.0])


def _brick() -> tuple[Model, np.ndarray, np.ndarray]:
    builder = ModelBuilder("brick", gravity=(0, 0, 0))
    builder.add_body("brick", free_flyer("base"), inertia=Inertia.box(3.0, (0.3, 0.2, 0.1)))
    model = builder.build()
    return model, model.neutral(), np.array([0.3, -0.2, 1.0, 0.2, 6.0, 0.4])


def _top() -> tuple[Model, np.ndarray, np.ndarray]:
    builder = ModelBuilder("top")
    inertia = Inertia(1.0, np.array([0, 0, 0.2]), np.diag([0.02, 0.02, 0.001]))
    builder.add_body("top", spherical("ball"), inertia=inertia)
    model = builder.build()
    return model, np.asarray(model.integrate(model.neutral(), [0.5, 0, 0])), np.array([0, 0, 120.0])
