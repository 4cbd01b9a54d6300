"""`inverse_kinematics`: configurations that bring frames where they should be, loops closed and limits kept."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..algorithms.tree.frame_targets import Reaching
from ..call_errors import names_arguments
from ..codegen import CompiledFunction, compile_cached
from ..codegen.arguments import real_numbers
from ..errors import InputError, NoConvergence, UnsupportedError, unknown_name
from ..model import Model, tree_of
from ..model.found_once import found_once
from ..programs.request import sources_hash
from ..trace import simplify, trace
from .checked_arguments import checked_configuration, checked_model, joint_names, same_batch, velocity_indices
from .closed_configuration import project_configuration

OK, NOT_REACHED, NOT_FINITE = 0, 1, 3
_LONGEST_QUATERNION = 1e-3  # how far from unit length one may be
CLOSED = 1e-8  # metres and radians: loops of poses that are ok


@dataclass(frozen=True)
class InverseKinematics:
    """What `inverse_kinematics` found, each with a leading batch axis if there was one.

    q           configurations; where the target was not reached, the nearest pose that was found, its loops closed
    status      0 reached: every target within the tolerance, loops closed, limits kept. 1 not reached, 3 not finite
    error       (targets,) what is left: metres for positions, radians for orientations, in the order of `targets`
    iterations  passes of the start that was taken
    """

    q: np.ndarray
    status: np.ndarray
    error: np.ndarray = field(repr=False)
    iterations: np.ndarray = field(repr=False)
    targets: tuple[str, ...] = ()

    @property
    def ok(self) -> np.ndarray:
        return self.status == OK


@names_arguments
def inverse_kinematics(
    model: Model,
    positions: Mapping[str, Any] | None = None,
    orientations: Mapping[str, Any] | None = None,
    *,
    q0: Any = None,
    weights: Mapping[str, float | tuple[float, float]] | None = None,
    fixed: str | Iterable[str] | None = None,
    limits: bool = True,
    tolerance: float = 1e-8,
    starts: int = 4,
    seed: int = 0,
    threads: int | str = 1,
) -> InverseKinematics:
    """A configuration that brings frames to positions and orientations, near q0; for one target or a batch of them.

    positions     {frame: (3,) or (B, 3)} in the world, metres
    orientations  {frame: (4,) or (B, 4)} unit quaternions x y z w, from the frame's axes to the world's; or rotation
                  matrices (3, 3), (B, 3, 3)
    q0            (nq,) or (B, nq) to start from, by default `model.drawn`
    weights       {frame: number} or {frame: (of its position, of its orientation)}, what counts how much where not all
                  can be reached
    fixed         joints that keep the coordinates they have in q0
    limits        whether joints stay within their limits
    tolerance     of every target, metres and radians
    starts        how many: q0, then random ones for samples that were not reached

    Compiled: samples are computed on lanes and threads, and each ends by itself. Loops are closed in what is returned.
    Status 0 is a promise; nothing is raised for what cannot be reached.
    """
    checked_model(model)
    places, turns = _targets(model, "positions", positions, (3,)), _turns(model, orientations)
    if not places and not turns:
        raise InputError("there is nothing to reach: give positions={frame: (3,)} or orientations={frame: (4,)}")
    if not isinstance(tolerance, int | float) or isinstance(tolerance, bool) or not tolerance > 0:
        raise InputError(f"tolerance is {tolerance!r}; expected a positive number")
    if not isinstance(starts, int) or isinstance(starts, bool) or starts < 1:
        raise InputError(f"starts is {starts!r}; expected a positive whole number")
    untargeted = [c.name for c in model.constraints if not c.has_position]
    if untargeted:
        raise UnsupportedError(
            f"constraints {untargeted} do not say where they want things to be: make them with at=<pose in the world>, "
            "or leave them out: model.without_constraints()"
        )
    names = joint_names(model, "fixed", fixed)
    start = checked_configuration(model, "q0", model.drawn if q0 is None else q0)
    listed = {f"position of {k!r}": x for k, x in places.items()}
    listed |= {f"orientation of {k!r}": x for k, x in turns.items()}
    batched, arrays = same_batch(q0=start, **listed)
    start, rest = arrays[0], arrays[1:]
    search = _Search(model, tuple(places), tuple(turns), names, bool(limits), _weights(places, turns, weights), threads)
    with np.errstate(all="ignore"):
        found = search.run(start, rest, float(tolerance), starts, seed)
    if not batched:
        found = InverseKinematics(found.q[0], found.status[0], found.error[0], found.iterations[0], found.targets)
    return found


class _Search:
    def __init__(self, model, places, turns, fixed, limits, weights, threads):
        self.model, self.places, self.turns = model, places, turns
        self.held = frozenset(map(int, velocity_indices(model, fixed)))
        self.fixed, self.limits, self.weights = fixed, limits, np.array(weights)
        self.compiled = _compiled(model, places, turns, self.held, limits, threads)
        self.targets = (*(f"position of {x!r}" for x in places), *(f"orientation of {x!r}" for x in turns))

    def run(self, start: np.ndarray, targets: list[np.ndarray], tolerance: float, starts: int, seed: int):
        B = len(start)
        places = np.stack(targets[: len(self.places)], axis=1) if self.places else np.zeros((B, 0, 3))
        turns = np.stack(targets[len(self.places) :], axis=1) if self.turns else np.zeros((B, 0, 4))
        rng = np.random.default_rng(seed)
        best = self._from(start, places, turns, tolerance)
        for _ in range(starts - 1):
            open_ones = np.flatnonzero(best[1] == NOT_REACHED)
            if not len(open_ones):
                break
            first = self._random(rng, start[open_ones])
            found = self._from(first, places[open_ones], turns[open_ones], tolerance)
            better = (found[1] == OK) | (self._total(found[2]) < self._total(best[2][open_ones]))
            for array, new in zip(best, found, strict=True):
                array[open_ones[better]] = new[better]
        q, status, error, passes = best
        return InverseKinematics(q, status, error, passes, self.targets)

    def _total(self, errors: np.ndarray) -> np.ndarray:
        return np.linalg.norm(errors * self.weights, axis=1)

    def _random(self, rng, start: np.ndarray) -> np.ndarray:
        """Anywhere within limits, with loops closed if that is easy; fixed joints as they are."""
        drawn = self.model.random_configuration(rng, len(start))
        for name in self.fixed:
            own = self.model.iq[self.model.joint_index(name)]
            drawn[:, own] = start[:, own]
        return drawn

    def _from(self, start, places, turns, tolerance) -> list[np.ndarray]:
        q, frames, closures, passes = self.compiled(start, places, turns, self.weights, 0.5 * tolerance)
        opened = np.abs(closures).max(axis=1, initial=0.0)
        for k in np.flatnonzero(~(opened <= CLOSED) & np.isfinite(q).all(axis=1)):
            q[k], frames[k], closures[k] = self._closed(q[k], places[k], turns[k])
        error = np.linalg.norm(frames.reshape(len(q), len(self.targets), 3), axis=2)
        finite = np.isfinite(q).all(axis=1) & np.isfinite(error).all(axis=1)
        reached = (error <= tolerance).all(axis=1) & (np.abs(closures) <= CLOSED).all(axis=1) & self._within(q)
        status = np.where(reached, OK, np.where(finite, NOT_REACHED, NOT_FINITE)).astype(int)
        return [q, status, error, passes.astype(int)]

    def _closed(self, q, places, turns) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """A compromise between targets and loops, with its loops closed after all."""
        try:
            closed = project_configuration(self.model, q, fixed=self.fixed or None, start=q)
        except NoConvergence:
            closed = q
        _, frames, closures, _ = self.compiled(closed, places, turns, self.weights, np.inf)
        return closed, frames, closures

    def _within(self, q: np.ndarray) -> np.ndarray:
        kept = np.ones(len(q), dtype=bool)
        for n, _, lower, upper in Reaching(tree_of(self.model), (), (), self.held, self.limits).bounds():
            kept &= (q[:, n] >= lower) & (q[:, n] <= upper)
        return kept


@found_once
def _compiled(model: Model, places, turns, held, limits: bool, threads) -> CompiledFunction:
    reaching = Reaching(tree_of(model), places, turns, held, limits)

    def search(q, places, turns, weights, tolerance):
        q, frames, closures, passes = reaching.solve(q, places, turns, list(weights), tolerance[()])
        none = np.zeros(0)
        return {"q": q, "frames": frames, "closures": closures or none, "passes": passes}

    shapes = {
        "q": (model.nq,), "places": (len(places), 3), "turns": (len(turns), 4),
        "weights": (len(places) + len(turns),), "tolerance": (),
    }  # fmt: skip
    known = model.fingerprint_of("structure", "constraints")
    asked = repr((places, turns, sorted(held), limits, known, sources_hash()))
    key = hashlib.sha256(f"inverse kinematics {asked}".encode()).hexdigest()
    return compile_cached(
        lambda: simplify(trace(search, shapes, name="inverse_kinematics")), key=key, threads=threads
    )  # fmt: skip


def _targets(model: Model, what: str, given: Any, shape: tuple[int, ...]) -> dict[str, np.ndarray]:
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        raise InputError(f"{what} is a {type(given).__name__}; expected {{frame: array}}")
    found = {}
    for name, value in given.items():
        model.frame(name)  # refuses what is not there
        try:
            array = real_numbers(value)
        except (TypeError, ValueError):
            raise InputError(f"{what}[{name!r}] is {value!r}; expected numbers of shape {shape}") from None
        if array.shape != shape and array.shape[1:] != shape:
            raise InputError(f"{what}[{name!r}] has shape {array.shape}; expected {shape} or (B, {str(shape)[1:]}")
        if not np.isfinite(array).all():
            raise InputError(f"{what}[{name!r}] has numbers that are not finite")
        found[name] = array
    return found


def _turns(model: Model, given: Any) -> dict[str, np.ndarray]:
    if isinstance(given, Mapping):
        given = {name: _quaternion(name, value) for name, value in given.items()}
    return _targets(model, "orientations", given, (4,))


def _quaternion(name: str, value: Any) -> Any:
    """Of matrices; quaternions as they are, of unit length."""
    try:
        array = real_numbers(value)
    except (TypeError, ValueError):
        raise InputError(f"orientations[{name!r}] is {value!r}; expected a quaternion or a rotation matrix") from None
    if array.shape[-2:] == (3, 3):
        if not np.allclose(array @ np.swapaxes(array, -1, -2), np.eye(3), atol=1e-6):
            raise InputError(f"orientations[{name!r}] is no rotation matrix")
        return _from_matrices(array)
    if array.shape[-1:] == (4,):
        length = np.linalg.norm(array, axis=-1, keepdims=True)
        if not np.all(np.abs(length - 1.0) < _LONGEST_QUATERNION):
            raise InputError(f"orientations[{name!r}] is no unit quaternion: of length {length.ravel()[0]:.6g}")
        return array / length
    return array


def _from_matrices(R: np.ndarray) -> np.ndarray:
    """The eigenvector to the largest eigenvalue of a matrix that is q q' for a rotation: no case is special."""
    m = R.reshape(-1, 3, 3)
    K = np.empty((len(m), 4, 4))
    K[:, :3, :3] = m + np.swapaxes(m, 1, 2) - np.trace(m, axis1=1, axis2=2)[:, None, None] * np.eye(3)
    turned = np.stack([m[:, 2, 1] - m[:, 1, 2], m[:, 0, 2] - m[:, 2, 0], m[:, 1, 0] - m[:, 0, 1]], axis=1)
    K[:, :3, 3] = K[:, 3, :3] = turned
    K[:, 3, 3] = np.trace(m, axis1=1, axis2=2)
    return np.linalg.eigh(K)[1][:, :, -1].reshape(*R.shape[:-2], 4)


def _weights(places, turns, given) -> list[float]:
    known = {**dict.fromkeys(places), **dict.fromkeys(turns)}
    pairs = {}
    for name, value in (given or {}).items():
        if name not in known:
            raise unknown_name("frame with a target", name, known)
        pair = tuple(value) if isinstance(value, list | tuple) else (value, value)
        if len(pair) != 2 or not all(isinstance(x, int | float) and x > 0 for x in pair):
            raise InputError(f"weights[{name!r}] is {value!r}; expected a positive number, or two")
        pairs[name] = pair
    return [*(float(pairs.get(x, (1, 1))[0]) for x in places), *(float(pairs.get(x, (1, 1))[1]) for x in turns)]
