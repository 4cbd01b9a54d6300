"""The time constant of stabilization: where it is stable, how fast errors die, and that constraints hold for long."""

from types import SimpleNamespace

import numpy as np
import pytest
from small_mechanisms import closed, closed_four_bar, four_bar

import linkwright as lw
from linkwright.physics import INTEGRATORS
from linkwright.physics.acting import judged_without_pull
from linkwright.physics.simulated_mechanism import ANSWERED_IN_PARTS, Dynamics


def spectral_radius(integrator, rate, place):
    """Of one step that answers so much of the velocity error and of the position error, on (e, dt e'), as the simulated
    scheme discretises it."""
    if integrator != "rk4":  # velocity first, position along the new velocity
        step = np.array([[1 - place, 1 - rate], [-place, 1 - rate]])
    else:  # the stabilizing acceleration is held over the step
        step = np.array([[1 - place / 2, 1 - rate / 2], [-place, 1 - rate]])
    return np.abs(np.linalg.eigvals(step)).max()


@pytest.mark.parametrize("integrator", ["damped_euler", "euler", "rk4"])
def test_margins_of_the_default(integrator):
    """Errors shrink by a quarter each step at least, and would still shrink were answers 1.3 times as strong, either of
    them 1.45 times, or that to position errors 1.9 times."""
    rate, place = INTEGRATORS[integrator].answered
    assert spectral_radius(integrator, rate, place) <= 0.75
    for stronger, also in ((1.3, 1.3), (1.45, 1.0), (1.0, 1.9)):
        assert spectral_radius(integrator, stronger * rate, also * place) < 1


def test_margins_of_steps_in_parts():
    """A part may be as long as the step."""
    rate, place = ANSWERED_IN_PARTS
    assert spectral_radius("rk4", rate, place) <= 0.4
    for stronger, also in ((1.3, 1.3), (1.45, 1.0), (1.0, 1.9)):
        assert spectral_radius("rk4", stronger * rate, also * place) < 1


@pytest.mark.parametrize("integrator, smallest", [("damped_euler", 1 / (np.sqrt(8) - 2)), ("rk4", 1.0)])
def test_time_constants_are_stable_down_to_where_the_page_says(integrator, smallest):
    inside, outside = (1 / (smallest * share) for share in (1.001, 0.999))
    assert spectral_radius(integrator, 2 * inside, inside**2) < 1 < spectral_radius(integrator, 2 * outside, outside**2)


def opened(q):
    return q + np.array([0.0, 1e-4, 0.0])


@pytest.mark.parametrize("integrator", ["damped_euler", "euler", "rk4"])
def test_an_opened_loop_closes_at_the_predicted_rate(integrator):
    model, q0, _ = closed_four_bar()
    still = lw.Model(model.name, model.bodies, model.frames, np.zeros(3), constraints=model.constraints)
    trajectory = lw.simulate(
        still, opened(q0), dt=1e-3, steps=40, integrator=integrator, start="as given", outputs="drift", iterations=5
    )
    drift = trajectory.drift
    assert drift[0] > 1e-5
    if integrator != "rk4":  # in one step; in four where that is so sudden that parts of steps are taken
        assert drift[4] < 1e-5 * drift[0] and drift[6] < 1e-10
        return
    shrunk = (drift[30] / drift[10]) ** (1 / 20)
    assert shrunk == pytest.approx(spectral_radius(integrator, *INTEGRATORS[integrator].answered), abs=0.02)


@pytest.mark.parametrize("integrator, ratio", [("damped_euler", 1.1), ("euler", 1.1), ("rk4", 0.9)])
def test_below_the_bound_steps_are_taken_in_parts(integrator, ratio):
    """A time constant too short for the step would make it unstable; accelerations so sudden shorten it instead."""
    model, q0, _ = closed_four_bar()
    trajectory = lw.simulate(
        model, opened(q0), dt=1e-3, steps=500, integrator=integrator, start="as given", baumgarte=ratio * 1e-3
    )
    assert trajectory.drift.max() < 10 * trajectory.drift[0]


def test_without_stabilization_it_drifts():
    model, q0, v0 = closed_four_bar()
    loose = lw.simulate(model, q0, v0, dt=1e-3, steps=3000, baumgarte=None)
    held = lw.simulate(model, q0, v0, dt=1e-3, steps=3000)
    assert loose.worst[0] > 1e-3 > 1e-5 > held.worst[0]


def test_euler_knows_that_its_velocities_are_half_a_step_old():
    """Rows are met to third order in dt; pulling J v to zero would leave an error of T dt times the centripetal
    acceleration, 1e-4 m here."""
    model, q0, v0 = closed_four_bar()
    coarse, fine = (lw.simulate(model, q0, v0, dt=dt, steps=round(2 / dt)).worst[0] for dt in (1e-3, 5e-4))
    assert coarse < 4e-6 and 2.5 < np.log2(coarse / fine) < 3.5


@pytest.mark.parametrize("integrator", ["damped_euler", "euler", "rk4"])
def test_twenty_seconds_of_a_four_bar(integrator):
    model, q0, v0 = closed_four_bar(damping=0.002)
    for projection, bound in ((False, 1e-5), (True, 1e-10)):
        trajectory = lw.simulate(
            model, q0, v0, dt=1e-3, steps=20_000, integrator=integrator, projection=projection, record=100
        )
        assert np.all(trajectory.finite) and trajectory.worst[0] < bound and trajectory.drift.max() < bound


def test_redundant_closures():
    """A hinge in space closes a planar loop with three rows too many."""
    model = four_bar().without_constraints().with_constraints(
        lw.weld("coupler_end", "rocker_end", directions="x y z rx rz", name="hinge")
    )
    _, q0, v0 = closed_four_bar()
    for projection, bound in ((False, 1e-5), (True, 1e-10)):
        trajectory = lw.simulate(model, q0, v0, dt=1e-3, steps=5000, projection=projection)
        assert trajectory.worst[0] < bound
    planar = lw.simulate(four_bar(), q0, v0, dt=1e-3, steps=300, projection=True)
    assert np.abs(trajectory.q[300] - planar.q[300]).max() < 1e-7


def test_targets_on_the_ground_hold_and_a_ground_constraint_without_target_hardly_drifts():
    builder = lw.ModelBuilder("double pendulum")
    for k, parent in enumerate(("world", "upper")):
        link = lw.Inertia.box(1.0, (0.05, 0.05, 0.5), (0, 0, -0.25))
        builder.add_body(
            ("upper", "lower")[k], lw.spherical(f"j{k}"), parent=parent, placement=(0, 0, -0.5 * k), inertia=link
        )
    builder.add_frame("tip", "lower", (0, 0, -0.5))
    free = builder.build()
    q0, v0 = free.neutral(), np.array([0.0, 0, 3.0, 0, 0, -1.0])
    for at in ((0, 0, -1.0), None):
        model = free.with_constraints(lw.weld("tip", directions="x y", at=at))
        trajectory = lw.simulate(model, q0, v0, dt=1e-3, steps=5000, start="as given")
        tips = lw.reference(model, "forward_kinematics", frames=["tip"], outputs="positions")(trajectory.q)
        assert np.abs(tips[:, 0, :2]).max() < (1e-5 if at else 1e-3)


def floating_loop(tilt=1e-8, apart=3e-8):
    """A planar loop on a floating base, closed by a point, whose rocker's hinge is not quite parallel to the others and
    whose end is drawn a little beside the coupler's: what is open across the plane cannot be closed."""
    builder = lw.ModelBuilder("floating loop")
    builder.add_body("base", lw.free_flyer("root"), inertia=lw.Inertia.box(5.0, (0.5, 0.1, 0.1), (0.2, 0.02, 0.0)))
    for name, length, parent, at in (
        ("crank", 0.2, "base", 0.0), ("coupler", 0.5, "crank", 0.2), ("rocker", 0.4, "base", 0.5),
    ):  # fmt: skip
        axis = (tilt, 0, 1) if name == "rocker" else (0, 0, 1)
        inertia = lw.Inertia.box(1.0, (length, 0.03, 0.03), (length / 2, 0, 0))
        builder.add_body(name, lw.revolute(f"{name}_joint", axis), parent=parent, placement=(at, 0, 0), inertia=inertia)
        builder.add_frame(f"{name}_end", name, (length, 0, apart if name == "rocker" else 0.0))
    free = builder.build()
    drawn = [0.0] * 6 + [1.0]
    angles = closed(
        free.with_constraints(lw.weld("coupler_end", "rocker_end", directions="x y")), [*drawn, 0.8, -0.5, 1.5], [0] * 9
    )[0][7:]
    loop = free.with_constraints(lw.connect("coupler_end", "rocker_end", name="pin"))
    return loop.with_drawn([*drawn, *angles])


def test_what_a_file_cannot_close_is_not_pulled():
    """In free fall from rest nothing moves within."""
    model = floating_loop()
    assert 1e-8 < np.abs(lw.reference(model, "constraint_error")(model.drawn)).max() < 1e-7
    trajectory = lw.simulate(model, dt=1e-3, steps=3000)
    assert np.abs(trajectory.v[:, 3:]).max() < 1e-9


def test_only_pulls_whose_drift_is_judged_excuse_a_contradiction():
    """Rows that do not say where have no drift."""
    solution = Dynamics([np.float64(1.0)], [], [], np.float64(0.5), np.float64(4.0))
    for at, status in (((0, 0, 0), 0.0), (None, 4.0)):
        builder = lw.ModelBuilder("slider")
        builder.add_body("block", lw.prismatic("slide", "x"), inertia=lw.Inertia.box(1.0, (0.1, 0.1, 0.1)))
        builder.add_frame("tip", "block")
        model = builder.build().with_constraints(lw.weld("tip", directions="x", at=at))
        step = SimpleNamespace(model=model, pace=lambda a: abs(a[0]))
        found = judged_without_pull(step, solution, [np.float64(1.0)])
        assert float(found.status) == status and float(found.unmet) == (0.5 if status else 0.0)
