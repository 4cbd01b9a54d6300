"""Cassie from its SDF file: four loops closed by points, springs, dampers, motors on PD."""

import numpy as np
import pytest

import linkwright as lw

SIDES = ("left", "right")
MOTOR_NAMES = ("roll-op", "yaw-op", "pitch-op", "knee-op", "tarsus-crank-joint")
MOTORS = [f"{side}-{motor}" for side in SIDES for motor in MOTOR_NAMES]
# Within its limits and away from the drawn pose, in which the linkages of its feet are flat.
CROUCHED = {
    "pitch-op": 0.5, "knee-op": -1.2, "shin-tarsus-joint": 1.26, "achilles-spring-joint": -1.23,
    "tarsus-crank-joint": -1.6, "crank-rod-joint": 1.6, "foot-op": -1.6,
}  # fmt: skip


@pytest.fixture(scope="module")
def cassie():
    if not any(robot.name == "cassie" and robot.available for robot in lw.list_robots()):
        pytest.skip("cassie is not installed")
    model = lw.load("cassie", floating_base=False)
    q = model.drawn.copy()
    for side in SIDES:
        for joint, angle in CROUCHED.items():
            q[model.iq[model.joint_index(f"{side}-{joint}")]] = angle
    # springs give way a little; axes in the file are parallel to 1e-8 only, so no pose is closed to better than that
    springy = np.array([0.05 if joint.stiffness.any() else 1.0 for joint in model.joints])
    held = np.array([1e-3 if joint.name in MOTORS else 1.0 for joint in model.joints])
    error, jacobian = (lw.compile(model, name) for name in ("constraint_error", "constraint_jacobian"))
    for _ in range(50):
        ease = springy * held
        q = q - ease * np.linalg.lstsq(jacobian(q) * ease, error(q), rcond=1e-7)[0]
    return model, q, error, jacobian


@pytest.mark.parametrize("projection", [False, True])
def test_twenty_seconds_with_the_pelvis_fixed(cassie, projection):
    model, q0, error, jacobian = cassie
    control = lw.PD({joint: 200.0 for joint in MOTORS}, {joint: 8.0 for joint in MOTORS})
    trajectory = lw.simulate(model, q0, dt=1e-3, steps=20_000, control=control, projection=projection, record=20)
    assert np.all(trajectory.finite) and trajectory.worst[0] < (1e-7 if projection else 1e-5)
    assert np.abs(trajectory.v[-1]).max() < 1e-6  # dampers have brought it to rest
    sprung = [k for k, joint in enumerate(model.joints) if joint.stiffness.any()]
    assert 1e-4 < np.abs(trajectory.q[-1, sprung]).max() < 0.05
    if projection:  # what is left lies in directions in which nothing moves
        q = trajectory.q[-1]
        e, J = error(q), jacobian(q)
        assert np.abs(J @ np.linalg.lstsq(J, e, rcond=1e-6)[0]).max() < 1e-10
