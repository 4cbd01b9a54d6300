"""How a model's file wants it simulated: time step, integrator, passes of contacts, where the file names them.

Data that no dynamics depend on: it is part of a model's identity, but programs are the same whatever it says.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ..call_errors import names_arguments
from ..errors import ModelError

INTEGRATORS = ("damped_euler", "euler", "implicitfast", "rk4", "leapfrog", "dormand_prince")
DEFAULT_INTEGRATOR = "damped_euler"
DEFAULT_DT = 1e-3  # seconds
# What files may name beyond those, and the integrator that comes nearest: implicit in what it is, and in more.
NEAREST = {"implicit": "implicitfast"}
_NAMES = ("dt", "integrator", "iterations", "tolerance")
SIMULATION_ENTRIES = ("simulation",)


@names_arguments
@dataclass(frozen=True)
class SimulationDefaults:
    """What `simulate`, `Simulator` and the program `step` take where a call says nothing.

    dt           seconds per step; None where the file names none
    integrator   as the file names it, in our spelling ("implicit" may stand here before there is such); None where it
                 names none
    iterations   with contacts: the most passes
    tolerance    with contacts: the improvement of the cost at which passes end, as MuJoCo measures it
    """

    dt: float | None = None
    integrator: str | None = None
    iterations: int | None = None
    tolerance: float | None = None

    def __post_init__(self):
        dt, name = self.dt, self.integrator
        if dt is not None:
            number = isinstance(dt, int | float) and not isinstance(dt, bool) and math.isfinite(dt)
            if not number or dt <= 0.0:
                raise ModelError(f"dt of the simulation is {dt!r}; expected a positive number of seconds")
            object.__setattr__(self, "dt", float(dt))
        count, tolerance = self.iterations, self.tolerance
        if count is not None and (not isinstance(count, int) or isinstance(count, bool) or not 1 <= count <= 1000):
            raise ModelError(f"iterations of the simulation are {count!r}; expected a whole number from 1 to 1000")
        if tolerance is not None:
            number = isinstance(tolerance, int | float) and not isinstance(tolerance, bool) and math.isfinite(tolerance)
            if not number or tolerance < 0.0:
                raise ModelError(f"tolerance of the simulation is {tolerance!r}; expected a number from 0 on")
            object.__setattr__(self, "tolerance", float(tolerance))
        if name is not None and name not in (*INTEGRATORS, *NEAREST):
            known = ", ".join(dict.fromkeys((*INTEGRATORS, *NEAREST)))
            raise ModelError(f"integrator of the simulation is {name!r}; expected one of {known}")

    def chosen_dt(self, given: Any = None) -> Any:
        """What the call gives, else what the file names, else ours."""
        return next((dt for dt in (given, self.dt) if dt is not None), DEFAULT_DT)

    def chosen_integrator(self, given: Any = None) -> Any:
        """Likewise; of what the file names, the nearest that there is."""
        if given is not None:
            return given
        name = self.integrator or DEFAULT_INTEGRATOR
        while name not in INTEGRATORS:
            name = NEAREST[name]
        return name

    def to_dictionary(self) -> dict[str, Any]:
        """What is named."""
        return {name: getattr(self, name) for name in _NAMES if getattr(self, name) is not None}

    @classmethod
    def from_dictionary(cls, data: Any) -> SimulationDefaults:
        """Inverse of `to_dictionary`."""
        if not isinstance(data, Mapping) or set(data) - set(_NAMES):
            raise ModelError(f"simulation is {data!r}; expected entries among {', '.join(_NAMES)}")
        return cls(**data)


def read_simulation(data: Mapping[str, Any]) -> dict[str, Any]:
    """Arguments for a model, from its dictionary."""
    return {"simulation": SimulationDefaults.from_dictionary(data["simulation"])}


NOTHING_NAMED = SimulationDefaults()
"""Of models whose file names neither."""
