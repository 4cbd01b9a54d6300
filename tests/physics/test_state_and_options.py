"""What a step takes, keeps and tells is declared once; options stand on the object that needs them."""

from dataclasses import FrozenInstanceError, fields

import numpy as np
import pytest

import linkwright as lw
from linkwright.errors import InputError
from linkwright.physics import INTEGRATORS, STEP, Integrator, State, StepInputs, StepOptions, StepReport, integrator_of
from linkwright.physics.options import Embedded, Held, SoftLaw, declared, defaults, of_callers, settled_options
from linkwright.physics.quantities import quantities, seen, shape_of
from linkwright.physics.state import SWITCHED, Work, Worst, at_rest, switched
from linkwright.programs import Request
from linkwright.scalar import leaves


@pytest.fixture(scope="module")
def robot():
    return lw.load("four_bar").with_actuators(lw.motor("crank_joint"))


def options_of(robot, **given):
    return settled_options(robot, {**defaults(), **given})


def test_shapes_follow_from_the_fields(robot):
    shapes = {own.name: shape_of(own, robot) for cls in (State, StepInputs) for own in quantities(cls)}
    assert shapes["q"] == (robot.nq,) and shapes["lead"] == (3 * robot.nv,) and shapes["dt"] == ()
    assert shapes["f_ext"] == (robot.nbodies, 6) and shapes["holding"] == (len(robot.constraints),)
    given = {"actuators": "input", "warm_start": "input", "books": "input", "active": "input", "feedback": (0,)}
    request = Request.of(robot, "step", ("q", "v"), (), True, given)
    assert request.input_shapes == {name: shapes[name] for name in request.input_shapes}


def test_every_switched_quantity_is_an_input_of_its_group():
    named = [name for group in SWITCHED for name in switched(group)]
    assert len(set(named)) == len(named)
    always = set(STEP[0].inputs) | {"f_ext"}
    every = {own.name for cls in (State, StepInputs) for own in quantities(cls)}
    assert set(named) | always == every and not set(named) & always


def test_a_state_at_rest_has_an_array_for_every_field(robot):
    arrays = at_rest(robot)
    assert set(arrays) == {own.name for own in fields(State)} and not any(x.any() for x in arrays.values())


def test_records_are_seen_by_name(robot):
    values = {"worst": np.arange(8.0), "work": np.arange(5.0), "lag": np.array(0.5)}
    found = {own.name: seen(own, values, robot) for own in quantities(State) if own.name in values}
    assert found["worst"] == Worst(0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0) and found["worst"].doubt == 7.0
    assert found["work"].contacts == 4.0 and leaves(Work()) == [0.0] * 5 and found["lag"] == 0.5


def test_outputs_of_the_step_are_what_it_keeps_and_tells():
    told = {own.name for cls in (State, StepReport) for own in quantities(cls)}
    assert told <= set(STEP[0].outputs)


def test_what_belongs_together_stands_together(robot):
    held = StepOptions.of(options_of(robot, solver="prox_ltl", projection=True))
    assert held.dynamics == Held(solver="prox_ltl", projection=True) and held.projection and held.law is None
    assert isinstance(StepOptions.of(options_of(robot, coordinates="independent")).dynamics, Embedded)
    soft = StepOptions.of(options_of(robot, contact="soft", cone="elliptic", iterations=7))
    assert soft.law is not None and (soft.law.cone, soft.law.iterations) == ("elliptic", 7) and not soft.projection
    with pytest.raises(TypeError):
        SoftLaw(projection=True)
    with pytest.raises(FrozenInstanceError):
        held.dynamics.projection = False


def test_groups_follow_from_options(robot):
    plain, driven = (StepOptions.of(options_of(robot, **given)).groups for given in (
        {}, {"warm_start": "input", "books": "input", "actuators": "input", "contact": "soft", "active": "input"}
    ))  # fmt: skip
    assert not plain and len(driven) == 7


def test_every_option_has_a_default_and_a_meaning():
    assert set(STEP[0].options) == set(declared()) and set(of_callers()) < set(declared())
    assert all(values and text for _, values, text, _ in declared().values())


def test_integrators_say_what_they_are():
    for name, integrator in INTEGRATORS.items():
        assert integrator_of(name) is integrator and integrator_of(integrator) is integrator
        assert (integrator.name, bool(integrator.title), integrator.order >= 1) == (name, True, True)
        assert integrator.explicit <= {"control", "friction", "limits"}
    for wrong in ("rk5", None, 4, Integrator):
        with pytest.raises(InputError, match=r"expected one of damped_euler, .*rk4"):
            integrator_of(wrong)


@pytest.mark.parametrize("name", sorted(INTEGRATORS))
def test_an_integrator_by_name_is_the_object(name):
    chain = lw.load("chain:2")
    by_name, by_object = (lw.simulate(chain, steps=20, integrator=x) for x in (name, INTEGRATORS[name]))
    np.testing.assert_array_equal(by_name.q, by_object.q)
    assert by_name.integrator == by_object.integrator == name
