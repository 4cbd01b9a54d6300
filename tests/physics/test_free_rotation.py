"""Bodies that turn freely, in velocities that advance their angular momentum."""

import numpy as np
import pytest

import linkwright as lw
from linkwright.model import tree_of
from linkwright.physics.momentum import MomentumMotion, turning_alone
from linkwright.spatial import Vector
from linkwright.spatial.quaternion import rotation_matrix

UNEVEN = np.array([[0.01, 0.001, 0.0005], [0.001, 0.03, 0.002], [0.0005, 0.002, 0.032]])
SYMMETRIC = np.diag([0.02, 0.02, 0.001])
COM = np.array([0.1, 0.02, 0.03])


def body(joint, tensor, com=COM):
    builder = lw.ModelBuilder("body", gravity=(0, 0, 0))
    builder.add_body("body", joint, inertia=lw.Inertia(3.0, com, tensor))
    return builder.build()


def state_of(model, rng):
    return [float(x) for x in model.random_configuration(rng)], [float(x) for x in rng.normal(size=model.nv)]


@pytest.mark.parametrize("joint", [lw.free_flyer("base"), lw.spherical("ball")], ids=["free", "ball"])
@pytest.mark.parametrize("tensor", [UNEVEN, SYMMETRIC], ids=["uneven", "symmetric"])
def test_nothing_changes_momentum_that_nothing_pushes(joint, tensor, rng):
    model = body(joint, tensor)
    motion, aba = MomentumMotion(tree_of(model)), lw.reference(model, "aba")
    q, v = state_of(model, rng)
    a = [float(x) for x in aba(np.array(q), np.array(v), np.zeros(model.nv))]
    assert np.abs(motion.rate(q, v, a)).max() < 1e-13
    assert np.allclose(motion.velocities(q, motion.of(q, v)), v, rtol=0, atol=1e-13)


def test_the_rate_is_that_of_the_momentum(rng):
    model = body(lw.spherical("ball"), UNEVEN)
    motion = MomentumMotion(tree_of(model))
    q, v = state_of(model, rng)
    a, h = rng.normal(size=3), 1e-5
    ahead, behind = (
        np.array(motion.of(list(model.integrate(q, s * h * np.array(v))), list(np.array(v) + s * h * a)), dtype=float)
        for s in (1, -1)
    )
    assert np.allclose((ahead - behind) / (2 * h), motion.rate(q, v, list(a)), rtol=0, atol=1e-8)


@pytest.mark.parametrize("joint", [lw.free_flyer("base"), lw.spherical("ball")], ids=["free", "ball"])
def test_a_symmetric_body_turns_exactly_however_long_the_step(joint, rng):
    model = body(joint, SYMMETRIC, com=np.array([0, 0, 0.1]))
    motion = MomentumMotion(tree_of(model))
    q, v = state_of(model, rng)
    u = np.array(motion.of(q, v), dtype=float)
    at_once = motion.moved(q, list(2.0 * u))
    by_parts = list(q)
    for _ in range(64):
        by_parts = motion.moved(by_parts, list(2.0 / 64 * u))
    assert np.abs(model.difference(np.array(at_once), np.array(by_parts))).max() < 1e-12


def test_an_uneven_body_turns_to_second_order(rng):
    model = body(lw.free_flyer("base"), UNEVEN)
    motion = MomentumMotion(tree_of(model))
    q, v = state_of(model, rng)
    u = np.array(motion.of(q, v), dtype=float)

    def after(count):
        there = list(q)
        for _ in range(count):
            there = motion.moved(there, list(u / count))
        return np.array(there)

    errors = [np.abs(model.difference(after(512), after(n))).max() for n in (8, 16, 32)]
    orders = np.log2(np.array(errors[:-1]) / np.array(errors[1:]))
    assert np.all(np.abs(orders - 2.0) < 0.1), errors
    kept = rotation_matrix(list(after(8)[3:])) @ motion.joints[0].inertia @ _spin(motion, after(8), u)
    assert np.allclose(list(kept), u[3:], rtol=0, atol=1e-13)


def _spin(motion, q, u):
    return Vector(*motion.velocities(list(q), list(u))[3:])


def test_only_bodies_that_carry_none_and_that_nothing_holds_turn_alone():
    builder = lw.ModelBuilder("balls")
    box = lw.Inertia.box(1.0, (0.1, 0.1, 0.3), (0, 0, 0.15))
    builder.add_body("upper", lw.spherical("first"), inertia=box)
    builder.add_body("lower", lw.spherical("second"), parent="upper", placement=(0, 0, 0.3), inertia=box)
    assert turning_alone(tree_of(builder.build())) == [2]
    assert turning_alone(tree_of(lw.load("delta_robot"))) == []
    # a body without extent about the ball has no moment about its own axis to turn by
    point = lw.ModelBuilder("point")
    point.add_body("mass", lw.spherical("ball"), inertia=lw.Inertia(1.0, np.array([0, 0, 0.2]), np.zeros((3, 3))))
    assert turning_alone(tree_of(point.build())) == []
