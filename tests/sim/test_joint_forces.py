"""Springs, dampers, Coulomb friction and limits: exact solutions, books of energy, and stiffness beyond dt."""

import numpy as np
import pytest
from small_mechanisms import closed_four_bar, pendulum

import linkwright as lw

INTEGRATORS = pytest.mark.parametrize("integrator", ["damped_euler", "euler", "rk4"])


def slider(mass=2.0, gravity=(0, 0, 0), **joint):
    builder = lw.ModelBuilder("slider", gravity=gravity)
    builder.add_body("block", lw.prismatic("rail", "x", **joint), inertia=lw.Inertia(mass, np.zeros(3), np.eye(3)))
    return builder.build()


@INTEGRATORS
def test_damped_oscillator(integrator):
    m, k, d = 2.0, 50.0, 1.0
    model = slider(m, stiffness=k, damping=d)
    trajectory = lw.simulate(model, [0.1], dt=1e-3, steps=3000, integrator=integrator)
    t, rate = trajectory.t, d / (2 * m)
    w = np.sqrt(k / m - rate**2)
    exact = 0.1 * np.exp(-rate * t) * (np.cos(w * t) + rate / w * np.sin(w * t))
    assert np.abs(trajectory.q[:, 0] - exact).max() < (1e-3 if integrator != "rk4" else 1e-11)
    assert np.abs(trajectory.energy_error).max() < (0.02 if integrator != "rk4" else 1e-10) * trajectory.energy[0]
    assert trajectory.work[-1, 1] < 0 and trajectory.work[-1, 0] == trajectory.work[-1, 2] == 0


@INTEGRATORS
def test_sliding_to_rest(integrator):
    """With friction F a block stops after m v0 / F seconds and v0^2 m / (2 F) metres, and stays there."""
    m, F, v0 = 2.0, 3.0, 1.5
    trajectory = lw.simulate(slider(m, friction=F), v0=[v0], dt=1e-3, steps=2000, integrator=integrator)
    stop = int(m * v0 / F / 1e-3)
    assert trajectory.q[-1, 0] == pytest.approx(v0**2 * m / (2 * F), rel=3e-3)
    assert abs(trajectory.v[stop + 50, 0]) < 1e-3 and abs(trajectory.v[-1, 0]) < 1e-4
    assert trajectory.work[-1, 1] == pytest.approx(-m * v0**2 / 2, rel=3e-3)


@INTEGRATORS
def test_friction_holds_and_lets_go(integrator):
    model = slider(2.0, friction=3.0)
    held = lw.simulate(model, dt=1e-3, steps=2000, control=[2.9], integrator=integrator)
    assert np.abs(held.v).max() < 2.1e-3  # creeps at most as fast as the ramp allows
    moved = lw.simulate(model, dt=1e-3, steps=2000, control=[4.0], integrator=integrator)
    assert moved.v[-1, 0] == pytest.approx((4.0 - 3.0) / 2.0 * 2.0, rel=0.03)


@INTEGRATORS
@pytest.mark.parametrize("F", [1e-3, 0.1, 10.0, 1e4])
def test_friction_only_dissipates(integrator, F):
    """Energy never grows, however large the friction for the step.

    Euler's torque opposes the next velocity; in a step that reverses a velocity, the mean of both may go with it.
    """
    model, q0, v0 = closed_four_bar(friction=F)
    trajectory = lw.simulate(model, q0, v0, dt=1e-3, steps=2000, integrator=integrator)
    allowed = 1e-3 * trajectory.kinetic_energy[0] if integrator != "rk4" else 0.0
    assert np.all(np.diff(trajectory.work[:, 1]) <= allowed) and np.all(trajectory.work[1:, 1] < 0)
    assert trajectory.energy.max() < trajectory.energy[0] * (1.02 if integrator != "rk4" else 1 + 1e-6)


@INTEGRATORS
def test_limits_stop_a_falling_pendulum(integrator):
    model = pendulum(lower=-0.5, upper=0.6)
    trajectory = lw.simulate(model, [0.5], [3.0], dt=1e-3, steps=4000, integrator=integrator)
    inertia = 1.0 * (0.05**2 + 0.5**2) / 12 + 0.25**2
    fastest = np.abs(trajectory.v).max()
    assert trajectory.q.max() < 0.6 + 4e-3 * fastest and trajectory.q.min() > -0.5 - 4e-3 * fastest
    assert trajectory.work[-1, 2] < 0  # critically damped: what hits a limit loses energy
    assert trajectory.energy.max() < trajectory.energy[0] + 0.01 * inertia * 9
    off = lw.simulate(model, [0.5], [3.0], dt=1e-3, steps=1000, integrator=integrator, limits=False)
    assert off.q.max() > 0.7


@INTEGRATORS
def test_resting_on_a_limit(integrator):
    model = slider(2.0, gravity=(-9.81, 0, 0), lower=-0.1)
    trajectory = lw.simulate(model, dt=1e-3, steps=2000, integrator=integrator)
    assert trajectory.q[-1, 0] == pytest.approx(-0.1, abs=1e-4) and abs(trajectory.v[-1, 0]) < 1e-6


def test_a_start_beyond_a_limit_comes_back_gently():
    model = slider(2.0, upper=0.1, friction=1.0)
    trajectory = lw.simulate(model, [0.5], dt=1e-3, steps=2000)
    assert np.abs(trajectory.v).max() < 1.05 and -1.0 < trajectory.q[-1, 0] < 0.1


def test_dampers_and_gains_stiffer_than_the_step():
    """Euler takes what falls with velocity implicitly: a damper of 1e4 m/dt is only very damped."""
    model = slider(1e-3, damping=1e4)
    trajectory = lw.simulate(model, v0=[1.0], dt=1e-3, steps=10)
    assert np.all(np.abs(trajectory.v[1:, 0]) < 1e-3)
    driven = lw.simulate(slider(1e-3), [0.1], dt=1e-3, steps=3000, control=lw.PD(100.0, 10.0, q=[0.0]))
    assert abs(driven.q[-1, 0]) < 1e-6 and np.abs(driven.q).max() <= 0.1
    with pytest.raises(lw.SimulationError):
        lw.simulate(slider(1e-3), [0.1], dt=1e-3, steps=3000, control=lw.PD(100.0, 10.0, q=[0.0]), integrator="rk4")


def test_joint_forces_in_a_batch_are_those_of_each_sample(rng):
    model = pendulum(friction=0.1, damping=0.01, lower=-0.5, upper=0.6)
    q, v = rng.uniform(-0.5, 0.6, size=(13, 1)), rng.normal(size=(13, 1)) * 3
    batch = lw.simulate(model, q, v, dt=1e-3, steps=200)
    for k in (0, 5, 12):
        np.testing.assert_array_equal(batch.q[k], lw.simulate(model, q[k], v[k], dt=1e-3, steps=200).q)
