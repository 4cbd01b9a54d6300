"""Walks the registry: every program has right derivatives of all its outputs, or says by name why not."""

import sys
from pathlib import Path

import numpy as np
import pytest
from extended import STEP, run
from test_tree_derivatives import question

import linkwright as lw
from linkwright.derivatives.question import CONFIGURATIONS, VERDICTS
from linkwright.errors import LinkwrightError
from linkwright.physics import RECIPES
from linkwright.trace import interpret

sys.path.insert(0, str(Path(__file__).parent.parent))
from test_recipes import NEEDED, request_for

# Programs that have no derivatives, and what they say.
REFUSED: dict[str, str] = {}
# Penalties by default cost so many digits that a difference has none left.
CHOSEN = {"caba_osim": {"mu": 1e3}}


def state(model, program, rng):
    """A closed pose, and small numbers for all else."""
    known = lw.default_parameters(model)
    given = {}
    for x in program.inputs:
        if x.name in CONFIGURATIONS:
            given[x.name] = model.drawn if model.has_loops else model.random_configuration(rng)
        elif x.name == "dt":
            given[x.name] = np.array(1e-3)
        else:
            given[x.name] = known[x.name] if x.name in known else 0.01 * rng.normal(size=x.shape)
    return given


@pytest.mark.parametrize("name", RECIPES)
def test_derivatives(name, rng):
    recipe = RECIPES[name]
    request = request_for(recipe)
    options = {x: value for x, value in request.options.items() if x in NEEDED} | CHOSEN.get(name, {})
    of = tuple(x for x in recipe.outputs if x not in VERDICTS)
    if name in REFUSED:
        with pytest.raises(LinkwrightError, match=REFUSED[name]):
            question("jvp", request.model, name, of, **options).program()
        return
    model, program = request.model, question("jvp", request.model, name, of, **options).request.program()
    given = state(model, program, rng)
    forth = question("jvp", model, name, of, **options).program()
    direction = {x.name: rng.normal(size=x.shape) for x in program.inputs if x.name != "active"}
    ends = [run(program, {**given, **{k: given[k] + s * np.asarray(d, np.longdouble) for k, d in direction.items()}})
            for s in (STEP, -STEP)]  # fmt: skip
    rates = {x: np.asarray((ends[0][x] - ends[1][x]) / (2 * STEP), float) for x in of}
    found = interpret(forth, {**given, **{f"{k}_dot": d for k, d in direction.items()}})
    size = max(1.0, *(np.abs(rate).max(initial=0) for rate in rates.values()))
    for x, rate in rates.items():
        np.testing.assert_allclose(found[f"{x}_dot"], rate, rtol=0, atol=1e-7 * size, err_msg=x)
    weights = {f"{x}_bar": rng.normal(size=rate.shape) for x, rate in rates.items()}
    back = interpret(question("vjp", model, name, of, **options).program(), {**given, **weights})
    total = sum(np.sum(back[f"{k}_bar"] * d) for k, d in direction.items())
    expected = sum(np.sum(weights[f"{x}_bar"] * rate) for x, rate in rates.items())
    assert abs(total - expected) <= 1e-7 * max(1.0, sum(np.abs(rate).sum() for rate in rates.values()))
    columns = interpret(question("jacobian", model, name, of, **options).program(), given)
    for x, rate in rates.items():
        blocks = {k: columns[f"d{x}_d{k}"] for k in direction}
        shapes = {k: rate.shape + d.shape for k, d in direction.items()}
        assert {k: block.shape for k, block in blocks.items()} == shapes
        along = sum(np.tensordot(blocks[k], d, d.ndim) for k, d in direction.items())
        np.testing.assert_allclose(along, rate, rtol=0, atol=1e-7 * size, err_msg=f"Jacobian of {x}")


def test_shapes_of_the_page():
    """Those in the table of docs/derivatives.md, on a mechanism whose numbers of everything differ."""
    builder, bar = lw.ModelBuilder("flying"), lw.Inertia.box(1.0, (0.1, 0.2, 0.3))
    builder.add_body("base", lw.free_flyer("free"), inertia=bar)
    builder.add_body("arm", lw.revolute("elbow", "y"), parent="base", placement=(0.1, 0, 0), inertia=bar)
    flying = builder.build()
    sizes = {"nv": 7, "nbodies": 3, "frames": 3, "nc": 4, "constraints": 2, "contacts": 1, "ny": 1}
    held = flying.with_constraints(lw.connect("arm", name="one"), lw.weld("base", directions="x", name="two"))
    touching = flying.with_shapes(lw.sphere("arm", 0.1, name="ball")).on_ground(0.5)
    names = {"lcaba": held, "efpa": held, "contact_dynamics": touching, "cluster_aba": lw.load("four_bar")}
    page = (Path(__file__).parents[2] / "docs" / "derivatives.md").read_text()
    table = page.split("| program | derivative | shape |")[1].split("\n\n")[0].splitlines()[2:]
    assert len(table) > 12
    for line in table:
        program, derivatives, shape = (cell.strip() for cell in line.strip("|").split("|"))
        wanted = tuple(sizes[x] if x in sizes else int(x) for x in shape.split(":")[0].strip("(), ").split(", "))
        for derivative in derivatives.split(", "):
            of, wrt = derivative.strip("`")[1:].rsplit("_d", 1)
            model, option = names.get(program.strip("`"), flying), {}
            if program == "`frame_jacobian`":
                option = {"frame": "arm"}
            found = question("jacobian", model, program.strip("`"), of, wrt, **option).program().outputs[0]
            assert found.shape == wanted, line


def test_verdicts_are_refused():
    for recipe in RECIPES.values():
        for output in {*recipe.outputs} & VERDICTS:
            with pytest.raises(LinkwrightError, match=f"output {output!r} of {recipe.name!r} tells of the way"):
                question("vjp", request_for(recipe).model, recipe.name, output)
