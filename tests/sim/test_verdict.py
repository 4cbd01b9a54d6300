"""The verdict calls no run ok whose invariants fail, nor bad whose hold; and following its advice helps."""

from dataclasses import replace

import numpy as np
import pytest
from small_mechanisms import closed_four_bar, pendulum, tumbling_body

import linkwright as lw
from linkwright.sim.verdict import complaints


def found(trajectory, word):
    return [text for text in complaints(trajectory) if word in text]


@pytest.fixture(scope="module")
def good():
    model, q0, v0 = closed_four_bar()
    return lw.simulate(model, q0, v0, dt=1e-3, steps=500)


def test_a_good_run(good):
    assert not complaints(good) and str(good).splitlines()[0].endswith("ok")


def test_nan_is_never_ok(good):
    q = good.q.copy()
    q[300:] = np.nan
    assert found(replace(good, q=q), "not finite from t = 0.3 s")
    for k in range(4):
        worst = good.worst.copy()
        worst[k] = np.nan
        assert k == 1 or complaints(replace(good, worst=worst)), k


def test_each_number_is_judged(good):
    for k, value, word in ((0, 1e-3, "come apart"), (2, 0.28, "accelerations"), (3, 1, "not converged"),
                           (7, 0.1, "may have lost digits for 20.0%")):  # fmt: skip
        worst = good.worst.copy()
        worst[k] = value
        assert found(replace(good, worst=worst), word)
    assert found(replace(good, work=good.work + 10 * np.arange(501)[:, None]), "energy is off")
    assert found(replace(good, planned=900), "ended after 500 of 900 steps")


def test_a_beast_at_rest_is_not_bad():
    """Rounding is no energy error, however little was exchanged."""
    model, q0, _ = closed_four_bar()
    still = lw.Model(model.name, model.bodies, model.frames, np.zeros(3), constraints=model.constraints)
    trajectory = lw.simulate(still, q0, np.full(3, 0.0), dt=1e-3, steps=200)
    assert not complaints(replace(trajectory, work=trajectory.work + 1e-13))


def test_falling_hides_nothing():
    """Energy and momentum of a body that falls and tumbles are judged by its tumbling."""
    model = tumbling_body(gravity=(0, 0, -9.81))
    v0 = [0.1, 0, 0, 0.2, 3.0, 0.4]
    trajectory = lw.simulate(model, v0=v0, dt=1e-3, steps=5000, integrator="rk4", record=50)
    assert not complaints(trajectory) and trajectory.kinetic_energy.max() > 100 * trajectory.energy_exchanged
    v = trajectory.v.copy()
    v[50:, 3:] *= 1.3
    spun = replace(trajectory, v=v)
    assert found(spun, "energy is off") and found(spun, "momentum is off")
    v = trajectory.v.copy()
    v[:, :3] *= 1.0 + 1e-12
    assert not complaints(replace(trajectory, v=v))


def test_one_bad_sample_of_a_batch_is_enough():
    model, q0, v0 = closed_four_bar()
    batch = lw.simulate(model, np.tile(q0, (4, 1)), v0, dt=1e-3, steps=50)
    assert not complaints(batch)
    worst = batch.worst.copy()
    worst[2, 3] = 4
    assert found(replace(batch, worst=worst), "contradict")


def test_the_advice_works():
    model, q0, v0 = closed_four_bar()
    loose = lw.simulate(model, q0, v0, dt=1e-3, steps=5000, baumgarte=None)
    assert found(loose, "leave baumgarte=None out")
    assert not complaints(lw.simulate(model, q0, v0, dt=1e-3, steps=5000))
    fast = {"dt": 1e-2, "steps": 200}
    coarse = lw.simulate(model, q0, 2 * v0, **fast)
    assert found(coarse, "come apart") and found(coarse, "a smaller dt or projection=True")
    assert not found(lw.simulate(model, q0, 2 * v0, projection=True, **fast), "come apart")
    assert not complaints(lw.simulate(model, q0, 2 * v0, dt=1e-3, steps=2000))
    springy = pendulum(stiffness=1e3)
    assert found(lw.simulate(springy, [0.5], dt=2e-2, steps=300), "energy is off")
    assert not complaints(lw.simulate(springy, [0.5], dt=1e-3, steps=6000))
    assert not complaints(lw.simulate(springy, [0.5], dt=2e-3, steps=3000, integrator="rk4"))


def test_a_partial_run_tells_its_real_length():
    with pytest.raises(lw.SimulationError) as caught:
        lw.simulate(pendulum(stiffness=1e9), [0.1], dt=1e-2, steps=5000, record=10)
    kept = caught.value.trajectory
    assert kept.steps == round(kept.t[-1] / 1e-2) < 5000 and "ended after" in str(kept)
