"""MuJoCo as a referee: the same mechanisms, the same torques, both with Runge-Kutta 4."""

import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest
from small_mechanisms import closed_four_bar

import linkwright as lw

mujoco = pytest.importorskip("mujoco")

from linkwright.bench.peers.mujoco_peer import MujocoCoordinates, mjcf  # noqa: E402


def mujoco_end(document, model, q0, v0, tau, dt, steps):
    """(q, v) after so many steps of MuJoCo's own RK4."""
    root = ElementTree.fromstring(document)
    option = root.find("option")
    option.set("timestep", repr(dt))
    option.set("integrator", "RK4")
    compiled = mujoco.MjModel.from_xml_string(ElementTree.tostring(root, encoding="unicode"))
    data, coordinates = mujoco.MjData(compiled), MujocoCoordinates(model)
    data.qpos, data.qvel = coordinates.to_qpos(q0), coordinates.to_qvel(q0, v0)
    data.qfrc_applied = coordinates.to_force(q0, tau)
    for _ in range(steps):
        mujoco.mj_step(compiled, data)
    q = coordinates.from_qpos(np.array(data.qpos))
    return q, coordinates.from_qvel(q, np.array(data.qvel))


@pytest.mark.parametrize("name", ["chain:5", "quadruped", "humanoid"])
def test_trees(name, rng):
    model = lw.load(name)
    q0, v0 = model.random_configuration(rng), rng.normal(size=model.nv)
    tau = rng.normal(size=model.nv)
    tau[: 6 if model.joints[0].kind == "free_flyer" else 0] = 0  # MuJoCo's are along the world's axes there
    ours = lw.simulate(model, q0, v0, dt=5e-4, steps=400, control=tau, integrator="rk4", limits=False, friction=False)
    q, v = mujoco_end(mjcf(model), model, q0, v0, tau, 5e-4, 400)
    assert np.abs(model.difference(q, ours.q[-1])).max() < 1e-6
    assert np.abs(v - ours.v[-1]).max() < 1e-5 * max(1.0, np.abs(v).max())


def test_a_closed_loop():
    """MuJoCo's constraint is soft, but with such a stiffness hardly."""
    model, q0, v0 = closed_four_bar(speed=4.0, damping=0.01)
    ours = lw.simulate(model, q0, v0, dt=1e-4, steps=4000, integrator="rk4", record=4000)
    root = ElementTree.fromstring(mjcf(model.without_constraints()))
    ends = {"coupler": "coupler_end", "rocker": "rocker_end"}
    for body in root.iter("body"):
        if body.get("name") in ends:
            frame = model.frame(ends[body.get("name")])
            at = " ".join(map(repr, map(float, frame.placement.translation)))
            ElementTree.SubElement(body, "site", name=f"{frame.name}/pin", pos=at)
    equality = ElementTree.SubElement(root, "equality")
    ElementTree.SubElement(
        equality, "connect", site1="coupler_end/pin", site2="rocker_end/pin", solimp="0.9999 0.9999 0.001 0.5 2",
        solref="-1e6 -2e3",
    )  # fmt: skip
    document = ElementTree.tostring(root, encoding="unicode")
    q, _ = mujoco_end(document, model, q0, v0, np.zeros(3), 1e-4, 4000)
    assert np.abs(q - ours.q[-1]).max() < 1e-6
