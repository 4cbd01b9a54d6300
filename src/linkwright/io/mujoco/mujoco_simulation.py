"""Time step and integrator of MuJoCo's <option>, and ours in its words."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from ...model import SimulationDefaults
from ...model.simulation_defaults import INTEGRATORS

_INTEGRATORS = ("euler", "rk4", "implicit", "implicitfast")  # mjtIntegrator
_WORDS = {"euler": "Euler", "rk4": "RK4", "implicit": "implicit", "implicitfast": "implicitfast"}
_MUJOCOS_OWN = (0.002, "euler")  # what a model has whose file names none


def simulation_of(source: Any, named: Collection[str] | None) -> tuple[SimulationDefaults, list[str]]:
    """What the file names, and warnings.

    named   attributes of <option> that the file writes; None where there is no file to look at: then what is not
            MuJoCo's own default was named
    """
    dt, integrator = float(source.opt.timestep), _INTEGRATORS[int(source.opt.integrator)]
    if named is None:
        named = [
            name
            for name, own, given in zip(("timestep", "integrator"), _MUJOCOS_OWN, (dt, integrator), strict=True)
            if given != own
        ]
    wanted = SimulationDefaults(dt if "timestep" in named else None, integrator if "integrator" in named else None)
    if wanted.integrator is None or wanted.integrator in INTEGRATORS:
        return wanted, []
    told = f"integrator {wanted.integrator!r} is not here: a simulation takes {wanted.chosen_integrator()!r}"
    return wanted, [told]


def option_words(defaults: SimulationDefaults) -> dict[str, str]:
    """Attributes of <option>; an integrator that MuJoCo does not have is left out."""
    words = {} if defaults.dt is None else {"timestep": repr(defaults.dt)}
    if defaults.integrator in _WORDS:
        words["integrator"] = _WORDS[defaults.integrator]
    return words
