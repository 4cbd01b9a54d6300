"""Constraints switched from step to step: loops open and close, by constraint, sample and step."""

import numpy as np
import pytest
from small_mechanisms import closed_four_bar

import linkwright as lw
from linkwright.errors import InputError
from linkwright.sim.verdict import complaints

INTEGRATORS = pytest.mark.parametrize(
    "integrator", ["damped_euler", "euler", "implicitfast", "rk4", "leapfrog", "dormand_prince"]
)


def loops():
    """(a closed four-bar, its start)"""
    model, q, _ = closed_four_bar()
    return model, q, np.zeros(model.nv)


@INTEGRATORS
def test_an_open_loop_is_the_tree_without_it(integrator):
    model, q, v = loops()
    none = np.zeros(len(model.constraints))
    opened = lw.simulate(model, q, v, dt=1e-3, steps=100, integrator=integrator, active=none)
    tree = lw.simulate(model.without_constraints(), q, v, dt=1e-3, steps=100, integrator=integrator)
    np.testing.assert_allclose(opened.q, tree.q, atol=1e-9)
    assert not opened.drift.any() and not complaints(opened)


@INTEGRATORS
def test_a_loop_that_holds_is_one_without_switches(integrator):
    model, q, v = loops()
    kept = lw.simulate(model, q, v, dt=1e-3, steps=100, integrator=integrator, active=np.ones(len(model.constraints)))
    plain = lw.simulate(model, q, v, dt=1e-3, steps=100, integrator=integrator)
    np.testing.assert_allclose(kept.q, plain.q, atol=1e-9)
    assert kept.drift.max() < 1e-5 and not complaints(kept)


def schedule(model, steps, off):
    """(steps, constraints): all hold but in the steps of `off`."""
    active = np.ones((steps, len(model.constraints)))
    active[off] = 0.0
    return active


@INTEGRATORS
def test_one_opens_and_is_closed_again(integrator):
    """A loop that is let go and caught a little later, before it has come apart far."""
    model, q, v = loops()
    active = schedule(model, 400, slice(100, 104))
    found = lw.simulate(model, q, v, dt=1e-3, steps=400, integrator=integrator, active=active)
    assert found.holding.shape == (401, len(model.constraints))
    np.testing.assert_array_equal(found.holding[1:], active)
    whole = lw.simulate(model, q, v, dt=1e-3, steps=400, integrator=integrator)
    assert found.drift[-1] < 10 * whole.drift.max() and np.isfinite(found.q).all()
    assert not found.accounts_for_energy and "energy    not judged: constraints were switched" in str(found)
    seldom = lw.simulate(model, q, v, dt=1e-3, steps=400, integrator=integrator, active=active, record=200)
    assert not seldom.accounts_for_energy
    assert np.abs(found.q[110:] - whole.q[110:]).max() > 1e-7


def test_samples_switch_by_themselves():
    model, q, v = loops()
    active = np.stack([schedule(model, 60, off) for off in (slice(0, 0), slice(20, 60), slice(0, 60))])
    together = lw.simulate(model, np.tile(q, (3, 1)), v, dt=1e-3, steps=60, active=active)
    for k in range(3):
        alone = lw.simulate(model, q, v, dt=1e-3, steps=60, active=active[k])
        np.testing.assert_array_equal(together.q[k], alone.q)
        np.testing.assert_array_equal(together.holding[k], alone.holding)
    rolled = lw.rollout(model, np.tile(q, (3, 1)), steps=60, dt=1e-3, active=active, progress=False)
    np.testing.assert_array_equal(rolled.q, together.q)


def test_a_simulator_is_written_to():
    model, q, v = loops()
    active = schedule(model, 60, slice(20, 40))
    wanted = lw.simulate(model, q, v, dt=1e-3, steps=60, active=active, outputs="forces")
    simulator = lw.Simulator(model, dt=1e-3, active=np.ones(len(model.constraints)), outputs=("forces",))
    simulator.reset(q, v)
    for k in range(60):
        simulator.active[:] = active[k]
        simulator.step()
        assert np.any(simulator["forces"]) == bool(active[k].any()), "what does not hold transmits nothing"
    np.testing.assert_allclose(simulator.q, wanted.q[-1], atol=1e-9)
    batch = lw.Simulator(model, dt=1e-3, batch=2, active={model.constraints[0].name: 1})
    batch.active[1] = 0.0
    batch.reset(q, v)
    batch.step(n=20)
    tree = lw.simulate(model.without_constraints(), q, v, dt=1e-3, steps=20)
    np.testing.assert_allclose(batch.q[1], tree.q[-1], atol=1e-9)
    assert np.abs(batch.q[0] - batch.q[1]).max() > 1e-6


def test_an_environment_lets_go():
    """Written to `env.simulator.active` between actions, robot by robot."""
    pytest.importorskip("gymnasium")
    from linkwright.envs.cart_pole import CartPole
    from linkwright.envs.vector_env import RobotVectorEnv

    task = CartPole()
    task.options = {"active": np.ones(len(task.robot.constraints))}
    env = RobotVectorEnv(task, 2)
    env.reset(seed=0)
    assert env.simulator.active.shape == (2, len(task.robot.constraints))
    env.simulator.active[1] = 0.0
    for _ in range(5):
        env.step(np.ones((2, 1)))
    error = lw.reference(task.robot, "constraint_error")
    off = [np.abs(error(q)).max() for q in env.simulator.q]
    assert off[0] < 1e-6 < 1e-3 < off[1]


def test_a_start_need_not_close_what_does_not_hold():
    model, q, v = loops()
    apart = q + np.array([0.0, 0.1, 0.0])
    name = model.constraints[0].name
    assert not complaints(lw.simulate(model, apart, v, dt=1e-3, steps=20, active={name: 0}))
    with pytest.raises(InputError, match="does not close"):
        lw.simulate(model, apart, v, dt=1e-3, steps=20, active={name: 1})


def test_hard_loops_of_what_touches():
    model, q, v = loops()
    model = model.with_shapes(lw.sphere(model.bodies[-1].name, 0.01)).on_ground()
    found = lw.simulate(model, q, v, dt=1e-3, steps=30, active=np.zeros(len(model.constraints)))
    tree = lw.simulate(model.without_constraints(), q, v, dt=1e-3, steps=30)
    np.testing.assert_allclose(found.q, tree.q, atol=1e-7)


@pytest.mark.parametrize(("options", "why"), [
    ({"active": {"nothing": 0}}, "no constraint named 'nothing'"),
    ({"active": [0.5]}, "active holds 0.5; expected 1 for constraints that hold, 0"),
    ({"active": np.ones(7)}, r"active has shape \(7,\)"),
    ({"active": [1.0], "coordinates": "independent"}, "embedded cannot be opened"),
    ({"active": [1.0], "start": "project"}, "closes every constraint"),
])  # fmt: skip
def test_what_is_refused(options, why):
    model, q, v = loops()
    assert len(model.constraints) == 1
    with pytest.raises(InputError, match=why):
        lw.simulate(model, q, v, steps=3, **options)


def test_who_has_no_constraints_has_none_to_switch():
    with pytest.raises(InputError, match="has no constraints to switch"):
        lw.simulate(lw.load("chain:2"), steps=3, active=np.ones(0))
