"""Programs about forces: forward and inverse dynamics, inertia matrices, energy, momentum."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..algorithms.tree.aba import aba_with_pivots, inertia_solve
from ..algorithms.tree.centroidal import (
    center_of_mass,
    center_of_mass_velocity,
    centroidal_momentum,
    centroidal_momentum_matrix,
)
from ..algorithms.tree.crba import crba
from ..algorithms.tree.energy import kinetic_energy, potential_energy
from ..algorithms.tree.ltl import ltl_factor, ltl_multiply, ltl_solve, velocity_parents
from ..algorithms.tree.rnea import bias_torques, coriolis_torques, gravity_torques, rnea
from ..model import Tree
from ..scalar import Scalar, solved
from .recipe import Recipe, external_forces, square
from .solvable import check_solvable
from .status import status


def _aba(tree, x, options):
    q, v, tau, f_ext = x["q"], x["v"], x["tau"], external_forces(tree, x)
    a, pivots = solved(
        lambda: aba_with_pivots(tree, q, v, tau, f_ext=f_ext),
        lambda a: [held - t for held, t in zip(rnea(tree, q, v, a, f_ext=f_ext), tau, strict=True)],
        lambda sides, transposed: (inertia_solve(tree, q, v, sides), None),
        tree.nv,
    )
    return {"a": a, "status": status(a, pivots or ())}


def _rnea(tree, x, options):
    return {"tau": rnea(tree, x["q"], x["v"], x["a"], f_ext=external_forces(tree, x))}


def _bias(tree, x, options):
    return {"tau": bias_torques(tree, x["q"], x["v"], f_ext=external_forces(tree, x))}


def _ltl(tree: Tree, x: Mapping[str, Any]) -> tuple[list[list[Scalar]], Sequence[int]]:
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
    Recipe(
        "aba", "forward dynamics", ("q", "v", "tau"), ("a", "status"), _aba, ("f_ext",), ("a",), check=check_solvable,
        solves="forward_dynamics", constraints="none",
    ),
    Recipe(
        "rnea", "inverse dynamics", ("q", "v", "a"), ("tau",), _rnea, ("f_ext",), solves="inverse_dynamics",
        constraints="none",
    ),
    Recipe(
        "bias_torques", "torques that give zero acceleration", ("q", "v"), ("tau",), _bias, ("f_ext",),
        constraints="none",
    ),
    Recipe(
        "gravity_torques", "torques that hold against gravity", ("q",), ("tau",),
        lambda tree, x, options: {"tau": gravity_torques(tree, x["q"])}, constraints="none",
    ),
    Recipe(
        "coriolis_torques", "centrifugal and Coriolis torques", ("q", "v"), ("tau",),
        lambda tree, x, options: {"tau": coriolis_torques(tree, x["q"], x["v"])}, constraints="none",
    ),
    Recipe(
        "crba", "joint-space inertia matrix", ("q",), ("M",),
        lambda tree, x, options: {"M": square(crba(tree, x["q"]))}, solves="inertia_matrix",
    ),
    Recipe(
        "ltl_factor", "L with L'L = M", ("q",), ("L",),
        lambda tree, x, options: {"L": square(_ltl(tree, x)[0])}, check=check_solvable,
    ),
    Recipe(
        "ltl_solve", "x with M x = b", ("q", "b"), ("x",),
        lambda tree, x, options: {"x": ltl_solve(*_ltl(tree, x), x["b"])}, check=check_solvable,
    ),
    Recipe(
        "ltl_multiply", "M x", ("q", "x"), ("b",),
        lambda tree, x, options: {"b": ltl_multiply(*_ltl(tree, x), x["x"])}, check=check_solvable,
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
