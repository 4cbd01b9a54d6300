"""Steps with contacts against MuJoCo's own, from the same start, with the same integrator, on random models."""

import numpy as np
import pytest

import linkwright as lw

mujoco = pytest.importorskip("mujoco")
from random_mjcf import RandomModel, run_to_the_end  # noqa: E402  needs MuJoCo

from linkwright.io.mujoco.mujoco_state import MujocoCoordinates  # noqa: E402

INTEGRATORS = {"euler": mujoco.mjtIntegrator.mjINT_EULER, "implicitfast": mujoco.mjtIntegrator.mjINT_IMPLICITFAST}
SECONDS = 0.2
SEEDS = (5, 10)  # with steps of 10 ms: a tree, a loop, a single free body


def trajectories(seed: int, integrator: str, samples: int, step) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(MuJoCo's q, ours, status) over time. `step(model, dt)` returns a function of q, v, tau, warm."""
    text = RandomModel(seed).text()
    source = mujoco.MjModel.from_xml_string(text)
    run_to_the_end(source)
    source.opt.integrator = INTEGRATORS[integrator]
    data, rng = mujoco.MjData(source), np.random.default_rng([seed, 2])
    model, dt = lw.load(text), source.opt.timestep
    coordinates, steps = MujocoCoordinates(model), round(SECONDS / dt)
    forces = rng.normal(size=(samples, source.nv)) * 0.3
    theirs, q, v = [], [], []
    for n in range(samples):
        mujoco.mj_resetData(source, data)
        mujoco.mj_integratePos(source, data.qpos, rng.normal(size=source.nv) * 0.1, 1.0)
        data.qvel[:] = rng.normal(size=source.nv) * 0.5
        q.append(coordinates.from_qpos(data.qpos.copy()))
        v.append(coordinates.from_qvel(q[-1], data.qvel.copy()))
        path = []
        for _ in range(steps):
            data.qfrc_applied[:] = forces[n]
            mujoco.mj_step(source, data)
            path.append(coordinates.from_qpos(data.qpos.copy()))
        theirs.append(path)
    advance, state = step(model, dt), (np.array(q), np.array(v), np.zeros((samples, model.nv)))
    ours, status = [], np.zeros(samples)
    for _ in range(steps):
        tau = coordinates.from_force(state[0], forces)  # MuJoCo's are along the world's axes on a free body
        result = advance(state[0], state[1], tau, state[2])
        state = (result.q, result.v, result.warm)
        ours.append(result.q)
        status = np.maximum(status, result.status)
    return np.array(theirs), np.moveaxis(np.array(ours), 0, 1), status


def reference_step(integrator: str):
    def make(model, dt):
        options = {"integrator": integrator, "contact": "soft", "equality": "soft", "warm_start": "input"}
        solve = lw.reference(model, "step", outputs=("q", "v", "warm", "status"), **options)
        return lambda q, v, tau, warm: solve(
            q=q, v=v, tau=tau, dt=dt, lam=np.zeros(model.nc), lead=np.zeros(3 * model.nv), lag=dt / 2, warm=warm
        )

    return make


@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_random_models(integrator):
    for seed in SEEDS:
        theirs, ours, status = trajectories(seed, integrator, 4, reference_step(integrator))
        away = np.abs(theirs - ours).max(axis=(1, 2))
        assert not status.any() and away.max() < 1e-6, f"seed {seed}: {away}"
