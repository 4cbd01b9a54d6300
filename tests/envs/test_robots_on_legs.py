"""Tasks on legs: the steered beast, robots of files, what their sensors feel."""

import numpy as np
import pytest

pytest.importorskip("gymnasium", reason="the extra 'gym' is not installed")

import linkwright as lw
import linkwright.envs as envs
from linkwright.errors import InputError

HOPPER = """
<mujoco><option timestep="0.005"/>
  <worldbody><geom name="floor" type="plane" size="5 5 0.1"/>
    <body name="trunk" pos="0 0 0.5"><freejoint/>
      <geom name="trunk" type="box" size="0.3 0.3 0.1" mass="5" contype="0" conaffinity="0"/>
      <site name="under" pos="0 0 -0.1" euler="0 0 90"/>
      {legs}
    </body></worldbody>
  <actuator>{motors}</actuator>
  <keyframe><key name="home" qpos="0 0 0.45 1 0 0 0 0 0 0"/></keyframe>
</mujoco>
"""


@pytest.fixture(scope="module")
def hopper_file(tmp_path_factory):
    """Three sliding legs with motors."""
    legs = "".join(
        f'<body name="leg{k}" pos="{x} {y} -0.2"><joint name="slide{k}" type="slide" axis="0 0 -1" range="-0.1 0.1"/>'
        f'<geom name="foot{k}" type="sphere" size="0.05" pos="0 0 -0.2" mass="0.5"/></body>'
        for k, (x, y) in enumerate(((0.3, 0.0), (-0.2, 0.25), (-0.2, -0.25)))
    )
    motors = "".join(f'<motor name="m{k}" joint="slide{k}" gear="2" ctrlrange="-200 200"/>' for k in range(3))
    path = tmp_path_factory.mktemp("robot") / "hopper.xml"
    path.write_text(HOPPER.format(legs=legs, motors=motors))
    return path


def test_the_beast_turns_to_the_side_of_the_slower_crank():
    env = envs.make("steered_beast", 3)
    env.reset(seed=0)
    actions = np.array([[0.5, 0.5], [0.2, 0.6], [0.6, 0.2]])  # of the left crank, of the right one
    for _ in range(100):
        seen, reward, over, _, _ = env.step(actions)
        assert not over.any()
    q = env.simulator.q
    yaw = 2 * np.arctan2(q[:, 5], q[:, 6])
    assert q[0, 0] > 0.8 and abs(yaw[0]) < 0.05 and yaw[1] > 0.2 and yaw[2] < -0.2
    assert np.abs(lw.reference(env.task.robot, "constraint_error")(q)).max() < 1e-3
    assert (reward >= 0).all() and np.isfinite(seen).all() and not env.diverged.any()


def test_cranks_of_beasts():
    robot = lw.robots.jansen_beast(4, cranks=2)
    assert robot.nv == 26 and [j.name for j in robot.joints if "crank" in j.name] == [
        "right_crank_joint", "left_crank_joint",
    ]  # fmt: skip
    for legs, cranks in ((6, 2), (4, 3), (4, 0)):
        with pytest.raises(InputError, match=f"{legs} legs are on {cranks} cranks"):
            lw.robots.jansen_beast(legs, cranks=cranks)


def test_a_robot_of_a_file_stands_on_servos(hopper_file):
    env = envs.make("quadruped", 4, file=hopper_file)
    robot = env.task.robot
    assert env.task.dt == 0.005 and env.task.interval == 4 and robot.nu == 3
    assert all(one.force_range == (-400.0, 400.0) for one in robot.actuators)
    env.reset(seed=0)
    for _ in range(50):
        over = env.step(np.zeros((4, 3)))[2]
    assert not over.any() and np.abs(env.simulator.q[:, 2] - 0.45).max() < 0.1
    with pytest.raises(InputError, match="has a robot of its own; file= is for quadruped"):
        envs.make("steered_beast", 4, file=hopper_file)
    with pytest.raises(InputError, match="brings its robot"):
        envs.make(env.task, 4, file=hopper_file)
    with pytest.raises(InputError, match="has no legs"):
        bare = hopper_file.with_name("bare.xml")
        bare.write_text("<mujoco><worldbody><body><joint type='slide'/><geom size='1'/></body></worldbody></mujoco>")
        envs.make("quadruped", 4, file=bare)


def test_forces_at_frames_hold_the_robot(hopper_file):
    task = envs.TASKS["quadruped"](file=hopper_file)
    robot = task.robot
    task.sensors = [
        envs.frame_forces(robot, ("leg0", "leg1", "leg2")), envs.frame_forces(robot, ("under",)),
        envs.joint_angles(robot, ("slide0",)),
    ]  # fmt: skip
    env = envs.make(task, 2)
    seen, _ = env.reset(seed=0)
    for _ in range(100):
        seen = env.step(np.zeros((2, 3)))[0]
    feet, trunk, angle = np.split(seen[0].astype(float), [18, 24])[:3]
    feet = feet.reshape(3, 6)
    weight = 6.5 * 9.81
    assert feet[:, 2].sum() == pytest.approx(weight, rel=1e-3) and (feet[:, 2] > 0).all() and not trunk.any()
    # torques are about the body's origin, 0.2 m and more above where the foot touches: lever x force
    lever = np.array([0, 0, -0.25])
    assert np.allclose(feet[:, 3:], np.cross(lever, feet[:, :3]), atol=1e-2 * weight)
    # moments of the three feet about the centre of mass vanish
    places = np.array([[0.3, 0.0], [-0.2, 0.25], [-0.2, -0.25]])
    assert np.abs((places * feet[:, 2:3]).sum(axis=0)).max() < 0.02 * weight
    q = env.simulator.q[0, robot.iq[robot.joint_index("slide0")].start]
    assert np.allclose(angle[:2], (np.cos(q), np.sin(q)), atol=1e-6)


def test_what_sensors_feel_after_a_reset_is_of_the_new_episode(hopper_file):
    """Not of the step in which the old one ended."""
    task = envs.TASKS["quadruped"](file=hopper_file)
    task.sensors = [envs.contact_forces(task.robot), envs.actuator_forces(task.robot), envs.imu(task.robot, "trunk")]
    fresh = envs.make(task, 1)
    first, _ = fresh.reset(seed=0)
    env = envs.make(task, 2)
    env.reset(seed=5)
    for _ in range(30):
        env.step(np.array([[0.3, -0.2, 0.1], [0.0, 0.0, 0.0]]))
    seen, _, over, _, infos = env.step(np.array([[np.nan, 0, 0], [0, 0, 0]]))
    assert list(over) == [True, False]
    size = sum(sensor.size for sensor in task.sensors)
    assert np.array_equal(seen[0, :size], first[0, :size])
    assert not np.array_equal(infos["final_obs"][0, :size], first[0, :size])
