"""generalized_rbda, the C++ library of [Chignoli2023], where a user points to a build of it.

It is not on any package index, so it is looked for where `linkwright reproduce --grbda` or $LINKWRIGHT_GRBDA says: its
repository with a folder `build`, or where it was installed. grbda_cpp.cpp is compiled against it and then runs as a
process of its own, asked by lines: whatever is wrong with a build takes nothing else with it.

    peer, about = find_grbda("generalized_rbda")
    seconds = peer.time("mit_humanoid", "cluster_aba")        # one call, the mean of a few random states

Its robots are those that the library builds itself. The compiler is told what the library was told, and no more: other
instructions give Eigen's arrays another alignment. $CXXFLAGS and $LDFLAGS add what is missing.
"""

from __future__ import annotations

import hashlib
import os
import re
import shlex
import subprocess
import sys
import weakref
from importlib.util import find_spec
from pathlib import Path

from ...errors import LinkwrightError
from .native_builds import PeerBuildFailed, PeerUnavailable, find_compiler, private_directory, run_tool

SOURCE = Path(__file__).with_suffix(".cpp")
VARIABLE = "LINKWRIGHT_GRBDA"
STATES = 20  # of one answer
_HEADER = "grbda/Dynamics/ClusterTreeModel.h"
_LIBRARIES = ("libgrbda.so", "libgrbda.dylib", "libgrbda.a")
_GENERATED = "CasadiGen.h"  # which some versions include without its folder


class GrbdaFailed(LinkwrightError):
    """The process gave no answer."""


class GrbdaCpp:
    """The compiled program, running."""

    def __init__(self, program: Path, about: str) -> None:
        self.about = about
        self._process = subprocess.Popen(
            [str(program)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
        weakref.finalize(self, _end, self._process)

    def time(self, robot: str, algorithm: str, states: int = STATES) -> float:
        """Seconds of one call. Raises `GrbdaFailed` where the library does not know the robot or the algorithm."""
        process = self._process
        try:
            if hasattr(os, "sched_setaffinity"):
                os.sched_setaffinity(process.pid, os.sched_getaffinity(0))  # on the core of all others
            assert process.stdin is not None and process.stdout is not None
            process.stdin.write(f"{robot} {algorithm} {states}\n")
            process.stdin.flush()
            answer = next((line for line in process.stdout if line.startswith("answer ")), "answer error it ended")
        except OSError:
            answer = "answer error it ended"
        _, word, rest = answer.strip().split(" ", 2)
        if word == "seconds":
            return float(rest)
        raise GrbdaFailed(f"generalized_rbda, {robot}, {algorithm}: {rest}")


def find_grbda(folder: str | Path | None) -> tuple[GrbdaCpp | None, str]:
    """(The peer, or None; what it is, or why there is none)."""
    if not folder:
        return None, f"generalized_rbda is left out: --grbda or ${VARIABLE} says where a build of it is"
    try:
        peer = build(Path(folder))
    except PeerUnavailable as error:
        return None, f"generalized_rbda is left out: {error.reason}"
    return peer, peer.about


def build(folder: Path) -> GrbdaCpp:
    """Compile, or take from the cache; raise `PeerUnavailable` if something is missing."""
    command, how = command_line(folder)
    library = found_library(folder)
    status = library.stat()
    key = "\n".join([SOURCE.read_text(), *command, str(status.st_mtime_ns), str(status.st_size)])
    program = private_directory() / f"grbda_cpp-{hashlib.sha256(key.encode()).hexdigest()[:16]}"
    if not program.exists():
        temporary = program.with_name(f"{program.name}.{os.getpid()}")
        run_tool([*command, "-o", str(temporary)])
        os.replace(temporary, program)  # atomic: another process may be building the same file
    peer = GrbdaCpp(program, f"generalized_rbda: {how}")
    try:
        peer.time("geared_chain", "cluster_aba", 1)
    except GrbdaFailed as error:
        raise PeerBuildFailed(f"it was built and does not run: {error}") from error
    return peer


def command_line(folder: Path) -> tuple[list[str], str]:
    """(The compiler's arguments but for the output, what to say of them)."""
    if not folder.is_dir():
        raise PeerUnavailable(f"there is no folder {folder.name!r}")
    headers, library = found_headers(folder), found_library(folder)
    native = _was_native(folder)
    command = [*find_compiler(None), "-std=c++17", "-O3", "-DNDEBUG", *(["-march=native"] if native else [])]
    command.append(f"-DLW_TELLO={_tello(headers)}")
    for path in _include_folders(folder, headers):
        command += ["-I", str(path)]
    command += [*shlex.split(os.environ.get("CXXFLAGS", "")), str(SOURCE), str(library)]
    for path in (library.parent, *_casadi_libraries()):
        command += [f"-L{path}", f"-Wl,-rpath,{path}"]
    command += ["-lcasadi", *shlex.split(os.environ.get("LDFLAGS", ""))]
    processor = "for this processor" if native else "for any processor"
    how = f"{library.name}, built {processor} by its user, called from code compiled with {command[0]} -O3"
    return command, how


def found_headers(folder: Path) -> Path:
    for path in (folder / "include", folder.parent / "include", folder):
        if (path / _HEADER).is_file():
            return path
    raise PeerUnavailable(f"no {_HEADER} in {folder.name}/include or beside it: is it the library's repository?")


def found_library(folder: Path) -> Path:
    for path in (folder, folder / "lib", folder / "build", folder / "build" / "lib"):
        for name in _LIBRARIES:
            if (path / name).is_file():
                return path / name
    raise PeerUnavailable(
        f"no {', '.join(_LIBRARIES)} in {folder.name}, its lib or its build: "
        "build it first (mkdir build && cd build && cmake -DMARCH_NATIVE=ON .. && make grbda)"
    )


def _include_folders(folder: Path, headers: Path) -> list[Path]:
    """Its own, what its build generated, and Eigen and CasADi where they usually are."""
    near = [headers, *(path.parent for path in sorted(headers.parent.rglob(_GENERATED)))]
    near += [path for path in (folder, folder / "build") if (path / "config.h").is_file()]
    asked = os.environ.get("EIGEN3_INCLUDE_DIR")
    prefixes = [Path(prefix, "include") for prefix in (sys.prefix, "/usr/local", "/usr")]
    eigens = [Path(asked)] if asked else [path / "eigen3" for path in prefixes]
    casadi = [path / "include" for path in _casadi()]
    return list(dict.fromkeys([*near, *(path for path in (*eigens, *casadi) if path.is_dir())]))


def _casadi() -> list[Path]:
    """The wheel has headers and library in one folder."""
    found = find_spec("casadi")
    return [Path(found.origin).parent] if found and found.origin else []


def _casadi_libraries() -> list[Path]:
    return [path for path in _casadi() if any(path.glob("libcasadi.*"))]


def _was_native(folder: Path) -> bool:
    """Whether the library was built for this processor; what is compiled against it must be if and only if it was."""
    for path in (folder / "CMakeCache.txt", folder / "build" / "CMakeCache.txt"):
        if path.is_file():
            return re.search(r"^MARCH_NATIVE:BOOL=(ON|TRUE|1)$", path.read_text(), re.MULTILINE) is not None
    return False


def _tello(headers: Path) -> str:
    path = headers / "grbda" / "Robots" / "TelloWithArms.hpp"
    is_template = path.is_file() and re.search(r"template\s*<[^>]*>\s*class\s+TelloWithArms", path.read_text())
    return "grbda::TelloWithArms<double>" if is_template else "grbda::TelloWithArms"


def _end(process: subprocess.Popen) -> None:
    process.kill()
    process.wait()
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            pipe.close()
