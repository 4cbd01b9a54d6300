"""`Simulator`: the same motion as `simulate`, a step at a time, and back again."""

import numpy as np
import pytest
from small_mechanisms import closed_four_bar, pendulum

import linkwright as lw
from linkwright.errors import InputError


def test_it_is_simulate_a_step_at_a_time(rng):
    model, q0, v0 = closed_four_bar(damping=0.01)
    tau = rng.normal(size=(40, 3)) * 0.1
    whole = lw.simulate(model, q0, v0, dt=1e-3, steps=40, control=tau)
    simulator = lw.Simulator(model)
    simulator.reset(q0, v0)
    for row in tau:
        q, v = simulator.step(row)
    assert np.abs(q - whole.q[-1]).max() < 1e-10 and np.abs(v - whole.v[-1]).max() < 1e-8
    assert simulator.t == pytest.approx(0.04) and simulator.status == 0


def test_several_steps_save_and_restore(rng):
    model, q0, v0 = closed_four_bar()
    simulator = lw.Simulator(model, batch=5)
    simulator.reset(np.tile(q0, (5, 1)), v0 * np.linspace(0.5, 1, 5)[:, None])
    simulator.step(n=20)
    kept = simulator.save()
    tau = rng.normal(size=(5, 3))
    wanted = simulator.step(tau, n=7)
    for _ in range(3):
        simulator.step()
    simulator.restore(kept)
    assert simulator.steps == 20
    for _ in range(7):
        found = simulator.step(tau)
    np.testing.assert_array_equal(wanted[0], found[0])
    np.testing.assert_array_equal(wanted[1], found[1])
    assert simulator.status.shape == (5,)
    alone = lw.Simulator(model)
    alone.reset(q0, v0)
    alone.step(n=20)
    np.testing.assert_array_equal(alone.step(tau[4], n=7)[0], wanted[0][4])


def test_bad_input():
    model, q0, _ = closed_four_bar()
    simulator = lw.Simulator(model, batch=3)
    with pytest.raises(InputError, match="q0 holds 2 samples"):
        simulator.reset(np.tile(q0, (2, 1)))
    with pytest.raises(InputError, match=r"tau is .*expected torques of shape \(3, 3\)"):
        simulator.step(np.zeros(4))
    with pytest.raises(InputError, match="n is 0"):
        simulator.step(n=0)
    with pytest.raises(InputError, match="saved lacks v, lam"):
        simulator.restore({"q": q0})
    with pytest.raises(InputError, match="another robot or batch"):
        simulator.restore(lw.Simulator(model).save())
    with pytest.raises(InputError, match="batch is True"):
        lw.Simulator(pendulum(), batch=True)
    with pytest.raises(InputError, match="dt is True"):
        lw.Simulator(pendulum(), dt=True)


@pytest.mark.parametrize("outputs", [(), ("a",)])
def test_some_samples_begin_again_and_others_do_not_notice(outputs):
    """Also with contacts, whose steps tell of their effort besides what was asked for."""
    builder = lw.ModelBuilder("ball")
    builder.add_body("ball", lw.free_flyer("base"), inertia=lw.Inertia.sphere(1.0, 0.1))
    ball = builder.build().with_shapes(lw.sphere("ball", 0.1)).on_ground()
    q0 = np.tile(ball.drawn, (3, 1))
    q0[:, 2] = 0.3
    seen = []
    for reset in (False, True):
        simulator = lw.Simulator(ball, batch=3, outputs=outputs)
        simulator.reset(q0)
        simulator.step(n=20)
        if reset:
            simulator.reset_samples([1], q0[1:2], np.zeros((1, 6)))
        simulator.step()
        seen.append(simulator.q.copy())
        assert all(simulator[name].shape == (3, 6) for name in outputs)
    assert np.array_equal(seen[0][[0, 2]], seen[1][[0, 2]]) and seen[1][1, 2] > 0.2999 > seen[0][1, 2]


def test_what_is_no_number_is_refused_and_nothing_is_lost():
    model, q0, v0 = closed_four_bar()
    simulator, many = lw.Simulator(model), lw.Simulator(model, batch=3)
    simulator.reset(q0, v0)
    simulator.step(n=3)
    before = simulator.save()
    masked = np.ma.masked_array(np.zeros(3), mask=[False, True, False])
    for tau in ([0.0, np.nan, 0.0], np.array([0.0, np.inf, 0.0]), masked, np.zeros(3) * 1j, "x"):
        with pytest.raises(InputError, match="tau is"):
            simulator.step(tau)
    with pytest.raises(InputError, match=r"tau is nan at \(2, 1\)"):
        many.step(np.where(np.arange(9).reshape(3, 3) == 7, np.nan, 0.0))
    with pytest.raises(InputError, match="n is True"):
        simulator.step(n=True)
    for saved in (None, [1]):
        with pytest.raises(InputError, match="what `save` returned"):
            simulator.restore(saved)
    for samples in ([7], [0.5], "x"):
        with pytest.raises(InputError, match="samples is"):
            many.reset_samples(samples, q0, v0)
    after = simulator.save()
    assert all(np.array_equal(after[name], x) for name, x in before.items() if name != "outputs")


def test_outputs_are_restored_too():
    model, q0, v0 = closed_four_bar()
    simulator = lw.Simulator(model, outputs=("a",))
    simulator.reset(q0, v0)
    simulator.step(n=3)
    kept, a = simulator.save(), simulator["a"].copy()
    simulator.step(np.ones(3), n=5)
    assert not np.array_equal(simulator["a"], a)
    simulator.restore(kept)
    assert np.array_equal(simulator["a"], a)
