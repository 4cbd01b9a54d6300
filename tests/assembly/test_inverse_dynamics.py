"""Motor torques of closed motions: forward dynamics gives the motion back, power balances, least norm."""

import numpy as np
import pytest
from mechanisms import five_bar, five_bar_pose, four_bar, four_bar_pose, random_closed_graph

import linkwright as lw

MOTORS = ["left_motor", "right_motor"]
THREE = ["left_motor", "left_elbow", "right_motor"]
PROGRAM = "closed_loop_inverse_dynamics"
OUTPUTS = ("tau", "forces", "lam", "status")


def state(rng):
    """A five-bar in motion."""
    model, q = five_bar(), five_bar_pose(2.1, 0.9)[0]
    motors = lw.MotorMap(model, MOTORS)
    v = motors.velocity(q, rng.normal(size=2))
    return model, q, v, motors.acceleration(q, v, rng.normal(size=2))


def spread(model, motors, u):
    tau = np.zeros(model.nv)
    for name, x in zip(motors, u, strict=True):
        tau[model.iv[model.joint_index(name)]] = x
    return tau


@pytest.mark.parametrize("motors", [MOTORS, THREE, MOTORS[::-1]])
def test_forward_dynamics_gives_the_motion_back(motors, rng):
    model, q, v, a = state(rng)
    found = lw.inverse_dynamics(model, q, v, a, motors)
    tau = spread(model, motors, found.tau)
    forward = lw.compile(model, "lcaba", iterations=20)(q, v, tau)
    assert forward.a == pytest.approx(a, abs=1e-9)
    exact = lw.solve_kkt(model, q, v, tau)
    assert exact.a == pytest.approx(a, abs=1e-10)
    if motors != THREE:  # with two motors the pin's force in the plane is unique
        assert found.forces["pin"] == pytest.approx(exact.forces["pin"], abs=1e-10)
    compiled = lw.compile(model, PROGRAM, motors=motors, outputs=OUTPUTS)(q, v, a)
    assert compiled.status == 0
    assert compiled.tau == pytest.approx(found.tau, abs=1e-12)
    assert compiled.forces["pin"] == pytest.approx(found.forces["pin"], abs=1e-9)


def test_the_motors_power_is_the_rate_of_energy(rng):
    model, q, v, a = state(rng)
    u = lw.inverse_dynamics(model, q, v, a, MOTORS).tau
    kinetic, potential = lw.reference(model, "kinetic_energy"), lw.reference(model, "potential_energy")
    h = 1e-5

    def energy(s):  # along the motion to second order
        there = model.integrate(q, s * v + s * s / 2 * a)
        return kinetic(there, v + s * a) + potential(there)

    power = u @ lw.MotorMap(model, MOTORS).motor_velocity(q, v)
    assert power == pytest.approx((energy(h) - energy(-h)) / (2 * h), rel=1e-7, abs=1e-8)


def test_three_motors_share_the_work_with_least_norm(rng):
    model, q, v, a = state(rng)
    two = lw.inverse_dynamics(model, q, v, a, MOTORS).tau
    three = lw.inverse_dynamics(model, q, v, a, THREE).tau
    assert np.linalg.norm(three) < np.linalg.norm(two)
    # perpendicular to every set of torques that moves nothing: those of zero power in all motions
    E = lw.MotorMap(model, MOTORS).matrix(q)[:3]
    idle = np.linalg.svd(E.T)[2][2]
    assert abs(idle @ three) < 1e-10


def test_external_forces_and_batches(rng):
    model, q, v, a = state(rng)
    f_ext = rng.normal(size=(model.nbodies, 6))
    found = lw.inverse_dynamics(model, q, v, a, MOTORS, f_ext=f_ext)
    exact = lw.solve_kkt(model, q, v, spread(model, MOTORS, found.tau), f_ext=f_ext)
    assert exact.a == pytest.approx(a, abs=1e-10)
    many = lw.inverse_dynamics(model, *(np.stack([x] * 3) for x in (q, v, a)), MOTORS, f_ext=f_ext)
    assert many.tau == pytest.approx(np.stack([found.tau] * 3))
    assert many.forces["pin"].shape == (3, 6)
    function = lw.compile(model, PROGRAM, motors=MOTORS)
    batch = function(*(np.stack([x] * 9) for x in (q, v, a)), f_ext=np.stack([f_ext] * 9))
    assert batch.tau == pytest.approx(np.stack([found.tau] * 9), abs=1e-12)


@pytest.mark.parametrize("seed", range(8))
def test_random_graphs(seed):
    """All joints driven, then as few as will do; both implementations, checked by the referee."""
    model, q = random_closed_graph(seed)
    rng = np.random.default_rng(seed)
    v = lw.project_velocity(model, q, rng.normal(size=model.nv))
    a = lw.solve_kkt(model, q, v, rng.normal(size=model.nv)).a
    for motors in ([joint.name for joint in model.joints], enough_motors(model, q)):
        found = lw.inverse_dynamics(model, q, v, a, motors)
        tau = lw.MotorMap(model, motors).joint_torque(q, found.tau)
        size = max(1.0, np.abs(a).max())
        assert np.abs(lw.solve_kkt(model, q, v, tau).a - a).max() < 1e-9 * size
        written = lw.reference(model, PROGRAM, motors=motors, outputs=OUTPUTS)(q, v, a)
        assert written.status == 0
        assert written.tau == pytest.approx(found.tau, abs=1e-10 * max(1.0, np.abs(found.tau).max()))


def enough_motors(model, q):
    """Drop joints while the rest still determine the motion."""
    motors = [joint.name for joint in model.joints]
    for name in list(motors):
        fewer = [m for m in motors if m != name]
        try:
            lw.MotorMap(model, fewer).matrix(q)
        except lw.LinkwrightError:
            continue
        motors = fewer
    return motors


def test_a_motion_out_of_reach_of_the_motors_is_refused(rng):
    model, q, v, a = state(rng)
    with pytest.raises(lw.LinkwrightError, match=r"under-actuated: 1 of its 2 ways.*left_elbow, right_motor"):
        lw.inverse_dynamics(model, q, v, a, ["left_motor"])
    # with 5 rows for 4 velocities counting cannot tell, so the compiled program says it in its status
    status = lw.compile(model, PROGRAM, motors=["left_motor"], outputs="status")(q, v, a)
    assert status == 2
    # but a motion that needs nothing there is served
    tau = spread(model, ["left_motor"], [0.3])
    passive = lw.solve_kkt(model, q, v, tau).a
    assert lw.inverse_dynamics(model, q, v, passive, ["left_motor"]).tau == pytest.approx([0.3], abs=1e-8)


def test_an_acceleration_that_opens_the_loops_is_refused(rng):
    model, q, v, a = state(rng)
    with pytest.raises(lw.NoConvergence, match=r"'pin' .* m/s\^2"):
        lw.inverse_dynamics(model, q, v, a + 1.0, MOTORS)


def test_springs_dampers_and_rotors_count():
    model = four_bar(damping=0.3, armature=0.02, stiffness=2.0)
    q = four_bar_pose(0.8)
    crank = lw.MotorMap(model, "crank_joint")
    v = crank.velocity(q, 1.5)
    a = crank.acceleration(q, v, -0.7)
    plain = four_bar()
    difference = (
        lw.inverse_dynamics(model, q, v, a, "crank_joint").tau - lw.inverse_dynamics(plain, q, v, a, "crank_joint").tau
    )
    assert difference == pytest.approx([0.3 * 1.5 + 0.02 * -0.7 + 2.0 * 0.8], abs=1e-10)


def test_bad_input_is_named(rng):
    model, q, v, a = state(rng)
    for ask, message in [
        (lambda: lw.inverse_dynamics(model, q, v, a, []), "motors is empty"),
        (lambda: lw.inverse_dynamics(model, q, v, a, ["knee"]), "no joint named 'knee'"),
        (lambda: lw.inverse_dynamics(model, q, v, a * np.nan, MOTORS), "nan"),
        (lambda: lw.inverse_dynamics(model, q, v[:2], a, MOTORS), "v has shape"),
        (lambda: lw.inverse_dynamics(model, q, v, a, MOTORS, f_ext=np.zeros((2, 6))), "f_ext"),
        (lambda: lw.compile(model, PROGRAM), "motors is None"),
        (lambda: lw.compile(model, PROGRAM, motors=["knee"]), "no joint named 'knee'"),
        (lambda: lw.compile(model, PROGRAM, motors=["left_motor", "left_motor"]), "each joint once"),
        (lambda: lw.compile(lw.load("humanoid"), PROGRAM, motors=["neck_yaw"]), "ways to move have no motor|no joint"),
    ]:
        with pytest.raises(lw.LinkwrightError, match=message):
            ask()
