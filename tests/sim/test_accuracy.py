"""`accuracy=`: errors follow the number that was asked for, and what cannot be accurate is refused by name."""

import numpy as np
import pytest
from small_mechanisms import closed_four_bar, pendulum, tumbling_body

import linkwright as lw
from linkwright.errors import InputError
from linkwright.physics.inertia_norm import InertiaNorm


def run(model, q0, v0, **options):
    given = {"dt": 0.01, "steps": 50, "start": "as given", **options}
    return lw.simulate(model, q0, v0, **given)


def relative_error(model, found, exact):
    """Of velocities, in the estimate's norm."""
    norm, v = InertiaNorm(model), exact.v[-1]
    return float(norm.squared(found.v[-1] - v) / norm.squared_speed(v, np.zeros(model.nv), 0.01)) ** 0.5


@pytest.mark.parametrize("case", ["pendulum", "four_bar", "brick"])
def test_errors_follow_the_accuracy(case):
    model, q0, v0 = {
        "pendulum": lambda: (pendulum(), [2.5], [1.0]),
        "four_bar": lambda: closed_four_bar(speed=8.0),
        "brick": lambda: (tumbling_body(), tumbling_body().neutral(), [0.3, -0.2, 1.0, 2.0, 20.0, 4.0]),
    }[case]()
    exact = run(model, q0, v0, accuracy=1e-12)
    runs = {accuracy: run(model, q0, v0, accuracy=accuracy, outputs="iterations") for accuracy in (1e-4, 1e-6, 1e-8)}
    for accuracy, found in runs.items():
        assert relative_error(model, found, exact) < 10 * accuracy
        assert str(found).splitlines()[0].endswith("ok")
    solves = [found["iterations"].sum() for found in runs.values()]
    assert solves[0] <= solves[1] < solves[2]


def test_dt_is_how_often_torques_change():
    """In the middle of no part: a torque that jumps every step costs no accuracy."""
    model, tau = pendulum(), np.sign(np.sin(np.arange(50)))[:, None]
    coarse = run(model, [0.3], [0.0], control=tau, accuracy=1e-9)
    fine = run(model, [0.3], [0.0], control=np.repeat(tau, 8, axis=0), dt=0.00125, steps=400, accuracy=1e-11)
    assert np.abs(coarse.q[-1] - fine.q[-1]).max() < 1e-8


def test_the_report_counts_parts():
    model, q0, v0 = closed_four_bar(speed=8.0)
    report = run(model, q0, v0, accuracy=1e-9).report
    assert report.taken > 100 and report.rejected >= 0 and 0 < report.shortest < 0.005
    whole = run(model, q0, v0, integrator=lw.Leapfrog(threshold=None)).report
    assert (whole.taken, whole.rejected, whole.shortest) == (50, 0, 0.01)
    other = run(model, q0, v0, integrator="euler").report
    assert (other.taken, other.rejected, other.shortest) == (50, 0, 0.01)


def test_every_sample_has_its_own_steps():
    model, q0, v0 = closed_four_bar(speed=8.0)
    speeds = np.array([0.1, 1.0, 2.0])[:, None]
    together = run(model, np.tile(q0, (3, 1)), speeds * v0, accuracy=1e-8)
    assert together.report.taken[0] < together.report.taken[2]
    alone = run(model, q0, 2.0 * v0, accuracy=1e-8)
    assert np.array_equal(alone.q[-1], together.q[2, -1]) and alone.report.taken == together.report.taken[2]


def test_simulators_take_it_too():
    model, q0, v0 = closed_four_bar(speed=8.0)
    simulator = lw.Simulator(model, dt=0.01, accuracy=1e-8)
    simulator.reset(q0, v0)
    q, _ = simulator.step(n=20)
    assert np.array_equal(q, run(model, q0, v0, steps=20, accuracy=1e-8).q[-1])


@pytest.mark.parametrize("value", [0, -1e-6, float("nan"), float("inf"), "fine", True])
def test_what_is_no_accuracy_is_refused(value):
    with pytest.raises(InputError, match=r"accuracy is .*; expected a positive number such as 1e-6"):
        run(pendulum(), [0.3], [0.0], accuracy=value)


def test_schemes_without_an_estimate_are_refused_by_name():
    with pytest.raises(InputError, match="integrator 'euler', which has no estimate of its error; take 'leapfrog' or"):
        run(pendulum(), [0.3], [0.0], accuracy=1e-6, integrator="euler")


def test_contacts_are_refused():
    ball = lw.ModelBuilder("ball")
    ball.add_body("ball", lw.free_flyer("free"), inertia=lw.Inertia(2.0, np.zeros(3), np.eye(3) * 0.008))
    model = ball.build().with_shapes(lw.sphere("ball", 0.1, name="skin")).on_ground(0.8)
    with pytest.raises(InputError, match="accuracy is 1e-06, and there are contacts"):
        lw.simulate(model, steps=1, accuracy=1e-6)


def test_a_state_that_is_not_finite_ends_at_once():
    """A model with torques without bounds: nothing is tried for ever."""
    with pytest.raises(lw.SimulationError, match="no longer finite"):
        run(pendulum(), [0.3], [0.0], accuracy=1e-9, control=np.array([1e308]), steps=20)
