"""Constraints that contradict one another are said to, however light what else they hold."""

import numpy as np
import pytest

import linkwright as lw

SOLVERS = ("prox_ltl", "prox_pv", "prox_bbo", "prox_ltls", "lcaba", "constrained_aba")


def slider(rotor: float, load: float = 10.0, lever: float = 0.01) -> lw.Model:
    """A slider with a rotor on it; the rotor is welded to the ground, and the slider held along its axis as well."""
    builder = lw.ModelBuilder("slider")
    builder.add_body("slider", lw.prismatic("slide", "x"), inertia=lw.Inertia(load, np.zeros(3), np.eye(3) * 0.1))
    inertia = lw.Inertia(1e-3, [0, lever, 0], np.eye(3) * rotor)
    builder.add_body("rotor", lw.revolute("spin", "x"), parent="slider", inertia=inertia)
    return builder.build().with_constraints(lw.weld("rotor"), lw.weld("slider", directions="x", name="rail"))


@pytest.mark.parametrize("rotor", [1e-2, 1e-4, 1e-6, 1e-8])
@pytest.mark.parametrize("solver", SOLVERS)
def test_they_are_said_beside_a_light_rotor_that_is_driven(solver, rotor):
    model = slider(rotor)
    desired = np.zeros((3, model.nc))
    desired[:, -1] = 0.1, 0.0, -3.0
    tau = np.array([[1.0, 1.0], [1.0, 1.0], [0.0, -5.0]])
    solve = lw.reference(model, solver, outputs=("a", "status", "residual"), desired="input")
    found = solve(np.zeros((3, 2)), np.zeros((3, 2)), tau, desired)
    assert list(found.status) == [4, 0, 4] and found.residual[0] > 0.09 and found.residual[1] < 1e-6


@pytest.mark.parametrize("scale", [1e-3, 1e3])
@pytest.mark.parametrize("solver", ["prox_ltl", "prox_pv"])
def test_whatever_the_masses(solver, scale):
    model = slider(1e-7 * scale, 10.0 * scale, 0.003)
    desired = np.zeros((8, model.nc))
    desired[:, -1] = 10.0 ** -np.arange(8) * (np.arange(8) < 4)
    tau = np.tile([0.3 * scale, 1e-2 * scale], (8, 1))
    solve = lw.reference(model, solver, outputs=("a", "status"), desired="input")
    status = solve(np.zeros((8, 2)), np.zeros((8, 2)), tau, desired).status
    assert list(status) == [4, 4, 4, 4, 0, 0, 0, 0]
