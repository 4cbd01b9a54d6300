"""A beast of Jansen legs walks: it gets on by what its feet sweep while they stand, but for what they slip."""

import numpy as np
import pytest

import linkwright as lw
from linkwright.sim.verdict import complaints

SPEED, DT = np.pi, 2e-3
TURN = round(2 * np.pi / SPEED / DT)  # steps


@pytest.fixture(scope="module")
def walk():
    beast = lw.load("walking_beast")
    k = beast.iv[beast.joint_index("crank_joint")]
    kd, speed = np.zeros(beast.nv), np.zeros(beast.nv)
    kd[k], speed[k] = 200.0, -SPEED
    control = lw.PD(kp=0.0, kd=kd, v=speed)
    return lw.simulate(
        beast, dt=DT, steps=3 * TURN, control=control, outputs=("active", "contact_point", "status"), record=1
    )


def feet(model: lw.Model, q: np.ndarray) -> np.ndarray:
    """(T, legs, 3): the balls' centres."""
    rotations, positions = lw.reference(model, "forward_kinematics")(q)
    frames = [model.frame(shape.on) for shape in model.shapes if shape.kind == "sphere"]
    return np.stack([rotations[:, f.body] @ f.placement.translation + positions[:, f.body] for f in frames], axis=1)


def test_it_walks_upright_and_straight(walk):
    assert not complaints(walk) and not walk["status"].any()
    after = walk.q[TURN:]
    assert np.ptp(after[:, 2]) < 0.05 and np.abs(after[:, 1]).max() < 0.05 and np.abs(after[:, 6]).min() > 0.999


def foot_path(model: lw.Model, count: int = 60) -> float:
    """How far the lowest foot goes back under the body while the crank turns once: kinematics alone, the body held."""
    crank = lw.MotorMap(model, "crank_joint", held=next(joint.name for joint in model.joints if joint.moves.is_free))
    turned = [model.drawn]
    for angle in np.linspace(0, -2 * np.pi, count + 1)[1:]:
        turned.append(crank.joints_from_motors(crank.motor_position(model.drawn) + angle, turned[-1]))
    balls = feet(model, np.array(turned))
    lowest = np.argmin(balls[1:, :, 2] + balls[:-1, :, 2], axis=1)
    return -float(np.diff(balls[..., 0], axis=0)[np.arange(count), lowest].sum())


def test_a_turn_advances_it_by_its_foot_path(walk):
    """But for what the standing feet slip over the ground, which is less than a twentieth."""
    over_ground = np.abs(np.diff(feet(walk.model, walk.q[2 * TURN :])[..., 0], axis=0))
    standing = walk["active"][2 * TURN :].astype(bool)
    assert standing.any(axis=1).all()
    slipped = (np.where(standing, over_ground, 0.0).sum(axis=1) / standing.sum(axis=1)).sum()
    advance = walk.q[3 * TURN, 0] - walk.q[2 * TURN, 0]
    assert abs(advance - foot_path(walk.model)) < slipped < 0.05 * advance
