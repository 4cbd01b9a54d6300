"""External forces, parameters and effort limits of a simulation."""

from dataclasses import replace

import numpy as np
import pytest
from small_mechanisms import closed_four_bar, four_bar, pendulum, tumbling_body

import linkwright as lw
from linkwright.errors import InputError
from linkwright.model.passive import Tendon


@pytest.mark.parametrize("integrator", ["damped_euler", "euler", "rk4"])
def test_a_constant_force_and_its_work(integrator):
    """A brick that does not turn, pushed through its centre of mass."""
    model = tumbling_body()
    push = np.zeros((2, 6))
    push[1, 0], at = 3.0, model.bodies[1].inertia.com
    push[1, 3:] = np.cross(at, push[1, :3])
    trajectory = lw.simulate(model, dt=1e-3, steps=1000, f_ext=push, integrator=integrator)
    assert trajectory.q[-1, 0] == pytest.approx(0.5 * 3.0 / 2.0, rel=2e-3)
    assert np.abs(trajectory.energy_error).max() < 1e-9
    assert trajectory.work[-1, 3] == pytest.approx(0.5 * 2.0 * 1.5**2, rel=2e-3)
    assert "outside" in str(trajectory) and "momentum" not in str(trajectory)


def test_per_sample_per_step_and_both(rng):
    model, q0, v0 = closed_four_bar()
    forces = rng.normal(size=(4, 30, model.nbodies, 6))
    masses = lw.default_parameters(model, ["masses"])["masses"] * rng.uniform(0.5, 2, size=(4, 1))
    q, v = np.tile(q0, (4, 1)), np.tile(v0, (4, 1))
    both = lw.simulate(model, q, v, dt=1e-3, steps=30, f_ext=forces, parameters={"masses": masses})
    for k in (0, 3):
        alone = lw.simulate(model, q0, v0, dt=1e-3, steps=30, f_ext=forces[k], parameters={"masses": masses[k]})
        np.testing.assert_array_equal(both.q[k], alone.q)
        assert both.energy_error[k] == pytest.approx(alone.energy_error, abs=1e-12)
    own = model.bodies[1].inertia.mass
    assert not np.allclose(masses[:, 1], own)
    varying = lw.simulate(model, q0, v0, dt=1e-3, steps=30, parameters={"gravity": rng.normal(size=(30, 3))})
    assert not varying.accounts_for_energy and "energy" not in str(varying)
    asked = lw.simulate(
        model, q0, v0, dt=1e-3, steps=30, f_ext=forces[0], control=lambda t, q, v: np.zeros(3)
    )
    given = lw.simulate(model, q0, v0, dt=1e-3, steps=30, f_ext=forces[0])
    assert np.abs(asked.q - given.q).max() < 1e-12


def test_parameters_are_another_model():
    model, q0, v0 = closed_four_bar(damping=0.1)
    other = four_bar(damping=0.3)
    given = lw.simulate(model, q0, v0, dt=1e-3, steps=200, parameters={"dampings": other.stacked("damping")})
    assert np.abs(given.q - lw.simulate(other, q0, v0, dt=1e-3, steps=200).q).max() < 1e-10


def test_all_parameters_may_be_given_also_those_that_a_model_has_none_of():
    model, q0, v0 = closed_four_bar()
    own = lw.default_parameters(model)
    del own["masses"]  # inertias hold them
    given = lw.simulate(model, q0, v0, dt=1e-3, steps=20, parameters=own)
    assert np.abs(given.q - lw.simulate(model, q0, v0, dt=1e-3, steps=20).q).max() < 1e-12
    assert "ok" in str(given)


def test_effort_limits_act():
    model = pendulum(effort_limit=2.0)
    for control in ([5.0], lw.PD(1e3, 0.0, q=[3.0])):
        cut = lw.simulate(model, dt=1e-3, steps=20, control=control, outputs="torque")
        assert np.abs(cut["torque"]).max() == 2.0
        free = lw.simulate(model, dt=1e-3, steps=20, control=control, outputs="torque", effort_limits=False)
        assert np.abs(free["torque"]).max() > 4.0


@pytest.mark.parametrize(
    "options, message",
    [
        ({"f_ext": np.zeros((3, 6))}, r"f_ext has shape \(3, 6\); expected \(4, 6\)"),
        ({"f_ext": np.full((4, 6), np.nan)}, "f_ext is nan at"),
        ({"parameters": {"mass": np.ones(4)}}, "masses"),
        ({"parameters": {"masses": np.ones(5)}}, "parameter 'masses' has shape"),
        ({"parameters": {"masses": -np.ones(4)}}, "parameter 'masses' holds -1; must not be negative"),
        ({"parameters": {"masses": None}}, "parameter 'masses' is None; expected numbers"),
        ({"parameters": ["masses"]}, "parameters is a list; expected arrays by name"),
        ({"parameters": {"gravity": "down"}}, "parameter 'gravity' is 'down'"),
        ({"parameters": {"placements": np.zeros((4, 7))}}, "quaternion of length 0"),
        ({"parameters": {"constraint_placements": np.ones((2, 7))}}, "quaternion of length 2"),
        ({"f_ext": np.zeros((2, 10, 4, 6)), "parameters": {"masses": np.ones((3, 4))}}, r"hold \[2, 3\] samples"),
        ({"dt": True}, "dt is True"),
        ({"record": True}, "record is True"),
        ({"steps": 10**30}, "steps is 1000000000000000000000000000000; expected at most"),
    ],
)
def test_bad_input(options, message):
    model, q0, v0 = closed_four_bar()
    with pytest.raises(InputError, match=message):
        lw.simulate(model, q0, v0, **{"dt": 1e-3, "steps": 10, **options})


def test_a_record_of_less_than_all():
    model, q0, v0 = closed_four_bar()
    assert len(lw.simulate(model, q0, v0, dt=1e-3, steps=10, record=10**30).t) == 2


def test_lengths_and_frictions_have_signs():
    builder = lw.ModelBuilder("wound")
    builder.add_body("bar", lw.spherical("ball"), inertia=lw.Inertia.box(1.0, (0.1, 0.1, 0.4)))
    builder.add_body("wheel", lw.revolute("axle", "x"), inertia=lw.Inertia.box(1.0, (0.1, 0.1, 0.1)))
    builder.add_frame("eye", "world", (0.0, 0.0, 0.5))
    rope = Tendon("rope", (("axle", 1.0),), stiffness=1.0, friction=0.1)
    model = replace(builder.build(), passive=(rope,)).with_constraints(lw.rod("bar", "eye", length=0.5, name="rod"))
    refused = [({"rod_lengths": [0.0]}, "holds 0; must be positive"), ({"tendons": [[1, 0, -1]]}, "holds -1")]
    for parameters, said in refused:
        with pytest.raises(InputError, match=said):
            lw.simulate(model, steps=2, parameters=parameters)


def test_masked_complex_and_negative_moments_are_refused():
    model, q0, v0 = closed_four_bar()
    masses = lw.default_parameters(model, ["masses"])["masses"]
    inertias = lw.default_parameters(model, ["inertias"])["inertias"]
    hidden = np.ma.masked_array(masses, mask=masses > 0)
    for given in (
        {"parameters": {"masses": hidden}}, {"f_ext": np.ma.masked_all((model.nbodies, 6))},
        {"control": np.ma.masked_all(3)}, {"control": np.zeros(3) * 1j}, {"q0": np.ma.masked_array(q0, mask=[1, 0, 0])},
    ):  # fmt: skip
        with pytest.raises(InputError, match="expected numbers"):
            lw.simulate(model, **{"q0": q0, "v0": v0, **given}, steps=2)
    with pytest.raises(InputError, match="moment of inertia of -1"):
        lw.simulate(model, q0, v0, steps=2, parameters={"inertias": np.where(np.arange(10) == 4, -1.0, inertias)})
