"""Delassus matrices of constraints on several bodies, against the dense referee."""

import numpy as np
import pytest
from loop_cases import random_graph, repeated

import linkwright as lw
from linkwright.algorithms.delassus.delassus_dense import dense_delassus
from linkwright.algorithms.delassus.efpa import efpa
from linkwright.algorithms.delassus.kjr import kjr
from linkwright.algorithms.delassus.ltl_osim import ltl_osim
from linkwright.algorithms.delassus.pv_osim import pv_osim
from linkwright.errors import UnsupportedError
from linkwright.model import tree_of
from linkwright.referee import DenseDynamics
from linkwright.trace import count_operations, simplify, trace

ALGORITHMS = (dense_delassus, ltl_osim, kjr, efpa, pv_osim)
NAMES = tuple(f.__name__ for f in ALGORITHMS)
AGREEMENT = 1e-11  # relative to the largest entry; 3e-13 was the largest seen on 60 graphs


def by_definition(model, q):
    dynamics = DenseDynamics(model, q, np.zeros(model.nv))
    J = dynamics.constraint_rows()[0].astype(float)
    return J @ np.linalg.solve(dynamics.M.astype(float), J.T)


def check(found, expected, name):
    assert np.abs(found - expected).max() <= AGREEMENT * np.abs(expected).max(), name
    assert np.array_equal(found, np.swapaxes(found, -1, -2)), name


@pytest.mark.parametrize("seed", range(150))
def test_random_graphs(seed):
    """Every form of constraint, also given twice."""
    case = random_graph(seed)
    for model in (case.model, repeated(case.model)) if seed % 5 == 0 else (case.model,):
        expected = by_definition(model, case.q)
        for f in ALGORITHMS:
            check(np.array(f(tree_of(model), case.q.tolist()), dtype=float), expected, f.__name__)


@pytest.mark.parametrize("seed", (3, 20, 44))
def test_compiled_and_batched(seed):
    case = random_graph(seed)
    q = np.stack([case.q, case.model.random_configuration(1), case.model.random_configuration(2)])
    expected = np.stack([by_definition(case.model, x) for x in q])
    for name in NAMES:
        function = lw.compile(case.model, name)
        found = function(q)
        check(found, expected, name)
        assert np.array_equal(function(q[1].copy()), found[1])


def test_inactive_constraints_have_zero_rows():
    case = random_graph(6)
    model, active = case.model, [float(k != 1) for k in range(len(case.model.constraints))]
    mask = np.repeat(active, [c.size for c in model.constraints])
    expected = by_definition(model, case.q) * np.outer(mask, mask)
    for f in ALGORITHMS:
        check(np.array(f(tree_of(model), case.q.tolist(), active=active), dtype=float), expected, f.__name__)


# (LTL-OSIM, KJR, EFPA, PV-OSIM)
SNAPSHOTS = {
    "four_bar": (72, 92, 101, 77),
    "delta_robot": (3606, 6189, 4935, 4263),
    "stewart_platform": (3387, 4192, 3650, 3338),
    "two_hands_with_cube": (6112, 7372, 7396, 6436),
    "digit_like": (36597, 51613, 35318, 30646),
}


@pytest.mark.parametrize("name", SNAPSHOTS)
def test_counts(name):
    model = lw.robots.four_bar(closure="point") if name == "four_bar" else lw.load(name)
    tree = tree_of(model)
    found = [
        count_operations(simplify(trace(lambda q, f=f: f(tree, q), {"q": tree.nq}))).total for f in ALGORITHMS[1:]
    ]
    assert tuple(found) == SNAPSHOTS[name]


@pytest.mark.parametrize("name", ["pv_osimr", "pv_osim_fast", "caba_osim"])
def test_those_for_trees_name_those_for_loops(name):
    with pytest.raises(UnsupportedError, match="'dense_delassus', 'ltl_osim', 'kjr', 'efpa', 'pv_osim'"):
        lw.compile(lw.load("four_bar"), name)


def test_solvers_for_trees_name_those_for_loops():
    with pytest.raises(UnsupportedError, match="'lcaba', 'prox_bbo', 'mixed', 'bbo', 'prox_ltl'"):
        lw.compile(lw.load("four_bar"), "pv")
