"""Arrays of floats: constrained solvers promise answers right to 1e-3, and compute in double precision for that."""

import numpy as np
import pytest

import linkwright as lw
from linkwright.bench.trust import recheck
from linkwright.programs import Request
from linkwright.programs.precision import Precision


@pytest.fixture(scope="module")
def linkage():
    model = lw.load("slider_crank")
    rng = np.random.default_rng(0)
    state = (model.random_configuration(rng, 21), *rng.normal(size=(2, 21, model.nv)))
    return model, [x.astype(np.float32) for x in state]


@pytest.mark.parametrize("solver", ["lcaba", "prox_bbo", "ltl"])
def test_compiled_and_as_written(linkage, solver):
    model, state = linkage
    outputs = ("a", "lam", "status")
    compiled = lw.compile(model, solver, dtype="float32", outputs=outputs)(*state)
    written = lw.reference(model, solver, dtype="float32", outputs=outputs)(*state)
    exact = lw.reference(model, solver, outputs=outputs)(*state)
    assert compiled.a.dtype == written.a.dtype == np.float32
    np.testing.assert_array_equal(compiled.status, written.status)
    right = (written.status == 0) & (exact.status == 0)
    assert right.sum() > 15
    size = np.maximum(1.0, np.abs(exact.a).max(axis=1, keepdims=True))
    for found in (compiled, written):
        assert np.abs((found.a - exact.a) / size)[right].max() < 1e-5


def test_counted_iterations_are_single_precision(linkage):
    model, _ = linkage
    lanes = {
        (dtype, iterations): lw.compile(model, "lcaba", dtype=dtype, outputs="a", iterations=iterations).lanes
        for dtype in ("float64", "float32")
        for iterations in (None, 2)
    }
    assert lanes["float32", None] == lanes["float64", None] == lanes["float64", 2] == lanes["float32", 2] // 2


@pytest.mark.parametrize(
    ("solver", "options", "arithmetic"),
    [
        ("lcaba", {}, "float64"), ("lcaba", {"iterations": 3}, "float32"), ("ltl", {}, "float64"),
        ("ltl_soft", {}, "float32"), ("step", {"iterations": None}, "float64"), ("step", {"iterations": 2}, "float32"),
        ("step", {"iterations": 2, "solver": "ltl"}, "float64"),
        ("step", {"iterations": 2, "solver": "lcaba"}, "float32"), ("crba", {}, "float32"),
    ],
)  # fmt: skip
def test_what_is_computed_in_double_precision(linkage, solver, options, arithmetic):
    request = Request.of(linkage[0], solver, None, (), False, options, "float32")
    assert request.arithmetic == arithmetic
    assert Request.of(linkage[0], solver, None, (), False, options).arithmetic == "float64"


def test_digits_that_may_be_lost():
    usual = Precision("float64", "float64").most_lost("lcaba")
    assert Precision("float32", "float64").most_lost("lcaba") == 1e3 * usual
    assert Precision("float32", "float64").most_lost("prox_ltl") == usual
    assert Precision("float32", "float32").most_lost("lcaba") < 1e6


@pytest.mark.parametrize(("solver", "sample"), [("ltl", 3), ("pv", 3), ("pv first", 3), ("pv_early", 3)])
def test_hard_solvers_flag_what_single_precision_calls_dependent(solver, sample):
    """A stretched arm, sigma 3e-4: held in double precision, and dependent in single."""
    found = recheck("toggles", 8, sample, solver, "reference32")
    assert found["verdict"] == "declined" and found["status"] == 2
    assert recheck("toggles", 8, sample, solver, "reference")["rank_tolerance"] < 1e-4


@pytest.mark.parametrize("sample", [5, 13])
@pytest.mark.parametrize("run", ["reference", "reference32"])
@pytest.mark.parametrize("solver", ["lcaba", "constrained_aba"])
def test_what_joints_cancel_is_no_contradiction(sample, run, solver):
    """The tip of a stretched arm is held, so its own acceleration says nothing of how large its parts are."""
    assert recheck("toggles", 2, sample, solver, run)["verdict"] in ("right", "apart")


def test_large_accelerations_of_joints_do_not_hide_contradictions():
    found = recheck("toggles", 10, 11, "lcaba", "reference32")
    assert found["contradiction"] == "yes" and found["status"] == 4 and found["verdict"] == "right"
