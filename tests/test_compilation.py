"""`compile` and `reference` as users meet them."""

import numpy as np
import pytest

import linkwright as lw
from linkwright import scalar
from linkwright.errors import LinkwrightError, UnsupportedError
from linkwright.robots import chain


@pytest.fixture(scope="module")
def arm():
    return chain(4)


def test_attributes(arm):
    aba = lw.compile(arm, "aba")
    assert aba.name == "aba" and [x.name for x in aba.inputs] == ["q", "v", "tau"]
    assert [(x.name, x.shape) for x in aba.outputs] == [("a", (4,))]
    assert aba.operations.total == sum(
        getattr(aba.operations, kind)
        for kind in ("additions", "multiplications", "divisions", "negations", "square_roots", "sines_and_cosines")
    )
    assert "define" in aba.ir and aba.compile_seconds > 0
    assert "aba" in repr(aba)


def test_a_function_of_ones_own(rng):
    A = rng.normal(size=(2, 3))

    def spring(x, stiffness):
        stretched = scalar.sqrt(x @ x)
        return {"force": A @ (x * stiffness[0]), "length": stretched}

    function = lw.compile(spring, inputs={"x": 3, "stiffness": 1})
    x, k = rng.normal(size=(7, 3)), np.array([2.0])
    result = function(x, k)  # the stiffness is shared by the batch
    assert np.allclose(result.force, 2 * x @ A.T) and np.allclose(result["length"], np.linalg.norm(x, axis=1))
    assert result.force.shape == (7, 2) and result.length.shape == (7,)


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda arm: lw.compile(arm, "abba"), "Did you mean 'aba'"),
        (lambda arm: lw.compile(arm, "forward"), "Did you mean 'forward_dynamics'"),
        (lambda arm: lw.compile("panda", "aba"), "linkwright.load"),
        (lambda arm: lw.compile(arm, "aba", outputs="acceleration"), "output of 'aba'"),
        (lambda arm: lw.compile(arm, "aba", outputs=()), "at least one"),
        (lambda arm: lw.compile(arm, "aba", outputs=("a", "a")), "each once"),
        (lambda arm: lw.compile(arm, "aba", reference="world"), "option of 'aba'"),
        (lambda arm: lw.compile(arm, "crba", f_ext=True), "takes no external forces; aba"),
        (lambda arm: lw.compile(arm, "aba", inputs={"q": 4}), "inputs="),
        (lambda arm: lw.compile(arm, "aba", lanes=3), "lanes"),
        (lambda arm: lw.compile(arm, "aba", dtype="float16"), "float16"),
        (lambda arm: lw.compile(arm, "aba", threads=0), "threads"),
        (lambda arm: lw.compile(lambda x: x), "inputs="),
        (lambda arm: lw.compile(lambda x: x, inputs={"y": 1}), "do not fit"),
        (lambda arm: lw.compile(lambda x: x, inputs={"x": -1}), "shape"),
        (lambda arm: lw.compile(lambda x: x, "aba", inputs={"x": 1}), "for models"),
        (lambda arm: lw.reference(arm, "aba")(np.zeros(4), np.zeros(4)), "takes q, v, tau"),
        (lambda arm: lw.reference(arm, "aba")(1j * np.zeros(4), np.zeros(4), np.zeros(4)), "expected real numbers"),
        (lambda arm: lw.reference(arm, "aba")(["x"] * 4, np.zeros(4), np.zeros(4)), "expected real numbers"),
        (lambda arm: lw.reference(arm, "aba")([[1, 2], [1]], np.zeros(4), np.zeros(4)), "not an array"),
        (lambda arm: lw.reference(arm, "aba")(np.zeros(3), np.zeros(4), np.zeros(4)), "input 'q' has shape"),
        (lambda arm: lw.compile(arm, "aba")(np.zeros(3), np.zeros(4), np.zeros(4)), "q"),
        (lambda arm: lw.compile(arm, "aba")(np.zeros(4), np.zeros(4)), "tau"),
    ],
)
def test_mistakes_are_named(arm, call, message):
    with pytest.raises(LinkwrightError, match=message):
        call(arm)


def test_trees_only_algorithms_refuse_constraints(arm):
    held = arm.with_constraints(lw.weld(arm.bodies[-1].name))
    able = {"aba": "'constrained_aba'", "rnea": "'closed_loop_inverse_dynamics'", "bias_torques": "without_constraints"}
    for name, other in able.items():
        with pytest.raises(UnsupportedError, match=other):
            lw.compile(held, name)
    lw.reference(held, "crba")(np.zeros(4))  # the inertia matrix is the tree's


def test_external_forces_by_name_without_asking_first(arm, rng):
    aba = lw.compile(arm, "aba")
    q, v, tau, f = rng.normal(size=4), rng.normal(size=4), rng.normal(size=4), rng.normal(size=(arm.nbodies, 6))
    expected = lw.reference(arm, "aba", f_ext=True)(q, v, tau, f)
    assert np.allclose(aba(q, v, tau, f_ext=f), expected)
    assert np.allclose(aba(q, v, tau), lw.reference(arm, "aba")(q, v, tau))
    with pytest.raises(LinkwrightError, match="f_ex"):
        aba(q, v, tau, f_ex=f)


def test_nan_stays_in_its_sample(arm, rng):
    aba = lw.compile(arm, "aba")
    q, v, tau = rng.normal(size=(3, 9, 4))
    clean = aba(q, v, tau)
    q[3, 1] = np.nan
    v[7, 0] = np.inf
    spoiled = aba(q, v, tau)
    others = [0, 1, 2, 4, 5, 6, 8]
    assert np.array_equal(spoiled[others], clean[others])
    assert np.isnan(spoiled[3]).any() and not np.isfinite(spoiled[7]).all()


def test_a_warm_start_needs_no_trace(arm, monkeypatch):
    import linkwright.compilation as compilation

    lw.compile(arm, "rnea")

    def no_trace(*args, **kwargs):
        raise AssertionError("traced although the cache holds it")

    monkeypatch.setattr(compilation, "trace", no_trace)
    again = lw.compile(arm, "rnea")
    assert again.from_cache
    assert np.allclose(again(np.ones(4), np.ones(4), np.ones(4)), lw.reference(arm, "rnea")(*np.ones((3, 4))))


def test_a_robot_without_joints():
    model = lw.ModelBuilder("rock").build()
    assert lw.reference(model, "rnea")(np.zeros(0), np.zeros(0), np.zeros(0)).shape == (0,)
    assert lw.compile(model, "aba")(np.zeros((3, 0)), np.zeros((3, 0)), np.zeros((3, 0))).shape == (3, 0)
    assert lw.compile(model, "crba")(np.zeros(0)).shape == (0, 0)


def test_every_algorithm_compiles_and_agrees(rng):
    """One sweep over all names, so that none is only ever run eagerly."""
    model = lw.load("random_tree:5,9")
    options = {
        "frame_jacobian": {"frame": "body_3"},
        "frame_jacobian_rate": {"frame": "body_3"},
        "cluster_frame_jacobian": {"frame": "body_3"},
        "closed_loop_inverse_dynamics": {"motors": [joint.name for joint in model.joints]},
    }
    for name in lw.list_algorithms():
        request = options.get(name, {})
        function = lw.compile(model, name, **request)
        arrays = []
        for spec in function.inputs:
            arrays.append(
                model.random_configuration(rng, 5) if spec.shape == (model.nq,) else rng.normal(size=(5, *spec.shape))
            )
        result, expected = function(*arrays), lw.reference(model, name, **request)(*arrays)
        if isinstance(expected, np.ndarray):
            result, expected = (result,), (expected,)
        for ours, reference in zip(result, expected, strict=True):
            assert np.abs(ours - reference).max(initial=0) <= 1e-9 * (1 + np.abs(reference).max(initial=0)), name
