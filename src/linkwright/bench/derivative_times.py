"""`linkwright bench derivatives`: Jacobians and gradients of dynamics beside Pinocchio, as C++ and from Python."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from .. import compile as compile_algorithm
from .. import jacobian, vjp
from ..analysis.timing import best_seconds
from ..errors import InputError
from ..io import load, pinocchio_model, to_pinocchio
from ..model import Model
from ..model.editing import depth_first
from .constrained_times import consistent_velocities
from .loop_systems import pinocchio_constraints
from .peers.pinocchio_cpp import PinocchioCpp, PinocchioCppModel
from .systems import SYSTEMS

ROBOTS = ("panda", "solo12", "go1", "talos")
HELD = ("panda H6", "solo12 4F3", "talos 2F6")
BATCH = 256
_PEER_ROWS = 16
_PROXIMAL_MU, _PROXIMAL_ITERATIONS = 1e-10, 2  # Pinocchio's: in Python it takes no fewer to 1e-12
_NAMES = {"rnea": ("tau", "a"), "aba": ("a", "tau"), "constrained_aba": ("a", "tau")}  # output, last input


@dataclass(frozen=True)
class DerivativeTimes:
    """Microseconds; None where a peer is not there. Ours: all partial derivatives with respect to q, v and a or tau."""

    robot: str
    dof: int
    algorithm: str
    operations: int
    ratio: float  # of operations to those of the function
    gradient_ratio: float  # the same of its vjp, with values
    single: float
    batched: float
    gradient: float  # one gradient in a single call
    pinocchio_python: float | None
    pinocchio_cpp: float | None
    # largest difference to Pinocchio relative to the largest entry, of points along motions that keep them
    error: float | None

    @property
    def ratios(self) -> tuple[float, float] | None:
        """Pinocchio's time over ours: single call, and per sample in a batch."""
        theirs = self.pinocchio_cpp or self.pinocchio_python
        return None if theirs is None else (theirs / self.single, theirs / self.batched)

    def as_dictionary(self) -> dict[str, Any]:
        ratios = self.ratios or (None, None)
        return {**asdict(self), "ratio_single": ratios[0], "ratio_batched": ratios[1]}


def measure(
    robots=ROBOTS, held=HELD, *, peer: PinocchioCpp | None, seconds: float = 1.0,
    progress: Callable[[str], None] = lambda step: None,
) -> Iterator[DerivativeTimes]:  # fmt: skip
    for robot in robots:
        for algorithm in ("rnea", "aba"):
            yield _measured(robot, load(robot), algorithm, peer, seconds, progress)
    for system in held:
        yield _measured(system, SYSTEMS[system](), "constrained_aba", peer, seconds, progress)


def _measured(name: str, model: Model, algorithm: str, peer: PinocchioCpp | None, seconds: float, progress):
    # as Pinocchio numbers joints, so that vectors are those of both; and without dampers, which it leaves out
    model = _undamped(depth_first(model))
    rng = np.random.default_rng(0)
    q = model.random_configuration(rng, BATCH)
    v, x = rng.normal(size=(2, BATCH, model.nv))
    if model.constraints:  # where one is violated, conventions for J-dot v differ
        v = consistent_velocities(model, q, v)
    one = [np.ascontiguousarray(array[0]) for array in (q, v, x)]
    progress(f"{name}: compiling derivatives of {algorithm}")
    slopes, gradient = jacobian(model, algorithm), vjp(model, algorithm, values=True)
    outputs = ("a", "status") if model.constraints else None
    own = compile_algorithm(model, algorithm, outputs=outputs).operations.total
    weights = np.ones(model.nv)
    contenders: dict[str, Callable[[], object]] = {
        "single": lambda: slopes(*one),
        "batched": lambda: slopes(q, v, x),
        "gradient": lambda: gradient(*one, weights),
    }
    cpp_seconds: list[float] = []
    expected = None
    try:
        os.environ.setdefault("OMP_NUM_THREADS", "1")  # else its threads wait for cores, a thousand times as long
        import pinocchio
    except ImportError:
        pass
    else:
        other = pinocchio_model(model.without_constraints())
        call, results = _pinocchio_call(pinocchio, model, other, algorithm, one)
        contenders["pinocchio_python"] = call
        call()
        expected = results()
        if peer is not None:
            native, rows = peer.model(other), slice(0, _PEER_ROWS)
            many = to_pinocchio(model, q[rows]), v[rows], x[rows]
            timed = _cpp_call(native, model, other, algorithm)
            contenders["pinocchio_cpp"] = lambda: cpp_seconds.append(timed(*many, repeats=1)[0])
    progress(f"{name}: measuring {algorithm}")
    best = best_seconds(contenders, seconds=seconds)
    return DerivativeTimes(
        name, model.nv, algorithm, slopes.operations.total, slopes.operations.total / own,
        gradient.operations.total / own, best["single"] * 1e6, best["batched"] / BATCH * 1e6, best["gradient"] * 1e6,
        best["pinocchio_python"] * 1e6 if "pinocchio_python" in best else None,
        min(cpp_seconds) * 1e6 if cpp_seconds else None,
        None if expected is None else _error(algorithm, slopes(*one), expected, _kept(model, *one[:2])),
    )  # fmt: skip


def _cpp_call(native: PinocchioCppModel, model: Model, other, algorithm: str) -> Callable[..., tuple[float, Any]]:
    if not model.constraints:
        return partial(native.time_derivatives, algorithm)
    held = native.constrained(_listed(model, other), mu=1 / _PROXIMAL_MU, iterations=_PROXIMAL_ITERATIONS)
    return partial(held.time, "prox_ltl_derivatives")


def _kept(model: Model, q: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray] | None:
    """Of points that are held, derivatives agree along motions that keep them (docs/derivatives.md): (how v must change
    along with every change of q, the projector onto changes of v); None where there are no points."""
    if all(c.equality == "weld" for c in model.constraints):
        return None
    jacobian = compile_algorithm(model, "constraint_jacobian")
    J, step = jacobian(q), 1e-5
    rates = [(jacobian(model.integrate(q, step * e)) - jacobian(model.integrate(q, -step * e))) @ v / (2 * step)
             for e in np.eye(model.nv)]  # fmt: skip
    inverse = np.linalg.pinv(J)
    return -inverse @ np.array(rates).T, np.eye(model.nv) - inverse @ J


def _undamped(model: Model) -> Model:
    bodies = [body if body.joint is None else replace(body, joint=replace(body.joint, damping=np.zeros(body.joint.nv)))
              for body in model.bodies]  # fmt: skip
    return replace(model, bodies=tuple(bodies))


def _pinocchio_call(pinocchio, model: Model, other, algorithm: str, one):
    """What is timed, and what then gives dy_dq, dy_dv and dy_dx."""
    data, there = other.createData(), (to_pinocchio(model, one[0]), *one[1:])

    def symmetric(upper):
        return np.triu(upper) + np.triu(upper, 1).T

    if algorithm == "rnea":
        return (
            lambda: pinocchio.computeRNEADerivatives(other, data, *there),
            lambda: (data.dtau_dq, data.dtau_dv, symmetric(data.M)),
        )
    if algorithm == "aba":
        return (
            lambda: pinocchio.computeABADerivatives(other, data, *there),
            lambda: (data.ddq_dq, data.ddq_dv, symmetric(data.Minv)),
        )
    models = pinocchio.StdVec_RigidConstraintModel()
    models.extend([_rigid_model(pinocchio, other, *c[:3]) for c in _listed(model, other)])
    datas = pinocchio.StdVec_RigidConstraintData()
    datas.extend([c.createData() for c in models])
    settings = pinocchio.ProximalSettings(1e-12, _PROXIMAL_MU, 10)
    pinocchio.initConstraintDynamics(other, data, models, datas)

    def call():
        pinocchio.constraintDynamics(other, data, *there, models, datas, settings)
        pinocchio.computeConstraintDynamicsDerivatives(other, data, models, datas, settings)

    return call, lambda: (data.ddq_dq, data.ddq_dv, data.ddq_dtau)


def _listed(model: Model, other) -> list[tuple]:
    found = pinocchio_constraints(model, other)
    if isinstance(found, str):
        raise InputError(f"Pinocchio has no constraint like {found!r}")
    return found


def _rigid_model(pinocchio, other, joint: int, placement, kind: str):
    kinds = {"6d": pinocchio.ContactType.CONTACT_6D, "3d": pinocchio.ContactType.CONTACT_3D}
    return pinocchio.RigidConstraintModel(kinds[kind], other, joint, placement, pinocchio.LOCAL)


def _error(algorithm: str, found, expected, kept: tuple[np.ndarray, np.ndarray] | None) -> float:
    output, last = _NAMES[algorithm]
    ours = [np.asarray(getattr(found, f"d{output}_d{name}")) for name in ("q", "v", last)]
    differences = [mine - theirs for mine, theirs in zip(ours, expected, strict=True)]
    if kept is not None:
        along, projector = kept
        differences[0] = differences[0] + differences[1] @ along
        differences[1] = differences[1] @ projector
    sizes = (np.abs(theirs).max() for theirs in expected)
    return max(float(np.abs(d).max() / size) for d, size in zip(differences, sizes, strict=True))
