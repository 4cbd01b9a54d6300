"""Arguments that a public function does not take, or lacks, are told by name."""

from __future__ import annotations

import inspect
import pickle

import numpy as np
import pytest

import linkwright as lw
from linkwright import rollouts
from linkwright.call_errors import ArgumentError, names_arguments
from linkwright.errors import InputError

# Classes that hold what the library has found, and errors: nobody makes them by name.
_FOUND = {
    "LinkwrightError", "LinkwrightWarning", "Model", "NoConvergence", "NotComputed", "RolledOut", "SimulationError",
    "Trajectory",
}  # fmt: skip
DOORS = sorted(name for name in lw.__all__ if callable(getattr(lw, name)) and name not in _FOUND | {"list_algorithms"})
DRAWN = ("write_html", "write_svg", "write_video", "graph_svg")


@pytest.fixture(scope="module")
def robot():
    return lw.load("four_bar")


@pytest.mark.parametrize("door", [*DOORS, *DRAWN])
def test_every_door_names_what_it_takes(door):
    """Without arguments that it needs, with one that nobody has, and with one misspelt. A function or class that is new
    among the public names needs `@names_arguments` (call_errors.py) above it."""
    what = getattr(lw if door in DOORS else lw.viewer, door)
    parameters = list(inspect.signature(what).parameters.values())
    if any(p.default is p.empty and p.kind is p.POSITIONAL_OR_KEYWORD for p in parameters):
        with pytest.raises(InputError, match="missing a required argument"):
            what()
    if any(p.kind is p.VAR_KEYWORD for p in parameters):
        return
    with pytest.raises(InputError, match="takes no argument 'no_such_argument'") as caught:
        what(no_such_argument=1)
    assert isinstance(caught.value, TypeError)
    long = [p.name for p in parameters if p.kind is not p.VAR_POSITIONAL and len(p.name) > 4]
    for name in long[:1]:
        with pytest.raises(InputError, match=f"did you mean .*'{name}'"):
            what(**{name[:-1] + "_": 1})


@pytest.mark.parametrize(
    "given, meant",
    [
        ({"duration": 3.0}, "seconds"), ({"time": 3.0}, "seconds"), ({"n_steps": 3}, "steps"), ({"step": 3}, "steps"),
        ({"timestep": 0.1}, "dt"), ({"time_step": 0.1}, "dt"), ({"qpos": 0}, "q0"), ({"u": 0}, "ctrl"),
        ({"tau": 0}, "control"), ({"num_threads": 2}, "threads"), ({"intergrator": "rk4"}, "integrator"),
    ],
)  # fmt: skip
def test_words_of_habit(robot, given, meant):
    with pytest.raises(ArgumentError, match=f"did you mean '{meant}'"):
        lw.simulate(robot, **given)


def test_too_many_without_a_name(robot):
    with pytest.raises(
        InputError, match=r"3 arguments without a name \(robot, q0, v0\), 4 were given"
    ):
        lw.simulate(robot, None, None, 5.0)


def test_errors_from_within_pass():
    @names_arguments
    def inner(x):
        return x + "a"

    with pytest.raises(TypeError, match="unsupported operand"):
        inner(1)
    assert inner("b") == "ba" and not isinstance(inner, type)


def test_functions_stay_themselves(robot):
    assert pickle.loads(pickle.dumps(lw.simulate)) is lw.simulate
    assert list(inspect.signature(lw.simulate).parameters)[:3] == ["robot", "q0", "v0"] and lw.simulate.__doc__
    gains = lw.PD(kp=2.0)
    assert pickle.loads(pickle.dumps(gains)) == gains and isinstance(gains, lw.PD)


def test_seconds_beside_steps(robot):
    assert lw.simulate(robot, dt=1e-3, seconds=0.1).steps == lw.simulate(robot, dt=1e-3, steps=100).steps == 100
    for seconds, steps in ((0.1004, 100), (0.1006, 101), (np.float32(0.05), 50), (1e-3, 1), (6e-4, 1), (1, 1000)):
        assert lw.simulate(robot, dt=1e-3, seconds=seconds, record=1000).steps == steps
    q = np.tile(robot.drawn, (3, 1))
    found = lw.rollout(robot, q, dt=1e-3, seconds=0.02, progress=False)
    assert found.steps == 20 and isinstance(found, rollouts.RolledOut)


@pytest.mark.parametrize("seconds", [0, -1.0, float("nan"), float("inf"), "5", True, None, [5.0], 1e-6, 1e300])
def test_seconds_that_are_none(robot, seconds):
    for run in (lambda **how: lw.simulate(robot, dt=1e-3, **how), lambda **how: lw.rollout(robot, robot.drawn, **how)):
        with pytest.raises(InputError, match=r"seconds|steps"):
            run(seconds=seconds)
        with pytest.raises(InputError, match=r"one of them|positive whole"):
            run(seconds=1.0 if seconds is None else seconds, steps=3) if seconds is not None else run(steps=0)


@pytest.mark.parametrize("given", [5.0, 5, np.float64(5.0), np.int64(5)])
def test_a_time_in_place_of_a_configuration(robot, given):
    for run in (lw.simulate, lw.rollout):
        with pytest.raises(InputError, match=r"expected a configuration of 3 numbers. How long it takes is seconds=5"):
            run(robot, given)
