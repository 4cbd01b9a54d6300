"""The same algorithm text on other kinds of scalars: arrays of samples, CasADi symbols."""

import numpy as np
import pytest

import linkwright as lw
from linkwright.algorithms.tree.aba import aba
from linkwright.algorithms.tree.crba import crba
from linkwright.algorithms.tree.rnea import rnea
from linkwright.model import Tree
from linkwright.robots.random import random_tree


@pytest.fixture
def case(rng):
    model = random_tree(4, 10, armature=True, springs=True, damping=True)
    return model, Tree(model), model.random_configuration(rng, 6), *rng.normal(size=(2, 6, model.nv))


def test_arrays_of_samples_as_scalars(case):
    """A scalar of shape (B,) is one number per sample."""
    _, tree, q, v, x = case
    together = np.stack(aba(tree, list(q.T), list(v.T), list(x.T)), axis=-1)
    for k in range(len(q)):
        alone = np.array(aba(tree, q[k], v[k], x[k]), dtype=float)
        assert np.allclose(together[k], alone, rtol=1e-12, atol=1e-12)


def test_casadi_symbols(case):
    casadi = pytest.importorskip("casadi")
    model, tree, q, v, x = case
    symbols = [casadi.SX.sym(name, n) for name, n in (("q", model.nq), ("v", model.nv), ("x", model.nv))]
    qs, vs, xs = ([column[k] for k in range(column.shape[0])] for column in symbols)
    for algorithm, name in ((aba, "aba"), (rnea, "rnea")):
        function = casadi.Function(name, symbols, [casadi.vertcat(*algorithm(tree, qs, vs, xs))])
        expected = lw.reference(model, name)(q[0], v[0], x[0])
        assert np.allclose(np.array(function(q[0], v[0], x[0])).ravel(), expected, rtol=1e-10, atol=1e-10)
    rows = [casadi.horzcat(*row) for row in crba(tree, qs)]
    function = casadi.Function("crba", symbols[:1], [casadi.vertcat(*rows)])
    assert np.allclose(np.array(function(q[0])), lw.reference(model, "crba")(q[0]), rtol=1e-10, atol=1e-10)
