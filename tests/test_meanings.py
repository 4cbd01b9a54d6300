"""Every input, output and option of every program is explained, and the shapes that are told are those it has."""

import pytest

import linkwright as lw
from linkwright.physics import RECIPES
from linkwright.programs import Request
from linkwright.programs.cluster_state import plan_of
from linkwright.programs.meanings import INPUTS, OPTIONS, OUTPUTS, input_meaning, option_meaning, output_meaning

LOOPED = (
    lw.load("four_bar").with_shapes(lw.sphere("coupler", 0.02)).on_ground().with_actuators(lw.motor("crank_joint"))
)
GROUNDED = lw.load("chain:3").with_constraints(lw.connect("link_3"))
OPTIONS_NEEDED = {"frame": "world", "frames": ["world"], "motors": ["crank_joint"], "actuators": "input"}


@pytest.mark.parametrize("recipe", RECIPES.values(), ids=lambda r: r.name)
def test_everything_is_explained(recipe):
    for name in (*recipe.inputs, *recipe.optional_inputs):
        assert input_meaning(recipe, name).text
    for name in recipe.outputs:
        assert output_meaning(recipe, name).text
    for name in recipe.options:
        assert option_meaning(recipe, name).text


def test_nothing_is_explained_that_is_not_there():
    for table, names in (
        (OUTPUTS, {name for r in RECIPES.values() for name in r.outputs}),
        (OPTIONS, {name for r in RECIPES.values() for name in r.options}),
    ):
        assert {key.split(".")[-1] for key in table} == names
    for key in (*INPUTS, *OUTPUTS, *OPTIONS):
        assert "." not in key or key.split(".")[0] in RECIPES


def model_for(recipe):
    return GROUNDED.without_constraints() if recipe.constraints == "none" else (
        GROUNDED if recipe.constraints == "ground" else LOOPED
    )


@pytest.mark.parametrize("recipe", RECIPES.values(), ids=lambda r: r.name)
def test_shapes_are_those_of_the_program(recipe):
    model = model_for(recipe)
    options = {name: value for name, value in OPTIONS_NEEDED.items() if name in recipe.options}
    request = Request.of(model, recipe.name, recipe.outputs, (), False, options)
    program = request.program()
    independent = plan_of(model, request.options) if "independent" in recipe.options else None
    sizes = {
        "nq": model.nq, "nv": model.nv, "nbodies": model.nbodies, "nc": model.nc, "frames": 1, "motors": 1,
        "nu": len(model.actuators), "na": model.na,
        "constraints": len(model.constraints), "contacts": len(model.contacts), "loops": model.nc,
        "ny": len(independent.coordinates) if independent else 0,
        "nyd": sum(map(len, independent.independent)) if independent else 0,
    }  # fmt: skip
    for meaning, variables in ((input_meaning, program.inputs), (output_meaning, program.outputs)):
        for variable in variables:
            told = eval(meaning(recipe, variable.name).shape, {}, sizes)
            if recipe.name == "cluster_efpa" or recipe.name == "projected_efpa":
                continue  # of the constraints to the ground only
            assert variable.shape == told, variable.name
