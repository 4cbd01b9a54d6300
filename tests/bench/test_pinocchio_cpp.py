"""Pinocchio's C++ must compute what its Python bindings compute, or its times mean nothing."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from linkwright.bench.peers import pinocchio_cpp
from linkwright.bench.peers.pinocchio_cpp import (
    VARIANTS,
    PeerBuildFailed,
    PeerUnavailable,
    PinocchioCpp,
    model_text,
)

pin = pytest.importorskip("pinocchio", reason="needs Pinocchio: pip install pin")

ROBOTS = {  # file, floating base
    "talos": ("talos_data/robots/talos_full_v2.urdf", True),
    "panda": ("panda_description/urdf/panda.urdf", False),
    "solo12": ("solo_description/robots/solo12.urdf", True),
    "go1": ("go1_description/urdf/go1.urdf", True),
    "g1": ("g1_description/urdf/g1_29dof_rev_1_0.urdf", True),
    "icub": ("icub_description/robots/icub.urdf", True),
    "simple_humanoid": ("simple_humanoid_description/urdf/simple_humanoid.urdf", True),
}
SAMPLES = 4


@pytest.fixture(scope="module")
def library() -> PinocchioCpp:
    try:
        return PinocchioCpp.build()
    except PeerBuildFailed:  # no reason to skip: a source that no longer compiles is a failure
        raise
    except PeerUnavailable as error:
        pytest.skip(error.reason)


def load_robot(name: str) -> pin.Model:
    path, floating = ROBOTS[name]
    folders = [parent / "share/example-robot-data/robots" for parent in Path(pin.__file__).parents]
    found = [folder / path for folder in folders if (folder / path).is_file()]
    if not found:
        pytest.skip(f"no {path}: pip install example-robot-data")
    root = [pin.JointModelFreeFlyer()] if floating else []
    return pin.buildModelFromUrdf(str(found[0]), *root)


def random_model(joints: list[pin.JointModel]) -> pin.Model:
    """A random tree of the given joints, with armature and a gravity that is not vertical."""
    rng = np.random.default_rng(1)
    model = pin.Model()
    for i, joint in enumerate(joints):
        model.addJoint(int(rng.integers(max(0, i - 2), i + 1)), joint, pin.SE3.Random(), f"j{i}")
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
        pin.JointModelRevoluteUnboundedUnaligned(axis),
        pin.JointModelPrismaticUnaligned(axis),
        pin.JointModelHelicalUnaligned(axis, 0.2),
        pin.JointModelUniversal(axis, other),
    ]


def random_states(model: pin.Model) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    steps, v, x = rng.uniform(-1.0, 1.0, (3, SAMPLES, model.nv))
    return np.array([pin.integrate(model, pin.neutral(model), step) for step in steps]), v, x


def assert_agrees(library: PinocchioCpp, model: pin.Model) -> None:
    data, peer = model.createData(), library.model(model)
    q, v, x = random_states(model)
    expected = {
        "aba": [pin.aba(model, data, *state).copy() for state in zip(q, v, x, strict=True)],
        "rnea": [pin.rnea(model, data, *state).copy() for state in zip(q, v, x, strict=True)],
        "crba": [pin.crba(model, data, row).copy() for row in q],
    }
    for algorithm, results in expected.items():
        for name in (algorithm, *VARIANTS.get(algorithm, ())):
            seconds, out = peer.time(name, q, v, x, repeats=2)
            assert 0 < seconds < 1
            scale = np.abs(results).max()
            np.testing.assert_allclose(out, results, rtol=1e-9, atol=1e-9 * scale, err_msg=name)


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
    assert PinocchioCpp.build().path == library.path


def test_errors_name_what_was_given(library: PinocchioCpp) -> None:
    peer = library.model(random_model(every_joint()[:3]))
    with pytest.raises(ValueError, match=r"unknown algorithm 'abba'; known: aba_local .*crba"):
        peer.time("abba", np.zeros(3))
    with pytest.raises(ValueError, match="rnea needs q, v, x"):
        peer.time("rnea", np.zeros(3))
    with pytest.raises(ValueError, match=r"v: got shape \(2,\), expected \(1, 3\)"):
        peer.time("rnea", np.zeros(3), np.zeros(2), np.zeros(3))
    with pytest.raises(ValueError, match="at least 1"):
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
    with pytest.raises(ValueError, match="joint 'j0': JointModelComposite is not supported"):
        model_text(random_model([composite]))


def test_a_missing_compiler_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CXX", "no-such-compiler")
    with pytest.raises(PeerUnavailable, match="no-such-compiler"):
        PinocchioCpp.build()


def test_missing_eigen_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("EIGEN3_INCLUDE_DIR", str(tmp_path))
    with pytest.raises(PeerUnavailable, match=r"Eigen/Core.*pip install cmeel-eigen"):
        PinocchioCpp.build("true")
