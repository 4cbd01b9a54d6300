"""Batches, records, controls: however a simulation is asked for, each sample moves the same, to the last bit."""

import numpy as np
import pytest
from small_mechanisms import closed_four_bar, four_bar, pendulum

import linkwright as lw
from linkwright.codegen import threads as codegen_threads
from linkwright.sim import rollout


@pytest.fixture(scope="module")
def mechanism():
    return closed_four_bar(damping=0.01)


def many_starts(mechanism, count, rng):
    """The same loop closed at many cranks' angles and speeds."""
    model, q0, v0 = mechanism
    path = lw.simulate(model, q0, v0, dt=1e-3, steps=2000, integrator="rk4", projection=True)
    rows = rng.integers(len(path.t), size=count)
    return path.q[rows], path.v[rows]


@pytest.mark.parametrize("integrator", ["damped_euler", "euler", "rk4"])
def test_batches_are_their_samples(mechanism, integrator, rng):
    model = mechanism[0]
    q, v = many_starts(mechanism, 11, rng)
    tau = rng.normal(size=(11, 50, model.nv)) * 0.1
    batch = lw.simulate(model, q, v, dt=1e-3, steps=50, control=tau, integrator=integrator)
    assert batch.q.shape == (11, 51, 3) and batch.batch == 11 and batch.drift.shape == (11, 51)
    for k in (0, 3, 10):
        alone = lw.simulate(model, q[k], v[k], dt=1e-3, steps=50, control=tau[k], integrator=integrator)
        np.testing.assert_array_equal(batch.q[k], alone.q)
        np.testing.assert_array_equal(batch.v[k], alone.v)
        np.testing.assert_array_equal(batch.work[k], alone.work)
        np.testing.assert_array_equal(batch.lam[k], alone.lam)


def test_threads_and_shares_change_nothing(mechanism, rng, monkeypatch):
    model = mechanism[0]
    q, v = many_starts(mechanism, 37, rng)
    whole = lw.simulate(model, q, v, dt=1e-3, steps=60, record=7, outputs=("a", "forces"))
    monkeypatch.setattr(rollout, "_OPERATIONS_PER_CALL", 10**5)
    monkeypatch.setattr(codegen_threads, "SMALLEST_SHARE", 1000)
    pieces = lw.simulate(model, q, v, dt=1e-3, steps=60, record=7, outputs=("a", "forces"), threads=2)
    for name in ("t", "q", "v", "work", "worst", "lam"):
        np.testing.assert_array_equal(getattr(whole, name), getattr(pieces, name))
    for name in ("a", "forces"):
        np.testing.assert_array_equal(whole[name], pieces[name])
    assert whole["forces"].shape == (37, 9, 1, 6)


def test_records_are_every_so_many_steps_and_the_last(mechanism):
    model, q0, v0 = mechanism
    every = lw.simulate(model, q0, v0, dt=1e-3, steps=25)
    some = lw.simulate(model, q0, v0, dt=1e-3, steps=25, record=10)
    np.testing.assert_array_equal(some.q, every.q[[0, 10, 20, 25]])
    assert some.t == pytest.approx([0, 0.01, 0.02, 0.025])
    np.testing.assert_array_equal(some.worst, every.worst)  # kept for every step


@pytest.mark.parametrize("integrator, allowed", [("euler", 1e-9), ("damped_euler", 1e-8)])
def test_going_on_from_the_end(mechanism, integrator, allowed):
    """But for the multipliers it starts from, and the accelerations that damped Euler keeps beside q and v."""
    model, q0, v0 = mechanism
    whole = lw.simulate(model, q0, v0, dt=1e-3, steps=40, integrator=integrator)
    first = lw.simulate(model, q0, v0, dt=1e-3, steps=25, integrator=integrator)
    second = lw.simulate(model, *first.final, dt=1e-3, steps=15, start="as given", integrator=integrator)
    assert np.abs(second.q - whole.q[25:]).max() < allowed


def test_all_ways_of_giving_the_same_torques(mechanism, rng):
    model, q0, v0 = mechanism
    tau = rng.normal(size=(30, model.nv)) * 0.2
    wanted = lw.simulate(model, q0, v0, dt=1e-3, steps=30, control=tau, record=4)
    asked = lw.simulate(
        model, q0, v0, dt=1e-3, steps=30, control=lambda t, q, v: tau[round(t / 1e-3)], record=4, outputs="torque"
    )
    np.testing.assert_array_equal(wanted.q, asked.q)
    np.testing.assert_array_equal(wanted.work, asked.work)
    np.testing.assert_array_equal(asked["torque"], tau[[3, 7, 11, 15, 19, 23, 27, 29]])
    same = lw.simulate(model, q0, v0, dt=1e-3, steps=30, control=tau[0])
    np.testing.assert_array_equal(
        same.q, lw.simulate(model, q0, v0, dt=1e-3, steps=30, control=np.tile(tau[0], (30, 1))).q
    )


def test_a_policy_for_a_batch(mechanism, rng):
    model = mechanism[0]
    q, v = many_starts(mechanism, 6, rng)
    asked = lw.simulate(model, q, v, dt=1e-3, steps=20, control=lambda t, q, v: -0.1 * v)
    alone = lw.simulate(model, q[4], v[4], dt=1e-3, steps=20, control=lambda t, q, v: -0.1 * v)
    assert np.abs(asked.q[4] - alone.q).max() < 1e-13


@pytest.mark.parametrize("integrator", ["damped_euler", "euler", "rk4"])
def test_pd_follows_its_reference(integrator):
    model = pendulum()
    steps = 4000
    t = np.arange(steps) * 1e-3
    goal = 0.5 * np.sin(3 * t)[:, None]
    rate = 1.5 * np.cos(3 * t)[:, None]
    control = lw.PD({"pivot": 200.0}, {"pivot": 5.0}, q=goal, v=rate)
    trajectory = lw.simulate(model, dt=1e-3, steps=steps, control=control, integrator=integrator)
    assert np.abs(trajectory.q[1000:-1] - goal[1000:]).max() < 0.02
    assert np.abs(trajectory.energy_error).max() < (0.05 if integrator != "rk4" else 5e-3)


def test_pd_is_what_it_says():
    """One explicit stage of RK4's first output against the formula; Euler's torque is that of the next velocity."""
    model, q0, v0 = closed_four_bar()
    control = lw.PD(3.0, [0.1, 0.2, 0.0], q=[0.1, 0.2, 0.3], v=[1.0, 0, 0], tau=[0, 0, 0.5])
    kd = np.array([0.1, 0.2, 0.0])
    explicit = lw.simulate(model, q0, v0, dt=1e-3, steps=1, control=control, integrator="rk4", outputs="torque")
    wanted = 3.0 * (np.array([0.1, 0.2, 0.3]) - q0) + kd * (np.array([1.0, 0, 0]) - v0) + np.array([0, 0, 0.5])
    assert explicit["torque"][0] == pytest.approx(wanted, rel=1e-13)
    implicit = lw.simulate(model, q0, v0, dt=1e-3, steps=1, control=control, outputs="torque")
    assert implicit["torque"][0] == pytest.approx(wanted - kd * (implicit.v[1] - v0), rel=1e-12)


def test_pd_turns_quaternions_the_short_way(rng):
    builder = lw.ModelBuilder("ball", gravity=(0, 0, 0))
    builder.add_body("ball", lw.spherical("ball"), inertia=lw.Inertia.box(1.0, (0.3, 0.2, 0.1)))
    model = builder.build()
    goal = model.random_configuration(rng)
    trajectory = lw.simulate(model, dt=1e-3, steps=8000, control=lw.PD(0.5, 0.1, q=goal), record=100)
    assert np.abs(model.difference(trajectory.q[-1], goal)).max() < 1e-3


def test_a_base_is_not_actuated_by_one_number():
    robot = lw.load("quadruped")
    trajectory = lw.simulate(robot, dt=1e-3, steps=3, control=lw.PD(10.0, 1.0), outputs="torque", limits=False)
    assert not trajectory["torque"][:, :6].any() and trajectory["torque"][:, 6:].any()


def test_the_solver_is_the_cheapest_and_any_may_be_named():
    model, q0, v0 = closed_four_bar()
    ends = {}
    for solver in (None, "lcaba", "prox_ltl", "ltl"):
        trajectory = lw.simulate(model, q0, v0, dt=1e-3, steps=200, solver=solver)
        ends[solver] = trajectory.q[-1]
        assert trajectory.solver == solver or solver is None
    for solver, q in ends.items():
        assert np.abs(q - ends["ltl"]).max() < 1e-6, solver
    assert lw.simulate(pendulum(), steps=2).solver == "aba"


def test_one_iteration_will_do_when_started_from_the_last_step():
    model, q0, v0 = closed_four_bar()
    one, five = (lw.simulate(model, q0, v0, dt=1e-3, steps=1000, iterations=n) for n in (1, 5))
    assert np.abs(one.q - five.q).max() < 1e-4 and one.worst[0] < 1e-5


def test_compiled_step_is_its_reference(rng):
    model, q0, v0 = closed_four_bar(friction=0.05, damping=0.01, lower=-0.1)
    options = {"integrator": "rk4", "projection": True, "outputs": ("q", "v", "a", "torque", "work", "drift")}
    states = q0, v0, rng.normal(size=3), np.array(1e-3)
    wanted = lw.reference(model, "step", **options)(*states)
    found = lw.compile(model, "step", **options)(*states)
    for name in options["outputs"]:
        assert found[name] == pytest.approx(wanted[name], rel=1e-9, abs=1e-9), name


def test_parameters_of_the_step_are_inputs(rng):
    """Domain randomization: masses, gravity and dampings of each sample its own."""
    model = four_bar(damping=0.1)
    step = lw.compile(model, "step", parameters=("gravity", "dampings"), repeat=True)
    _, q0, v0 = closed_four_bar()
    own = lw.default_parameters(model, ("gravity", "dampings"))
    rest = {"q": q0, "v": v0, "tau": np.zeros(3), "dt": 1e-3}
    fixed = lw.compile(model, "step", repeat=True).repeat(rest, 50).q
    assert step.repeat({**rest, **own}, 50).q == pytest.approx(fixed, abs=1e-9)
    fell = step.repeat({**rest, **own, "gravity": np.zeros(3)}, 50).q
    assert np.abs(fell - fixed).max() > 1e-3
