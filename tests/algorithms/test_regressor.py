"""The joint torque regressor: against inverse dynamics, Pinocchio's, and derivatives; base parameters by rank."""

import numpy as np
import pytest

import linkwright as lw
from linkwright.errors import InputError


def states(model, count=4, seed=0):
    rng = np.random.default_rng(seed)
    return model.random_configuration(rng, count), *rng.normal(size=(2, count, model.nv))


def parameters(model):
    return lw.default_parameters(model)["inertias"][1:].ravel()


@pytest.mark.parametrize("name", ["random_tree:1,6", "random_tree:4,6", "quadruped", "mini_cheetah"])
def test_torques_are_linear_in_the_parameters(name):
    model = lw.load(name).without_constraints()
    given = states(model)
    Y, rest = lw.compile(model, "joint_torque_regressor", outputs=("Y", "rest"))(*given)
    tau = lw.compile(model, "rnea")(*given)
    assert np.abs(Y @ parameters(model) + rest - tau).max() < 1e-11 * max(1.0, np.abs(tau).max())


def test_it_is_the_derivative_of_inverse_dynamics():
    model = lw.load("random_tree:2,5")
    q, v, a = (x[0] for x in states(model))
    inertias = lw.default_parameters(model)["inertias"]
    slopes = lw.jacobian(model, "rnea", wrt="inertias")(q, v, a, inertias)
    Y = lw.compile(model, "joint_torque_regressor")(q, v, a)
    assert np.abs(slopes[:, 1:].reshape(model.nv, -1) - Y).max() < 1e-11 * np.abs(Y).max()


def test_pinocchio_has_the_same_in_the_same_order():
    pin = pytest.importorskip("pinocchio", reason="pinocchio is not installed")
    theirs = pin.buildSampleModelHumanoidRandom()
    model = lw.load(theirs)
    rng = np.random.default_rng(3)
    q = pin.randomConfiguration(theirs, -np.ones(theirs.nq), np.ones(theirs.nq))
    v, a = rng.normal(size=(2, theirs.nv))
    wanted = pin.computeJointTorqueRegressor(theirs, theirs.createData(), q, v, a)
    found = lw.compile(model, "joint_torque_regressor")(*lw.from_pinocchio(model, q, v, a))
    assert found.shape == wanted.shape == (model.nv, 10 * (theirs.njoints - 1))
    assert np.abs(found - wanted).max() < 1e-11 * np.abs(wanted).max()
    pi = np.concatenate([theirs.inertias[k].toDynamicParameters() for k in range(1, theirs.njoints)])
    assert np.allclose(parameters(model), pi, rtol=1e-12, atol=1e-12)


def test_base_parameters_of_known_mechanisms():
    # a pendulum about a horizontal axis shows its moment of inertia and two first moments
    assert lw.base_parameters(lw.load("chain:1")).rank <= 3
    free = lw.load("quadruped")
    base = lw.base_parameters(free)
    assert base.rank < base.matrix.shape[1] == 10 * (free.nbodies - 1)
    other = lw.base_parameters(free, seed=5)
    assert np.array_equal(base.columns, other.columns)  # not a matter of the samples
    q, v, a = states(free, 6, seed=9)
    Y, pi = lw.compile(free, "joint_torque_regressor")(q, v, a), parameters(free)
    assert np.abs(Y[..., base.columns] @ (base.matrix @ pi) - Y @ pi).max() < 1e-8 * np.abs(Y @ pi).max()


def test_a_free_body_shows_all_ten():
    model = lw.ModelBuilder("body")
    model.add_body("body", lw.free_flyer("free"), inertia=lw.Inertia.box(2.0, (0.1, 0.2, 0.3), (0.01, 0.02, 0.03)))
    assert lw.base_parameters(model.build()).rank == 10


def test_bad_input():
    with pytest.raises(InputError, match="expected a Model"):
        lw.base_parameters("panda")
