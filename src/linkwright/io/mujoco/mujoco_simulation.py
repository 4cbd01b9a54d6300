"""Time step, integrator, passes and tolerance of MuJoCo's <option>, and ours in its words."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import numpy as np

from ...model import Model, SimulationDefaults
from ...model.simulation_defaults import INTEGRATORS
from .mujoco_refusals import is_disabled

_INTEGRATORS = ("euler", "rk4", "implicit", "implicitfast")  # mjtIntegrator
_WORDS = {"euler": "Euler", "rk4": "RK4", "implicit": "implicit", "implicitfast": "implicitfast"}
_MUJOCOS_OWN = (0.002, "euler", 100, 1e-8)  # what a model has whose file names none
_NAMED = ("timestep", "integrator", "iterations", "tolerance")
_MOST_PASSES = 1000


def simulation_of(source: Any, named: Collection[str] | None) -> tuple[SimulationDefaults, list[str]]:
    """What the file names, and warnings.

    named   attributes of <option> that the file writes; None where there is no file to look at: then what is not
            MuJoCo's own default was named
    """
    dt, integrator = float(source.opt.timestep), _INTEGRATORS[int(source.opt.integrator)]
    iterations, tolerance = int(source.opt.iterations), float(source.opt.tolerance)
    if named is None:
        found = (dt, integrator, iterations, tolerance)
        named = [name for name, own, given in zip(_NAMED, _MUJOCOS_OWN, found, strict=True) if given != own]
    wanted = SimulationDefaults(
        dt if "timestep" in named else None, integrator if "integrator" in named else None,
        min(max(iterations, 1), _MOST_PASSES) if "iterations" in named else None,
        tolerance if "tolerance" in named and tolerance >= 0.0 else None,
    )  # fmt: skip
    told = []
    if wanted.integrator is not None and wanted.integrator not in INTEGRATORS:
        told.append(f"integrator {wanted.integrator!r} is not here: a simulation takes {wanted.chosen_integrator()!r}")
    if integrator == "euler" and is_disabled(source, "EULERDAMP") and np.any(source.dof_damping):
        told.append("<flag eulerdamp> is not followed: steps take the damping of joints implicitly")
    return wanted, told


def told_of_law(model: Model) -> list[str]:
    """A remark where limits and dry friction follow another law than MuJoCo's: in a model without contacts."""
    bounded = np.isfinite(model.stacked("lower")).any() or np.isfinite(model.stacked("upper")).any()
    rubbing = bool(model.stacked("friction").any())
    if model.pairs or any(tendon.limited or tendon.friction for tendon in model.tendons) or not (bounded or rubbing):
        return []
    what = " and ".join(name for name, there in (("limits", bounded), ("dry friction", rubbing)) if there)
    return [f"{what} of joints follow a law stiffer than MuJoCo's, without contacts; contact='soft' takes MuJoCo's"]


def option_words(defaults: SimulationDefaults) -> dict[str, str]:
    """Attributes of <option>; an integrator that MuJoCo does not have is left out."""
    words = {} if defaults.dt is None else {"timestep": repr(defaults.dt)}
    if defaults.integrator in _WORDS:
        words["integrator"] = _WORDS[defaults.integrator]
    for name in ("iterations", "tolerance"):
        if getattr(defaults, name) is not None:
            words[name] = repr(getattr(defaults, name))
    return words
