"""What gymnasium checks of environments holds, and other people's wrappers and training loops run on them."""

import warnings

import numpy as np
import pytest

gymnasium = pytest.importorskip("gymnasium", reason="the extra 'gym' is not installed")

from gymnasium.utils import env_checker, passive_env_checker  # noqa: E402

import linkwright.envs as envs  # noqa: E402

TASK = "looped_cart_pole"


def test_of_one_robot():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        env_checker.check_env(gymnasium.make(f"linkwright/{TASK}-v0").unwrapped)


def test_of_many_robots():
    """All checks of gymnasium that are not about one environment; those of steps are made for one, and said here."""
    env = gymnasium.make_vec(f"linkwright/{TASK}-v0", num_envs=3, vectorization_mode="vector_entry_point")
    assert isinstance(env, gymnasium.vector.VectorEnv) and env.num_envs == 3 and env.spec.id == f"linkwright/{TASK}-v0"
    passive_env_checker.check_observation_space(env.observation_space)
    passive_env_checker.check_action_space(env.action_space)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for check in (
            env_checker.check_seed_deprecation, env_checker.check_reset_return_info_deprecation,
            env_checker.check_reset_return_type, env_checker.check_reset_seed_determinism,
            env_checker.check_reset_options,
        ):  # fmt: skip
            check(env)
    action, seen = env.action_space.sample(), []
    for _ in range(2):
        first = env.reset(seed=5)[0]
        observed, reward, over, cut, _ = env.step(action)
        assert observed in env.observation_space and reward.shape == over.shape == cut.shape == (3,)
        assert not np.shares_memory(first, observed)
        seen.append((observed, reward, over, cut))
    assert env_checker.data_equivalence(seen[0], seen[1], exact=True)


@pytest.mark.parametrize("autoreset", ["same_step", "next_step"])
def test_wrappers_of_gymnasium_know_how_episodes_end(autoreset):
    env = gymnasium.wrappers.vector.RecordEpisodeStatistics(envs.make(TASK, 4, autoreset=autoreset))
    if autoreset == "next_step":  # those that change observations take no other
        env = gymnasium.wrappers.vector.NormalizeObservation(env)
    env.reset(seed=0)
    lengths, ended = np.zeros(4, dtype=int), 0
    begin = np.zeros(4, dtype=bool)
    for _ in range(60):
        _, reward, over, cut, infos = env.step(np.ones((4, 1), np.float32))
        assert not (reward[begin].any() or over[begin].any())
        lengths += ~begin
        for k in np.flatnonzero(over | cut):
            assert infos["episode"]["l"][k] == lengths[k]
            lengths[k], ended = 0, ended + 1
        begin = (over | cut) & (autoreset == "next_step")
    assert ended > 4


def test_episodes_are_the_same_whenever_they_begin():
    """Until the first one ends, and of the next one what is seen first."""
    same, later = (envs.make(TASK, 1, autoreset=how) for how in ("same_step", "next_step"))
    same.reset(seed=1), later.reset(seed=1)
    for _ in range(60):
        a, b = (env.step([[1.0]]) for env in (same, later))
        if a[2][0]:
            assert b[2][0] and np.array_equal(a[4]["final_obs"], b[0])
            first, reward, over, *_ = later.step([[np.nan]])  # whatever the action is
            assert np.array_equal(first, a[0]) and not reward[0] and not over[0] and not later.bad_actions[0]
            return
        assert np.array_equal(a[0], b[0])
    raise AssertionError("it never fell")


def test_one_robot_is_the_first_of_many():
    one, many = envs.RobotEnv(TASK), envs.make(TASK, 1)
    seen, _ = one.reset(seed=2)
    others, _ = many.reset(seed=2)
    assert np.array_equal(seen, others[0])
    for _ in range(60):
        seen, _, over, _, _ = one.step([1.0])
        others, _, ended, _, infos = many.step([[1.0]])
        assert over == ended[0] and np.array_equal(seen, infos["final_obs"][0] if over else others[0])
        if over:
            return
    raise AssertionError("it never fell")


def test_stable_baselines_trains_on_it():
    stable = pytest.importorskip("stable_baselines3", reason="Stable-Baselines3 is not installed")
    from linkwright.envs.stable_baselines import StableVecEnv

    env = StableVecEnv(envs.make(TASK, 32))
    policy = stable.PPO("MlpPolicy", env, n_steps=32, batch_size=256, n_epochs=2, seed=0, device="cpu")
    before = [p.detach().clone() for p in policy.policy.parameters()]
    policy.learn(3 * 32 * 32)
    assert policy.num_timesteps == 3 * 32 * 32
    assert any((p != q).any() for p, q in zip(policy.policy.parameters(), before, strict=True))
    env.reset()
    ended = []
    for _ in range(60):
        observed, _, done, infos = env.step(np.ones((32, 1), np.float32))
        for k in np.flatnonzero(done):
            ended.append(k)
            assert infos[k]["terminal_observation"].shape == observed[k].shape
            assert not np.array_equal(infos[k]["terminal_observation"], observed[k])
            assert not infos[k]["TimeLimit.truncated"]
    assert ended
