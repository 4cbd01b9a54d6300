"""What environments are compared with moves as they do: same robot, ground, motors, commands."""

import numpy as np
import pytest

import linkwright as lw
from linkwright.bench.peers.mujoco_walkers import MujocoWalkers

pytest.importorskip("mujoco", reason="MuJoCo is not installed")


def test_a_quadruped_in_mujoco_moves_as_ours():
    legs = ("FL", "FR", "RL", "RR")
    robot = lw.load("quadruped").with_shapes(*(lw.sphere(f"{leg}_foot", 0.02) for leg in legs)).on_ground(friction=0.8)
    servos = (lw.position_servo(joint.name, 40.0, 1.0) for joint in robot.joints if joint.nv == 1)
    robot = robot.with_actuators(*servos)
    rng = np.random.default_rng(0)
    q = np.tile(robot.drawn, (5, 1))
    bent = np.tile((0.0, 0.8, -1.6), 4)
    q[:, 7:], q[:, 2] = bent, 0.3  # feet in the ground
    ctrl, v = bent + rng.uniform(-0.2, 0.2, size=(5, 12)), 0.1 * rng.normal(size=(5, 18))
    ours = lw.Simulator(robot, dt=2e-3, batch=5, actuators=True, integrator="implicitfast")
    ours.reset(q, v)
    ours.step(ctrl=ctrl, n=4)
    peer = MujocoWalkers(robot, 2e-3, 2)
    peer.model.opt.tolerance, peer.model.opt.ls_tolerance, peer.model.opt.iterations = 0.0, 1e-12, 200
    path = peer.rollout(peer.states(q, v), peer.warm(q, v, np.zeros((5, 18))), ctrl, 4)
    peer.close()
    found_q, found_v = peer.ours(path[:, -1])
    assert np.abs(found_q - ours.q).max() < 1e-7 and np.abs(found_v - ours.v).max() < 1e-5
    assert np.abs(found_v - v).max() > 1.0
