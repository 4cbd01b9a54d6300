"""Time step, integrator and accuracy of MuJoCo's <option>, and ours in its words."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from ...model import SimulationDefaults
from ...model.simulation_defaults import INTEGRATORS

_INTEGRATORS = ("euler", "rk4", "implicit", "implicitfast")  # mjtIntegrator
_WORDS = {"euler": "Euler", "rk4": "RK4", "implicit": "implicit", "implicitfast": "implicitfast"}
# what a model has whose file names none
_MUJOCOS_OWN = {"timestep": 0.002, "integrator": "euler", "tolerance": 1e-8, "iterations": 100}
_MOST_PASSES = 1000  # that a program takes


def simulation_of(source: Any, named: Collection[str] | None) -> tuple[SimulationDefaults, list[str]]:
    """What the file names, and warnings.

    named   attributes of <option> that the file writes; None where there is no file to look at: then what is not
            MuJoCo's own default was named
    """
    given: dict[str, Any] = {
        "timestep": float(source.opt.timestep), "integrator": _INTEGRATORS[int(source.opt.integrator)],
        "tolerance": float(source.opt.tolerance), "iterations": min(max(int(source.opt.iterations), 1), _MOST_PASSES),
    }  # fmt: skip
    if named is None:
        named = [name for name, own in _MUJOCOS_OWN.items() if given[name] != own]
    wanted = SimulationDefaults(*(value if name in named else None for name, value in given.items()))
    if wanted.integrator is None or wanted.integrator in INTEGRATORS:
        return wanted, []
    told = f"integrator {wanted.integrator!r} is not here: a simulation takes {wanted.chosen_integrator()!r}"
    return wanted, [told]


def option_words(defaults: SimulationDefaults) -> dict[str, str]:
    """Attributes of <option>; an integrator that MuJoCo does not have is left out."""
    ours = {"timestep": defaults.dt, "tolerance": defaults.improvement, "iterations": defaults.iterations}
    words = {name: repr(value) for name, value in ours.items() if value is not None}
    if defaults.integrator in _WORDS:
        words["integrator"] = _WORDS[defaults.integrator]
    return words
