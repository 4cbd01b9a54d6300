"""Terms of whole-body QPs: against the programs that give each of them alone, and against constrained dynamics."""

import numpy as np
import pytest

import linkwright as lw
from linkwright.errors import InputError, LinkwrightError

FEET = ("left_foot", "right_foot")


def state(model, seed=0):
    rng = np.random.default_rng(seed)
    return model.random_configuration(rng), rng.normal(size=model.nv)


def test_a_humanoid_on_its_feet():
    model = lw.load("humanoid")
    q, v = state(model)
    M, h, J, dJv, S = lw.compile(model, "whole_body_terms", frames=FEET)(q, v)
    assert np.allclose(M, lw.compile(model, "crba")(q), rtol=1e-12)
    assert np.allclose(h, lw.compile(model, "bias_torques")(q, v), rtol=1e-12)
    for k, foot in enumerate(FEET):
        rows = slice(6 * k, 6 * k + 6)
        options = {"frame": foot, "seen_from": "local_world_aligned"}
        assert np.allclose(J[rows], lw.compile(model, "frame_jacobian", **options)(q), atol=1e-12)
        assert np.allclose(dJv[rows], lw.compile(model, "frame_jacobian_rate", **options)(q, v) @ v, atol=1e-9)
    assert S.shape == (model.nv, model.nv - 6) and not S[:6].any() and np.array_equal(S[6:], np.eye(model.nv - 6))


def test_its_solution_is_that_of_constrained_dynamics():
    model = lw.load("humanoid")
    q, v = state(model)
    u = np.random.default_rng(1).normal(size=model.nv - 6)
    terms = lw.compile(model, "whole_body_terms", frames=FEET)
    J = terms(q, v).J
    v = v - np.linalg.pinv(J) @ J @ v  # feet that stand
    M, h, J, dJv, S = terms(q, v)
    K = np.block([[M, -J.T], [J, np.zeros((12, 12))]])
    a = np.linalg.solve(K, np.concatenate([S @ u - h, -dJv]))[: model.nv]
    held = model.with_constraints(*(lw.weld(foot) for foot in FEET))
    wanted = lw.compile(held, "lcaba", outputs="a")(q, v, S @ u)
    assert np.allclose(a, wanted, rtol=1e-6, atol=1e-6 * np.abs(wanted).max())


def test_constraints_come_first_and_points_have_three_rows():
    model = lw.load("four_bar").with_actuators(lw.motor("crank_joint", gear=3.0))
    q, v = state(model)
    terms = lw.compile(model, "whole_body_terms", frames="coupler", points=True)(q, v)
    assert terms.J.shape == (model.nc + 3, model.nv) and terms.dJv.shape == (model.nc + 3,)
    assert np.allclose(terms.J[: model.nc], lw.compile(model, "constraint_jacobian")(q), atol=1e-13)
    assert np.allclose(terms.dJv[: model.nc], lw.compile(model, "constraint_bias")(q, v), atol=1e-12)
    assert np.array_equal(terms.S, [[3.0], [0.0], [0.0]])


def test_batches_and_nothing_in_contact():
    model = lw.load("chain:3")
    f = lw.compile(model, "whole_body_terms")
    q = model.random_configuration(0, 5)
    found = f(q, np.ones((5, 3)))
    assert found.J.shape == (5, 0, 3) and found.dJv.shape == (5, 0) and found.S.shape == (5, 3, 3)
    assert np.array_equal(found.M[2], f(q[2], np.ones(3)).M)


@pytest.mark.parametrize("options, message", [
    ({"frames": "nose"}, "nose"), ({"frames": ("link_1", "link_1")}, "each frame once"),
    ({"frames": 3}, "names of frames"), ({"points": 1}, "True or False"),
])  # fmt: skip
def test_bad_options(options, message):
    with pytest.raises(LinkwrightError, match=message):
        lw.compile(lw.load("chain:3"), "whole_body_terms", **options)
    assert issubclass(InputError, LinkwrightError)
