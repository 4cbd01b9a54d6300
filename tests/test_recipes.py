"""Every named program keeps what it declares; one that forgets something fails here by its name."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

import linkwright as lw
from linkwright.derivatives.question import Question
from linkwright.errors import InputError, UnsupportedError
from linkwright.physics import RECIPES
from linkwright.programs import FORWARD_DYNAMICS, Request, problems, register
from linkwright.programs.recipe import SHAPES, Recipe
from linkwright.programs.registry import names_of

INDEPENDENT_INPUTS = {"y", "yd", "ydd", "tau_y"}
# Options without which there is nothing to compute, on the models below.
NEEDED = {"motors": ["crank_joint"], "frame": "last"}


@cache
def tree():
    return lw.load("chain:2").with_actuators(lw.motor("link_1_joint"))


@cache
def standing():
    """Held by the ground in one direction."""
    model = lw.load("chain:3")
    return model.with_constraints(lw.constrain("link_3", [[1.0, 0, 0, 0, 0, 0]], name="held"))


@cache
def linkage():
    return lw.load("four_bar")


def model_for(recipe: Recipe):
    return {"irrelevant": tree, "none": tree, "ground": standing, "any": linkage}[recipe.constraints]()


def request_for(recipe: Recipe, outputs=None) -> Request:
    model = model_for(recipe)
    needed = {name: value for name, value in NEEDED.items() if name in recipe.options}
    if "frame" in needed:
        needed["frame"] = model.bodies[-1].name
    return Request.of(model, recipe.name, outputs, (), False, needed)


every_recipe = pytest.mark.parametrize("recipe", RECIPES.values(), ids=list(RECIPES))


@every_recipe
def test_declarations_fit_together(recipe):
    assert recipe.coordinates in ("tree", "independent")
    assert recipe.constraints in ("irrelevant", "none", "ground", "any")
    assert recipe.contacts(request_for(recipe).options) in ("none", "soft", "rigid")
    assert set(recipe.default_outputs) <= set(recipe.outputs)
    assert set(recipe.inputs) <= {*SHAPES, *INDEPENDENT_INPUTS}
    if recipe.coordinates == "tree":
        assert not INDEPENDENT_INPUTS & {*recipe.inputs, *recipe.outputs}
    if recipe.needs_independent_rows:
        assert recipe.constraints in ("ground", "any") and "status" in recipe.outputs
    if recipe.expected_passes is not None:
        assert recipe.options["iterations"] is None, "passes are expected where nobody counts them"
    if recipe.least_operations is not None:
        assert recipe.least_operations(lw.model.tree_of(model_for(recipe))) >= 0


@pytest.mark.parametrize("problem", problems())
def test_ways_to_solve_one_problem_are_called_alike(problem):
    for coordinates in ("tree", "independent"):
        alike = {r.name: (r.inputs, r.outputs[0]) for r in problems()[problem] if r.coordinates == coordinates}
        assert len(set(alike.values())) <= 1, alike


@every_recipe
def test_constraints_that_are_not_known_are_refused_by_name(recipe):
    if recipe.constraints == "none":
        with pytest.raises(UnsupportedError, match=f"'{recipe.name}' is for trees without constraints"):
            Request.of(linkage(), recipe.name, None, (), False, {})
    elif recipe.constraints == "ground":
        with pytest.raises(UnsupportedError, match="to the ground only") as told:
            Request.of(linkage(), recipe.name, None, (), False, {})
        for name in names_of(lambda other: other.exact and other.constraints == "any", like=recipe):
            assert repr(name) in str(told.value)
    else:
        request_for(recipe)


@every_recipe
def test_constraints_matter_unless_they_are_irrelevant(recipe):
    """The same model without its constraints: another program, or none, if constraints are taken into account."""
    if recipe.constraints != "irrelevant":
        return
    free = request_for(recipe).program()
    model = tree().with_constraints(lw.connect("link_1", "link_2", name="loop"))
    held = replace(request_for(recipe), model=model).program()
    assert (free.nodes, free.outputs) == (held.nodes, held.outputs)


@every_recipe
def test_inertias_matter_unless_they_are_not_read(recipe):
    if recipe.reads_inertias:
        return
    light = request_for(recipe)
    bodies = tuple(replace(body, inertia=lw.Inertia(3.0, [0.1, 0.2, 0.3], np.eye(3))) for body in light.model.bodies)
    heavy = replace(light, model=replace(light.model, bodies=bodies))
    assert light.key == heavy.key
    one, other = light.program(), heavy.program()
    assert (one.nodes, one.outputs) == (other.nodes, other.outputs)


@every_recipe
def test_what_is_said_to_be_differentiable_is(recipe):
    request = request_for(recipe, recipe.outputs[0])
    options = {"values": False, "parameters": (), "f_ext": False, "precision": "float64"}
    needed = {name: value for name, value in request.options.items() if name in NEEDED}
    ask = lambda: Question.of_model(  # noqa: E731
        "jvp", request.model, recipe.name, recipe.outputs[0], None, options=needed, **options
    ).program()
    if recipe.differentiable:
        ask()
    else:
        with pytest.raises(UnsupportedError, match="no rule for its derivative"):
            ask()


exact_forward = [r.name for r in problems()[FORWARD_DYNAMICS] if r.exact and r.coordinates == "tree"]


@pytest.mark.parametrize("name", exact_forward)
def test_what_is_said_to_be_exact_is(name, rng):
    recipe = RECIPES[name]
    model = model_for(recipe)
    q = model.drawn if model.has_loops else model.random_configuration(rng)
    v, tau = np.zeros(model.nv), rng.normal(size=model.nv)
    found = lw.reference(model, name, outputs="a")(q, v, tau)
    assert found == pytest.approx(lw.solve_kkt(model, q, v, tau).a, rel=1e-7, abs=1e-7)


def test_a_name_is_given_once():
    with pytest.raises(InputError, match="a program named 'aba' already"):
        register(RECIPES["aba"])
