"""MJCF against MuJoCo itself: the same tree, the same rows, the same accelerations."""

from __future__ import annotations

import numpy as np
import pytest

mujoco = pytest.importorskip("mujoco", reason="needs MuJoCo: pip install 'linkwright[io]'")

from mjcf_files import COUPLINGS, EQUALITIES, EVERY_JOINT, with_equality  # noqa: E402
from mujoco_referee import MujocoReferee, row_space  # noqa: E402

import linkwright as lw  # noqa: E402
from linkwright.referee import solve_kkt  # noqa: E402

BOTH = {**EQUALITIES, **COUPLINGS}


def states(model, count=3, seed=0):
    rng = np.random.default_rng(seed)
    for _ in range(count):
        yield model.random_configuration(rng), rng.normal(size=model.nv), rng.normal(size=model.nv)


def our_rows(model, q):
    return np.asarray(lw.reference(model, "constraint_jacobian")(q))


def test_every_joint_moves_as_in_mujoco():
    model, source = lw.load(EVERY_JOINT), mujoco.MjModel.from_xml_string(EVERY_JOINT)
    referee = MujocoReferee(source, model)
    assert (model.nq, model.nv) == (source.nq, source.nv)
    names = ["float", "arm", "ball", "cart", "merged", "many", "on float", "tip"]
    kinematics = lw.reference(model, "forward_kinematics", frames=names)
    for q, v, _ in states(model):
        referee.forward(q, v)
        rotations, positions = kinematics(q)
        for name, R, p in zip(names, rotations, positions, strict=True):
            at = referee.data.site(name) if name in ("on float", "tip") else referee.data.body(name)
            assert np.allclose(p, at.xpos, atol=1e-12), name
            assert np.allclose(np.asarray(R).ravel(), at.xmat, atol=1e-12), name
        M, c = referee.mass_and_bias(q, v)
        assert np.allclose(lw.reference(model, "crba")(q), M, atol=1e-10)
        assert np.allclose(lw.reference(model, "rnea")(q, v, np.zeros(model.nv)), c, atol=1e-9)


def test_massless_bodies_between_joints_can_be_solved():
    model = lw.load(EVERY_JOINT)
    referee = MujocoReferee(mujoco.MjModel.from_xml_string(EVERY_JOINT), model)
    aba = lw.compile(model, "aba")
    for q, v, tau in states(model):
        expected = referee.acceleration(q, v, tau)
        assert np.abs(aba(q, v, tau) - expected).max() < 1e-8 * (1 + np.abs(expected).max())


@pytest.mark.parametrize("name", BOTH)
def test_equalities_against_mujoco(name):
    """Row spaces to 1e-8, accelerations to 1e-6 of a hard solve from MuJoCo's own numbers, at closed poses."""
    text = with_equality(BOTH[name])
    model, source = lw.load(text), mujoco.MjModel.from_xml_string(text)
    referee = MujocoReferee(source, model)
    error = lw.reference(model, "constraint_error")
    start = model.drawn
    for k, (_, v, tau) in enumerate(states(model, 2)):
        step = np.random.default_rng(k).normal(scale=0.1, size=model.nv)
        q = referee.closed(model.integrate(start, step))
        J, off = referee.rows(q)
        assert np.abs(off).max() < 1e-12
        assert np.abs(error(q)).max() < 1e-10
        ours = our_rows(model, q)
        assert np.abs(row_space(ours) - row_space(J)).max() < 1e-8
        v = v - np.linalg.pinv(J, rcond=1e-8) @ J @ v
        expected = referee.acceleration(q, v, tau)
        scale = 1 + np.abs(expected).max()
        assert np.abs(solve_kkt(model, q, v, tau).a - expected).max() < 1e-6 * scale


@pytest.mark.parametrize("name", ["connect", "weld relpose and anchor", "joint", "rod"])
def test_solvers_agree_with_mujoco(name):
    text = with_equality(BOTH[name])
    model = lw.load(text)
    referee = MujocoReferee(mujoco.MjModel.from_xml_string(text), model)
    q = referee.closed(model.drawn)
    rng = np.random.default_rng(0)
    v, tau = rng.normal(size=model.nv), rng.normal(size=model.nv)
    J = referee.rows(q)[0]
    v = v - np.linalg.pinv(J, rcond=1e-8) @ J @ v
    expected = referee.acceleration(q, v, tau)
    found = lw.reference(model, "lcaba", outputs=("a",), iterations=8)(q, v, tau)
    assert np.abs(found - expected).max() < 1e-6 * (1 + np.abs(expected).max())


def test_a_compiled_model_and_its_text_are_the_same():
    source = mujoco.MjModel.from_xml_string(EVERY_JOINT)
    assert lw.load(source) == lw.load(EVERY_JOINT)
