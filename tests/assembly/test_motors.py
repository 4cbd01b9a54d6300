"""Motors of closed mechanisms: positions, velocities, torques, inertia, frame Jacobians."""

import numpy as np
import pytest
from mechanisms import (
    ANKLE_JOINT,
    ANKLE_MOTORS,
    ankle,
    ankle_motors,
    five_bar,
    five_bar_pose,
    four_bar,
    four_bar_pose,
)

import linkwright as lw

MOTORS = ["left_motor", "right_motor"]
STEP = 1e-5


@pytest.fixture(scope="module")
def arm():
    return five_bar()


@pytest.fixture(scope="module")
def foot():
    """The ankle, its start and what its motors do."""
    return ankle(), np.zeros(4), lw.MotorMap(ankle(), ANKLE_MOTORS)


def test_an_ankle_goes_where_its_motors_put_it(foot, rng):
    model, start, motors = foot
    for pitch, roll in rng.uniform(-0.35, 0.35, (6, 2)):
        q = motors.joints_from_motors(ankle_motors(pitch, roll), start)
        assert q[:2] == pytest.approx([pitch, roll], abs=1e-9)
        assert motors.motor_position(q) == pytest.approx(ankle_motors(pitch, roll), abs=1e-15)
        # and the other way round
        back = lw.MotorMap(model, ANKLE_JOINT).joints_from_motors([pitch, roll], start)
        assert back == pytest.approx(q, abs=1e-9)


def test_a_batch_of_motor_positions(foot, rng):
    _, start, motors = foot
    angles = np.array([ankle_motors(*x) for x in rng.uniform(-0.3, 0.3, (5, 2))])
    together = motors.joints_from_motors(angles, start)
    for one, q in zip(angles, together, strict=True):
        assert motors.joints_from_motors(one, start) == pytest.approx(q, abs=1e-9)
    v = motors.velocity(together, rng.normal(size=(5, 2)))
    assert v.shape == (5, 4) and motors.torque(together, v).shape == (5, 2)
    assert motors.inertia(together).shape == (5, 2, 2)


def test_velocities_are_those_of_the_positions(foot):
    _, start, motors = foot
    at, rate = ankle_motors(0.2, -0.1), np.array([0.7, -1.3])
    q, before, after = (motors.joints_from_motors(at + s * rate, start) for s in (0.0, -STEP, STEP))
    v = motors.velocity(q, rate)
    assert v == pytest.approx((after - before) / (2 * STEP), abs=1e-8)
    assert motors.motor_velocity(q, v) == pytest.approx(rate, abs=1e-15)
    # accelerations: the velocities' rate along the motion
    ahead, behind = (motors.velocity(x, rate) for x in (after, before))
    assert motors.acceleration(q, v, [0.0, 0.0]) == pytest.approx((ahead - behind) / (2 * STEP), abs=1e-7)


def test_torques_have_the_same_power_on_both_sides(foot, rng):
    model, start, motors = foot
    q = motors.joints_from_motors(ankle_motors(0.2, -0.1), start)
    tau, rate, u = rng.normal(size=4), rng.normal(size=2), rng.normal(size=2)
    v = motors.velocity(q, rate)
    assert motors.torque(q, tau) @ rate == pytest.approx(tau @ v, rel=1e-12)
    # from motors to the ankle and back
    at_ankle = motors.joint_torque(q, u, ANKLE_JOINT)
    assert at_ankle @ v[:2] == pytest.approx(u @ rate, rel=1e-12)
    joints = lw.MotorMap(model, ANKLE_JOINT)
    assert joints.joint_torque(q, at_ankle, ANKLE_MOTORS) == pytest.approx(u, rel=1e-10)
    assert motors.joint_torque(q, u) == pytest.approx([0, 0, *u])
    energy = lw.reference(model, "kinetic_energy")(q, v)
    assert 0.5 * rate @ motors.inertia(q) @ rate == pytest.approx(energy, rel=1e-12)


def test_on_a_floating_base_the_base_is_held():
    model, alone = ankle(floating=True), lw.MotorMap(ankle(), ANKLE_MOTORS)
    start = model.neutral()
    start[:3] = 1.0, 2.0, 3.0
    motors = lw.MotorMap(model, ANKLE_MOTORS, held="root_joint")
    angles = ankle_motors(0.1, 0.25)
    q = motors.joints_from_motors(angles, start)
    assert np.array_equal(q[:7], start[:7])
    own = alone.joints_from_motors(angles, np.zeros(4))
    assert q[7:] == pytest.approx(own, abs=1e-9)
    v = motors.velocity(q, [1.0, 2.0])
    assert not v[:6].any() and v[6:] == pytest.approx(alone.velocity(own, [1.0, 2.0]), abs=1e-9)
    with pytest.raises(lw.LinkwrightError, match="6 ways to move, in joints root_joint"):
        lw.MotorMap(model, ANKLE_MOTORS).velocity(q, [1.0, 2.0])


@pytest.mark.parametrize("reference", ["local", "world", "local_world_aligned"])
def test_frame_jacobians_of_closed_mechanisms(arm, reference):
    left, right = 2.1, 0.9
    q = five_bar_pose(left, right)[0]
    J = lw.closed_loop_jacobian(arm, q, "tip", MOTORS, seen_from=reference)
    velocities = lw.reference(arm, "frame_velocities", frames="tip", seen_from=reference)
    for k, rate in enumerate(np.eye(2)):
        v = lw.MotorMap(arm, MOTORS).velocity(q, rate)
        assert J[:, k] == pytest.approx(velocities(q, v)[0], abs=1e-12)
    assert lw.closed_loop_jacobian(arm, np.stack([q, q]), "tip", MOTORS, seen_from=reference)[1] == pytest.approx(J)


def test_frame_jacobian_is_the_derivative_of_the_closed_form(arm):
    left, right = 2.1, 0.9
    J = lw.closed_loop_jacobian(arm, five_bar_pose(left, right)[0], "tip", MOTORS, seen_from="local_world_aligned")
    for k, (dl, dr) in enumerate(np.eye(2) * STEP):
        ahead, behind = (five_bar_pose(left + s * dl, right + s * dr)[1] for s in (1, -1))
        assert J[:2, k] == pytest.approx((ahead - behind) / (2 * STEP), abs=1e-9)


def test_frame_jacobian_is_the_derivative_of_projected_poses():
    model, q = four_bar(), four_bar_pose(0.8)
    J = lw.closed_loop_jacobian(model, q, "coupler_middle", "crank_joint", seen_from="local_world_aligned")
    place = lw.reference(model, "forward_kinematics", frames=["coupler_middle"])
    ahead, behind = (
        place(lw.project_configuration(model, [0.8 + s, *q[1:]], fixed="crank_joint")).positions[0]
        for s in (STEP, -STEP)
    )
    assert J[:3, 0] == pytest.approx((ahead - behind) / (2 * STEP), abs=1e-9)


def test_more_motors_than_motions_have_to_agree(arm, rng):
    three = lw.MotorMap(arm, ["left_motor", "left_elbow", "right_motor"])
    first, last = five_bar_pose(2.0, 1.0)[0], five_bar_pose(2.6, 0.4)[0]
    assert three.joints_from_motors(last[:3], first) == pytest.approx(last, abs=1e-9)
    with pytest.raises(lw.NoConvergence, match="pin"):
        three.joints_from_motors(last[:3] + np.array([0, 0.01, 0]), first)
    v = lw.MotorMap(arm, MOTORS).velocity(first, [1.0, -0.4])
    assert three.velocity(first, v[:3]) == pytest.approx(v, abs=1e-12)
    with pytest.raises(lw.NoConvergence, match="do not agree"):
        three.velocity(first, [1.0, 2.0, 3.0])
    tau = rng.normal(size=4)
    u = three.torque(first, tau)  # least norm among those of equal power
    assert u @ v[:3] == pytest.approx(tau @ v, rel=1e-12)
    two = lw.MotorMap(arm, MOTORS).torque(first, tau)
    assert np.linalg.norm(u) < np.linalg.norm(two)


def test_motors_that_leave_something_free_are_told_what(arm):
    q = five_bar_pose(2.0, 1.0)[0]
    lazy = lw.MotorMap(arm, "left_motor")
    for ask in (lambda: lazy.velocity(q, 1.0), lambda: lazy.torque(q, np.ones(4)), lambda: lazy.inertia(q),
                lambda: lazy.joints_from_motors([2.1], q)):  # fmt: skip
        with pytest.raises(lw.LinkwrightError, match="1 way to move, in joints left_elbow, right_motor, right_elbow"):
            ask()
    # held still, they are not free
    assert lw.MotorMap(arm, "left_motor", held="right_motor").velocity(q, 1.0)[2] == 0


def test_a_motor_at_its_dead_centre_loses_its_grip():
    """Driven at the rocker, a crank in line with the coupler cannot be pushed on."""
    model = four_bar()
    a, b, c, d = 0.2, 0.5, 0.4, 0.5
    crank = np.arccos(((a + b) ** 2 + d**2 - c**2) / (2 * (a + b) * d))
    with pytest.raises(lw.LinkwrightError, match="singular"):
        lw.MotorMap(model, "rocker_joint").velocity(four_bar_pose(crank), 1.0)


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda m, q: lw.MotorMap(m, []), "empty"),
        (lambda m, q: lw.MotorMap(m, ["left"]), "no joint named 'left'"),
        (lambda m, q: lw.MotorMap(m, MOTORS, held="left_motor"), "both motors and held"),
        (lambda m, q: lw.MotorMap(m, MOTORS).velocity(q, [1.0]), "v_motor"),
        (lambda m, q: lw.MotorMap(m, MOTORS).velocity(q, [1.0, np.nan]), "finite"),
        (lambda m, q: lw.MotorMap(m, MOTORS).velocity(q * np.nan, [1.0, 0]), "nan"),
        (lambda m, q: lw.MotorMap(m, MOTORS).torque(q, [1.0, 0]), "tau has shape"),
        (lambda m, q: lw.closed_loop_jacobian(m, q, "nothing", MOTORS), "no frame named 'nothing'"),
        (lambda m, q: lw.closed_loop_jacobian(m, q, "tip", MOTORS, seen_from="body"), "body"),
    ],
)
def test_bad_input_is_named(arm, ask, message):
    with pytest.raises(lw.LinkwrightError, match=message):
        ask(arm, five_bar_pose(2.0, 1.0)[0])
