"""Simulations in independent coordinates: where those of the spanning tree get, with loops closed to rounding."""

from __future__ import annotations

import numpy as np
import pytest

import linkwright as lw
from linkwright.errors import LinkwrightError
from linkwright.sim.verdict import complaints

# what each is, and how far apart Runge-Kutta's solutions may be after 0.3 s: both have errors of fourth order
MECHANISMS = {"four_bar": 1e-8, "watt_six_bar": 1e-8, "jansen_leg": 1e-8, "tello_leg": 1e-8}


def start(name: str, batch: int | None = None):
    robot = lw.load(name)
    q = lw.project_configuration(robot, robot.drawn)
    v = 0.5 * np.random.default_rng(1).normal(size=(batch or 1, robot.nv))
    v = np.array([lw.project_velocity(robot, q, row) for row in v])
    return robot, q, v if batch else v[0]


@pytest.mark.parametrize("name", MECHANISMS)
def test_runge_kutta_gets_where_it_gets_in_all_coordinates(name):
    robot, q, v = start(name)
    ours, spanning = (
        lw.simulate(robot, q, v, dt=1e-3, steps=300, record=100, integrator="rk4", coordinates=coordinates)
        for coordinates in ("independent", "spanning")
    )
    assert ours.solver == "cluster_aba" and not complaints(ours)
    assert np.abs(ours.q - spanning.q).max() < MECHANISMS[name]
    assert np.abs(ours.v - spanning.v).max() < 100 * MECHANISMS[name]
    assert ours.drift.max() < 1e-11


@pytest.mark.parametrize("name", ["four_bar", "tello_leg"])
def test_the_default_integrator_converges_to_it(name):
    robot, q, v = start(name)
    fine = lw.simulate(robot, q, v, dt=1e-3, steps=300, record=300, integrator="rk4", coordinates="independent").q[-1]
    off = []
    for dt in (2e-3, 1e-3):
        steps = round(0.3 / dt)
        trajectory = lw.simulate(robot, q, v, dt=dt, steps=steps, record=steps, coordinates="independent")
        assert not complaints(trajectory) and trajectory.drift.max() < 1e-11
        assert np.abs(trajectory.energy_error).max() < 0.01 * trajectory.energy_exchanged
        off.append(np.abs(trajectory.q[-1] - fine).max())
    assert off[1] < 0.6 * off[0] and off[1] < 0.02, off


def test_a_sample_has_the_same_bits_alone_and_in_a_batch_and_in_a_simulator():
    robot, q, v = start("jansen_leg", batch=3)
    options = {"dt": 1e-3, "coordinates": "independent"}
    batch = lw.simulate(robot, np.tile(q, (3, 1)), v, steps=50, **options)
    alone = lw.simulate(robot, q, v[1], steps=50, **options)
    assert np.array_equal(batch.q[1], alone.q)
    simulator = lw.Simulator(robot, batch=3, **options)
    simulator.reset(np.tile(q, (3, 1)), v)
    q_end, _ = simulator.step(n=50)
    assert np.abs(q_end - batch.q[:, -1]).max() < 1e-12 and not simulator.status.any()
    saved = simulator.save()
    once, _ = simulator.step(n=3)
    simulator.restore(saved)
    assert np.array_equal(simulator.step(n=3)[0], once)


def test_control_forces_and_damping_act():
    robot, q, v = start("four_bar")
    f_ext = np.zeros((robot.nbodies, 6))
    f_ext[2, :3] = [0.3, 0.0, 0.2]
    options = {"dt": 1e-3, "steps": 400, "integrator": "rk4", "control": lw.PD(2.0, 0.1, q=q), "f_ext": f_ext}
    parameters = {"masses": 1.3 * lw.default_parameters(robot, ["masses"])["masses"]}
    ours, spanning = (
        lw.simulate(robot, q, v, coordinates=coordinates, parameters=parameters, **options)
        for coordinates in ("independent", "spanning")
    )
    assert np.abs(ours.q - spanning.q).max() < 1e-8
    assert np.abs(ours.work[-1] - spanning.work[-1]).max() < 1e-8


def test_rotors_and_a_floating_base():
    robot, q, v = start("mini_cheetah")
    ours, spanning = (
        lw.simulate(robot, q, v, dt=1e-3, steps=50, coordinates=coordinates)
        for coordinates in ("independent", "spanning")
    )
    assert np.abs(ours.q - spanning.q).max() < 1e-9 and not complaints(ours)


def test_where_a_branch_ends_the_mechanism_stays_and_status_says_so():
    """A rocker cannot turn on beyond where crank and coupler are in line, and is no coordinate to go by there."""
    robot = lw.load("four_bar").with_independent("rocker_joint")
    _, q, v = start("four_bar")
    trajectory = lw.simulate(robot, q, v, dt=1e-3, steps=3000, coordinates="independent", outputs="status")
    assert np.all(trajectory.finite) and trajectory["status"].max() == 5.0
    lost = int(np.argmax(trajectory["status"] == 5.0))
    assert np.array_equal(trajectory.q[lost], trajectory.q[lost + 1]) and trajectory.drift.max() < 1e-9
    (complaint, *_) = [text for text in complaints(trajectory) if "branch" in text]
    assert "coordinates='spanning'" in complaint and "with_independent" in complaint
    # the advice, both ways
    assert not complaints(lw.simulate(robot, q, v, dt=1e-3, steps=3000))
    other = robot.with_independent("crank_joint")
    assert not complaints(lw.simulate(other, q, v, dt=1e-3, steps=3000, coordinates="independent"))


@pytest.mark.parametrize(
    ("bad", "said"),
    [
        ({"coordinates": "minimal"}, "expected one of spanning, independent"),
        ({"coordinates": "independent", "solver": "prox_ltl"}, "solver is 'prox_ltl'"),
        ({"coordinates": "independent", "projection": True}, "projection is True"),
        ({"coordinates": "independent", "baumgarte": 0.1}, "baumgarte is 0.1, .* leave it out"),
        ({"coordinates": "independent", "outputs": ["forces"]}, "forces"),
    ],
)
def test_what_does_not_go_together_is_refused_by_name(bad, said):
    with pytest.raises(LinkwrightError, match=said):
        lw.simulate("four_bar", steps=1, **bad)


def test_constraints_that_say_nowhere_cannot_be_embedded():
    robot = lw.load("four_bar").with_constraints(lw.connect("rocker"))
    with pytest.raises(LinkwrightError, match="not embedded"):
        lw.simulate(robot, steps=1, coordinates="independent", start="as given")
