"""The motion that `linkwright demo` shows."""

import numpy as np
import pytest

import linkwright as lw
from linkwright.errors import InputError
from linkwright.sim.exercise import CRANK_SPEED, exercise


def test_a_crank_runs_up_and_keeps_its_speed():
    shown = exercise(lw.load("four_bar"))
    assert shown.closing == "check" and not shown.start[1].any()
    trajectory = lw.simulate(shown.model, *shown.start, steps=4000, control=shown.control(4000, 1e-3), record=100)
    crank = trajectory.v[:, shown.model.iv[shown.model.joint_index("crank_joint")]].ravel()
    assert crank[0] == 0 and np.all(np.abs(crank[15:] / CRANK_SPEED - 1) < 0.1)
    assert trajectory.worst[0] < 1e-6


def test_other_mechanisms_swing_and_calm_down():
    shown = exercise(lw.load("chain:3"))
    assert not shown.speed.any() and np.all(shown.gains > 0)
    trajectory = lw.simulate(shown.model, *shown.start, steps=8000, control=shown.control(8000, 1e-3), record=100)
    assert trajectory.kinetic_energy[0] > 0 and trajectory.energy[-1] < trajectory.energy[0]
    assert trajectory.kinetic_energy[-10:].max() < 0.1 * trajectory.kinetic_energy.max()


def test_bases_are_held_but_not_what_is_carried():
    robot = exercise(lw.load("quadruped"))
    assert robot.model.nv == 12 and "root_joint" in robot.description
    platform = exercise(lw.load("stewart_platform"))
    assert platform.model.nv == 24 and "held" not in platform.description
    assert platform.closing == "project"  # random velocities do not fit loops


def test_what_can_stand_stands():
    robot = lw.load("quadruped")
    feet = [lw.sphere(f"{leg}_shank", 0.02, at=(0, 0, -0.2), name=f"{leg}_foot") for leg in ("FL", "FR", "RL", "RR")]
    shown = exercise(robot.with_shapes(*feet).on_ground(0.8, at=(0, 0, 0.5)))
    assert shown.model.nv == 18 and "stands" in shown.description and not shown.start[1].any()
    trajectory = lw.simulate(
        shown.model, *shown.start, dt=2e-3, steps=1000, control=shown.control(1000, 2e-3), record=100, outputs="active"
    )
    assert trajectory["active"][-1].all() and abs(trajectory.q[-1, 2] - shown.start[0][2]) < 0.1
    assert abs(trajectory.v[-1]).max() < 0.05


def test_nothing_to_move():
    builder = lw.ModelBuilder("rock")
    builder.add_body("rock", lw.fixed("glue"), inertia=lw.Inertia.box(1.0, (1, 1, 1)))
    with pytest.raises(InputError, match="no joint that moves"):
        exercise(builder.build())
