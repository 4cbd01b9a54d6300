"""Assembly on the mechanisms that come with the library: delta robot, Stewart platform, linkages, bipeds, grasps."""

import numpy as np
import pytest
from mechanisms import wrapped

import linkwright as lw
from linkwright.model import Pose

LOOPED = ["slider_crank", "four_bar", "five_bar", "watt_six_bar", "stephenson_six_bar", "jansen_leg", "pantograph_leg",
          "delta_robot", "stewart_platform", "chain_of_loops"]  # fmt: skip


@pytest.mark.parametrize("name", LOOPED)
def test_every_mechanism_is_closed_as_drawn_and_again_after_a_push(name):
    model = lw.load(name)
    check = lw.check_state(model, model.drawn).raise_if_open()
    known = lw.mobility(model, model.drawn)
    assert (check.rank, check.mobility, check.singular) == (known.rank, known.mobility, False)
    rng = np.random.default_rng(0)
    for size in (0.02, 0.3):
        pushed = model.integrate(model.drawn, rng.uniform(-size, size, model.nv))
        q = lw.project_configuration(model, pushed)
        v = lw.project_velocity(model, q, rng.normal(size=model.nv), weighted=None)
        lw.check_state(model, q, v, tolerance=1e-12).raise_if_open()
        assert np.abs(model.difference(q, pushed)).max() < 4 * size


def test_a_biped_with_redundant_closures():
    """48 rows of rank 30: six rows close each of six loops of which the plane needs three."""
    model = lw.load("digit_like")
    pushed = model.integrate(model.drawn, np.random.default_rng(0).uniform(-0.1, 0.1, model.nv))
    check = lw.check_state(model, lw.project_configuration(model, pushed))
    assert check.raise_if_open() and (check.rows, check.rank, check.mobility) == (48, 30, 14)


@pytest.fixture(scope="module")
def platform():
    """(model, feet and heads of the legs as drawn, legs)."""
    model = lw.load("stewart_platform")
    legs = [f"piston{k}_joint" for k in range(1, 7)]
    names = [f"cylinder{k}" for k in range(1, 7)] + [f"piston{k}" for k in range(1, 7)] + ["platform"]
    drawn = lw.reference(model, "forward_kinematics", frames=names)(model.drawn).positions
    return model, drawn[:6], drawn[6:12], drawn[12], lw.MotorMap(model, legs)


def moved(platform, position, rpy):
    """(heads of the legs, how much longer the legs are) with the platform somewhere else."""
    _, feet, heads, centre, _ = platform
    R = Pose.from_rpy((0, 0, 0), rpy).rotation
    there = (heads - centre) @ R.T + centre + position
    return there, np.linalg.norm(there - feet, axis=1) - np.linalg.norm(heads - feet, axis=1)


def test_a_stewart_platform_follows_its_legs(platform, rng):
    model, _, _, centre, legs = platform
    for _ in range(4):
        shift, rpy = rng.uniform(-0.08, 0.08, 3), rng.uniform(-0.2, 0.2, 3)
        q = legs.joints_from_motors(moved(platform, shift, rpy)[1], model.drawn)
        found = lw.reference(model, "forward_kinematics", frames=["platform"])(q)
        assert found.positions[0] == pytest.approx(centre + shift, abs=1e-10)
        assert found.rotations[0] == pytest.approx(Pose.from_rpy((0, 0, 0), rpy).rotation, abs=1e-10)


def test_a_stewart_platforms_jacobian_inverts_that_of_its_legs(platform):
    """A leg's rate is its direction times its head's velocity: u' (v + w x r)."""
    model, feet, _, centre, legs = platform
    shift, rpy = np.array([0.03, -0.05, 0.06]), (0.1, -0.15, 0.05)
    heads, lengths = moved(platform, shift, rpy)
    q = legs.joints_from_motors(lengths, model.drawn)
    along = (heads - feet) / np.linalg.norm(heads - feet, axis=1)[:, None]
    rates = np.hstack([along, np.cross(heads - centre - shift, along)])
    J = lw.closed_loop_jacobian(model, q, "platform", legs.motors, seen_from="local_world_aligned")
    assert rates @ J == pytest.approx(np.eye(6), abs=1e-10)
    # holding it still: the legs carry the platform's and their own weight
    still = np.zeros(model.nv)
    held = lw.inverse_dynamics(model, q, still, still, legs.motors)
    weight = lw.reference(model.without_constraints(), "gravity_torques")(q)
    assert held.tau == pytest.approx(legs.torque(q, weight), abs=1e-9)


def test_a_delta_robot_meets_its_closed_form(rng):
    model = lw.load("delta_robot")
    arms = [f"arm{k}_joint" for k in (1, 2, 3)]
    motors = lw.MotorMap(model, arms)
    radial = np.array([[np.cos(x), np.sin(x), 0.0] for x in (0, 2 * np.pi / 3, 4 * np.pi / 3)])
    for turn in rng.uniform(-0.4, 0.5, (4, 3)):
        q = motors.joints_from_motors(turn, model.drawn)
        pose = lw.reference(model, "forward_kinematics", frames=["platform"])(q)
        assert pose.rotations[0] == pytest.approx(np.eye(3), abs=1e-9)  # it never tilts
        below = 0.3 + turn[:, None]  # arms as drawn are 0.3 rad below the horizontal
        elbows = (0.2 + 0.235 * np.cos(below) - 0.045) * radial - 0.235 * np.sin(below) * [0, 0, 1]
        assert np.linalg.norm(pose.positions[0] - elbows, axis=1) == pytest.approx([0.8] * 3, abs=1e-10)
        assert pose.positions[0][2] < elbows[:, 2].min()  # the lower of the two assemblies


def test_jansens_leg_comes_back_after_a_turn_of_its_crank():
    model = lw.load("jansen_leg")
    crank = model.joints[0].name
    turns = np.linspace(0, 2 * np.pi, 13)
    q = lw.MotorMap(model, crank).joints_from_motors(turns[:, None], model.drawn)
    assert np.abs(lw.reference(model, "constraint_error")(q)).max() < 1e-12
    assert np.abs(wrapped(q[-1] - model.drawn)).max() < 1e-9
    assert np.abs(wrapped(q[6] - model.drawn)).max() > 0.1


def test_the_toes_of_a_biped_in_the_air(rng):
    """Six motors a leg, two of them for pitch and roll of the toes through loops; eight in the arms."""
    standing = lw.load("digit_like")
    flying = standing.without_constraints().with_constraints(
        *(c for c in standing.constraints if not c.name.endswith("_foot"))
    )
    leg = ["hip_roll", "hip_yaw", "thigh", "shin", "toe_a", "toe_b"]
    arm = ["shoulder_roll", "shoulder_pitch", "shoulder_yaw", "elbow"]
    sides = [(side, part) for side in ("left", "right") for part in (*leg, *arm)]
    motors = lw.MotorMap(flying, [f"{side}_{part}_joint" for side, part in sides], held="root_joint")
    q = motors.joints_from_motors(rng.uniform(-0.1, 0.1, motors.nv), flying.drawn)
    lw.check_state(flying, q, motors.velocity(q, rng.normal(size=motors.nv))).raise_if_open()

    toes = ["left_toe_a_joint", "left_toe_b_joint"]
    still = [joint.name for joint in flying.joints if joint.name in motors.motors and joint.name not in toes]
    both = lw.MotorMap(flying, toes, held=["root_joint", *still])
    foot = ["left_toe_pitch_joint", "left_toe_roll_joint"]
    rate, u = rng.normal(size=2), rng.normal(size=2)
    v = both.velocity(q, rate)
    turning = lw.MotorMap(flying, foot).motor_velocity(q, v)
    assert both.joint_torque(q, u, foot) @ turning == pytest.approx(u @ rate, rel=1e-9)
    with pytest.raises(lw.LinkwrightError, match="left_hip_roll_joint"):
        lw.MotorMap(flying, toes, held="root_joint").velocity(q, rate)
