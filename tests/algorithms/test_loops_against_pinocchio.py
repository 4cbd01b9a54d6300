"""Solvers for loops against Pinocchio's `lcaba` and `constraintDynamics` on the same mechanism, at closed states."""

import numpy as np
import pytest

import linkwright as lw
from linkwright.bench.loop_systems import pinocchio_constraints
from linkwright.io.pinocchio.pinocchio_model import pinocchio_model, to_pinocchio

pin = pytest.importorskip("pinocchio")

SYSTEMS = ["digit_like", "biped_with_box", "two_hands_with_cube", "humanoid_with_cube_standing"]
# Redundant closures at mu = 1e5 and what LCABA loses to them, in both libraries.
TOLERANCE = 1e-6


@pytest.fixture(scope="module", params=SYSTEMS)
def system(request):
    known = {robot.name: robot for robot in lw.list_robots()}[request.param]
    if not known.available:
        pytest.skip(f"needs {known.needs}")
    model = lw.load(request.param)
    rng = np.random.default_rng(5)
    q = model.integrate(model.drawn, 0.05 * rng.normal(size=model.nv))
    q = lw.project_configuration(model, q)
    v = lw.project_velocity(model, q, rng.normal(size=model.nv))
    return model, q, v, 0.1 * rng.normal(size=model.nv)


def pinocchio_acceleration(model, q, v, tau, algorithm):
    other = pinocchio_model(model.without_constraints())
    kinds = {"3d": pin.ContactType.CONTACT_3D, "6d": pin.ContactType.CONTACT_6D}
    contacts = pin.StdVec_RigidConstraintModel()
    for joint1, place1, kind, joint2, place2 in pinocchio_constraints(model, other):
        contacts.append(
            pin.RigidConstraintModel(kinds[kind], other, joint1, place1, joint2, place2, pin.ReferenceFrame.LOCAL)
        )
    datas = pin.StdVec_RigidConstraintData()
    for contact in contacts:
        datas.append(contact.createData())
    data = other.createData()
    settings = pin.ProximalSettings(1e-14, 1e-5, 30)  # its mu is the inverse of ours
    state = (to_pinocchio(model, q), v, tau - model.stacked("damping") * v)  # it does not know dampers
    if algorithm == "lcaba":
        pin.computeJointMinimalOrdering(other, data, contacts)
        return pin.lcaba(other, data, *state, contacts, datas, settings).copy()
    pin.initConstraintDynamics(other, data, contacts, datas)
    return pin.constraintDynamics(other, data, *state, contacts, datas, settings).copy()


@pytest.mark.parametrize("theirs", ["lcaba", "constraintDynamics"])
def test_accelerations_agree(system, theirs):
    model, q, v, tau = system
    expected = pinocchio_acceleration(model, q, v, tau, theirs)
    for ours in ("lcaba", "prox_bbo", "prox_ltl"):
        a = lw.reference(model, ours, outputs="a", iterations=5)(q, v, tau)
        assert np.abs(a - expected).max() < TOLERANCE * np.abs(expected).max(), ours
