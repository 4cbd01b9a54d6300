"""Twenty seconds of whole mechanisms at dt = 1 ms: no NaN, and their loops stay closed."""

import numpy as np
import pytest

import linkwright as lw

LEGS_HELD = lw.PD(2e4, 4e2)
STANDING = lw.PD(400.0, 10.0)


@pytest.mark.parametrize(
    "name, control, kick",
    [
        ("four_bar", None, 0.0),
        ("slider_crank", None, 0.0),
        ("jansen_leg", None, 0.0),
        ("stewart_platform", LEGS_HELD, 0.5),
        ("digit_like", STANDING, 0.2),
    ],
)
@pytest.mark.parametrize("projection, bound", [(False, 1e-5), (True, 1e-10)])
def test_twenty_seconds(name, control, kick, projection, bound, rng):
    model = lw.load(name)
    v0 = lw.project_velocity(model, model.drawn, kick * rng.normal(size=model.nv))
    trajectory = lw.simulate(
        model, v0=v0, dt=1e-3, steps=20_000, control=control, projection=projection, record=50
    )
    assert np.all(trajectory.finite) and trajectory.t[-1] == pytest.approx(20.0)
    assert trajectory.worst[0] < bound and trajectory.drift.max() < bound
    if control is not None:
        assert np.abs(trajectory.v[-1]).max() < 1e-3  # came to rest
        assert np.abs(model.difference(model.drawn, trajectory.q[-1])).max() < 0.2


def test_springs_and_dampers_give_back_what_they_take():
    model = lw.load("four_bar")
    trajectory = lw.simulate(model, dt=1e-3, steps=5000, integrator="rk4", control=lw.PD(1.0, 0.05))
    assert np.abs(trajectory.energy_error).max() < 1e-7 * trajectory.energy_exchanged
