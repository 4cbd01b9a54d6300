"""Commands in `simulate` and `Simulator`: shapes, policies, ranges, keyframes, and MuJoCo's trajectories."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import linkwright as lw
from linkwright.errors import InputError, SimulationError
from linkwright.model.actuators import Keyframe


def arm() -> lw.Model:
    return lw.load("chain:2").with_actuators(
        lw.motor("link_1_joint", ctrl_range=(-1, 1), name="shoulder"),
        lw.position_servo("link_2_joint", 30.0, 3.0, time_constant=0.05, force_range=(-9, 9), name="elbow"),
    )


def test_shapes_of_commands_agree(rng):
    robot, commands = arm(), rng.uniform(-1, 1, size=(20, 2))
    per_step = lw.simulate(robot, dt=1e-3, steps=20, ctrl=commands, outputs=("act", "actuator_force"))
    batch = lw.simulate(robot, dt=1e-3, steps=20, ctrl=np.stack([commands, -commands]))
    policy = lw.simulate(robot, dt=1e-3, steps=20, ctrl=lambda t, q, v: commands[round(t / 1e-3)], outputs="act")
    assert np.array_equal(per_step.q, batch.q[0]) and not np.array_equal(per_step.q, batch.q[1])
    assert np.array_equal(per_step.q, policy.q) and np.array_equal(per_step["act"], policy["act"])
    assert per_step["act"].shape == (20, 1) and np.array_equal(per_step["act"][-1], per_step.act)
    named = lw.simulate(robot, dt=1e-3, steps=5, ctrl={"elbow": 0.3})
    assert np.array_equal(named.q, lw.simulate(robot, dt=1e-3, steps=5, ctrl=[0.0, 0.3]).q)
    assert np.array_equal(
        lw.simulate(robot, dt=1e-3, steps=5, ctrl=0.3).q, lw.simulate(robot, dt=1e-3, steps=5, ctrl=[0.3, 0.3]).q
    )


def test_a_motor_is_a_torque():
    robot = arm()
    by_ctrl = lw.simulate(robot.without_actuators().with_actuators(lw.motor("link_1_joint", gear=2.0)), dt=1e-3,
                          steps=50, ctrl=0.4)  # fmt: skip
    by_torque = lw.simulate(robot, dt=1e-3, steps=50, control=[0.8, 0.0])
    assert np.allclose(by_ctrl.q, by_torque.q, rtol=0, atol=1e-15)
    both = lw.simulate(robot.without_actuators().with_actuators(lw.motor("link_1_joint")), dt=1e-3, steps=50,
                       ctrl=0.5, control=[0.3, 0.0])  # fmt: skip
    assert np.allclose(both.q, by_torque.q, rtol=0, atol=1e-12)
    # without commands actuators do nothing
    assert np.array_equal(lw.simulate(robot, steps=9).q, lw.simulate(robot.without_actuators(), steps=9).q)


def test_commands_beyond_their_range_are_cut_and_counted():
    robot = arm()
    beyond = np.zeros((30, 2))
    beyond[:12, 0], beyond[12:, 0] = 3.0, 1.0
    cut, kept = (lw.simulate(robot, dt=1e-3, steps=30, ctrl=np.minimum(beyond, most)) for most in (9.0, 1.0))
    assert np.array_equal(cut.q, kept.q) and cut.clamped.tolist() == [12, 0] and not kept.clamped.any()
    assert "shoulder 12" in str(cut) and "cut" not in str(kept)


def test_a_simulator_does_the_same(rng):
    robot, commands = arm(), rng.uniform(-2, 2, size=(15, 2))
    whole = lw.simulate(robot, dt=1e-3, steps=15, ctrl=commands)
    simulator = lw.Simulator(robot, dt=1e-3, actuators=True)
    for u in commands[:7]:
        simulator.step(ctrl=u)
    kept = simulator.save()
    for _ in range(2):
        simulator.restore(kept)
        for u in commands[7:]:
            simulator.step(ctrl=list(u))
        assert np.abs(simulator.q - whole.q[-1]).max() < 1e-12 and np.allclose(simulator.act, whole.act, atol=1e-12)
        assert np.array_equal(simulator.clamped, whole.clamped)
    two = lw.Simulator(robot, dt=1e-3, batch=2, actuators=True)
    q, _ = two.step(ctrl=[[0.1, 0.2], [0.3, 0.4]], n=5)
    assert q.shape == (2, 2) and two.act.shape == (2, 1) and not np.array_equal(q[0], q[1])


def test_stiff_servos_are_stable():
    """Their damping is taken implicitly, whatever the step."""
    robot = lw.load("chain:2").with_actuators(lw.position_servo("link_2_joint", 10.0, 1e5))
    assert lw.simulate(robot, dt=1e-2, steps=200, ctrl=0.5).finite


def test_keyframes():
    robot = arm()
    home = Keyframe([0.3, -0.2], [0.1, 0.0], [0.5], [0.2, -0.4])
    robot = replace(robot, keyframes={"home": home})
    from_home = lw.simulate(robot, dt=1e-3, steps=10, start="home")
    same = lw.simulate(robot, [0.3, -0.2], [0.1, 0.0], dt=1e-3, steps=10, act0=[0.5], ctrl=[0.2, -0.4])
    assert np.array_equal(from_home.q, same.q) and np.array_equal(from_home.act, same.act)
    free = lw.simulate(robot, dt=1e-3, steps=10, start="home", control=[0.0, 0.0])
    assert not np.array_equal(free.q, same.q)
    simulator = lw.Simulator(robot, dt=1e-3, actuators=True)
    simulator.reset(keyframe="home")
    q, _ = simulator.step(n=10)
    assert np.abs(q - same.q[-1]).max() < 1e-12
    with pytest.raises(InputError, match=r"no keyframe named 'hme'.*home"):
        lw.simulate(robot, steps=1, start="hme")
    with pytest.raises(InputError, match="q0 were given beside the keyframe 'home'"):
        lw.simulate(robot, [0, 0], steps=1, start="home")


@pytest.mark.parametrize(("ctrl", "said"), [
    ([0.0, np.nan], "ctrl is nan for actuator 'elbow'"),
    (np.full((3, 2), np.inf), r"ctrl is inf for actuator 'shoulder' at \(0,\)"),
    ([0.0], r"shape \(1,\); expected \(2,\) or \(3, 2\) or \(B, 3, 2\)"),
    ("up", "ctrl is 'up'"),
    ({"wrist": 1.0}, "no actuator named 'wrist'.*elbow, shoulder"),
])  # fmt: skip
def test_bad_commands(ctrl, said):
    with pytest.raises(InputError, match=said):
        lw.simulate(arm(), dt=1e-3, steps=3, ctrl=ctrl)


def test_more_bad_input():
    robot = arm()
    with pytest.raises(SimulationError, match=r"ctrl returned nan for actuator 'elbow' in step 2"):
        lw.simulate(robot, dt=1e-3, steps=5, ctrl=lambda t, q, v: [0.0, np.nan if t > 1.5e-3 else 0.0])
    with pytest.raises(SimulationError, match=r"ctrl returned shape \(3,\) in step 0; expected \(2,\) commands"):
        lw.simulate(robot, dt=1e-3, steps=5, ctrl=lambda t, q, v: [0.0] * 3)
    with pytest.raises(InputError, match=r"has no actuators.*with_actuators"):
        lw.simulate("chain:2", steps=1, ctrl=0.0)
    with pytest.raises(InputError, match=r"act0 has shape \(2,\); expected \(1,\).*elbow"):
        lw.simulate(robot, steps=1, ctrl=0.0, act0=[0.0, 0.0])
    with pytest.raises(InputError, match="actuators=True"):
        lw.Simulator(robot).step(ctrl=[0.0, 0.0])
    simulator = lw.Simulator(robot, actuators=True)
    with pytest.raises(InputError, match="nan for actuator 'shoulder'"):
        simulator.step(ctrl=np.array([np.nan, 0.0]))
    with pytest.raises(InputError, match="has no actuators"):
        lw.Simulator("chain:2", actuators=True)


def test_not_a_number_shows_in_the_program():
    """Values never raise there; a command that is cut to its range is no way to lose one that is none."""
    step = lw.compile(arm(), "step", actuators="input", outputs=("q", "status"))
    assert np.isnan(step([0.0, 0.0], [0.0, 0.0], [0.0, 0.0], 1e-3, [np.nan, 0.0], [0.0]).q).any()


def test_velocity_limits_keep_motors_from_driving_further():
    robot = lw.load("chain:1")
    joint = robot.joints[0]
    bodies = list(robot.bodies)
    limited = replace(joint, velocity_limit=[2.0])
    bodies[1] = replace(bodies[1], joint=limited)
    robot = replace(robot, bodies=tuple(bodies), gravity=np.zeros(3))
    for integrator in ("damped_euler", "euler"):
        fast = lw.simulate(robot, dt=1e-3, steps=4000, control=[0.5], integrator=integrator).v
        assert 1.9 < fast[-1, 0] < 2.0 + 1e-6 and fast.max() < 2.1
    assert lw.simulate(robot, dt=1e-3, steps=4000, control=[0.5], velocity_limits=False).v[-1, 0] > 3
    braking = lw.simulate(robot, v0=[4.0], dt=1e-3, steps=200, control=[-0.5])
    assert braking.v[-1, 0] < 4.0


def test_nothing_needs_no_act():
    """Where no actuator has an activation, a step does not ask for the empty ones."""
    robot = lw.load("chain:2").with_actuators(lw.motor("link_1_joint"))
    q, v, u = np.zeros(2), np.zeros(2), np.ones(1)
    for make in (lw.compile, lw.reference):
        step = make(robot, "step", actuators="input", outputs=("q", "v"))
        assert np.array_equal(step(q, v, v, 1e-3, u).v, step(q, v, v, 1e-3, u, np.zeros(0)).v)
        with pytest.raises(InputError, match="missing 'ctrl'"):
            step(q, v, v, 1e-3)
