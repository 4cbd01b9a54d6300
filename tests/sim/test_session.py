"""Everything that simulates one robot with the same options shares one compiled step, whoever comes first."""

import inspect
import threading

import numpy as np
import pytest

import linkwright as lw
from linkwright.codegen import compiling
from linkwright.physics.options import declared, defaults, of_callers
from linkwright.sim import session


@pytest.fixture
def compiled(monkeypatch, tmp_path):
    """Names of the programs that were compiled since, with nothing remembered and an empty cache."""
    names, build = [], compiling.build_image

    def counted(program, *args, **kwargs):
        names.append(program.name)
        return build(program, *args, **kwargs)

    monkeypatch.setattr(compiling, "build_image", counted)
    monkeypatch.setenv("LINKWRIGHT_CACHE", str(tmp_path))
    session.forget()
    yield names
    session.forget()


@pytest.fixture
def robot():
    return lw.load("chain:2").with_actuators(lw.motor("link_1_joint", ctrl_range=(-1.0, 1.0)))


def drivers(robot, commands):
    """By name: each simulates the robot with the options that all have unasked."""
    ctrl = np.zeros(robot.nu) if commands else None

    def simulator():
        lw.Simulator(robot, actuators=commands).step(ctrl=ctrl)

    def rolled():
        rows = np.zeros((2, 3, robot.nu)) if commands else None
        lw.rollout(robot, np.tile(robot.drawn, (2, 1)), ctrl=rows, steps=3, progress=False)

    def policy():
        lw.simulate(robot, steps=2, ctrl=ctrl, control=lambda t, q, v: np.zeros(robot.nv))

    found = {"simulate": lambda: lw.simulate(robot, steps=3, ctrl=ctrl), "simulator": simulator, "rollout": rolled,
             "policy": policy, "status": lambda: lw.simulate(robot, steps=2, ctrl=ctrl, outputs="status")}  # fmt: skip
    if commands:
        found["environment"] = lambda: environment(robot)
    return found


def environment(robot):
    pytest.importorskip("gymnasium")
    from linkwright.envs.sensors import joint_positions
    from linkwright.envs.task import Task
    from linkwright.envs.vector_env import RobotVectorEnv

    class Still(Task):
        dt, interval, seconds = 1e-3, 2, 1.0

        def __init__(self):
            self.robot, self.rest, self.reach = robot, np.zeros(1), np.ones(1)
            self.sensors = [joint_positions(robot, ("link_1_joint",))]

        def start(self, rng, count):
            return np.tile(robot.drawn, (count, 1)), np.zeros((count, robot.nv))

        def reward(self, now):
            return np.zeros(len(now.q))

        def is_over(self, now):
            return np.zeros(len(now.q), dtype=bool)

    env = RobotVectorEnv(Still(), 3)
    env.reset(seed=0)
    env.step(np.zeros((3, 1)))


@pytest.mark.parametrize("commands", [False, True])
@pytest.mark.parametrize("backwards", [False, True])
def test_one_robot_is_compiled_once_in_any_order(robot, compiled, commands, backwards):
    asked = list(drivers(robot, commands).values())
    for ask in reversed(asked) if backwards else asked:
        ask()
    assert compiled == ["step"]


def test_other_options_outputs_and_commands_are_other_programs(robot, compiled):
    for options in ({}, {"integrator": "rk4"}, {"limits": False}, {"outputs": ("a",)}, {"ctrl": 0.5}):
        for _ in range(2):
            lw.simulate(robot, steps=2, **options)
    assert compiled == ["step"] * 5


def test_bits_do_not_depend_on_who_came_before(robot, compiled):
    """A program with more outputs is another program, not one that serves those who want less."""
    alone = lw.simulate(robot, steps=50).q
    session.forget()
    lw.simulate(robot, steps=2, outputs=("a", "forces", "drift"))
    np.testing.assert_array_equal(lw.simulate(robot, steps=50).q, alone)


def test_other_threads_load_the_code_again(robot, compiled):
    first, second = (lw.Simulator(robot, batch=8, threads=n) for n in (1, 2))
    assert compiled == ["step"] and (first._step.threads, second._step.threads) == (1, 2)
    for simulator in (first, second):
        simulator.step(0.1, n=5)
    np.testing.assert_array_equal(first.q, second.q)


def test_who_asks_meanwhile_waits(robot, compiled):
    asking = [threading.Thread(target=lambda: lw.simulate(robot, steps=2)) for _ in range(3)]
    for thread in asking:
        thread.start()
    for thread in asking:
        thread.join()
    assert compiled == ["step"]


@pytest.mark.parametrize("driver", [lw.simulate, lw.Simulator])
def test_drivers_take_the_options_that_a_step_declares(driver):
    taken = {name: x.default for name, x in inspect.signature(driver).parameters.items()}
    wanted = {name: defaults()[name] for name in of_callers()}
    assert {name: taken.get(name, "missing") for name in wanted} == wanted
    assert {"actuators", "feedback", "warm_start", "books"} <= set(declared()) - set(of_callers())
