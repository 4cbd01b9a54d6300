"""MuJoCo must be given our problem: the same mass matrix, bias and acceleration as ours, in our coordinates."""

from __future__ import annotations

import sys

import numpy as np
import pytest

import linkwright as lw
from linkwright.bench.peers.mujoco_peer import MujocoCoordinates, MujocoPeer, mjcf
from linkwright.errors import InputError, MissingExtraError, UnsupportedError

ROBOTS = ("humanoid", "solo12", "talos")
SAMPLES = 3


def load(name: str) -> lw.Model:
    try:
        return lw.load(name)
    except MissingExtraError as error:
        pytest.skip(str(error))


def random_states(model: lw.Model) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    q = model.random_configuration(rng, SAMPLES)
    return q, *rng.uniform(-1.0, 1.0, (2, SAMPLES, model.nv))


def every_joint() -> lw.Model:
    """A tree of all joints MuJoCo has, its bodies not numbered depth first, its base not at the origin."""
    rng = np.random.default_rng(1)
    builder = lw.ModelBuilder("all", gravity=(1.0, 2.0, -9.0))
    skew = {"axis": (1.0, 2.0, 2.0), "armature": 0.1, "damping": 0.2}
    joints = [
        lw.free_flyer("base", damping=0.3), lw.revolute("r", stiffness=2.0, spring_reference=0.4, **skew),
        lw.spherical("s", damping=0.3), lw.prismatic("p", **skew), lw.continuous("c", **skew),
        lw.cylindrical("y", **skew), lw.universal("u", armature=[0.1, 0.2]), lw.translational("t", damping=[1, 2, 3]),
    ]  # fmt: skip
    parents = ["world", "base", "base", "r", "s", "r", "s", "p"]
    for joint, parent in zip(joints, parents, strict=True):
        placement = lw.Pose.from_quaternion(rng.uniform(-1, 1, 3), rng.normal(size=4))
        inertia = lw.Inertia.box(rng.uniform(1, 2), rng.uniform(0.2, 0.4, 3), rng.uniform(-0.2, 0.2, 3))
        moves = joint.renamed(joint.name + "_joint")
        builder.add_body(joint.name, moves, parent=parent, placement=placement, inertia=inertia)
    return builder.build()


@pytest.mark.parametrize("name", [*ROBOTS, "every joint"])
def test_same_dynamics(name: str) -> None:
    pytest.importorskip("mujoco", reason="needs MuJoCo: pip install mujoco")
    model = every_joint() if name == "every joint" else load(name)
    q, v, tau = random_states(model)
    peer = MujocoPeer(model)
    mass, bias = lw.reference(model, "crba")(q), lw.reference(model, "rnea")(q, v, np.zeros_like(v))
    for i in range(SAMPLES):
        assert np.abs(peer.mass_matrix(q[i]) - mass[i]).max() < 1e-10 * np.abs(mass[i]).max()
        assert np.abs(peer.bias(q[i], v[i]) - bias[i]).max() < 1e-10 * np.abs(bias[i]).max()
    seconds, a = peer.time(q, v, tau, repeats=2)
    assert 0 < seconds < 1
    force = np.einsum("sij,sj->si", mass, a) + bias  # as a torque: light links amplify rounding
    assert np.abs(force - tau).max() < 1e-10 * np.abs(bias).max()


def test_constraints_hold() -> None:
    pytest.importorskip("mujoco", reason="needs MuJoCo: pip install mujoco")
    pin = pytest.importorskip("pinocchio", reason="needs Pinocchio: pip install pin")
    from linkwright.io.pinocchio.pinocchio_model import pinocchio_model

    model = load("talos")
    names = ("leg_left_6_joint", "leg_right_6_joint", "arm_left_7_joint")
    kinds = (pin.ContactType.CONTACT_6D, pin.ContactType.CONTACT_6D, pin.ContactType.CONTACT_3D)
    q, v, tau = random_states(model)
    theirs = pinocchio_model(model)
    constraints = [pin.RigidConstraintModel(k, theirs, theirs.getJointId(n)) for n, k in zip(names, kinds, strict=True)]
    data, datas = theirs.createData(), [constraint.createData() for constraint in constraints]
    pin.initConstraintDynamics(theirs, data, constraints, datas)
    settings = pin.ProximalSettings(1e-12, 1e-8, 10)
    expected = [pin.constraintDynamics(theirs, data, *s, constraints, datas, settings).copy()
                for s in zip(q, v, tau - model.stacked("damping") * v, strict=True)]  # fmt: skip
    held = model.with_constraints(lw.weld(names[0]), lw.weld(names[1]), lw.connect(names[2]))
    _, a = MujocoPeer(held).time(q, v, tau, repeats=1)
    error = np.abs(a - expected).max(axis=1) / np.abs(expected).max(axis=1)
    assert error.max() < 1e-2  # MuJoCo's constraints are soft


def test_coordinates_there_and_back() -> None:
    model = every_joint()
    q, v, x = random_states(model)
    coordinates = MujocoCoordinates(model)
    back = coordinates.from_qpos(coordinates.to_qpos(q))
    assert np.abs(model.difference(q, back)).max() < 1e-12
    assert np.abs(coordinates.from_qvel(q, coordinates.to_qvel(q, v)) - v).max() < 1e-13
    assert np.abs(coordinates.from_qacc(q, v, coordinates.to_qacc(q, v, x)) - x).max() < 1e-13
    assert np.allclose(coordinates.to_qpos(q[0]), coordinates.to_qpos(q)[0], rtol=0, atol=1e-14)
    # power does not depend on the coordinates
    power = np.sum(coordinates.to_force(q, x) * coordinates.to_qvel(q, v), axis=1)
    assert np.allclose(power, np.sum(x * v, axis=1), rtol=1e-12)


def test_what_mujoco_lacks_is_refused_by_name() -> None:
    builder = lw.ModelBuilder()
    builder.add_body("screw", lw.helical("turn", pitch=0.1), inertia=lw.Inertia.sphere(1.0, 0.1))
    with pytest.raises(UnsupportedError, match="'turn' is helical"):
        mjcf(builder.build())
    humanoid = lw.load("humanoid")
    partial = humanoid.with_constraints(lw.weld(humanoid.bodies[-1].name, directions="x rz"))
    with pytest.raises(UnsupportedError, match="'right_palm' cannot be written"):
        mjcf(partial)


def test_shapes_are_checked() -> None:
    pytest.importorskip("mujoco", reason="needs MuJoCo: pip install mujoco")
    model = lw.load("humanoid")
    q, v, tau = random_states(model)
    with pytest.raises(InputError, match="3, 2, 3 rows"):
        MujocoPeer(model).time(q, v[:2], tau)


def test_missing_mujoco_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "mujoco", None)
    with pytest.raises(MissingExtraError, match="mujoco"):
        MujocoPeer(lw.load("humanoid"))
