"""Simulations with contacts: bodies come to rest, books balance, all ways of running agree."""

from dataclasses import replace

import numpy as np
import pytest

import linkwright as lw
from linkwright.errors import InputError
from linkwright.sim.verdict import complaints

STEPS = {"dt": 2e-3, "steps": 500}


@pytest.fixture(scope="module")
def ball() -> lw.Model:
    builder = lw.ModelBuilder("ball")
    builder.add_body("ball", lw.free_flyer("free"), inertia=lw.Inertia(2.0, np.zeros(3), np.eye(3) * 0.008))
    return builder.build().with_shapes(lw.sphere("ball", 0.1, name="skin")).on_ground(0.8)


def start(height: float, count: int | None = None) -> np.ndarray:
    q = np.array([0, 0, height, 0, 0, 0, 1.0])
    return q if count is None else q + np.arange(count)[:, None] * np.array([0, 0, 0.02, 0, 0, 0, 0])


@pytest.mark.parametrize("integrator", ["damped_euler", "euler", "implicitfast"])
def test_a_ball_falls_and_comes_to_rest(ball, integrator):
    outputs = ("contact_force", "gap", "status")
    trajectory = lw.simulate(ball, start(0.4), integrator=integrator, outputs=outputs, **STEPS)
    assert not complaints(trajectory) and "contacts" in str(trajectory) and "deep at most" in str(trajectory)
    assert abs(trajectory.v[-1]).max() < 1e-3 and 0 < 0.1 - trajectory.q[-1, 2] < 2e-3
    assert trajectory["contact_force"][-1, 0, 0] == pytest.approx(2 * 9.81, rel=1e-3)
    assert trajectory["gap"][-1, 0] == pytest.approx(trajectory.q[-1, 2] - 0.1, abs=1e-6)
    lost = 2 * 9.81 * (0.4 - trajectory.q[-1, 2])  # all of it goes into the contact
    assert trajectory.work[-1, 4] == pytest.approx(-lost, rel=1e-2) and not trajectory.work[-1, :4].any()


def test_batches_and_the_simulator_give_the_same_bits(ball):
    options = {"dt": 2e-3, "integrator": "euler"}
    batch = lw.simulate(ball, start(0.11, 5), np.ones((5, 6)), steps=60, **options)
    for k in (0, 4):
        alone = lw.simulate(ball, start(0.11, 5)[k], np.ones(6), steps=60, **options)
        np.testing.assert_array_equal(batch.q[k], alone.q)
    simulator = lw.Simulator(ball, **options)
    simulator.reset(start(0.11, 5)[4], np.ones(6))
    for _ in range(6):
        q, _ = simulator.step(n=10)
    np.testing.assert_array_equal(q, batch.q[4, -1])
    kept = simulator.save()
    one = simulator.step()[0].copy()
    simulator.restore(kept)
    np.testing.assert_array_equal(simulator.step()[0], one)


def test_without_contacts_it_falls_through(ball):
    assert lw.simulate(ball, start(0.4), contact=None, **STEPS).q[-1, 2] < -1
    assert lw.simulate(ball.without_contacts(), start(0.4), **STEPS).contact is None


def test_what_is_deep_is_told(ball):
    trajectory = lw.simulate(ball, start(0.4), np.array([0, 0, -200.0, 0, 0, 0]), dt=2e-3, steps=5)
    assert any("deep" in line for line in complaints(trajectory))


def test_a_contact_is_judged_by_the_shapes_in_it(ball):
    """A leaf beside the ball may be thinner than the ball is deep; where the leaf itself is that deep, it is told."""
    high, low = (lw.box("ball", (0.05, 0.05, 1e-3), at=(0, 0, z), name="leaf") for z in (0.05, -0.1))
    v = np.array([0, 0, -3.0, 0, 0, 0])
    beside, under = (ball.with_shapes(leaf).with_contacts(lw.contact("leaf", "ground")) for leaf in (high, low))
    trajectory = lw.simulate(beside, start(0.1), v, dt=2e-3, steps=100)
    deepest, share = trajectory.worst[4:6]
    assert deepest > 5e-3 and share == pytest.approx(deepest / 0.2) and not complaints(trajectory)
    deep = lw.simulate(under, start(0.101), v, dt=2e-3, steps=100)
    assert deep.worst[5] > 5 and any("as deep as the shape in them" in line for line in complaints(deep))


def test_loops_stay_closed_while_they_touch():
    model = lw.load("four_bar")
    tips = [lw.sphere(body.name, 0.3, name=f"{body.name}_ball") for body in model.bodies[1:]]
    model = model.with_shapes(*tips).on_ground(0.5)
    trajectory = lw.simulate(model, dt=1e-3, steps=400, outputs=("active",))
    assert trajectory["active"].any() and trajectory.worst[0] < 1e-5 and trajectory.worst[3] == 0


# A loop in a plane, whose ends a file draws 3e-6 m apart across it: no motion brings them together.
DRAWN_APART = """<mujoco><worldbody><geom type="plane" size="0 0 1"/><body name="base" pos="0 0 0.3"><freejoint/>
  <geom type="box" size="0.1 0.05 0.02" mass="2"/>
  <body name="left" pos="-0.1 0 -0.02"><joint axis="0 1 0" damping="0.05"/>
    <geom type="capsule" size="0.01" fromto="0 0 0 0 0 -0.2" mass="0.3" contype="0"/>
    <body name="coupler" pos="0 0 -0.2"><joint axis="0 1 0"/>
      <geom type="capsule" size="0.01" fromto="0 0 0 0.2 0 0" mass="0.3" contype="0"/>
      <site name="end" pos="0.2 3e-6 0"/></body></body>
  <body name="right" pos="0.1 0 -0.02"><joint axis="0 1 0"/><site name="tip" pos="0 0 -0.2"/>
    <geom type="capsule" size="0.01" fromto="0 0 0 0 0 -0.2" mass="0.3" contype="0"/></body></body></worldbody>
  <equality><connect site1="end" site2="tip"/></equality></mujoco>"""


def test_what_a_file_draws_apart_is_no_fault_of_the_solver():
    """Stabilization pulls at it without end; what that leaves undone is no residual that the verdict minds."""
    pytest.importorskip("mujoco")
    trajectory = lw.simulate(lw.load(DRAWN_APART).unwatched(), dt=5e-4, steps=600, outputs=("residual", "active"))
    assert not complaints(trajectory) and trajectory["active"].any()
    assert trajectory["residual"].max() > 1e-3 > trajectory.worst[2] and 2e-6 < trajectory.worst[0] < 1e-5


@pytest.mark.parametrize("options", [
    {"contact": "rigid"}, {"integrator": "rk4"}, {"solver": "aba"}, {"projection": True}, {"cone": "flat"},
    {"equality": "firm"}, {"tolerance": 0.0}, {"improvement": -1.0}, {"iterations": 0},
])  # fmt: skip
def test_options_are_checked(ball, options):
    with pytest.raises(InputError):
        lw.simulate(ball, start(0.4), **STEPS, **options)


def test_steps_end_at_the_improvement_that_is_asked_for():
    """Less accuracy takes fewer passes; by themselves steps are exact, unless a file names its tolerance; one of the
    call switches that off."""
    model = lw.load("quadruped")
    feet = [lw.sphere(f"{leg}_shank", 0.02, at=(0, 0, -0.2)) for leg in ("FL", "FR", "RL", "RR")]
    model = model.with_shapes(*feet).on_ground(0.6)
    rng = np.random.default_rng(5)
    q = np.tile(model.drawn, (40, 1))
    q[:, 2] = rng.uniform(0.37, 0.4, 40)
    given = (q, rng.normal(size=(40, model.nv)), np.zeros(model.nv), 2e-3)

    def steps(**options):
        return lw.reference(model, "step", outputs=("warm", "iterations", "status"), **options)(*given)

    exact, usual, rough = steps(), steps(improvement=1e-8), steps(improvement=1e-4)
    assert exact.iterations.mean() > usual.iterations.mean() > rough.iterations.mean()
    away = [np.abs(x.warm - exact.warm).max() / (1 + np.abs(exact.warm).max()) for x in (usual, rough)]
    assert away[0] < away[1] < 0.1 and away[0] < 1e-4 and not usual.status.any()
    np.testing.assert_array_equal(steps(tolerance=1e-10).warm, exact.warm)
    np.testing.assert_array_equal(steps(improvement=0.0).warm, exact.warm)
    named = replace(model, simulation=lw.SimulationDefaults(tolerance=1e-4))
    again = lw.reference(named, "step", outputs=("warm", "iterations"))(*given)
    np.testing.assert_array_equal(again.warm, rough.warm)


def test_steps_start_where_accelerations_are_going():
    """`lead`, what accelerations changed by, saves passes and leaves results as they are."""
    model = lw.load("quadruped")
    feet = [lw.sphere(f"{leg}_shank", 0.02, at=(0, 0, -0.2)) for leg in ("FL", "FR", "RL", "RR")]
    model = model.with_shapes(*feet).on_ground(0.6)
    names = ("q", "v", "lam", "lead", "lag", "warm", "iterations", "status")
    step = lw.compile(model, "step", outputs=names, warm_start="input")
    rng = np.random.default_rng(6)
    q = np.tile(model.drawn, (24, 1))
    q[:, 2] = rng.uniform(0.37, 0.39, 24)
    first = {
        "q": q, "v": 0.3 * rng.normal(size=(24, model.nv)), "tau": rng.normal(size=(24, model.nv)),
        "dt": np.array(1e-3), "lam": np.zeros(0), "lead": np.zeros(3 * model.nv), "lag": np.array(5e-4),
        "warm": np.zeros(model.nv),
    }  # fmt: skip

    def run(keep: bool):
        state, passes = first, 0.0
        for k in range(40):
            before, found = state["warm"], step(**state)
            assert not found.status.any()
            np.testing.assert_array_equal(found.lead[:, : model.nv], found.warm - before if k else 0.0 * found.warm)
            passes += found.iterations.sum()
            state = {**state, **{name: found[name] for name in ("q", "v", "warm", "lag")}}
            state |= {"lead": found.lead} if keep else {}
        return passes, state["q"]

    (passes, ends), (more, alike) = run(True), run(False)
    assert passes < 0.97 * more
    np.testing.assert_allclose(ends, alike, atol=1e-8)
