"""The library of [Chignoli2023]: found where it is, compiled against, asked; and clear words where that fails.

The library itself is not here: headers and a library of its names stand in for it (stand_in_grbda.py).
"""

import shutil

import pytest
from stand_in_grbda import build_library, write_headers

from linkwright.bench.peers import grbda_cpp
from linkwright.bench.peers.grbda_cpp import GrbdaFailed, build, command_line, find_grbda
from linkwright.bench.peers.native_builds import PeerBuildFailed, PeerUnavailable
from linkwright.reproduce.environment import Peers
from linkwright.reproduce.papers import embedded_loops
from linkwright.reproduce.run import Run

COMPILER = shutil.which("clang++") or shutil.which("g++")
needs_compiler = pytest.mark.skipif(COMPILER is None, reason="needs a C++ compiler")


@pytest.fixture(autouse=True)
def own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("LINKWRIGHT_CACHE", str(tmp_path / "cache"))
    for name in ("CXX", "CXXFLAGS", "LDFLAGS"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def headers_only(tmp_path):
    folder = tmp_path / "generalized_rbda"
    write_headers(folder)
    return folder


def with_library_file(folder, name="libgrbda.a"):
    (folder / "build").mkdir()
    (folder / "build" / name).write_bytes(b"")
    return folder


def test_what_is_missing_is_said(tmp_path, headers_only):
    peer, about = find_grbda(None)
    assert peer is None and about.endswith("--grbda or $LINKWRIGHT_GRBDA says where a build of it is")
    assert "no folder 'nowhere'" in find_grbda(tmp_path / "nowhere")[1]
    assert "no grbda/Dynamics/ClusterTreeModel.h" in find_grbda(tmp_path)[1]
    assert "no libgrbda.so" in find_grbda(headers_only)[1] and "cmake" in find_grbda(headers_only)[1]


def test_peers_say_so_too():
    assert Peers(cpp=False).grbda is None
    assert Peers(cpp=False).about[-1].startswith("generalized_rbda is left out")


@needs_compiler
def test_the_compiler_is_told_what_the_library_was_told(headers_only, monkeypatch):
    folder = with_library_file(headers_only)
    monkeypatch.setenv("CXXFLAGS", "-I/opt/casadi/include")
    command, about = command_line(folder)
    assert "-march=native" not in command and "for any processor" in about
    assert "-DLW_TELLO=grbda::TelloWithArms" in command and "-I/opt/casadi/include" in command
    assert str(folder / "include") in command and str(folder / "build" / "libgrbda.a") in command
    (folder / "build" / "CMakeCache.txt").write_text("CMAKE_BUILD_TYPE:STRING=Release\nMARCH_NATIVE:BOOL=ON\n")
    write_headers(folder, tello="template <typename Scalar>")
    command, about = command_line(folder)
    assert "-march=native" in command and "for this processor" in about
    assert "-DLW_TELLO=grbda::TelloWithArms<double>" in command
    assert command_line(folder / "build")[0][-2:] == command[-2:], "the folder of the build will do"


@needs_compiler
def test_a_library_that_does_not_fit_is_left_out_with_the_compilers_words(headers_only):
    folder = with_library_file(headers_only)
    header = folder / "include" / "grbda" / "Robots" / "RobotTypes.h"
    header.write_text(header.read_text().replace("JVRC1_Humanoid", "Another"))
    with pytest.raises(PeerBuildFailed, match="JVRC1_Humanoid"):
        build(folder)
    assert find_grbda(folder)[0] is None
    with pytest.raises(PeerUnavailable, match="no-such-compiler"):
        grbda_cpp.find_compiler("no-such-compiler")


@needs_compiler
def test_it_is_compiled_and_asked_and_stands_beside_ours(headers_only, monkeypatch):
    build_library(headers_only, COMPILER)
    run = Run("tiny", 0.05, peers=Peers(cpp=False, grbda=headers_only))
    library = run.peers.grbda
    assert library is not None and run.peers.about[-1].startswith("generalized_rbda: libgrbda.so")
    for robot in ("geared_chain", "belt_chain", "mini_cheetah", "mit_humanoid", "jvrc1"):
        for algorithm in embedded_loops.NAMES:
            assert 0.0 < library.time(robot, algorithm, 3) < 1.0
    with pytest.raises(GrbdaFailed, match="Reflected Inertia not setup"):
        library.time("tello", "approximate_aba")
    with pytest.raises(GrbdaFailed, match="no robot nobody"):
        library.time("nobody", "cluster_aba")
    with pytest.raises(GrbdaFailed, match="no algorithm nothing"):
        library.time("jvrc1", "cluster_nothing")
    monkeypatch.setattr(grbda_cpp, "run_tool", lambda *_: pytest.fail("compiled again"))
    assert find_grbda(headers_only)[0] is not None

    algorithms = embedded_loops.TABLES["table-2"]
    values = embedded_loops.measure(run, algorithms)
    timed = values["robots"]["12 Link GT Chain"]["times"]
    assert {f"{name}, generalized_rbda" for name in algorithms} <= set(timed)
    _, counts, times, _ = embedded_loops.show(values, algorithms, "a title")
    assert "C-RNEA, generalized_rbda" in [row[0] for row in times.rows] and len(counts.rows) == 3

    library._process.kill()  # what ends takes nothing with it
    library._process.wait()
    with pytest.raises(GrbdaFailed, match="ended"):
        library.time("jvrc1", "cluster_aba")
