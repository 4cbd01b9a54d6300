"""Time step and integrator that a file names are what simulations take where a call says nothing."""

from __future__ import annotations

import copy
import pickle
from dataclasses import replace

import mujoco
import numpy as np
import pytest

import linkwright as lw
from linkwright.errors import LinkwrightError
from linkwright.io import read_mjcf
from linkwright.io.json_files import read_json, to_json
from linkwright.io.mjcf.mjcf_writer import to_mjcf
from linkwright.model.editing import depth_first
from linkwright.model.fingerprints import SECTIONS

TEXT = """<mujoco model="swing"><option {option}/><worldbody>
<body name="arm"><joint name="hinge" axis="0 1 0" damping="0.1"/>
<inertial pos="0 0 -0.3" mass="1" diaginertia="0.1 0.1 0.1"/>
<body name="tip" pos="0 0 -0.5"><joint name="knee" axis="0 1 0"/>
<inertial pos="0 0 -0.2" mass="1" diaginertia="0.1 0.1 0.1"/>
</body></body></worldbody></mujoco>"""


def written(option: str) -> lw.Model:
    return read_mjcf(TEXT.format(option=option))


@pytest.fixture(scope="module")
def robot() -> lw.Model:
    return written('timestep="0.004" integrator="RK4"')


def test_what_the_file_names_is_what_simulations_take(robot):
    v0 = [1.0, -0.5]
    ours = lw.simulate(robot, None, v0, steps=20)
    assert (ours.dt, ours.integrator) == (0.004, "rk4")
    told = lw.simulate(
        replace(robot, simulation=lw.SimulationDefaults()), None, v0, dt=0.004, integrator="rk4", steps=20
    )
    assert np.array_equal(ours.q, told.q)
    simulator = lw.Simulator(robot)
    simulator.reset(None, v0)
    for _ in range(20):
        q, _ = simulator.step()
    assert simulator.t == pytest.approx(0.08) and np.allclose(q, ours.q[-1], rtol=0, atol=1e-14)
    step = lw.reference(robot, "step")(robot.drawn, v0, np.zeros(2), 0.004)
    assert np.allclose(step.q, lw.reference(robot, "step", integrator="rk4")(robot.drawn, v0, np.zeros(2), 0.004).q)
    assert not np.allclose(
        step.q, lw.reference(robot, "step", integrator="euler")(robot.drawn, v0, np.zeros(2), 0.004).q
    )


def test_a_call_overrides_the_file(robot):
    trajectory = lw.simulate(robot, steps=3, dt=1e-3, integrator="euler")
    assert (trajectory.dt, trajectory.integrator) == (1e-3, "euler")
    assert lw.Simulator(robot, dt=2e-3).dt == 2e-3


def test_a_file_that_names_nothing_leaves_our_defaults():
    plain = written("")
    assert plain.simulation == lw.SimulationDefaults()
    trajectory = lw.simulate(plain, steps=3)
    assert (trajectory.dt, trajectory.integrator) == (1e-3, "damped_euler")
    assert written('timestep="0.002"').simulation == lw.SimulationDefaults(dt=0.002)  # MuJoCo's own, and named
    assert written('integrator="Euler"').simulation == lw.SimulationDefaults(integrator="euler")


def test_of_a_compiled_model_what_is_not_mujocos_own():
    given = mujoco.MjModel.from_xml_string(TEXT.format(option='timestep="0.001"'))
    assert lw.load(given).simulation == lw.SimulationDefaults(dt=0.001)


@pytest.mark.parametrize("name", ["implicit", "implicitfast"])
def test_an_integrator_that_is_not_there_falls_back_and_says_so(name):
    model = written(f'integrator="{name}"')
    chosen = model.simulation.chosen_integrator()
    assert model.simulation.integrator == name
    assert (chosen == name) != any(repr(name) in warning and repr(chosen) in warning for warning in model.warnings)
    assert lw.simulate(model, steps=2).integrator == chosen


def test_it_stays_with_the_model(robot):
    assert pickle.loads(pickle.dumps(robot)).simulation == robot.simulation
    assert copy.deepcopy(robot).simulation == robot.simulation
    assert read_json(to_json(robot)) == robot and read_json(to_json(robot)).simulation == robot.simulation
    assert read_mjcf(to_mjcf(robot)).simulation == robot.simulation
    assert read_mjcf(to_mjcf(written('integrator="implicit"'))).simulation.integrator == "implicit"
    assert lw.lock_joints(robot, ["knee"]).simulation == robot.simulation
    assert lw.attach(robot, lw.load("four_bar"), prefix="b_").simulation == robot.simulation
    assert depth_first(robot).simulation == robot.simulation
    assert lw.ModelBuilder.from_model(robot).build().simulation == robot.simulation


def test_programs_do_not_depend_on_it(robot):
    plain = replace(robot, simulation=lw.SimulationDefaults())
    read = [section for section in SECTIONS if section != "simulation"]
    assert plain != robot and plain.fingerprint_of(*read) == robot.fingerprint_of(*read)
    from linkwright.compilation import Request

    keys = {Request.of(model, "aba", None, (), False, {}).key for model in (plain, robot)}
    assert len(keys) == 1
    steps = {Request.of(model, "step", None, (), False, {}).key for model in (plain, robot)}
    assert len(steps) == 2  # of another integrator


@pytest.mark.parametrize(
    "bad", [{"dt": 0.0}, {"dt": -1e-3}, {"dt": True}, {"dt": float("nan")}, {"integrator": "heun"}]
)
def test_nonsense_is_refused_by_name(bad):
    with pytest.raises(LinkwrightError, match=str(next(iter(bad.values())))):
        lw.SimulationDefaults(**bad)


def test_a_model_takes_nothing_else(robot):
    with pytest.raises(LinkwrightError, match="SimulationDefaults"):
        replace(robot, simulation={"dt": 1e-3})
    with pytest.raises(LinkwrightError, match="simulation is"):
        read_json(to_json(robot).replace('"integrator": "rk4"', '"solver": "rk4"'))


BALL = """<mujoco><option {option}/><worldbody><geom type="plane" size="0 0 1"/>
<body pos="0 0 0.1"><freejoint/><geom size="0.1" mass="1"/></body></worldbody></mujoco>"""


def test_passes_and_tolerance_of_contacts(tmp_path):
    from linkwright.physics.options import settled_options

    model = read_mjcf(BALL.format(option='iterations="7" tolerance="1e-6" cone="elliptic"'))
    assert (model.simulation.iterations, model.simulation.tolerance) == (7, 1e-6)
    assert model.contact_law.cone == "elliptic"
    given = {"integrator": None, "contact": "auto", "iterations": None, "tolerance": None, "improvement": None}
    settled = settled_options(model, given)
    assert (settled["iterations"], settled["tolerance"], settled["improvement"]) == (7, None, 1e-6)
    assert settled_options(model, {**given, "iterations": 3})["iterations"] == 3  # the call says so
    without = settled_options(model, {**given, "contact": None})
    assert without["iterations"] is None and without["improvement"] is None  # other solvers mean others by them
    assert read_json(to_json(model)).simulation == model.simulation
    assert lw.simulate(model, steps=3).worst[3] == 0
    source = mujoco.MjModel.from_xml_string(BALL.format(option='tolerance="1e-5"'))
    assert lw.load(source).simulation == lw.SimulationDefaults(tolerance=1e-5)
    odd = read_mjcf(BALL.format(option='iterations="5000" tolerance="0"')).simulation
    assert odd == lw.SimulationDefaults(iterations=1000, tolerance=0.0)  # as exact as can be


@pytest.mark.parametrize("bad", [{"iterations": 0}, {"iterations": 2.5}, {"tolerance": -1.0}, {"tolerance": True}])
def test_nonsense_of_contacts_is_refused(bad):
    with pytest.raises(LinkwrightError, match=str(next(iter(bad.values())))):
        lw.SimulationDefaults(**bad)
