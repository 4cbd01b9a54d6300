"""Frames, Jacobians, centre of mass, momentum and energy on random trees of every joint kind."""

import numpy as np
import pytest

import linkwright as lw
from linkwright.errors import InputError
from linkwright.robots.random import random_tree
from referee import Referee

BATCH = 3
STEP = 1e-6


def setup(seed, rng):
    model = random_tree(seed, 12, frames=3, armature=True, springs=True)
    return model, model.random_configuration(rng, BATCH), *rng.normal(size=(2, BATCH, model.nv))


@pytest.mark.parametrize("seed", range(12))
def test_bodies_against_the_referee(seed, rng, quick_backend):
    model, q, v, a = setup(seed, rng)
    positions = quick_backend(model, "forward_kinematics", {"q": q}, outputs="positions")
    rotations = quick_backend(model, "forward_kinematics", {"q": q}, outputs="rotations")
    velocities = quick_backend(model, "frame_velocities", {"q": q, "v": v})
    accelerations = quick_backend(model, "frame_accelerations", {"q": q, "v": v, "a": a})
    for k in range(BATCH):
        exact = Referee(model, q[k], v[k])
        for i in range(model.nbodies):
            assert np.abs(positions[k, i] - exact.p[i]).max() < 1e-12
            assert np.abs(rotations[k, i] - exact.R[i]).max() < 1e-12
            expected = exact.velocity[i]
            assert np.abs(velocities[k, i] - np.r_[expected[3:], expected[:3]]).max() < 1e-11
            expected = exact.J[i] @ a[k] + exact.drift[i]
            assert np.abs(accelerations[k, i] - np.r_[expected[3:], expected[:3]]).max() < 1e-10


@pytest.mark.parametrize("reference", ["local", "world", "local_world_aligned"])
@pytest.mark.parametrize("seed", range(6))
def test_jacobians_map_velocities_and_their_rates_are_derivatives(seed, reference, rng):
    model, q, v, a = setup(seed, rng)
    q, v, a = q[0], v[0], a[0]
    frame = "frame_2"
    J = lw.reference(model, "frame_jacobian", frame=frame, seen_from=reference)
    dJ = lw.reference(model, "frame_jacobian_rate", frame=frame, seen_from=reference)(q, v)
    velocity = lw.reference(model, "frame_velocities", frames=frame, seen_from=reference)(q, v)[0]
    assert np.abs(J(q) @ v - velocity).max() < 1e-11
    difference = (J(model.integrate(q, STEP * v)) - J(model.integrate(q, -STEP * v))) / (2 * STEP)
    assert np.abs(difference - dJ).max() < 1e-7
    acceleration = lw.reference(
        model, "frame_accelerations", frames=frame, seen_from=reference, classical=reference == "local_world_aligned"
    )(q, v, a)[0]
    assert np.abs(J(q) @ a + dJ @ v - acceleration).max() < 1e-10


@pytest.mark.parametrize("seed", range(6))
def test_position_differences_give_velocities(seed, rng):
    model, q, v, _ = setup(seed, rng)
    q, v = q[0], v[0]
    where = lw.reference(model, "forward_kinematics", outputs="positions", frames=["frame_1", "frame_2", "frame_3"])
    rates = (where(model.integrate(q, STEP * v)) - where(model.integrate(q, -STEP * v))) / (2 * STEP)
    aligned = lw.reference(
        model, "frame_velocities", frames=["frame_1", "frame_2", "frame_3"], seen_from="local_world_aligned"
    )(q, v)
    assert np.abs(rates - aligned[:, :3]).max() < 1e-7
    com = lw.reference(model, "center_of_mass")
    rate = (com(model.integrate(q, STEP * v)) - com(model.integrate(q, -STEP * v))) / (2 * STEP)
    assert np.abs(rate - lw.reference(model, "center_of_mass_velocity")(q, v)).max() < 1e-7


@pytest.mark.parametrize("seed", range(6))
def test_momentum_and_energy(seed, rng):
    model, q, v, _ = setup(seed, rng)
    q, v = q[0], v[0]
    exact = Referee(model, q, v)
    kinetic = float(v @ exact.M @ v) / 2
    assert lw.reference(model, "kinetic_energy")(q, v) == pytest.approx(kinetic, rel=1e-12)
    momentum = lw.reference(model, "centroidal_momentum")(q, v)
    A = lw.reference(model, "centroidal_momentum_matrix")(q)
    assert np.abs(A @ v - momentum).max() < 1e-10 * (1 + np.abs(momentum).max())
    mass = sum(body.inertia.mass for body in model.bodies)
    com_velocity = lw.reference(model, "center_of_mass_velocity")(q, v)
    assert np.abs(momentum[:3] - mass * com_velocity).max() < 1e-10 * (1 + np.abs(momentum).max())
    # potential energy: its gradient along any motion is what gravity and springs resist with
    potential = lw.reference(model, "potential_energy")
    power = (potential(model.integrate(q, STEP * v)) - potential(model.integrate(q, -STEP * v))) / (2 * STEP)
    static = lw.reference(model, "bias_torques")(q, np.zeros(model.nv))
    assert power == pytest.approx(v @ static, rel=1e-6, abs=1e-6 * np.abs(static).max())


def test_compiled_kinematics(rng, backend):
    model, q, v, a = setup(1, rng)
    for algorithm, arrays, options in (
        ("forward_kinematics", {"q": q}, {"outputs": "positions"}),
        ("frame_accelerations", {"q": q, "v": v, "a": a}, {"classical": True, "seen_from": "local_world_aligned"}),
        ("frame_jacobian", {"q": q}, {"frame": "frame_1", "seen_from": "world"}),
        ("frame_jacobian_rate", {"q": q, "v": v}, {"frame": "frame_1"}),
        ("centroidal_momentum", {"q": q, "v": v}, {}),
        ("kinetic_energy", {"q": q, "v": v}, {}),
        ("integrate", {"q": q, "v": v}, {}),
        ("difference", {"q0": q, "q1": q[::-1].copy()}, {}),
    ):
        expected = lw.reference(model, algorithm, **options)(**arrays)
        result = backend(model, algorithm, arrays, **options)
        assert np.abs(result - expected).max() < 1e-10 * (1 + np.abs(expected).max())


def test_unknown_frames_and_references_are_refused():
    model = random_tree(2)
    with pytest.raises(InputError, match="body_1"):
        lw.compile(model, "frame_jacobian", frame="bodi_1")
    with pytest.raises(InputError, match="local_world_aligned"):
        lw.compile(model, "frame_jacobian", frame="body_1", seen_from="global")
    with pytest.raises(InputError, match="frame="):
        lw.compile(model, "frame_jacobian")
    with pytest.raises(InputError, match="frames is empty"):
        lw.compile(model, "frame_velocities", frames=[])


def test_the_old_name_of_what_velocities_are_seen_from_says_the_new_one():
    model = lw.load("chain:2")
    with pytest.warns(DeprecationWarning, match="seen_from=") as said:
        old = lw.reference(model, "frame_jacobian", frame="link_1", reference="world")
    assert said[0].filename == __file__
    q = model.neutral()
    assert np.array_equal(old(q), lw.reference(model, "frame_jacobian", frame="link_1", seen_from="world")(q))
