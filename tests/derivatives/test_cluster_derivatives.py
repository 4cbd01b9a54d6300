"""Programs in independent coordinates: loops in closed form and by Newton's method, functions of joints, gears.

The reference is the program itself in extended precision, loops carried on there.
"""

import sys
from pathlib import Path

import numpy as np
import pytest
from extended import STEP, run
from test_tree_derivatives import question

import linkwright as lw
from linkwright.derivatives.question import VERDICTS
from linkwright.errors import UnsupportedError
from linkwright.programs.cluster_state import plan_of
from linkwright.trace import interpret

sys.path.insert(0, str(Path(__file__).parent.parent / "algorithms"))
from cluster_cases import random_clustered, random_state

DYNAMICS = ("cluster_aba", "cluster_rnea", "cluster_crba", "spanning_position", "spanning_acceleration")


def moved(model, found, name, value, direction, step):
    """A configuration y, or a plain number, a step further."""
    direction = np.asarray(direction, np.longdouble) * step
    if name not in ("y", "q"):
        return np.asarray(value, np.longdouble) + direction
    coordinates = found.coordinates if name == "y" else range(model.nq)
    velocities = sorted(n for own in found.independent for n in own) if name == "y" else range(model.nv)
    q, v = np.array(found.drawn, dtype=object), np.zeros(model.nv, dtype=object)
    q[list(coordinates)], v[list(velocities)] = list(np.asarray(value, np.longdouble)), list(direction)
    return np.array(lw.model.configuration.integrate(model, q, v), np.longdouble)[list(coordinates)]


def check(model, algorithm, given, rng, *, tolerance=1e-7, wrt=None, **options):
    asked = question("jvp", model, algorithm, None, wrt, **options)
    program, found = asked.request.program(), plan_of(model, asked.request.options)
    assert not {*asked.of} & VERDICTS
    known = {**given, **{k: x for k, x in lw.default_parameters(model).items() if k in (wrt or ())}}
    at = {x.name: known[x.name] if x.name in known else rng.normal(size=x.shape) for x in program.inputs}
    forth = asked.program()
    direction = {x.name[:-4]: rng.normal(size=x.shape) for x in forth.inputs if x.name.endswith("_dot")}
    ends = [run(program, {**at, **{k: moved(model, found, k, at[k], d, s) for k, d in direction.items()}})
            for s in (STEP, -STEP)]  # fmt: skip
    rates = {}
    for name in asked.of:
        if name == "q":
            up, down = (np.array(list(end["q"]), dtype=object) for end in ends)
            change = np.array(lw.model.configuration.difference(model, down, up), np.longdouble)
        else:
            change = ends[0][name] - ends[1][name]
        rates[name] = np.asarray(change / (2 * STEP), float)
    told = interpret(forth, {**at, **{f"{k}_dot": d for k, d in direction.items()}})
    assert told.get("status", 0) == 0
    for name, rate in rates.items():
        bound = tolerance * max(1.0, np.abs(rate).max(initial=0))
        np.testing.assert_allclose(told[f"{name}_dot"], rate, rtol=0, atol=bound, err_msg=name)
    weights = {f"{name}_bar": rng.normal(size=rate.shape) for name, rate in rates.items()}
    back = interpret(question("vjp", model, algorithm, None, wrt, **options).program(), {**at, **weights})
    total = sum(np.sum(back[f"{k}_bar"] * d) for k, d in direction.items())
    expected = sum(np.sum(weights[f"{name}_bar"] * rate) for name, rate in rates.items())
    assert abs(total - expected) <= tolerance * max(1.0, sum(np.abs(rate).sum() for rate in rates.values()))


@pytest.mark.parametrize("seed", range(6))
def test_random_mechanisms(seed, rng):
    model, pose, own = random_clustered(seed)
    y, yd, tau_y = random_state(model, pose, own, spread=0.1)
    given = {"y": y, "yd": yd, "tau_y": tau_y, "ydd": tau_y}
    if plan_of(model, {**lw.programs.RECIPES["cluster_aba"].options, "pose": pose}).partly_free:
        with pytest.raises(UnsupportedError, match="only some velocities are independent"):
            question("jvp", model, "cluster_aba", pose=pose)
        return
    for algorithm in DYNAMICS[seed % 2 :: 2]:
        check(model, algorithm, given, rng, pose=pose)


@pytest.mark.parametrize("name", ["jansen_leg", "stewart_platform"])
def test_known_mechanisms(name, rng):
    model = lw.load(name)
    options = lw.programs.RECIPES["cluster_aba"].options
    found = plan_of(model, options)
    ny = sum(map(len, found.independent))
    given = {"y": found.drawn[found.coordinates], "yd": 0.3 * rng.normal(size=ny), "tau_y": rng.normal(size=ny)}
    check(model, "cluster_aba", given, rng, wrt=("y", "yd", "tau_y", "masses"))
    check(model, "spanning_position", given, rng, wrt=("y", "placements") if name == "jansen_leg" else ("y",))


def test_jacobians_compiled(rng):
    model = lw.load("jansen_leg")
    found = plan_of(model, lw.programs.RECIPES["cluster_aba"].options)
    y = np.tile(found.drawn[found.coordinates], (4, 1)) + 0.1 * rng.normal(size=(4, 1))
    slopes = lw.jacobian(model, "spanning_position", of="q")(y)
    G = lw.compile(model, "loop_jacobians", outputs="G")(y, np.zeros((4, 1)))
    np.testing.assert_allclose(slopes, G, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("integrator", ["damped_euler", "rk4"])
def test_steps_in_independent_coordinates(integrator, rng):
    model = lw.load("four_bar")
    q, v = model.drawn, lw.compile(model, "spanning_velocity")(model.drawn[[0]], np.array([0.7]))
    options = {"coordinates": "independent", "integrator": integrator}
    given = {"q": q, "v": v, "tau": np.zeros(model.nv), "dt": np.array(1e-3)}
    program = question("jvp", model, "step", **options).request.program()
    d = rng.normal(size=model.nv)
    ends = [run(program, {**given, "tau": given["tau"] + d * s}) for s in (STEP, -STEP)]
    found = interpret(question("jvp", model, "step", wrt="tau", **options).program(), {**given, "tau_dot": d})
    for name in ("q", "v"):
        rate = np.asarray((ends[0][name] - ends[1][name]) / (2 * STEP), float)
        np.testing.assert_allclose(found[f"{name}_dot"], rate, rtol=0, atol=1e-8 * max(1.0, np.abs(rate).max()))
