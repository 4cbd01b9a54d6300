"""Orders of both integrators by step halving, on bodies, joints with quaternions and a closed loop."""

import numpy as np
import pytest
from small_mechanisms import closed_four_bar, pendulum, tumbling_body

import linkwright as lw


def end_after(model, q0, v0, seconds, dt, integrator, **options):
    trajectory = lw.simulate(
        model, q0, v0, dt=dt, steps=round(seconds / dt), integrator=integrator, record=10**6, **options
    )
    return trajectory.final


def errors(model, q0, v0, seconds, steps, integrator, **options):
    """Of q on the manifold, against Runge-Kutta with steps four times finer than the finest."""
    exact, _ = end_after(model, q0, v0, seconds, seconds / (steps[-1] * 4), "rk4", **options)
    ends = [end_after(model, q0, v0, seconds, seconds / n, integrator, **options)[0] for n in steps]
    return np.array([np.abs(model.difference(exact, q)).max() for q in ends])


def tree_with_group_joints():
    """Spherical and planar joints besides a free base: all kinds whose velocities are not rates of coordinates."""
    builder = lw.ModelBuilder("groups")
    builder.add_body("base", lw.free_flyer("base"), inertia=lw.Inertia.box(3.0, (0.3, 0.2, 0.1)))
    builder.add_body(
        "ball", lw.spherical("shoulder"), parent="base", placement=(0.2, 0, 0.1),
        inertia=lw.Inertia.box(1.0, (0.1, 0.1, 0.3), (0, 0, 0.15)),
    )  # fmt: skip
    builder.add_body(
        "slider", lw.planar("table", axis="x"), parent="base", placement=(-0.2, 0.1, 0),
        inertia=lw.Inertia.box(1.0, (0.1, 0.2, 0.1), (0.02, 0, 0)),
    )  # fmt: skip
    return builder.build()


@pytest.mark.parametrize("integrator, order", [("damped_euler", 1), ("euler", 1), ("rk4", 4)])
def test_order_on_a_tumbling_body(integrator, order):
    model = tumbling_body(gravity=(0, 0, -9.81))
    found = errors(model, model.neutral(), [0.3, -0.2, 1.0, 0.2, 6.0, 0.4], 0.5, (50, 100, 200), integrator)
    orders = np.log2(found[:-1] / found[1:])
    assert np.all(np.abs(orders - order) < 0.25), (found, orders)


@pytest.mark.parametrize("integrator, order", [("damped_euler", 1), ("euler", 1), ("rk4", 4)])
def test_order_with_spherical_and_planar_joints(integrator, order, rng):
    model = tree_with_group_joints()
    q0 = model.random_configuration(rng)
    found = errors(model, q0, rng.normal(size=model.nv), 0.4, (50, 100, 200), integrator)
    orders = np.log2(found[:-1] / found[1:])
    assert np.all(np.abs(orders - order) < 0.3), (found, orders)


@pytest.mark.parametrize("projection", [False, True])
@pytest.mark.parametrize("integrator, order", [("damped_euler", 1), ("euler", 1), ("rk4", 4)])
def test_order_on_a_closed_loop(integrator, order, projection):
    """Stabilization, whose time constant shrinks with the step, and projection cost no order."""
    model, q0, v0 = closed_four_bar(speed=3.0)
    found = errors(model, q0, v0, 0.4, (200, 400, 800), integrator, projection=projection)
    orders = np.log2(found[:-1] / found[1:])
    assert np.all(np.abs(orders - order) < 0.3), (found, orders)


def test_semi_implicit_euler_is_the_papers():
    """Velocity first, position along the new velocity (eq. 54-55)."""
    model = pendulum()
    q, v, dt = np.array([0.7]), np.array([1.3]), 0.01
    a = lw.reference(model, "aba")(q, v, np.zeros(1))
    trajectory = lw.simulate(model, q, v, dt=dt, steps=1)
    assert trajectory.v[1] == pytest.approx(v + dt * a, rel=1e-14)
    assert trajectory.q[1] == pytest.approx(q + dt * (v + dt * a), rel=1e-14)


def test_a_free_body_keeps_momentum_and_energy():
    model = tumbling_body()
    v0 = np.array([0.3, -0.2, 1.0, 0.2, 6.0, 0.4])
    trajectory = lw.simulate(model, v0=v0, dt=2e-3, steps=5000, integrator="rk4", record=50)
    momentum = lw.reference(model, "centroidal_momentum")(trajectory.q, trajectory.v)  # in the world's axes
    assert np.abs(momentum - momentum[0]).max() < 1e-7
    assert np.abs(trajectory.energy_error).max() < 1e-6 * trajectory.energy[0]
    assert np.abs(np.linalg.norm(trajectory.q[:, 3:], axis=-1) - 1).max() < 1e-12


def test_a_frictionless_four_bar_keeps_its_energy():
    model, q0, v0 = closed_four_bar()
    trajectory = lw.simulate(model, q0, v0, dt=1e-3, steps=10_000, integrator="rk4")
    assert np.abs(trajectory.energy_error).max() < 1e-6 * np.abs(trajectory.energy).max()
    assert trajectory.worst[0] < 1e-9
