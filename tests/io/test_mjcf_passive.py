"""Gravity compensation and tendons with springs, against MuJoCo, in every dynamics; and through editing and files."""

from __future__ import annotations

import copy
import pickle
from dataclasses import replace

import numpy as np
import pytest

mujoco = pytest.importorskip("mujoco", reason="needs MuJoCo: pip install 'linkwright[io]'")

from mjcf_files import EVERY_JOINT, INERTIAL, mjcf, with_equality  # noqa: E402
from mujoco_referee import MujocoReferee  # noqa: E402

import linkwright as lw  # noqa: E402
from linkwright.errors import LinkwrightError  # noqa: E402
from linkwright.model.passive import GravityCompensation, Tendon  # noqa: E402
from linkwright.referee import solve_kkt  # noqa: E402

TENDONS = """<tendon>
  <fixed name="soft" stiffness="30" damping="2"><joint joint="hinge" coef="1.5"/><joint joint="slide" coef="-4"/>
  </fixed>
  <fixed name="slack" stiffness="50" springlength="0.2 0.9"><joint joint="a" coef="-1"/><joint joint="d" coef="2"/>
  </fixed>
  <fixed name="thick" damping="3"><joint joint="b" coef="0.7"/></fixed>
  <fixed name="idle"><joint joint="c" coef="1"/></fixed>
</tendon>"""


def compensated(text: str) -> str:
    """Each body with another share of its weight compensated; some more than all of it."""
    for k, name in enumerate(("float", "arm", "ball", "cart", "merged", "many", "crank", "coupler", "rocker", "box")):
        text = text.replace(f'<body name="{name}"', f'<body name="{name}" gravcomp="{0.3 * k + 0.1}"')
    return text


BOTH = compensated(EVERY_JOINT).replace("<keyframe>", TENDONS + "<keyframe>")


def states(model, count=4, seed=0):
    rng = np.random.default_rng(seed)
    for _ in range(count):
        yield model.random_configuration(rng), rng.normal(size=model.nv), rng.normal(size=model.nv)


@pytest.mark.parametrize("text", [compensated(EVERY_JOINT), BOTH], ids=["gravcomp", "tendons too"])
def test_trees_move_as_in_mujoco(text):
    model, source = lw.load(text), mujoco.MjModel.from_xml_string(text)
    assert len(model.passive) == 6 + 3 * (text is BOTH)
    referee, aba = MujocoReferee(source, model), lw.compile(model, "aba")
    plain = lw.load(EVERY_JOINT)
    for q, v, tau in states(model):
        expected = referee.acceleration(q, v, tau)
        scale = 1 + np.abs(expected).max()
        assert np.abs(aba(q, v, tau) - expected).max() < 1e-8 * scale
        assert np.abs(lw.reference(model, "rnea")(q, v, expected) - tau).max() < 1e-8 * scale
        assert np.abs(solve_kkt(model, q, v, tau).a - expected).max() < 1e-8 * scale
        assert np.abs(solve_kkt(plain, q, v, tau).a - expected).max() > 1e-2


def test_gravity_torques_are_those_of_what_still_weighs():
    text = EVERY_JOINT.replace("<body ", '<body gravcomp="1" ')
    model = lw.load(text)
    for q, _, _ in states(model):
        assert np.abs(lw.reference(model, "gravity_torques")(q)).max() < 1e-12


def test_loops_and_clusters_know_of_them():
    tendon = '<tendon><fixed name="s" stiffness="3" damping="1"><joint joint="drive" coef="2"/><joint joint="elbow" '
    text = compensated(with_equality('<connect name="e" body1="coupler" body2="tip" anchor="0.5 0.1 0.2"/>'))
    text = text.replace("<equality>", tendon + 'coef="1"/></fixed></tendon><equality>')
    model = lw.load(text)
    referee = MujocoReferee(mujoco.MjModel.from_xml_string(text), model)
    q = referee.closed(model.drawn)
    rng = np.random.default_rng(0)
    v, tau = rng.normal(size=model.nv), rng.normal(size=model.nv)
    J = referee.rows(q)[0]
    v = v - np.linalg.pinv(J, rcond=1e-8) @ J @ v
    expected = referee.acceleration(q, v, tau)
    scale = 1 + np.abs(expected).max()
    for solver in ("lcaba", "prox_bbo", "prox_ltl"):
        found = lw.reference(model, solver, outputs=("a",))(q, v, tau)
        assert np.abs(found - expected).max() < 1e-6 * scale, solver


def test_cluster_algorithms_know_of_them():
    robot = lw.load("geared_chain:3")
    links = [name for name in (joint.name for joint in robot.joints) if "rotor" not in name]
    spring = Tendon("s", ((links[0], 1.0), (links[1], -2.0)), 30.0, 1.0, 0.1, 0.1)
    robot = replace(robot, passive=(GravityCompensation(robot.bodies[-1].name, 0.7, (0.1, 0, 0.2)), spring))
    rng = np.random.default_rng(1)
    q = lw.project_configuration(robot, robot.random_configuration(rng))
    v = lw.project_velocity(robot, q, rng.normal(size=robot.nv))
    tau = np.zeros(robot.nv)
    expected = solve_kkt(robot, q, v, tau).a
    assert robot.joints[0].name == links[0] and robot.joints[2].name == links[1]
    cluster_aba = lw.reference(robot, "cluster_aba", outputs=("a",), coordinates="spanning")
    found = cluster_aba(q, v[::2], tau[::2])
    assert np.abs(found - expected).max() < 1e-9 * (1 + np.abs(expected).max())
    without = solve_kkt(replace(robot, passive=()), q, v, tau).a
    assert np.abs(without - expected).max() > 1e-3


@pytest.mark.parametrize("text", [compensated(EVERY_JOINT), BOTH], ids=["gravcomp", "tendons too"])
def test_energy_is_what_these_forces_do_work_on(text):
    """d/dt of all energy is the power of what is not an energy: dampers."""
    model = lw.load(text)
    energy = lw.reference(model, "potential_energy")
    still = np.zeros(model.nv)
    for q, v, _ in states(model, 2):
        h = 1e-6
        rate = (energy(model.integrate(q, h * v)) - energy(model.integrate(q, -h * v))) / (2 * h)
        torque = lw.reference(model, "rnea")(q, still, still)  # holds against weight and all springs
        assert rate == pytest.approx(float(torque @ v), rel=1e-6, abs=1e-6)


def test_simulations_keep_the_books():
    arm = f'<body name="arm" gravcomp="0.5"><joint name="j" axis="0 1 0"/>{INERTIAL}<body name="b" pos="0 0 0.5">'
    arm += f'<joint name="k" axis="0 1 0"/>{INERTIAL}</body></body>'
    tendon = '<fixed name="t" stiffness="20" damping="0.5"><joint joint="j" coef="1"/><joint joint="k" coef="1"/>'
    model = lw.load(mjcf(arm, f"<tendon>{tendon}</fixed></tendon>"))
    run = lw.simulate(model, [0.5, 0.3], steps=1000, integrator="rk4", friction=False)
    total = [lw.reference(model, "potential_energy")(q) + lw.reference(model, "kinetic_energy")(q, v)
             for q, v in zip(run.q, run.v, strict=True)]  # fmt: skip
    assert total[-1] < total[0] - 0.01
    assert np.abs(run.energy_error).max() < 1e-6 * total[0]


def test_survive_files_pickles_and_editing(tmp_path):
    model = lw.load(BOTH).with_not_computed(lw.NotComputed("of no matter", word="fluid", ignored=True))
    for other in (
        lw.load(lw.save(model, tmp_path / "m.json")), pickle.loads(pickle.dumps(model)), copy.deepcopy(model),
        lw.lock_joints(model, []), lw.ModelBuilder.from_model(model).build(),
    ):  # fmt: skip
        assert other.passive == model.passive and other.ignored == model.ignored
    carrier = lw.attach(replace(lw.load("chain:1"), gravity=model.gravity), model, prefix="x_")
    assert len(carrier.passive) == len(model.passive) and carrier.ignored == ("fluid: mechanism: of no matter",)
    for q, v, tau in states(model, 1):
        q2, v2 = np.concatenate([[0.0], q]), np.concatenate([[0.0], v])
        # on a link that does not move with the world's frame, the same forces act
        rnea = lw.reference(carrier, "rnea")(q2, v2, np.concatenate([[0.0], tau]))
        assert np.abs(rnea[1:] - lw.reference(model, "rnea")(q, v, tau)).max() < 1e-9


def test_locked_joints_keep_their_part_of_tendons_and_weight():
    model = lw.load(BOTH)
    locked = lw.lock_joints(model, {"slide": 0.3, "d": -0.4})
    assert len(locked.passive) == len(model.passive)
    kept = [k for k in range(model.nv) if k not in (10, 14)]
    assert [j.name for j in model.joints][3] == "slide" and model.iv[4].start == 10 and model.iv[8].start == 14
    for q, v, _ in states(model, 2):
        q[[model.iq[4].start, model.iq[8].start]], v[[10, 14]] = (0.3, -0.4), 0.0
        still = np.zeros(model.nv)
        whole = lw.reference(model, "rnea")(q, v, still)
        part = lw.reference(locked, "rnea")(np.delete(q, [model.iq[4].start, model.iq[8].start]), v[kept], still[kept])
        assert np.abs(part - whole[kept]).max() < 1e-9


def test_written_as_mjcf():
    text = BOTH.replace('name="merged" gravcomp="1.3"', 'name="merged" gravcomp="1.0"')  # as what it is merged into
    model = lw.load(text)
    text = lw.io.to_mjcf(model)
    back = MujocoReferee(mujoco.MjModel.from_xml_string(text), lw.load(text))
    for q, v, tau in states(model, 2):
        expected = solve_kkt(model, q, v, tau).a
        assert np.abs(back.acceleration(q, v, tau) - expected).max() < 1e-7 * (1 + np.abs(expected).max())
    with pytest.raises(LinkwrightError, match="gravity compensation"):
        lw.io.to_mjcf(replace(model, passive=(GravityCompensation("arm", 1.0, (1, 1, 1)),)))


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: GravityCompensation("arm", float("nan")), "mass"),
        (lambda: Tendon("t", (), 1.0), "'t'"),
        (lambda: Tendon("t", (("a", 1.0), ("a", 2.0)), 1.0), "each once"),
        (lambda: Tendon("t", (("a", 1.0),), -1.0), "stiffness"),
        (lambda: Tendon("t", (("a", 1.0),), 1.0, 0.0, 2.0, 1.0), "shortest"),
        (lambda: replace(lw.load(EVERY_JOINT), passive=(Tendon("t", (("ball joint", 1.0),)),)), "ball"),
        (lambda: replace(lw.load(EVERY_JOINT), passive=(Tendon("t", (("none", 1.0),), 1.0),)), "none"),
        (lambda: replace(lw.load(EVERY_JOINT), passive=(GravityCompensation("none", 1.0),)), "none"),
        (lambda: replace(lw.load(EVERY_JOINT), passive=("spring",)), "spring"),
    ],
)  # fmt: skip
def test_bad_ones_are_refused_by_name(make, words):
    with pytest.raises(LinkwrightError, match=words):
        make()
