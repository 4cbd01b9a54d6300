"""Vector environments: as gymnasium wants them, each robot by itself, mistakes flagged."""

import importlib.util
from pathlib import Path

import numpy as np
import pytest

gymnasium = pytest.importorskip("gymnasium", reason="the extra 'gym' is not installed")

import linkwright as lw  # noqa: E402
import linkwright.envs as envs  # noqa: E402
from linkwright.envs.cart_pole import CartPole  # noqa: E402
from linkwright.errors import InputError  # noqa: E402

EXAMPLE = Path(__file__).parents[2] / "examples" / "14_ppo.py"


@pytest.fixture(scope="module")
def task():
    return CartPole()


def test_spaces_types_and_seeds(task):
    env = envs.make(task, 5)
    first, info = env.reset(seed=3)
    assert info == {} and env.observation_space.contains(first)
    again = envs.make(task, 5).reset(seed=3)[0]
    assert np.array_equal(first, again) and not np.array_equal(first, env.reset(seed=4)[0])
    action = env.action_space.sample()
    seen, reward, over, cut, infos = env.step(action)
    assert env.observation_space.contains(seen) and isinstance(infos, dict)
    assert reward.shape == over.shape == cut.shape == (5,) and over.dtype == cut.dtype == bool
    assert env.metadata["autoreset_mode"] == gymnasium.vector.AutoresetMode.SAME_STEP
    wrapped = gymnasium.wrappers.vector.RecordEpisodeStatistics(env)
    wrapped.reset(seed=0)
    wrapped.step(env.action_space.sample())


def test_environments_do_not_notice_each_other(task):
    """The same actions give the same bits, whatever the others do."""
    rng = np.random.default_rng(0)
    actions = rng.uniform(-1, 1, size=(12, 6, 1))
    other = actions.copy()
    other[:, 1:] = rng.uniform(-1, 1, size=(12, 5, 1))
    seen = []
    for given in (actions, other):
        env = envs.make(task, 6)
        env.reset(seed=1)
        seen.append([env.step(a)[0][0] for a in given])
    assert np.array_equal(seen[0], seen[1])


def test_loops_stay_closed_and_steps_are_the_simulators(task):
    env = envs.make(task, 3)
    env.reset(seed=0)
    q0, v0 = env.simulator.q.copy(), env.simulator.v.copy()
    action = np.array([[0.5], [-0.2], [0.0]])
    env.step(action)
    ctrl = np.repeat(action[:, None] * 15.0, task.interval, axis=1)
    run = lw.simulate(task.robot, q0, v0, dt=task.dt, steps=task.interval, ctrl=ctrl)
    assert np.allclose(run.q[:, -1], env.simulator.q, atol=1e-9)
    error = lw.reference(task.robot, "constraint_error")(env.simulator.q)
    assert np.abs(error).max() < 1e-6


def test_episodes_end_and_begin_again(task):
    env = envs.make(task, 4)
    env.reset(seed=0)
    ended = np.zeros(4, dtype=int)
    for _ in range(60):
        seen, _, over, cut, infos = env.step(np.ones((4, 1)))
        if (over | cut).any():
            assert np.array_equal(infos["_final_obs"], over | cut)
            fresh = np.abs(seen[over][:, 2]) < 0.06  # the pole stands again
            assert fresh.all() and (np.abs(infos["final_obs"][over]).max(axis=1) > 0.3).all()
        ended += over
    assert (ended > 0).all()


def test_actions_that_are_no_numbers_reset_their_environment(task):
    env = envs.make(task, 3)
    env.reset(seed=0)
    seen, reward, over, _, infos = env.step(np.array([[0.1], [np.nan], [0.1]]))
    assert list(over) == [False, True, False] and list(infos["bad_action"]) == [False, True, False]
    assert env.bad_actions.tolist() == [0, 1, 0] and np.isfinite(seen).all() and reward[1] == 0


def test_what_diverges_is_reset_and_counted_and_nobody_else_notices(task):
    """The motion of one environment becomes infinite."""
    actions = np.full((3, 1), 0.1)
    seen = []
    for spoilt in (False, True):
        env = envs.make(task, 3)
        env.reset(seed=0)
        env.step(actions)
        if spoilt:
            state = env.simulator.save()
            state["v"][1] = np.inf
            env.simulator.restore(state)
        seen.append(env.step(actions))
    (good, *_), (found, reward, over, _, infos) = seen
    assert np.array_equal(good[[0, 2]], found[[0, 2]]) and np.isfinite(found).all() and reward[1] == 0
    assert list(over) == [False, True, False] and list(infos["diverged"]) == [False, True, False]
    assert env.diverged.tolist() == [0, 1, 0] and env.bad_actions.tolist() == [0, 0, 0]
    assert np.isfinite(env.step(actions)[0]).all() and env.diverged.tolist() == [0, 1, 0]


def test_parameters_are_drawn_anew_with_every_episode(task):
    env = envs.make(task, 8, randomize={"masses": (0.5, 2.0)})
    env.reset(seed=0)
    masses = env.simulator.parameters["masses"].copy()
    usual = lw.default_parameters(task.robot)["masses"]
    assert (masses[:, 1:] >= 0.5 * usual[1:]).all() and (masses[:, 1:] <= 2 * usual[1:]).all()
    assert len(np.unique(masses[:, 1])) == 8
    for _ in range(60):
        over = env.step(np.ones((8, 1)))[2]
        if over.any():
            break
    now = env.simulator.parameters["masses"]
    assert (now[over] != masses[over]).any() and np.array_equal(now[~over], masses[~over])


def test_sensors_of_a_robot_on_the_ground():
    task = envs.TASKS["quadruped"]()
    robot = task.robot
    task.sensors = [
        envs.imu(robot, "trunk"), envs.contact_forces(robot), envs.contacts(robot), envs.actuator_forces(robot),
        envs.frame_positions(robot, ("FL_foot",)), envs.frame_velocities(robot, ("trunk",)),
        envs.gravity_direction(robot),
    ]  # fmt: skip
    env = envs.make(task, 2)
    env.reset(seed=0)
    for _ in range(80):
        seen, _, over, _, _ = env.step(np.zeros((2, 12)))
    assert not over.any()  # it stands
    weight = 9.81 * sum(body.inertia.mass for body in robot.bodies[1:])
    imu, forces, touching, servos, foot, moving, down = np.split(seen[0], np.cumsum([6, 4, 4, 12, 3, 6]))[:7]
    assert np.allclose(imu[:3], (0, 0, 9.81), atol=0.5) and np.abs(imu[3:]).max() < 0.1
    assert abs(forces.sum() - weight) < 0.05 * weight and touching.all() and np.abs(servos).max() > 1
    assert abs(foot[2] - 0.02) < 0.01 and np.abs(moving).max() < 0.1 and np.allclose(down[:3], (0, 0, -1), atol=0.1)


def test_the_biped_bears_wild_commands():
    env = envs.make("standing_biped", 32)
    env.reset(seed=0)
    env.action_space.seed(0)
    for _ in range(40):
        seen = env.step(env.action_space.sample())[0]
    assert not env.diverged.any() and np.isfinite(seen).all()
    error = lw.reference(env.task.robot, "constraint_error")(env.simulator.q)
    assert np.abs(error).max() < 1e-3


def test_mistakes_are_named(task):
    with pytest.raises(InputError, match="no task named 'cartpole'"):
        envs.make("cartpole")
    with pytest.raises(InputError, match="num_envs is 0"):
        envs.make(task, 0)
    with pytest.raises(InputError, match=r"randomize\['masses'\] is \(-1, 2\)"):
        envs.make(task, 2, randomize={"masses": (-1, 2)})
    env = envs.make(task, 2)
    env.reset(seed=0)
    with pytest.raises(InputError, match=r"shape \(2,\); expected \(2, 1\)"):
        env.step(np.zeros(2))
    with pytest.raises(InputError, match=r"actions are .*expected numbers of shape"):
        env.step([["a"], ["b"]])
    with pytest.raises(InputError, match="no floating base"):
        envs.gravity_direction(task.robot)


def test_a_policy_learns_to_balance():
    spec = importlib.util.spec_from_file_location("ppo", EXAMPLE)
    ppo = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(ppo)
    ended = []
    ppo.train("looped_cart_pole", 40, 256, 0, report=lambda text: ended.append(int(text.split(", ")[1].split()[0])))
    assert sum(ended[-5:]) < 0.3 * sum(ended[:5])
