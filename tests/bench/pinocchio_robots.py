"""What the tests of Pinocchio's C++ share: robots, states, and a library that is built once."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from linkwright.bench.peers.native_builds import PeerBuildFailed, PeerUnavailable
from linkwright.bench.peers.pinocchio_cpp import PinocchioCpp

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


def built_once(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, *, constrained: bool = False
) -> Iterator[PinocchioCpp]:
    """Built once and kept in pytest's cache: a session's own is new, and a build takes minutes and gigabytes."""
    if not os.environ.get("LINKWRIGHT_TEST_PEERS"):
        pytest.skip("builds Pinocchio's C++ for minutes; set LINKWRIGHT_TEST_PEERS=1 to run it")
    keep = getattr(request.config, "cache", None)
    directory = keep.mkdir("pinocchio_cpp") if keep else tmp_path_factory.mktemp("pinocchio_cpp")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LINKWRIGHT_CACHE", str(directory))
        try:
            yield PinocchioCpp.build(constrained=constrained)
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


def random_states(model: pin.Model) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    steps, v, x = rng.uniform(-1.0, 1.0, (3, SAMPLES, model.nv))
    return np.array([pin.integrate(model, pin.neutral(model), step) for step in steps]), v, x
