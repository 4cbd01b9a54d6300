"""Programs about forces: forward and inverse dynamics, inertia matrices, energy, momentum."""

from __future__ import annotations

import numpy as np

from ..algorithms.aba import aba_with_pivots
from ..algorithms.centroidal import (
    center_of_mass,
    center_of_mass_velocity,
    centroidal_momentum,
    centroidal_momentum_matrix,
)
from ..algorithms.crba import crba
from ..algorithms.energy import kinetic_energy, potential_energy
from ..algorithms.ltl import ltl_factor, ltl_multiply, ltl_solve, velocity_parents
from ..algorithms.rnea import bias_torques, coriolis_torques, gravity_torques, rnea
from ..errors import ModelError
from ..model import Model, Tree
from ..scalar import where
from ..spatial import Force
from .recipe import Recipe

STATUS_OK, STATUS_NOT_CONVERGED, STATUS_SINGULAR, STATUS_NOT_FINITE = 0.0, 1.0, 2.0, 3.0
_LARGEST = float(np.finfo(np.float64).max)

# A pivot this much smaller than the largest one of its kind is rounding, not inertia.
_SMALLEST_RELATIVE_PIVOT = 1e-14


def external_forces(tree: Tree, values) -> list[Force] | None:
    if "f_ext" not in values:
        return None
    return [tree.force_from_user(i, Force.from_public(row)) for i, row in enumerate(values["f_ext"])]


def _aba(tree, x, options):
    a, pivots = aba_with_pivots(tree, x["q"], x["v"], x["tau"], f_ext=external_forces(tree, x))
    return {"a": a, "status": _status(a, pivots)}


def _status(a, pivots):
    """One code per sample: 0 ok, 2 singular, 3 not finite."""
    status = STATUS_OK
    for pivot in pivots:
        status = where(pivot > 0.0, status, STATUS_SINGULAR)
    for x in a:
        status = where(abs(x) <= _LARGEST, status, STATUS_NOT_FINITE)  # false for nan too
    return status


def _solvable(model: Model) -> None:
    """Refuse a mechanism in which some joint moves no inertia: its acceleration would be undetermined."""
    q = [np.float64(x) for x in model.random_configuration(0)]
    zeros = [0.0] * model.nv
    with np.errstate(all="ignore"):
        _, pivots = aba_with_pivots(Tree(model), q, zeros, zeros)
    scale = max((abs(p) for p in pivots if np.isfinite(p)), default=1.0)
    for k in reversed(range(len(pivots))):  # from the tips: a bad pivot spoils those it hangs on
        pivot = pivots[k]
        if not pivot > _SMALLEST_RELATIVE_PIVOT * scale:
            i = next(i for i in range(1, model.nbodies) if model.iv[i].start <= k < model.iv[i].stop)
            body = model.bodies[i]
            raise ModelError(
                f"joint {body.joint.name!r} moves no inertia (its pivot is {float(pivot):.3g}): body {body.name!r} and "
                f"what it carries have no mass that this joint accelerates. Give it an inertia or an armature, or "
                f"lock the joint"
            )


def _rnea(tree, x, options):
    return {"tau": rnea(tree, x["q"], x["v"], x["a"], f_ext=external_forces(tree, x))}


def _bias(tree, x, options):
    return {"tau": bias_torques(tree, x["q"], x["v"], f_ext=external_forces(tree, x))}


def _ltl(tree, x):
    parents = velocity_parents(tree)
    return ltl_factor(crba(tree, x["q"]), parents), parents


def _centroidal(tree, x, options):
    q, v = x["q"], x["v"]
    return {"momentum": centroidal_momentum(tree, q, v).to_public(), "matrix": centroidal_momentum_matrix(tree, q)}


def _center_of_mass(tree, x, options):
    return {"position": list(center_of_mass(tree, x["q"]))}


def _center_of_mass_velocity(tree, x, options):
    return {"velocity": list(center_of_mass_velocity(tree, x["q"], x["v"]))}


DYNAMICS = (
    Recipe("aba", "forward dynamics", ("q", "v", "tau"), ("a", "status"), _aba, ("f_ext",), ("a",), check=_solvable),
    Recipe("rnea", "inverse dynamics", ("q", "v", "a"), ("tau",), _rnea, ("f_ext",)),
    Recipe("bias_torques", "torques that give zero acceleration", ("q", "v"), ("tau",), _bias, ("f_ext",)),
    Recipe(
        "gravity_torques", "torques that hold against gravity", ("q",), ("tau",),
        lambda tree, x, options: {"tau": gravity_torques(tree, x["q"])},
    ),
    Recipe(
        "coriolis_torques", "centrifugal and Coriolis torques", ("q", "v"), ("tau",),
        lambda tree, x, options: {"tau": coriolis_torques(tree, x["q"], x["v"])},
    ),
    Recipe(
        "crba", "joint-space inertia matrix", ("q",), ("M",),
        lambda tree, x, options: {"M": crba(tree, x["q"])},
    ),
    Recipe(
        "ltl_factor", "L with L'L = M", ("q",), ("L",),
        lambda tree, x, options: {"L": _ltl(tree, x)[0]}, check=_solvable,
    ),
    Recipe(
        "ltl_solve", "x with M x = b", ("q", "b"), ("x",),
        lambda tree, x, options: {"x": ltl_solve(*_ltl(tree, x), x["b"])}, check=_solvable,
    ),
    Recipe(
        "ltl_multiply", "M x", ("q", "x"), ("b",),
        lambda tree, x, options: {"b": ltl_multiply(*_ltl(tree, x), x["x"])}, check=_solvable,
    ),
    Recipe("center_of_mass", "centre of mass in the world", ("q",), ("position",), _center_of_mass),
    Recipe(
        "center_of_mass_velocity", "its velocity in the world", ("q", "v"), ("velocity",), _center_of_mass_velocity,
    ),
    Recipe(
        "centroidal_momentum", "momentum about the centre of mass, [linear; angular]", ("q", "v"),
        ("momentum", "matrix"), _centroidal, default_outputs=("momentum",),
    ),
    Recipe(
        "centroidal_momentum_matrix", "A with centroidal momentum = A v", ("q",), ("matrix",),
        lambda tree, x, options: {"matrix": centroidal_momentum_matrix(tree, x["q"])},
    ),
    Recipe(
        "kinetic_energy", "of bodies and rotors", ("q", "v"), ("energy",),
        lambda tree, x, options: {"energy": kinetic_energy(tree, x["q"], x["v"])},
    ),
    Recipe(
        "potential_energy", "of weight and springs", ("q",), ("energy",),
        lambda tree, x, options: {"energy": potential_energy(tree, x["q"])},
    ),
)  # fmt: skip
