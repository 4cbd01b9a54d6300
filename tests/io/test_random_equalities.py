"""Equalities in every form a file may write them in, against MuJoCo: soft ones as it solves them, hard ones densely."""

from __future__ import annotations

import numpy as np
import pytest

mujoco = pytest.importorskip("mujoco", reason="needs MuJoCo: pip install 'linkwright[io]'")

from mujoco_referee import MujocoReferee, row_space  # noqa: E402
from random_equalities import KINDS, RandomEqualities  # noqa: E402

import linkwright as lw  # noqa: E402
from linkwright.io import MujocoCoordinates  # noqa: E402
from linkwright.referee import solve_kkt  # noqa: E402

# One kind alone, and all together; here all of a model's equalities can be met, so that hard ones have an answer.
SEEDS = {("connect",): (0, 1, 2, 3), ("weld",): (0, 1, 2, 7), ("joint",): (0, 1, 2, 3), ("tendon",): (0, 1, 3, 4)}
SEEDS[KINDS] = (0, 1, 3, 6, 8, 13)
CASES = [pytest.param(kinds, seed, id=f"{'+'.join(kinds)} {seed}") for kinds, seeds in SEEDS.items() for seed in seeds]


def moved(model, rng: np.random.Generator) -> np.ndarray:
    return model.integrate(model.drawn, 0.1 * rng.normal(size=model.nv))


@pytest.mark.parametrize(("kinds", "seed"), CASES)
def test_soft(kinds, seed):
    """Wherever the mechanism is: open loops are pulled as MuJoCo pulls them."""
    text = RandomEqualities(seed, kinds).text()
    source, model, rng = mujoco.MjModel.from_xml_string(text), lw.load(text), np.random.default_rng(seed)
    source.opt.tolerance, source.opt.iterations, source.opt.ls_tolerance = 0.0, 300, 1e-14
    data, coordinates = mujoco.MjData(source), MujocoCoordinates(model)
    dynamics = lw.reference(model, "contact_dynamics", outputs=("a", "status"), equality="soft", tolerance=1e-13)
    for _ in range(2):
        q, v = moved(model, rng), rng.normal(size=model.nv)
        mujoco.mj_resetData(source, data)
        data.qpos[:], data.qvel[:] = coordinates.to_qpos(q), coordinates.to_qvel(q, v)
        mujoco.mj_forward(source, data)
        found = dynamics(q, v, np.zeros(model.nv), source.opt.timestep)
        off = np.abs(coordinates.to_qacc(q, v, found.a) - data.qacc).max()
        assert found.status == 0 and off < 1e-9 * (1 + np.abs(data.qacc).max())


@pytest.mark.parametrize(("kinds", "seed"), CASES)
def test_hard(kinds, seed):
    """Where MuJoCo's own errors are zero: its rows, and a dense solve with them."""
    text = RandomEqualities(seed, kinds).text()
    source, model, rng = mujoco.MjModel.from_xml_string(text), lw.load(text), np.random.default_rng(seed)
    referee = MujocoReferee(source, model)
    q = referee.closed(moved(model, rng))
    J, off = referee.rows(q)
    assert len(off) and np.abs(off).max() < 1e-12
    assert np.abs(lw.reference(model, "constraint_error")(q)).max() < 1e-10
    assert np.abs(row_space(np.asarray(lw.reference(model, "constraint_jacobian")(q))) - row_space(J)).max() < 1e-8
    v, tau = rng.normal(size=model.nv), rng.normal(size=model.nv)
    v = v - np.linalg.pinv(J, rcond=1e-8) @ J @ v
    expected = referee.acceleration(q, v, tau)
    assert np.abs(solve_kkt(model, q, v, tau).a - expected).max() < 1e-6 * (1 + np.abs(expected).max())
