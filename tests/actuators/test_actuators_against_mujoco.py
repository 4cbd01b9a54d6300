"""MuJoCo as the referee of actuators: forces, torques, activations, whole steps, and files written and read again."""

from __future__ import annotations

import numpy as np
import pytest

import linkwright as lw

mujoco = pytest.importorskip("mujoco", reason="needs MuJoCo: pip install 'linkwright[io]'")

from actuated_mjcf import random_mjcf  # noqa: E402

from linkwright.io import MujocoCoordinates  # noqa: E402

DT = 0.002


def states(model, data, seed: int, count: int):
    """(q, v, ctrl, act), put into `data` too."""
    rng, coordinates = np.random.default_rng(seed), MujocoCoordinates(model)
    for _ in range(count):
        q, v = model.random_configuration(rng), rng.normal(size=model.nv)
        u, act = rng.normal(size=model.nu), rng.uniform(-0.4, 0.4, size=model.na)
        data.qpos[:], data.qvel[:] = coordinates.to_qpos(q), coordinates.to_qvel(q, v)
        data.ctrl[:], data.act[:] = u, act
        yield q, v, u, act


def off(ours, theirs) -> float:
    return float(np.abs(np.asarray(ours) - theirs).max(initial=0.0) / (1 + np.abs(theirs).max(initial=0.0)))


@pytest.mark.parametrize("seed", range(30))
def test_forces(seed):
    text = random_mjcf(seed)
    source, model = mujoco.MjModel.from_xml_string(text), lw.load(text)
    data, coordinates = mujoco.MjData(source), MujocoCoordinates(model)
    assert (model.nu, model.na) == (source.nu, source.na)
    actuation = lw.reference(model, "actuation", outputs=("tau", "actuator_force", "act_rate"))
    for q, v, u, act in states(model, data, seed, 3):
        mujoco.mj_forward(source, data)
        found = actuation(q, v, u, act, DT)
        assert off(found.actuator_force, data.actuator_force) < 1e-10
        assert off(coordinates.to_force(q, found.tau), data.qfrc_actuator) < 1e-10
        assert off(found.act_rate, data.act_dot) < 1e-10


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize(("theirs", "ours"), [("Euler", "euler"), ("implicitfast", "implicitfast"), ("RK4", "rk4")])
def test_steps(seed, theirs, ours):
    """implicitfast takes actuators on balls and free bodies explicitly, so there are none of those."""
    text = random_mjcf(100 + seed, theirs, turning=ours != "implicitfast")
    source, model = mujoco.MjModel.from_xml_string(text), lw.load(text)
    data, coordinates = mujoco.MjData(source), MujocoCoordinates(model)
    step = lw.reference(
        model, "step", outputs=("q", "v", "act"), actuators="input", integrator=ours, friction=False, limits=False,
        contact=None if ours == "rk4" else "soft",
    )  # fmt: skip
    for q, v, u, act in states(model, data, seed, 2):
        mujoco.mj_step(source, data)
        found = step(q, v, np.zeros(model.nv), DT, u, act)
        assert off(found.act, data.act) < 1e-10
        assert off(coordinates.to_qpos(found.q), data.qpos) < 1e-10
        assert off(coordinates.to_qvel(found.q, found.v), data.qvel) < 1e-10


def test_a_trajectory_compiled():
    text = random_mjcf(3)
    source, model = mujoco.MjModel.from_xml_string(text), lw.load(text)
    data, coordinates = mujoco.MjData(source), MujocoCoordinates(model)
    rng = np.random.default_rng(0)
    q, commands = model.random_configuration(rng), rng.normal(size=(100, model.nu))
    data.qpos[:] = coordinates.to_qpos(q)
    for u in commands:
        data.ctrl[:] = u
        mujoco.mj_step(source, data)
    ours = lw.simulate(model, q, steps=100, dt=DT, ctrl=commands, integrator="euler", contact="soft", limits=False)
    assert off(coordinates.to_qpos(ours.q[-1]), data.qpos) < 1e-8 and off(ours.act, data.act) < 1e-10
    assert ours.clamped.sum() > 0


@pytest.mark.parametrize("seed", range(6))
def test_written_and_read_again(seed, tmp_path):
    model = lw.load(random_mjcf(seed))
    lw.save(model, tmp_path / "robot.xml")
    again = lw.load(tmp_path / "robot.xml")
    rng = np.random.default_rng(seed)
    q, v = model.random_configuration(rng), rng.normal(size=model.nv)
    u, act = rng.normal(size=model.nu), rng.uniform(-0.4, 0.4, size=model.na)
    assert [one.name for one in again.actuators] == [one.name for one in model.actuators]
    both = [lw.reference(m, "actuation")(q, v, u, act, DT) for m in (model, again)]
    assert off(both[0], both[1]) < 1e-12
    lw.save(model, tmp_path / "robot.json")
    assert lw.load(tmp_path / "robot.json") == model


def test_keyframes():
    text = """<mujoco><worldbody><body pos="0 0 1"><freejoint/><geom size="0.1"/><body><joint name="j"/><geom size="0.1"
    pos="0.2 0 0"/></body></body></worldbody><actuator><motor joint="j" name="m"/><intvelocity joint="j" name="i"
    kp="2" actrange="-1 1"/></actuator><keyframe><key name="home" qpos="1 2 3 0.6 0 0.8 0 0.4" qvel="1 2 3 4 5 6 7"
    act="0.3" ctrl="0.1 0.2"/></keyframe></mujoco>"""
    model = lw.load(text)
    home = model.keyframes["home"]
    qpos, qvel = lw.to_mujoco(model, home.q, home.v)
    assert np.allclose(qpos, [1, 2, 3, 0.6, 0, 0.8, 0, 0.4]) and np.allclose(qvel, [1, 2, 3, 4, 5, 6, 7])
    assert home.act.tolist() == [0.3] and home.ctrl.tolist() == [0.1, 0.2]
    assert np.array_equal(model.configurations["home"], home.q)
    assert lw.lock_joints(model, ["j"]).keyframes["home"].ctrl.shape == (0,)


REFUSED = {
    "site": ('<general name="a" site="s" gear="0 0 1 0 0 0"/>', "trntype site"),
    "body": ('<adhesion name="a" body="b" ctrlrange="0 1"/>', "<adhesion> 'a'"),
    "slidercrank": ('<general name="a" cranksite="s" slidersite="s2" cranklength="0.2"/>', "trntype slidercrank"),
    "user": ('<general name="a" joint="j" dyntype="user"/>', "dyntype user"),
    "muscle": ('<muscle name="a" joint="j" lengthrange="0 1"/>', "<muscle> 'a'"),
    "muscle by hand": (
        '<general name="a" joint="j" gaintype="muscle" gainprm="0.7 1.1 9 200 0.5 1.6 1.5 1.3 1.2" lengthrange="0 1"/>',
        "gaintype muscle",
    ),
    "spatial tendon": ('<motor name="a" tendon="t"/>', "'t', which is spatial"),
    "limited tendon": ('<motor name="a" tendon="f"/>', "'f', which limits"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_others_are_refused_by_name(name):
    element, said = REFUSED[name]
    text = f"""<mujoco><worldbody><site name="s2" pos="0 0 1"/><body name="b"><joint name="j"/><geom size="0.1"/>
    <site name="s" pos="0.1 0 0"/></body></worldbody><tendon><spatial name="t"><site site="s"/>
    <site site="s2"/></spatial><fixed name="f" actuatorfrcrange="-1 1"><joint joint="j" coef="1"/></fixed></tendon>
    <actuator><motor name="m" joint="j"/>{element}</actuator></mujoco>"""
    with pytest.raises(lw.LinkwrightError, match=said) as refusal:
        lw.load(text)
    assert "ignore=('actuator',)" in str(refusal.value) and "line" in str(refusal.value)
    model = lw.load(text, ignore="actuator")
    assert [one.name for one in model.actuators] == ["m"] and any("'a'" in line for line in model.ignored)
