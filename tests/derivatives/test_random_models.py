"""Every input and every parameter by itself, on random models: what hides in a sum of derivatives shows here.

Trees of all joints with tendons, compensated weight and dry friction; MuJoCo models that touch, with both cones.
"""

import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from extended import central_difference
from test_contact_derivatives import EXACT
from test_tree_derivatives import question, state

import linkwright as lw
from linkwright.derivatives.question import VERDICTS
from linkwright.model.parameters import PARAMETER_NAMES
from linkwright.model.passive import GravityCompensation, Tendon
from linkwright.physics import RECIPES
from linkwright.robots.random import random_tree
from linkwright.trace import interpret

sys.path.insert(0, str(Path(__file__).parent.parent / "algorithms" / "contact"))

PLACES = {"placements", "constraint_placements", "shape_placements"}
FRAMES = {
    "frame_jacobian": {"frame": "frame_1"}, "frame_jacobian_rate": {"frame": "frame_2"},
    "forward_kinematics": {"frames": ("frame_1", "body_2")},
}  # fmt: skip
OF_TREES = [
    name for name, recipe in RECIPES.items()
    if recipe.coordinates == "tree" and recipe.constraints in ("irrelevant", "none")
    and name not in ("step", "actuation", "contact_dynamics", "project_configuration")
]  # fmt: skip


def tree(seed: int) -> lw.Model:
    model = random_tree(
        50 + seed, 5 + 2 * (seed % 4), floating_base=seed % 2 == 1, branching=0.6, frames=2, armature=seed % 3 != 0,
        damping=seed % 3 != 1, springs=True,
    )  # fmt: skip
    single = [joint.name for joint in model.joints if joint.nv == 1 and joint.nq == 1]
    weight = GravityCompensation("body_2", 0.3, (0.1, 0.2, 0.3))
    wound = Tendon("string", tuple(zip(single[:2], (0.7, -1.2), strict=False)), stiffness=5.0, damping=0.3)
    return replace(model, passive=(weight, wound) if single else (weight,))


def each(model, algorithm, given, wrt, of, rng, *, steps, tolerance, exact=None, **options):
    """Forward mode along one input after the other, in the units of the largest rate of each output; and backward."""
    forth = question("jvp", model, algorithm, of, wrt, **options).program()
    program = question("jvp", model, algorithm, of, wrt, **options, **(exact or {})).request.program()
    still = {x.name: np.zeros(x.shape) for x in forth.inputs if x.name.endswith("_dot")}
    rates, found, along = {}, {}, {}
    for name in wrt:
        d = rng.normal(size=still[f"{name}_dot"].shape)
        if name in PLACES:  # quaternions stay of unit length
            unit = given[name][:, 3:]
            d[:, 3:] -= unit * np.sum(unit * d[:, 3:], axis=1, keepdims=True)
        if name in ("masses", "inertias", "armatures"):  # of light bodies: a difference must not be large against them
            d *= 0.01
        along[name] = d
        step = np.longdouble(steps.get(name, 1e-6))
        rates[name] = {x: central_difference(program, given, {name: d}, x, model, step) for x in of}
        found[name] = interpret(forth, {**given, **still, f"{name}_dot": d})
        assert found[name].get("status", 0) == 0
    for x in of:
        size = max(1.0, *(np.abs(rates[name][x]).max(initial=0) for name in wrt))
        for name in wrt:
            difference = np.abs(found[name][f"{x}_dot"] - rates[name][x]).max(initial=0)
            assert difference <= tolerance * size, (algorithm, x, name, difference / size)
    weights = {f"{x}_bar": rng.normal(size=np.shape(rates[wrt[0]][x])) for x in of}
    back = interpret(question("vjp", model, algorithm, of, wrt, **options).program(), {**given, **weights})
    for name in wrt:
        total = sum(np.sum(weights[f"{x}_bar"] * found[name][f"{x}_dot"]) for x in of)
        size = sum(np.abs(weights[f"{x}_bar"] * found[other][f"{x}_dot"]).sum() for x in of for other in wrt)
        assert abs(np.sum(back[f"{name}_bar"] * along[name]) - total) <= tolerance * max(1.0, size), (algorithm, name)


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.long) for seed in range(1, 12))])
def test_trees(seed, rng):
    model = tree(seed)
    own = [name for name, x in lw.default_parameters(model).items() if x.size and name != "inertias"]
    for algorithm in OF_TREES if seed else ("rnea", "aba", "potential_energy"):
        recipe, options = RECIPES[algorithm], FRAMES.get(algorithm, {})
        of = tuple(name for name in recipe.outputs if name not in VERDICTS)
        forced = "f_ext" in recipe.optional_inputs
        free = question("jvp", model, algorithm, of, f_ext=forced, **options)
        asked = question("jvp", model, algorithm, of, (*free.wrt, *own), f_ext=forced, **options)
        given = state(model, asked.request.program(), rng)
        if "q1" in given:
            given["q1"] = model.integrate(given["q0"], 0.5 * rng.normal(size=model.nv))
        each(model, algorithm, given, asked.wrt, of, rng, steps={}, tolerance=1e-8, f_ext=forced, **options)


@pytest.mark.parametrize("seed", [2, *(pytest.param(seed, marks=pytest.mark.long) for seed in (4, 5, 8, 9, 12, 13))])
def test_what_touches(seed, rng):
    pytest.importorskip("mujoco", reason="writes and reads MuJoCo's models")
    from random_mjcf import Answers

    answers = Answers.of(5000 + seed, 8)
    model, known = answers.model, lw.default_parameters(answers.model)
    k = int(np.argmax([len(touching) for touching in answers.contacts]))
    given = {"q": answers.q[k], "v": answers.v[k], "tau": answers.tau[k], "dt": np.array(answers.dt), **known}
    wanted = [name for name in PARAMETER_NAMES if known[name].size and name not in ("inertias", "constraint_rows")]
    # impedances change within a millimetre; of what acts gently a longer way leaves more digits
    steps = {"q": 1e-9, "v": 1e-7, "placements": 1e-9, "shape_placements": 1e-9, "constraint_placements": 1e-9,
             "tau": 1e-5, "springs": 1e-4, "dampings": 1e-4}  # fmt: skip
    each(model, "contact_dynamics", given, ("q", "v", "tau", *wanted), ("a", "contact_force"), rng, steps=steps,
         tolerance=1e-6, exact=EXACT)  # fmt: skip
