"""Pinocchio's C++ algorithms, compiled for this machine and timed in this process.

The `pin` wheel's binaries are built for any machine, and are no fair match for code compiled for this one.
So `PinocchioCpp.build()` compiles Pinocchio's headers with -O3 -march=native (see pinocchio_cpp.cpp):

    peer = PinocchioCpp.build().model(pinocchio_model)
    seconds, acceleration = peer.time("aba", q, v, tau)       # q: (samples, nq), v and tau: (samples, nv)

and, after `PinocchioCpp.build(constrained=True)`, its algorithms for mechanisms with constraints:

    feet = peer.constrained([(joint, placement, "6d"), ...], mu=1e5, iterations=3)
    seconds, acceleration = feet.time("lcaba", q, v, tau)

and, after `PinocchioCpp.build(derivatives=True)`, its derivatives of "rnea" and "aba":

    seconds, matrices = peer.time_derivatives("aba", q, v, tau)
"""

from __future__ import annotations

import ctypes
import hashlib
import os
import re
import sys
import tempfile
import weakref
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ...errors import InputError, UnsupportedError
from .native_builds import PeerUnavailable, directory_with, find_compiler, private_directory, run_tool

if TYPE_CHECKING:
    import pinocchio

SOURCE = Path(__file__).with_suffix(".cpp")
PARTS = ("ABA", "CRBA", "RNEA", "MODEL")  # slowest to compile first, so that parallel jobs end together
CONSTRAINED_SOURCE = SOURCE.with_name("pinocchio_cpp_constrained.cpp")
CONSTRAINED_PARTS = ("DERIVATIVES", "DELASSUS", "PROX_LTL", "CABA", "LCABA", "PROBLEM")
DERIVATIVE_SOURCE = SOURCE.with_name("pinocchio_cpp_derivatives.cpp")
DERIVATIVE_PARTS = ("ABA_DERIVATIVES", "RNEA_DERIVATIVES", "TABLE")
HEADER = SOURCE.with_suffix(".hpp")

# Pinocchio's joint variant has more alternatives than Boost's precomputed lists hold.
_BOOST_LIMITS = [f"-DBOOST_MPL_LIMIT_{kind}_SIZE=30" for kind in ("LIST", "VECTOR")]
_BOOST_LIMITS += ["-DBOOST_MPL_CFG_NO_PREPROCESSED_HEADERS", "-DBOOST_FUSION_INVOKE_MAX_ARITY=12"]
# Hidden, and bound to itself: `pinocchio` loads the same weak symbols, compiled with other alignments.
_FLAGS = ["-std=c++17", "-O3", "-march=native", "-DNDEBUG", "-fPIC", "-fvisibility=hidden", *_BOOST_LIMITS]
_LINK_FLAGS = ["-shared"] + (["-Wl,-Bsymbolic"] if sys.platform.startswith("linux") else [])

# The conventions Pinocchio offers for one algorithm; which is faster depends on the robot.
VARIANTS = {"aba": ("aba_local", "aba_world"), "crba": ("crba_local", "crba_world")}

# What each supported joint type is built from, in the order pinocchio_cpp.cpp reads it.
_NO_PARAMETERS = ["Spherical", "SphericalZYX", "Translation", "Planar", "FreeFlyer"]
_NO_PARAMETERS += [kind + axis for kind in ("R", "RUB", "P") for axis in "XYZ"]
_JOINT_PARAMETERS: dict[str, tuple[str, ...]] = {
    **{f"JointModel{kind}": () for kind in _NO_PARAMETERS},
    **{f"JointModel{kind}Unaligned": ("axis",) for kind in ("Revolute", "RevoluteUnbounded", "Prismatic")},
    **{f"JointModelH{axis}": ("pitch",) for axis in "XYZ"},
    "JointModelHelicalUnaligned": ("axis", "pitch"),
    "JointModelUniversal": ("axis1", "axis2"),
}


_CONSTRAINT_SIZES = {"3d": 3, "6d": 6}


class PinocchioCpp:
    """The compiled library: made by `build()`, it makes a `PinocchioCppModel` per robot with `model()`."""

    def __init__(
        self, path: Path, compiler: str, constrained_path: Path | None = None, derivatives_path: Path | None = None
    ) -> None:
        self.path, self.constrained_path = path, constrained_path
        self.compiler = compiler  # to be reported: g++ and clang++ differ by up to a factor 2
        self.calls = calls = ctypes.CDLL(str(path))
        text, pointer, number = ctypes.c_char_p, ctypes.c_void_p, ctypes.c_long
        calls.lw_last_error.restype = text
        calls.lw_model_from_text.argtypes, calls.lw_model_from_text.restype = [text], pointer
        calls.lw_model_free.argtypes, calls.lw_model_free.restype = [pointer], None
        calls.lw_output_shape.argtypes = [pointer, text, ctypes.POINTER(number)]
        calls.lw_time.argtypes = [pointer, text, pointer, pointer, pointer, number, number, pointer]
        calls.lw_time.restype = ctypes.c_double
        self.constrained_calls = None
        if constrained_path is not None:
            self.constrained_calls = calls = ctypes.CDLL(str(constrained_path))
            calls.lw_constrained_last_error.restype = text
            problem, states = (pointer, pointer, number, ctypes.c_double, number), (pointer, pointer, pointer)
            calls.lw_time_constrained.argtypes = (*problem, text, *states, number, number, pointer, number)
            calls.lw_time_constrained.restype = ctypes.c_double
        self.derivative_calls = None
        if derivatives_path is not None:
            self.derivative_calls = calls = ctypes.CDLL(str(derivatives_path))
            calls.lw_derivatives_last_error.restype = text
            calls.lw_time_derivatives.argtypes = [pointer, text, pointer, pointer, pointer, number, number, pointer]
            calls.lw_time_derivatives.restype = ctypes.c_double

    @classmethod
    def build(
        cls, compiler: str | None = None, jobs: int | None = None, *, constrained: bool = False,
        derivatives: bool = False,
    ) -> PinocchioCpp:  # fmt: skip
        """Compile the library, or load it from the cache; raise `PeerUnavailable` if something is missing.

        `compiler` is a command; by default $CXX, clang++ or g++. The first build takes one to three minutes,
        and 1.5 GB (clang++) to 3 GB (g++) of memory for each of `jobs` compilers (by default one per core).
        `constrained` adds the algorithms for mechanisms with constraints, `derivatives` those of dynamics, each as
        much time again.
        """
        command = [*find_compiler(compiler), *_FLAGS]
        command += [part for path in _find_headers() for part in ("-isystem", str(path))]
        # Every predefined macro: they tell compiler, instruction set and library versions, so all that a
        # cached build depends on besides its source and flags.
        headers = "#include <Eigen/Core>\n#include <boost/version.hpp>\n#include <pinocchio/config.hpp>\n"
        macros = run_tool([*command, "-dM", "-E", "-x", "c++", "-"], headers)
        if "__clang__" not in macros:
            # g++ marks template statics "unique": shared with pinocchio's libraries whatever the visibility.
            command.append("-fno-gnu-unique")
        wanted = ((SOURCE, PARTS, True), (CONSTRAINED_SOURCE, CONSTRAINED_PARTS, constrained),
                  (DERIVATIVE_SOURCE, DERIVATIVE_PARTS, derivatives))  # fmt: skip
        paths: list[Path | None] = []
        directory = private_directory()
        for source, parts, is_wanted in wanted:
            if not is_wanted:
                paths.append(None)
                continue
            key = "\n".join([HEADER.read_text(), source.read_text(), *command, *_LINK_FLAGS, macros])
            path = directory / f"{source.stem}-{hashlib.sha256(key.encode()).hexdigest()[:16]}.so"
            if not path.exists():
                _compile(command, source, parts, path, jobs or os.cpu_count() or 1)
            paths.append(path)
        version = re.search(r'#define __VERSION__ "(.*)"', macros)
        first: Path = paths[0]  # type: ignore[assignment]  # is always wanted
        return cls(first, f"{command[0]} ({version[1] if version else 'unknown version'})", *paths[1:])

    def model(self, model: pinocchio.Model) -> PinocchioCppModel:
        """Rebuild `model` in C++."""
        return PinocchioCppModel(self, model)

    def last_error(self) -> str:
        return self.calls.lw_last_error().decode()


class PinocchioCppModel:
    """One robot in C++, with the scratch memory its algorithms share: not for two threads at once."""

    def __init__(self, library: PinocchioCpp, model: pinocchio.Model) -> None:
        self.library, self.nq, self.nv = library, model.nq, model.nv
        self._handle = library.calls.lw_model_from_text(model_text(model).encode())
        if not self._handle:
            raise InputError(f"Pinocchio C++ cannot rebuild model {model.name!r}: {library.last_error()}")
        weakref.finalize(self, library.calls.lw_model_free, self._handle)

    def time(
        self,
        algorithm: str,
        q: np.ndarray,
        v: np.ndarray | None = None,
        x: np.ndarray | None = None,
        *,
        repeats: int = 20,
    ) -> tuple[float, np.ndarray]:
        """Return seconds per call (the best of `repeats` passes over all rows) and the result for each row.

        x is the torque for "aba" and the acceleration for "rnea"; "crba" takes only q, and is timed filling
        the upper half of the mass matrix. "aba" and "crba" are the faster of their "_local" and "_world".
        Pinocchio's CRBA is wrong (in Python too) unless the model's joints are numbered depth first.
        """
        if algorithm in VARIANTS:
            timed = [self.time(variant, q, v, x, repeats=repeats) for variant in VARIANTS[algorithm]]
            return min(timed, key=lambda seconds_and_out: seconds_and_out[0])
        calls, name, shape = self.library.calls, algorithm.encode(), (ctypes.c_long * 2)()
        if calls.lw_output_shape(self._handle, name, shape) < 0:
            raise InputError(f"{self.library.last_error()}; or the faster of two: {' '.join(VARIANTS)}")
        samples, states = self._states(q, v, x)
        out = np.empty((samples, *shape))
        seconds = calls.lw_time(self._handle, name, *_pointers(states), samples, repeats, out.ctypes.data)
        if seconds < 0:
            raise InputError(f"timing Pinocchio C++: {self.library.last_error()}")
        return seconds, out[:, :, 0] if shape[1] == 1 else out

    def time_derivatives(
        self, algorithm: str, q: np.ndarray, v: np.ndarray, x: np.ndarray, *, repeats: int = 20
    ) -> tuple[float, np.ndarray]:
        """Likewise of derivatives with respect to q, v and x: (samples, nv, 3 nv)."""
        calls = self.library.derivative_calls
        if calls is None:
            raise InputError("this library has no derivatives; build(derivatives=True) adds them")
        samples, states = self._states(q, v, x)
        out = np.empty((samples, self.nv, 3 * self.nv))
        pointers = _pointers(states)
        seconds = calls.lw_time_derivatives(
            self._handle, algorithm.encode(), *pointers, samples, repeats, out.ctypes.data
        )
        if seconds < 0:
            raise InputError(f"timing Pinocchio C++: {calls.lw_derivatives_last_error().decode()}")
        return seconds, out

    def _states(self, q: np.ndarray, v: np.ndarray | None, x: np.ndarray | None) -> tuple[int, list[np.ndarray | None]]:
        samples = len(np.atleast_2d(q))
        widths = (("q", q, self.nq), ("v", v, self.nv), ("x", x, self.nv))
        return samples, [_rows(label, rows, (samples, width)) for label, rows, width in widths]

    def constrained(
        self, constraints: Sequence[RigidConstraint | tuple], *, mu: float = 1e5, iterations: int = 3
    ) -> PinocchioCppConstrained:
        """This robot with constraints: each a `RigidConstraint`, or a tuple of its fields."""
        return PinocchioCppConstrained(self, [RigidConstraint(*c) for c in constraints], mu, iterations)


class RigidConstraint(NamedTuple):
    """Holds a frame on a joint (by Pinocchio's index) still relative to one on another joint, or the ground (0).

    "6d" welds the frames together, "3d" their origins. Its rows are in the first frame; there is no stabilization.
    """

    joint: int
    placement: pinocchio.SE3 | None = None
    kind: str = "6d"
    other_joint: int = 0
    other_placement: pinocchio.SE3 | None = None

    @property
    def size(self) -> int:
        return _CONSTRAINT_SIZES[self.kind]

    def numbers(self) -> list[float]:
        """As pinocchio_cpp_constrained.cpp reads it."""
        if self.kind not in _CONSTRAINT_SIZES:
            raise InputError(f"a constraint's kind is {self.kind!r}; expected one of {', '.join(_CONSTRAINT_SIZES)}")
        values = [float(self.joint), float(self.other_joint), float(self.size)]
        for placement in (self.placement, self.other_placement):
            if placement is None:
                values += [*np.eye(3).ravel(), 0.0, 0.0, 0.0]
            else:
                values += [*np.ravel(placement.rotation), *placement.translation]
        return values


class PinocchioCppConstrained:
    """One robot with constraints in C++. `mu` is a penalty, large is stiff: the inverse of Pinocchio's.

    prox_ltl           `constraintDynamics`: sparse Cholesky (LTL) of the KKT matrix, proximal iterations
    prox_ltl_derivatives  the same, and `computeConstraintDynamicsDerivatives`
    lcaba              `lcaba`, the same problem solved by elimination, joint by joint
    caba, pv           `constrainedABA` and `pv`; constraints to the ground, all "3d" or all "6d"
    delassus_cholesky  J M^-1 J', from `crba` and the Cholesky factor of M
    delassus_efpa, delassus_pv_osimr  the same by propagation; constraints to the ground
    delassus_damped    (J M^-1 J' + 1/mu)^-1 by propagation; constraints to the ground

    All iterations are done, converged or not, and the first solve counts as one: 1 is the penalty method. Only
    "caba" is not where so many iterations lead: in Pinocchio 4.1 its first update of the multipliers uses the
    accelerations of the call before. It converges all the same, an iteration or two later.
    """

    def __init__(
        self, model: PinocchioCppModel, constraints: list[RigidConstraint], mu: float, iterations: int
    ) -> None:
        if model.library.constrained_calls is None:
            raise InputError("this library has no constrained algorithms; build(constrained=True) adds them")
        if not mu > 0:
            raise InputError(f"mu is {mu}; a penalty must be positive")
        self.model, self.mu, self.iterations = model, float(mu), iterations
        self._calls = model.library.constrained_calls
        self._rows = np.array([constraint.numbers() for constraint in constraints])
        self.size = sum(constraint.size for constraint in constraints)

    def time(
        self,
        algorithm: str,
        q: np.ndarray,
        v: np.ndarray | None = None,
        tau: np.ndarray | None = None,
        *,
        repeats: int = 20,
    ) -> tuple[float, np.ndarray]:
        """Return seconds per call (the best of `repeats` passes over all rows) and the result for each row.

        That is the acceleration, its derivatives with respect to q, v and tau side by side, (samples, nv, 3 nv), or a
        matrix for the algorithms named "delassus", which take only q.
        """
        samples, states = self.model._states(q, v, tau)
        shape: tuple[int, ...] = (self.model.nv,)
        if algorithm.startswith("delassus"):
            shape = (self.size, self.size)
        elif algorithm.endswith("derivatives"):
            shape = (self.model.nv, 3 * self.model.nv)
        out = np.empty((samples, *shape))
        problem = (self.model._handle, self._rows.ctypes.data, len(self._rows), 1 / self.mu, self.iterations)
        size = int(np.prod(shape))
        seconds = self._calls.lw_time_constrained(
            *problem, algorithm.encode(), *_pointers(states), samples, repeats, out.ctypes.data, size
        )
        if seconds < 0:
            error = self._calls.lw_constrained_last_error().decode()
            raise InputError(f"timing Pinocchio C++: {error}")
        return seconds, out


def find_peer(*, constrained: bool = False, derivatives: bool = False) -> tuple[PinocchioCpp | None, str]:
    """The library if it can be built here, and a sentence about it."""
    try:
        peer = PinocchioCpp.build(constrained=constrained, derivatives=derivatives)
    except PeerUnavailable as error:
        return None, f"Pinocchio C++ is left out: {error.reason}"
    return peer, f"Pinocchio C++: built here with {peer.compiler} -O3 -march=native"


def model_text(model: pinocchio.Model) -> str:
    """Write all the dynamics depend on, with numbers that read back to the same bits, a joint per line."""
    lines = [f"gravity {_numbers(model.gravity.vector)}", f"joints {model.njoints - 1}"]
    for i in range(1, model.njoints):
        joint, placement, inertia = model.joints[i], model.jointPlacements[i], model.inertias[i]
        kind = joint.shortname()
        if kind not in _JOINT_PARAMETERS:
            supported = ", ".join(sorted(_JOINT_PARAMETERS))
            raise UnsupportedError(f"joint {model.names[i]!r}: {kind} is not supported here, only {supported}")
        specific = joint.extract()
        if kind == "JointModelRevoluteUnboundedUnaligned":  # the only one whose axis Python cannot see
            parameters = [np.ravel(joint.createData().S)[3:]]
        else:
            parameters = [getattr(specific, name) for name in _JOINT_PARAMETERS[kind]]
        body = [inertia.mass, inertia.lever, inertia.inertia]
        values = _numbers(*parameters, placement.rotation, placement.translation, *body)
        lines.append(f"{model.parents[i]} {kind} {values}")
    return "\n".join([*lines, f"armature {_numbers(model.armature)}", "end"])


def _numbers(*values: np.ndarray | float) -> str:
    return " ".join(repr(float(number)) for value in values for number in np.ravel(value))


def _rows(name: str, given: np.ndarray | None, shape: tuple[int, int]) -> np.ndarray | None:
    if given is None:
        return None
    rows = np.ascontiguousarray(np.atleast_2d(given), dtype=float)
    if rows.shape != shape:
        raise InputError(f"{name}: got shape {np.shape(given)}, expected {shape}")
    return rows


def _pointers(states: list[np.ndarray | None]) -> list[int | None]:
    return [None if rows is None else rows.ctypes.data for rows in states]


def _find_headers() -> list[Path]:
    """Return the include directories of Pinocchio, Eigen and Boost, the wheels' own before the system's."""
    os.environ.setdefault("OMP_NUM_THREADS", "1")  # else its threads wait for cores, a thousand times as long
    try:
        import pinocchio
    except ImportError as error:
        raise PeerUnavailable(f"cannot import pinocchio ({error}); get it with: pip install pin") from error
    near = [parent / "include" for parent in Path(pinocchio.__file__).parents]
    own = directory_with("pinocchio/algorithm/aba.hpp", near, "pip install pin")
    everywhere = [own] + [Path(prefix, "include") for prefix in (sys.prefix, "/usr/local", "/usr")]
    asked = os.environ.get("EIGEN3_INCLUDE_DIR")
    eigens = [Path(asked)] if asked else [path / "eigen3" for path in everywhere]
    eigen = directory_with("Eigen/Core", eigens, "pip install cmeel-eigen, or set EIGEN3_INCLUDE_DIR")
    boost = directory_with("boost/version.hpp", everywhere, "pip install cmeel-boost")
    # Naming /usr/include again would put it before the compiler's own headers, which then are not found.
    return [path for path in dict.fromkeys([own, eigen, boost]) if path != Path("/usr/include")]


def _compile(command: list[str], source: Path, parts: tuple[str, ...], path: Path, jobs: int) -> None:
    with tempfile.TemporaryDirectory(dir=path.parent) as directory, ThreadPoolExecutor(jobs) as pool:
        objects = {part: f"{directory}/{part}.o" for part in parts}
        steps = [[f"-DLW_PART_{part}", "-c", str(source), "-o", target] for part, target in objects.items()]
        list(pool.map(run_tool, [[*command, *step] for step in steps]))
        run_tool([*command, *objects.values(), *_LINK_FLAGS, "-o", f"{directory}/library"])
        os.replace(f"{directory}/library", path)  # atomic: another process may be building the same file
