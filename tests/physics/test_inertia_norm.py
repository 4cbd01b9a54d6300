"""The norm that steps are judged by has no dimension: another scale of time makes no difference."""

import numpy as np
import pytest

import linkwright as lw
from linkwright.physics.inertia_norm import InertiaNorm, longest_link, velocity_weights


@pytest.mark.parametrize("name", ["four_bar", "delta_robot", "cassie"])
def test_relative_errors_are_the_same_at_another_scale_of_time(name, rng):
    norm = InertiaNorm(lw.load(name))
    n = len(norm.weights)
    v, a, error, h = rng.normal(size=n), rng.normal(size=n), 1e-4 * rng.normal(size=n), 1e-3
    once = float(norm.squared(error) / norm.squared_speed(v, a, h))
    for scale in (1 / 8, 1 / 32):
        again = norm.squared(error * scale) / norm.squared_speed(v * scale, a * scale**2, h / scale)
        assert float(again) == once


def test_weights_are_inertias_that_joints_move():
    model = lw.load("delta_robot")
    weights = velocity_weights(model)
    assert weights.shape == (model.nv,) and np.all(weights > 0)


def test_how_fast_a_free_body_travels_does_not_count():
    builder = lw.ModelBuilder("brick")
    builder.add_body("brick", lw.free_flyer("base"), inertia=lw.Inertia.box(3.0, (0.3, 0.2, 0.1)))
    norm = InertiaNorm(builder.build())
    travelling, turning = [9.0, -4.0, 2.0, 0, 0, 0], [0, 0, 0, 1.0, 0, 0]
    none = [0.0] * 6
    assert norm.squared_speed(travelling, none, 1e-3) == norm.squared_speed(none, none, 1e-3)
    assert norm.squared_speed(turning, none, 1e-3) > 1e3 * norm.squared_speed(none, none, 1e-3)


def test_at_rest_slow_motion_is_rounding_and_nothing_is_divided_by_zero():
    model = lw.robots.chain(3, length=0.3)
    norm = InertiaNorm(model)
    assert longest_link(model) == pytest.approx(0.3)
    mass = sum(body.inertia.mass for body in model.bodies[1:])
    still = norm.squared_speed([0.0] * 3, [0.0] * 3, 1e-3)
    assert still == pytest.approx(mass * (1e-9 * 0.3 / 1e-3) ** 2)
