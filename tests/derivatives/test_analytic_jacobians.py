"""Analytic recursions against central differences in extended precision, reverse mode, and Pinocchio."""

import dataclasses

import numpy as np
import pytest
from extended import central_difference
from test_tree_derivatives import question, state

import linkwright as lw
from linkwright.algorithms.tree import loop_starts
from linkwright.derivatives import analytic, column_loops
from linkwright.derivatives.question import Question
from linkwright.io import pinocchio_model, to_pinocchio
from linkwright.robots.random import ALL_KINDS, random_tree
from linkwright.trace import count_operations, interpret

KINDS = [kind for kind in ALL_KINDS if kind != "universal"]


def tree(seed, n):
    return random_tree(seed, n, kinds=KINDS, armature=True, damping=True, springs=True)


@pytest.mark.parametrize("algorithm", ["rnea", "aba"])
@pytest.mark.parametrize(("seed", "n", "f_ext"), [(1, 9, False), (2, 4, True)])
def test_random_trees(algorithm, seed, n, f_ext, rng, monkeypatch):
    """In a straight line, with loops over columns, and with loops wherever they are possible."""
    model = tree(seed, n)
    wrt = analytic.WRT[algorithm]
    asked = question("jacobian", model, algorithm, wrt=wrt, f_ext=f_ext)
    assert analytic.answers(asked)
    program = asked.request.program()
    given = state(model, program, rng)
    of = asked.of[0]
    direction = {name: rng.normal(size=model.nv) for name in wrt}
    rate = central_difference(program, given, direction, of, model)
    for looped, price in ((1000, 1e9), (0, 300.0), (0, 0.0)):
        monkeypatch.setattr(analytic, "LOOPED", looped)
        monkeypatch.setattr(column_loops, "LOOP", price)
        monkeypatch.setattr(loop_starts, "LOOP", price)
        program = asked.program()
        assert price == 300.0 or bool(program.loops) == (price == 0.0)
        found = interpret(program, given)
        total = sum(found[f"d{of}_d{name}"] @ d for name, d in direction.items())
        np.testing.assert_allclose(total, rate, rtol=0, atol=1e-9 * np.abs(rate).max())


@pytest.mark.parametrize("damped", [False, True])
def test_floating_bases(damped, rng, monkeypatch):
    """Columns of the base are known beforehand, unless something acts on it of itself."""
    builder = lw.ModelBuilder("two that float")
    inertia = lw.Inertia(1.5, [0.1, 0.2, -0.1], np.diag([0.3, 0.4, 0.35]))
    for name in ("first", "second"):
        base = lw.free_flyer(f"{name}_base", damping=0.3 if damped else 0.0)
        builder.add_body(name, base, inertia=inertia)
        for k, axis in enumerate(np.eye(3)[:2]):
            joint = lw.revolute(f"{name}_joint_{k}", axis)
            parent = name if k == 0 else f"{name}_0"
            builder.add_body(f"{name}_{k}", joint, parent=parent, placement=[0.1, -0.2, 0.3], inertia=inertia)
    model = builder.build()
    asked = question("jacobian", model, "aba", wrt=("q", "v", "tau"), f_ext=True)
    given = state(model, asked.request.program(), rng)
    direction = {name: rng.normal(size=model.nv) for name in ("q", "v", "tau")}
    rate = central_difference(asked.request.program(), given, direction, "a", model)
    solved, through = [], analytic.through_stages

    def noted(columns, *rest, **options):
        solved.append(len(columns))
        return through(columns, *rest, **options)

    monkeypatch.setattr(analytic, "through_stages", noted)
    found = interpret(asked.program(), given)
    total = sum(found[f"da_d{name}"] @ d for name, d in direction.items())
    np.testing.assert_allclose(total, rate, rtol=0, atol=1e-9 * np.abs(rate).max())
    assert np.all(found["da_dq"][:, :3] == 0.0)
    assert solved[:2] == [4, 16 if damped else 10]  # all columns of dq and dv but those that are known


def test_universal_joints_take_the_general_way():
    model = random_tree(0, 3, kinds=["universal", "revolute"])
    assert not analytic.answers(question("jacobian", model, "rnea"))
    assert not analytic.answers(question("vjp", tree(0, 3), "rnea"))
    assert not analytic.answers(question("jacobian", tree(0, 3), "rnea", wrt=("q", "masses")))


def test_parameters_may_be_inputs_that_are_not_varied(rng):
    model = tree(3, 3)
    asked = Question.of_model(
        "jacobian", model, "aba", None, ("q",), values=True, parameters=("masses", "dampings"), f_ext=False, options={},
        precision="float64",
    )  # fmt: skip
    given = state(model, asked.request.program(), rng)
    given["masses"], given["dampings"] = 2.0 * given["masses"], 3.0 * given["dampings"] + 1.0
    direction = {"q": rng.normal(size=model.nv)}
    rate = central_difference(asked.request.program(), given, direction, "a", model)
    np.testing.assert_allclose(interpret(asked.program(), given)["da_dq"] @ direction["q"], rate, rtol=1e-8, atol=1e-8)


@pytest.mark.parametrize("name, times", [("solo12", 10), pytest.param("talos", 25, marks=pytest.mark.long)])
def test_cost(name, times):
    """Pairs of joints count only if they depend on each other."""
    model = lw.load(name)
    own = count_operations(lw.trace_program(model, "aba")).total
    assert count_operations(question("jacobian", model, "aba").program()).total < times * own


def without_damping(model):
    """Pinocchio's dynamics leave it out."""
    return dataclasses.replace(
        model, bodies=tuple(dataclasses.replace(b, joint=dataclasses.replace(b.joint, damping=0.0)) if b.joint else b
                            for b in model.bodies),
    )  # fmt: skip


@pytest.mark.parametrize("name", ["panda", "solo12", pytest.param("talos", marks=pytest.mark.long)])
def test_against_pinocchio(name, rng):
    pinocchio = pytest.importorskip("pinocchio", reason="needs the package pin")
    model = without_damping(lw.load(name))
    other = pinocchio_model(model)
    data = other.createData()
    q, (v, a) = model.random_configuration(rng), rng.normal(size=(2, model.nv))
    there = to_pinocchio(model, q)
    pinocchio.computeRNEADerivatives(other, data, there, v, a)
    found = interpret(question("jacobian", model, "rnea", wrt=("q", "v")).program(), {"q": q, "v": v, "a": a})
    for mine, theirs in (("dtau_dq", data.dtau_dq), ("dtau_dv", data.dtau_dv)):
        np.testing.assert_allclose(found[mine], theirs, rtol=0, atol=1e-11 * np.abs(theirs).max())
    pinocchio.computeABADerivatives(other, data, there, v, a)
    found = interpret(question("jacobian", model, "aba").program(), {"q": q, "v": v, "tau": a})
    for mine, theirs in (("da_dq", data.ddq_dq), ("da_dv", data.ddq_dv), ("da_dtau", data.Minv)):
        theirs = np.triu(theirs) + np.triu(theirs, 1).T if mine == "da_dtau" else theirs
        np.testing.assert_allclose(found[mine], theirs, rtol=0, atol=1e-9 * np.abs(theirs).max())
