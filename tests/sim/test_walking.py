"""A beast of Jansen legs walks: it gets on by what its feet sweep while they stand, less what they slip."""

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


def test_a_turn_advances_it_by_what_its_feet_sweep(walk):
    """The body moves forward as fast as the standing feet move back under it, but for their slip, step by step."""
    model, last = walk.model, slice(2 * TURN, 3 * TURN)
    centres = feet(model, walk.q[2 * TURN :])
    step = np.diff(centres[..., 0], axis=0)  # of the feet over the ground
    body = np.diff(walk.q[2 * TURN :, 0])
    standing = walk["active"][last].astype(bool)
    assert standing.any(axis=1).all()
    slip = np.where(standing, step, 0.0)
    swept = np.where(standing, step - body[:, None], 0.0)  # relative to the body
    count = standing.sum(axis=1)
    advance = walk.q[3 * TURN, 0] - walk.q[2 * TURN, 0]
    by_feet, slipped = -(swept.sum(axis=1) / count).sum(), (slip.sum(axis=1) / count).sum()
    assert advance == pytest.approx(by_feet + slipped, abs=1e-9)
    assert 0.8 < advance < 2.0 and abs(slipped) < 0.2 * advance
