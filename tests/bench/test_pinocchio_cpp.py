"""Pinocchio's C++ must compute what its Python bindings compute, or its times mean nothing."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from pinocchio_robots import ROBOTS, built_once, load_robot, random_states

from linkwright.bench.peers import pinocchio_cpp
from linkwright.bench.peers.native_builds import PeerUnavailable
from linkwright.bench.peers.pinocchio_cpp import VARIANTS, PinocchioCpp, model_text
from linkwright.errors import InputError, UnsupportedError

pin = pytest.importorskip("pinocchio", reason="needs Pinocchio: pip install pin")

# Python cannot construct this joint with an axis, but the URDF reader can.
UNBOUNDED_UNALIGNED = """<robot name="one"><link name="base"/>
<link name="body"><inertial><mass value="1"/>
<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="turn" type="continuous"><parent link="base"/><child link="body"/><axis xyz="1 2 2"/></joint>
</robot>"""


@pytest.fixture(scope="module")
def library(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[PinocchioCpp]:
    yield from built_once(request, tmp_path_factory)


def random_model(joints: list[pin.JointModel]) -> pin.Model:
    """A random tree of the given joints, with armature and a gravity that is not vertical.

    Joints are numbered depth first, each after a support of the one before: Pinocchio's CRBA needs it.
    """
    rng = np.random.default_rng(1)
    model = pin.Model()
    for i, joint in enumerate(joints):
        parent = int(rng.choice(list(model.supports[i])[-3:]))
        model.addJoint(parent, joint, pin.SE3.Random(), f"j{i}")
        model.appendBodyToJoint(i + 1, pin.Inertia.Random(), pin.SE3.Random())
    model.armature = rng.uniform(0.1, 1.0, model.nv)
    model.gravity = pin.Motion(np.array([1.0, 2.0, -9.0, 0.0, 0.0, 0.0]))
    return model


def every_joint() -> list[pin.JointModel]:
    axis, other = np.array([1.0, 2.0, 2.0]) / 3, np.array([2.0, 1.0, -2.0]) / 3
    plain = ["RX", "RY", "RZ", "RUBX", "RUBY", "RUBZ", "PX", "PY", "PZ"]
    plain += ["Spherical", "SphericalZYX", "Planar", "Translation", "FreeFlyer"]
    return [
        *(getattr(pin, f"JointModel{kind}")() for kind in plain),
        *(getattr(pin, f"JointModelH{letter}")(0.3) for letter in "XYZ"),
        pin.JointModelRevoluteUnaligned(axis),
        pin.buildModelFromXML(UNBOUNDED_UNALIGNED).joints[1],
        pin.JointModelPrismaticUnaligned(axis),
        pin.JointModelHelicalUnaligned(axis, 0.2),
        pin.JointModelUniversal(axis, other),
    ]


def assert_agrees(library: PinocchioCpp, model: pin.Model) -> None:
    data, peer = model.createData(), library.model(model)
    q, v, a = random_states(model)
    tau = np.array([pin.rnea(model, data, *state).copy() for state in zip(q, v, a, strict=True)])
    mass = np.array([pin.crba(model, data, row).copy() for row in q])
    forward = np.array([pin.aba(model, data, *state).copy() for state in zip(q, v, tau, strict=True)])
    for algorithm, x, expected in (("aba", tau, forward), ("rnea", a, tau), ("crba", None, mass)):
        for name in (algorithm, *VARIANTS.get(algorithm, ())):
            seconds, out = peer.time(name, q, v, x, repeats=2)
            assert 0 < seconds < 1
            error, size = out - expected, np.abs(expected).max()
            if algorithm == "aba":  # as a torque: light links amplify rounding in the acceleration
                error, size = np.einsum("sij,sj->si", mass, error), np.abs(tau).max()
            assert np.abs(error).max() < 1e-12 * size, name


@pytest.mark.parametrize("name", ROBOTS)
def test_agrees_on_robot(library: PinocchioCpp, name: str) -> None:
    assert_agrees(library, load_robot(name))


def test_agrees_on_every_joint_type(library: PinocchioCpp) -> None:
    assert_agrees(library, random_model(every_joint()))


def test_crba_needs_q_only_and_one_state_may_be_a_vector(library: PinocchioCpp) -> None:
    model = random_model(every_joint()[:3])
    _, out = library.model(model).time("crba", pin.neutral(model))
    assert out.shape == (1, 3, 3)


def test_a_second_build_is_cached(library: PinocchioCpp, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pinocchio_cpp, "_compile", lambda *_: pytest.fail("compiled again"))
    again = PinocchioCpp.build()
    assert (again.path, again.compiler) == (library.path, library.compiler)


def test_errors_name_what_was_given(library: PinocchioCpp) -> None:
    peer = library.model(random_model(every_joint()[:3]))
    with pytest.raises(InputError, match=r"unknown algorithm 'abba'; known: aba_local .*crba"):
        peer.time("abba", np.zeros(3))
    with pytest.raises(InputError, match="rnea needs q, v, x"):
        peer.time("rnea", np.zeros(3))
    with pytest.raises(InputError, match=r"v: got shape \(2,\), expected \(1, 3\)"):
        peer.time("rnea", np.zeros(3), np.zeros(2), np.zeros(3))
    with pytest.raises(InputError, match="at least 1"):
        peer.time("crba", np.zeros(3), repeats=0)


def test_a_bad_model_text_is_an_error_not_a_crash(library: PinocchioCpp) -> None:
    calls = library.calls
    for text, error in [(b"", "gravity"), (b"gravity 0 0 0 0 0 0 joints 1 5", "parent 5"),
                        (b"gravity 0 0 0 0 0 0 joints 1 0 Hinge", "unknown joint type 'Hinge'")]:  # fmt: skip
        assert calls.lw_model_from_text(text) is None
        assert error in library.last_error()


def test_unsupported_joints_are_refused_by_name() -> None:
    composite = pin.JointModelComposite()
    composite.addJoint(pin.JointModelRX())
    with pytest.raises(UnsupportedError, match="joint 'j0': JointModelComposite is not supported"):
        model_text(random_model([composite]))


def test_a_missing_compiler_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CXX", "no-such-compiler")
    with pytest.raises(PeerUnavailable, match="no-such-compiler"):
        PinocchioCpp.build()


def test_missing_eigen_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("EIGEN3_INCLUDE_DIR", str(tmp_path))
    with pytest.raises(PeerUnavailable, match=r"Eigen/Core.*pip install cmeel-eigen"):
        PinocchioCpp.build("true")
