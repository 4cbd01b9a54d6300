"""RNEA, CRBA and ABA against the dense referee and against each other, on trees of every joint kind."""

import numpy as np
import pytest

import linkwright as lw
from linkwright.model import Tree
from linkwright.robots.random import random_tree
from referee import Referee

# Relative to the size of the answer, times the condition of M where a system was solved.
TOLERANCE = 1e-12
BATCH = 5  # leaves a ragged tail for 2, 4 and 8 lanes


def mechanism(seed, n=None):
    """Trees of all joint kinds, from 1 to 14 bodies; some with rotors, springs and dampers, some floating."""
    return random_tree(
        seed, n or 1 + seed * 7 % 14, armature=seed % 2 == 1, damping=seed % 3 == 1, springs=seed % 3 == 2,
        floating_base=seed % 5 == 0,
    )  # fmt: skip


def states(model, rng, batch=BATCH):
    q = model.random_configuration(rng, batch)
    return q, rng.normal(size=(batch, model.nv)), rng.normal(size=(batch, model.nv))


def check_against_referee(run, model, rng):
    q, v, x = states(model, rng)
    a = run(model, "aba", {"q": q, "v": v, "tau": x})
    tau = run(model, "rnea", {"q": q, "v": v, "a": x})
    M = run(model, "crba", {"q": q})
    for k in range(len(q)):
        exact = Referee(model, q[k], v[k])
        scale = np.abs(exact.M).max()
        assert np.abs(M[k] - exact.M).max() <= TOLERANCE * scale
        expected = exact.torque(x[k])
        # torques are sums of terms as large as these
        size = np.abs(expected).max() + np.abs(exact.bias).max() + scale
        assert np.abs(tau[k] - expected).max() <= TOLERANCE * size
        expected = exact.acceleration(x[k])
        size = np.abs(expected).max() + 1
        assert np.abs(a[k] - expected).max() <= TOLERANCE * exact.condition * size


@pytest.mark.parametrize("seed", range(200))
def test_random_trees_agree_with_the_referee(seed, rng, quick_backend):
    if quick_backend.name == "interpreted" and seed % 4:
        pytest.skip("a quarter of the sweep is traced as well")
    check_against_referee(quick_backend, mechanism(seed), rng)


@pytest.mark.parametrize("seed", range(1000, 1020))
def test_a_stratified_sample_agrees_in_every_backend(seed, rng, backend):
    check_against_referee(backend, mechanism(seed), rng)


@pytest.mark.parametrize("seed", range(0, 200, 20))
def test_external_forces(seed, rng, quick_backend):
    model = mechanism(seed)
    q, v, x = states(model, rng)
    f = rng.normal(size=(BATCH, model.nbodies, 6))
    a = quick_backend(model, "aba", {"q": q, "v": v, "tau": x, "f_ext": f}, f_ext=True)
    tau = quick_backend(model, "rnea", {"q": q, "v": v, "a": x, "f_ext": f}, f_ext=True)
    for k in range(BATCH):
        exact = Referee(model, q[k], v[k])
        expected = exact.acceleration(x[k], f[k])
        assert np.abs(a[k] - expected).max() <= TOLERANCE * exact.condition * (np.abs(expected).max() + 1)
        expected = exact.torque(x[k], f[k])
        size = np.abs(expected).max() + np.abs(exact.bias).max() + np.abs(exact.M).max() + model.nbodies
        assert np.abs(tau[k] - expected).max() <= TOLERANCE * size


@pytest.mark.parametrize("seed", range(10))
def test_inverse_undoes_forward_dynamics(seed, rng, backend):
    if backend.is_compiled and seed >= 2:
        pytest.skip("two compiled samples suffice")
    model = mechanism(seed, 12)
    q, v, tau = states(model, rng)
    a = backend(model, "aba", {"q": q, "v": v, "tau": tau})
    back = backend(model, "rnea", {"q": q, "v": v, "a": a})
    condition = max(Referee(model, q[k], v[k]).condition for k in range(BATCH))
    assert np.abs(back - tau).max() <= TOLERANCE * condition * (1 + np.abs(tau).max())


@pytest.mark.parametrize("seed", range(10))
def test_bias_is_gravity_plus_coriolis_plus_passive(seed, rng, quick_backend):
    model = mechanism(seed)
    q, v, _ = states(model, rng)
    bias = quick_backend(model, "bias_torques", {"q": q, "v": v})
    gravity = quick_backend(model, "gravity_torques", {"q": q})
    coriolis = quick_backend(model, "coriolis_torques", {"q": q, "v": v})
    passive = np.array([[float(x) for x in Tree(model).joint_passive_torques(q[k], v[k])] for k in range(BATCH)])
    size = 1 + np.abs(bias).max() + np.abs(gravity).max()
    assert np.abs(gravity + coriolis - passive - bias).max() <= 1e-12 * size


@pytest.mark.parametrize("seed", range(10))
def test_power_balance(seed, rng):
    """d(kinetic + potential)/dt = v' tau - damping losses, by finite differences along the exact motion."""
    model = mechanism(seed, 6)
    q, v, a = (x[0] for x in states(model, rng, 1))
    kinetic, potential = lw.reference(model, "kinetic_energy"), lw.reference(model, "potential_energy")
    tau = lw.reference(model, "rnea")(q, v, a)
    h = 1e-5

    def energy(t):
        # second order in t, consistent with constant body-frame acceleration
        moved = model.integrate(q, t * v + 0.5 * t * t * a)
        return kinetic(moved, v + t * a) + potential(moved)

    power = (energy(h) - energy(-h)) / (2 * h)
    expected = v @ tau - v @ (model.stacked("damping") * v)
    assert abs(power - expected) < 1e-7 * (abs(expected) + np.abs(v) @ np.abs(tau))


def test_joint_torques_of_a_pendulum_by_hand():
    """A point mass m at distance l: tau = m l^2 a + m g l sin(q)."""
    builder = lw.ModelBuilder("pendulum")
    builder.add_body("rod", lw.revolute("pivot", "y"), inertia=lw.Inertia(2.0, [0, 0, -0.5], np.zeros((3, 3))))
    model = builder.build()
    rnea = lw.reference(model, "rnea")
    assert rnea([0.3], [1.7], [0.9])[0] == pytest.approx(2.0 * 0.25 * 0.9 + 2.0 * 9.81 * 0.5 * np.sin(0.3), rel=1e-14)
    aba = lw.reference(model, "aba")
    assert aba([0.3], [1.7], [0.0])[0] == pytest.approx(-9.81 / 0.5 * np.sin(0.3), rel=1e-14)


def test_status_output(rng):
    model = mechanism(3)
    q, v, tau = states(model, rng)
    tau[2, 0] = np.nan
    a, status = lw.compile(model, "aba", outputs=("a", "status"))(q, v, tau)
    assert status.tolist() == [0, 0, 3, 0, 0]
    assert np.isfinite(a[[0, 1, 3, 4]]).all()
