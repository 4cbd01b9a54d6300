"""Columns of Jacobians on their way to the ground: in loops from some body on, or in a straight line."""

import itertools

import numpy as np
import pytest

import linkwright as lw
from linkwright.algorithms.tree import loop_starts as module
from linkwright.algorithms.tree import rnea_derivatives as derivatives
from linkwright.algorithms.tree.loop_starts import loop_starts
from linkwright.model import Tree
from linkwright.robots import chain
from linkwright.robots.random import random_tree


def cost(tree: Tree, starts: set[int], loop: float) -> float:
    """Steps in a straight line count twice, in a loop once more than it has passes, and its table twice."""
    total, passes = 0.0, dict.fromkeys(starts, 0)
    for i in tree.outward():
        columns, j, steps = tree.iv[i].stop - tree.iv[i].start, tree.parent[i], 1
        while j and j not in starts:
            j, steps = tree.parent[j], steps + 1
        if j:
            passes[j] += columns
            total += columns * (2.0 * 35.0 * steps + 2.0 * 21)
        else:
            total += columns * 2.0 * 35.0 * (steps - 1)
    for i, count in passes.items():
        steps, j = 0, tree.parent[i]
        while j:
            j, steps = tree.parent[j], steps + 1
        total += loop + (count + 1.0) * 35.0 * steps
    return total


@pytest.mark.parametrize("loop", [0.0, 60.0, 300.0])
@pytest.mark.parametrize("branching", [0.0, 0.5])
def test_no_choice_is_cheaper(branching, loop, monkeypatch):
    monkeypatch.setattr(module, "LOOP", loop)
    tree = Tree(random_tree(1, 9, branching=branching, floating_base=True))
    bodies = tree.outward()
    choices = itertools.chain.from_iterable(itertools.combinations(bodies, k) for k in range(len(bodies) + 1))
    best = min(cost(tree, set(choice), loop) for choice in choices)
    assert cost(tree, loop_starts(tree), loop) == pytest.approx(best)


def test_long_chains_have_loops_and_short_ones_none():
    assert not loop_starts(Tree(chain(3)))
    assert loop_starts(Tree(chain(30)))


@pytest.mark.parametrize("floating_base", [False, True])
def test_numbers_are_the_same(floating_base, rng, monkeypatch):
    model = random_tree(2, 8, branching=0.4, floating_base=floating_base, armature=True)
    tree, q = Tree(model), model.random_configuration(rng)
    v, a = rng.normal(size=(2, model.nv))
    found = []
    for starts in (set(), {1}, {1, 3, 5}, set(tree.outward())):
        monkeypatch.setattr(derivatives, "loop_starts", lambda tree, starts=starts: starts)
        d = derivatives.rnea_derivatives(tree, q, v, a)
        found.append(np.array([d.dq, d.dv, d.M], dtype=float))
    for other in found[1:]:
        np.testing.assert_array_equal(other, found[0])
    np.testing.assert_allclose(
        found[0][2], lw.reference(model, "crba")(q), rtol=0, atol=1e-12 * np.abs(found[0][2]).max()
    )
