"""Motions that have formulas, of the soft law's own steady states: how deep things rest, how they creep, slide, roll,
bounce and spin. The law of a row: the acceleration asked for is -b u - k d r, and its force f gives way by R f.
"""

import numpy as np
import pytest

import linkwright as lw

G = 9.81
DT = 1e-3
TIME, D_LEAST, D_MOST, WIDTH = 0.02, 0.9, 0.95, 0.001  # MuJoCo's own solref and solimp
B, K = 2 / (D_MOST * TIME), 1 / (D_MOST * TIME) ** 2


def body(mass: float, inertia, *shapes, **ground) -> lw.Model:
    builder = lw.ModelBuilder("thing")
    moments = np.diag(inertia) if np.ndim(inertia) else np.eye(3) * inertia
    builder.add_body("thing", lw.free_flyer("free"), inertia=lw.Inertia(mass, np.zeros(3), moments))
    return builder.build().with_shapes(*shapes).on_ground(**ground)


def ball(mass=2.0, radius=0.1, *, inertia=None, friction=0.8, **surface) -> lw.Model:
    moment = 0.4 * mass * radius**2 if inertia is None else inertia
    return body(mass, moment, lw.sphere("thing", radius, name="skin", **surface), friction=friction)


def block(mass=3.0, *, at=None, friction=0.5) -> lw.Model:
    """A flat box with its centre of mass in the middle."""
    extents = np.array([0.3, 0.3, 0.1])
    moments = mass / 12 * (np.sum(extents**2) - extents**2)
    return body(mass, moments, lw.box("thing", extents, name="skin"), friction=friction, at=at)


def run(model, height=0.0, v0=None, seconds=1.0, q0=None, **options) -> lw.Trajectory:
    q = np.array([0, 0, height, 0, 0, 0, 1.0]) if q0 is None else q0
    return lw.simulate(model, q, v0, dt=DT, steps=round(seconds / DT), integrator="euler", **options)


def impedance(depth: float) -> float:
    """d of the default solimp: a parabola to the middle of the width, one from there."""
    x = min(abs(depth) / WIDTH, 1.0)
    y = 2 * x * x if x < 0.5 else 1 - 2 * (1 - x) ** 2
    return D_LEAST + y * (D_MOST - D_LEAST)


def depth_at_rest(mass: float, points: int = 1) -> float:
    """k d r + R f = 0 in every row with R = A (1 - d) / d: A = 1 / mass, and the points share the weight."""
    low, high = 0.0, 0.1
    for _ in range(200):
        r = 0.5 * (low + high)
        d = impedance(r)
        force = K * d * r / ((1 / mass) * (1 - d) / d)
        low, high = (r, high) if force < mass * G / points else (low, r)
    return r


def test_sinking_depth_of_a_ball_at_rest():
    end = run(ball(), 0.1)
    assert 0.1 - end.q[-1, 2] == pytest.approx(depth_at_rest(2.0), rel=1e-6)
    assert np.abs(end.v[-1]).max() < 1e-9


def test_sinking_depth_of_a_block_on_four_corners():
    end = run(block(), 0.05)
    assert 0.05 - end.q[-1, 2] == pytest.approx(depth_at_rest(3.0, 4), rel=1e-6)


def slope(angle: float, friction: float) -> tuple[lw.Trajectory, np.ndarray]:
    """A block on a plane tilted about y, and the direction downhill."""
    turn = lw.Pose.from_quaternion((0, 0, 0), (0, np.sin(angle / 2), 0, np.cos(angle / 2)))
    model = block(friction=friction, at=turn)
    q = np.concatenate([turn.rotation @ (0, 0, 0.05 - depth_at_rest(3.0, 4)), turn.quaternion])
    return run(model, q0=q), turn.rotation @ (1.0, 0, 0)


def test_a_block_sticks_below_the_friction_angle_and_creeps_as_the_law_has_it():
    """Friction rows have no position: b u = R f with R of the normal rows, all four corners alike (impratio 1)."""
    angle = np.arctan(0.5) * 0.5
    held, downhill = slope(angle, 0.5)
    gaps = lw.reference(held.model, "contact_dynamics", outputs="gap")(held.q[-1], np.zeros(6), np.zeros(6), DT)
    d = impedance(float(np.mean(np.asarray(gaps))))
    creep = (1 / 3.0) * (1 - d) / d * (3.0 * G * np.sin(angle) / 4) / B
    assert 1e-4 < creep < 0.01
    assert (held.q[-1, :3] - held.q[-2, :3]) / DT @ downhill == pytest.approx(creep, rel=0.02)


def test_a_block_slides_above_the_friction_angle():
    """Forces of a contact that slides are on the cone, whatever it does up and down: mu times what the normal gives."""
    angle, mu = np.arctan(0.5) * 1.5, 0.5
    sliding, downhill = slope(angle, mu)
    normal = np.cross(downhill, (0.0, 1.0, 0.0))
    velocity = np.diff(sliding.q[:, :3], axis=0) / DT
    gained = (velocity[-1] - velocity[499]) / (DT * 500)
    pressed = G * np.cos(angle) + gained @ normal
    assert abs(gained @ normal) < 0.05 * G  # it hops a little: softness makes friction lift what slides
    assert gained @ downhill == pytest.approx(G * np.sin(angle) - mu * pressed, rel=2e-3)


def test_sliding_distance():
    """A block that is pushed comes to rest after v^2 / (2 mu g)."""
    v0 = np.zeros(6)
    v0[0] = 2.0
    end = run(block(friction=0.4), 0.05 - depth_at_rest(3.0, 4), v0, 1.0)
    assert end.q[-1, 0] == pytest.approx(2.0**2 / (2 * 0.4 * G), rel=5e-3)
    assert np.abs(end.v[-1, :3]).max() < 2e-3


def test_a_ball_that_slides_ends_rolling():
    """With 2/5 m r^2 it keeps 5/7 of its speed, and then rolls without slipping."""
    v0 = np.zeros(6)
    v0[0] = 1.0
    end = run(ball(), 0.1 - depth_at_rest(2.0), v0, 1.0)
    R = lw.Pose.from_quaternion((0, 0, 0), end.q[-1, 3:]).rotation
    forward, about = (R @ end.v[-1, :3])[0], (R @ end.v[-1, 3:])[1]
    assert forward == pytest.approx(5 / 7, rel=0.01)
    assert forward == pytest.approx(about * end.q[-1, 2], rel=0.01)  # the contact is where the surfaces meet


def test_a_ball_rolls_down_a_slope_and_creeps_as_the_law_has_it():
    """5/7 of what slides without friction; friction, 2/7 of the pull, gives way by b u = R f. The surfaces meet half as
    deep as the ball is in the plane."""
    angle, mass, radius = 0.2, 2.0, 0.1
    turn = lw.Pose.from_quaternion((0, 0, 0), (0, np.sin(angle / 2), 0, np.cos(angle / 2)))
    model = body(mass, 0.4 * mass * radius**2, lw.sphere("thing", radius, name="skin"), friction=0.8, at=turn)
    end = run(model, q0=np.concatenate([turn.rotation @ (0, 0, radius - depth_at_rest(mass)), turn.quaternion]))
    down, across, up = turn.rotation.T
    axes = [lw.Pose.from_quaternion((0, 0, 0), q[3:]).rotation for q in end.q]
    forward = np.array([down @ R @ v[:3] for R, v in zip(axes, end.v, strict=True)])
    about = np.array([across @ R @ v[3:] for R, v in zip(axes, end.v, strict=True)])
    depth = radius - end.q[-1, :3] @ up
    pull = G * np.sin(angle)
    assert (forward[-1] - forward[499]) / (500 * DT) == pytest.approx(5 / 7 * pull, rel=2e-3)
    d = impedance(depth)
    creep = (1 - d) / d * (2 / 7 * pull) / B
    assert forward[-1] - about[-1] * (radius - depth / 2) == pytest.approx(creep, rel=0.02)


@pytest.mark.parametrize("ratio", [0.1, 0.3])
def test_a_ball_bounces_as_a_damped_spring(ratio):
    """With an impedance of nearly 1 and a time constant t, a ball on the ground is a damped spring that does not pull:
    x'' = -2 / t x' - x / (t z)^2 until that is zero. (Its weight is small beside that.)"""
    t = 0.05
    pair = lw.contact("skin", "ground", solref=(t, ratio), solimp=(0.9999, 0.9999, 0.001, 0.5, 2), condim=1)
    v0 = np.zeros(6)
    v0[2] = -3.0
    model = ball().with_contacts(pair)
    fall = lw.simulate(model, [0, 0, 0.1, 0, 0, 0, 1.0], v0, dt=1e-4, steps=3000, integrator="euler")
    omega = 1 / (0.9999 * t * ratio)
    damped = omega * np.sqrt(1 - ratio**2)
    s = np.linspace(0, np.pi / damped, 200_001)
    x = np.exp(-ratio * omega * s) * np.sin(damped * s) * 3.0 / damped
    u = np.gradient(x, s)
    leaves = np.argmax(2 * ratio * omega * u + omega**2 * x < 0)
    assert fall.v[:, 2].max() == pytest.approx(-u[leaves], rel=0.03)


def test_a_spinning_top_slows_down_by_torsional_friction():
    """condim 4: the moment about the normal is friction times the normal force, so the spin falls along a line."""
    mass, moment, torsional = 2.0, 0.01, 0.02
    model = body(mass, moment, lw.sphere("thing", 0.1, name="skin", friction=(0.8, torsional, 0), condim=4))
    v0 = np.zeros(6)
    v0[5] = 30.0
    end = run(model, 0.1 - depth_at_rest(mass), v0, 0.5)
    pressed = mass * (G * 0.5 + end.v[-1, 2])
    assert end.v[-1, 5] == pytest.approx(30.0 - torsional * pressed / moment, rel=2e-3)
    assert np.abs(end.q[-1, :2]).max() < 1e-6


def test_a_leaning_top_precesses():
    """A symmetric top on a smooth floor: I1 cos(lean) w^2 - I3 spin w + m g l = 0."""
    mass, l, I1, I3, spin, lean = 1.0, 0.1, 0.004, 0.006, 100.0, 0.3
    tip = lw.sphere("thing", 0.005, at=(0, 0, -l), name="tip", condim=1)
    model = body(mass, (I1, I1, I3), tip, friction=None, condim=1)
    turn = lw.Pose.from_quaternion((0, 0, 0), (0, np.sin(lean / 2), 0, np.cos(lean / 2)))
    q = np.concatenate([(0, 0, l * np.cos(lean) + 0.005 - depth_at_rest(mass)), turn.quaternion])
    p = I3 * spin / (2 * I1 * np.cos(lean))
    rate = p - np.sqrt(p * p - mass * G * l / (I1 * np.cos(lean)))
    v0 = np.zeros(6)
    v0[3:] = turn.rotation.T @ (0, 0, rate)
    v0[5] = spin
    top = lw.simulate(model, q, v0, dt=1e-4, steps=5000, integrator="euler", record=50)
    axes = np.array([lw.Pose.from_quaternion((0, 0, 0), x[3:]).rotation[:, 2] for x in top.q])
    turned = np.unwrap(np.arctan2(axes[:, 1], axes[:, 0]))
    assert (turned[-1] - turned[0]) / 0.5 == pytest.approx(rate, rel=0.02)
    assert np.abs(axes[:, 2] - np.cos(lean)).max() < 0.01
