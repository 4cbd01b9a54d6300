"""`linkwright.simulate`."""

from __future__ import annotations

import time
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from ..codegen import CompiledFunction
from ..compilation import compile
from ..errors import InputError, SimulationError, unknown_name
from ..io import load
from ..model import Model
from .control import Control, as_control
from .start import as_state, check_start
from .trajectory import Trajectory

# A call of compiled code does about this many operations (some tenths of a second), so that Ctrl-C gets through.
_OPERATIONS_PER_CALL = 10**9
_LARGEST_RECORD = 2**34  # bytes
_EXTRA_OUTPUTS = ("a", "torque", "lam", "forces", "residual", "drift")
_STARTS = ("check", "project", "as given")


def simulate(
    robot: Model | str | Path,
    q0: Any = None,
    v0: Any = None,
    *,
    dt: float = 1e-3,
    steps: int,
    control: Any = None,
    integrator: str = "euler",
    solver: str | None = None,
    iterations: int = 2,
    mu: Any = None,
    baumgarte: float | str | None = "auto",
    projection: bool = False,
    friction: bool = True,
    limits: bool = True,
    record: int = 1,
    outputs: str | Sequence[str] = (),
    start: str = "check",
    lanes: int | str = "auto",
    threads: int | str = 1,
    cache: bool = True,
) -> Trajectory:
    """Move a robot for `steps` steps of `dt` seconds from (q0, v0); many steps run in one call of compiled code.

    q0, v0       (n,), or (B, n) for a batch; by default the neutral configuration at rest
    control      None, torques (nv,), (steps, nv) or (B, steps, nv), gains `linkwright.PD(...)`, or a function
                 control(t, q, v) that returns torques and is called before each step
    integrator   "euler" (semi-implicit) or "rk4" (Runge-Kutta 4 on the configuration manifold)
    solver       of forward dynamics, by name; None takes the one with the fewest operations that suits the model
    iterations   of proximal solvers, which start from the last step's multipliers
    baumgarte    time constant of stabilization in seconds; "auto" is twice dt, None switches it off
    projection   True moves each step's result onto the constraints
    friction, limits   whether Coulomb friction and joint limits act
    record       every how many steps states are kept (the last one always is)
    outputs      further quantities to keep: a, torque, lam, forces, residual, drift
    start        "check" refuses a start that violates constraints, "project" moves it onto them

    Raises `SimulationError`, with the trajectory so far, if the state becomes infinite or `control` fails.
    """
    model = robot if isinstance(robot, Model) else load(robot)
    _check_numbers(dt, steps, record, start)
    kept = (outputs,) if isinstance(outputs, str) else tuple(outputs)
    for name in kept:
        if name not in _EXTRA_OUTPUTS:
            raise unknown_name("output of simulate", name, _EXTRA_OUTPUTS)
    q, v = as_state(model, q0, v0)
    if start == "project":
        q, v = _projected(model, q, v)
    bound = as_control(model, control, q, steps)
    if start == "check":
        check_start(model, q, v)
    options = {
        "integrator": integrator, "solver": solver, "iterations": iterations, "mu": mu, "baumgarte": baumgarte,
        "projection": projection, "friction": friction, "limits": limits, "feedback": bound.feedback,
        "warm_start": "input" if model.constraints else None, "books": "input",
    }  # fmt: skip
    step = _compiled(model, kept, _hashable(options), lanes, threads, cache)
    rollout = _Rollout(model, step, bound, q, v, float(dt), int(steps), int(record), kept, options)
    return rollout.under_policy() if bound.policy else rollout.at_once()


class _Rollout:
    """One simulation: inputs of the step, and the pieces of trajectory computed so far."""

    def __init__(self, model, step: CompiledFunction, control: Control, q, v, dt, steps, every, kept, options):
        self.model, self.step, self.control, self.dt, self.steps, self.every = model, step, control, dt, steps, every
        self.kept, self.options = kept, options
        batches = {len(x) for x in (q, v) if x.ndim == 2} | ({control.batch} - {None})
        if len(batches) > 1:
            raise InputError(f"q0, v0 and control hold {sorted(batches)} samples; expected the same number")
        self.lead = tuple(batches)
        self.start = {
            "q": self._spread(q), "v": self._spread(v), "work": self._spread(np.zeros(3)),
            "worst": self._spread(np.zeros(2)),
        }  # fmt: skip
        if model.constraints:
            self.start["lam"] = self._spread(np.zeros(model.nc))
        self.recorded = ("q", "v", "work", *kept)
        self.pieces: list[dict[str, np.ndarray]] = []
        self.state, self.done, self.seconds = dict(self.start), 0, 0.0
        row = sum(spec.size for spec in step.outputs if spec.name in self.recorded) * 8
        size = row * int(np.prod(self.lead, dtype=int)) * -(-steps // every)
        if size > _LARGEST_RECORD:
            raise InputError(
                f"keeping every {every}. of {steps} steps would take {size / 2**30:.0f} GB; keep fewer with record=..."
            )

    def _spread(self, x: np.ndarray) -> np.ndarray:
        return np.array(np.broadcast_to(x, (*self.lead, x.shape[-1])))

    def at_once(self) -> Trajectory:
        """All in compiled code; a few calls if it takes long."""
        cost = max(1, self.step.operations.total) * int(np.prod(self.lead, dtype=int) or 1)
        share = max(1, _OPERATIONS_PER_CALL // (cost * self.every)) * self.every
        last = tuple(name for name in ("lam", "worst") if name not in self.kept and name in self.state)
        while self.done < self.steps:
            count = min(share, self.steps - self.done)
            inputs = {**self.control.inputs, **self.state, "dt": self.dt}
            for name in self.control.advancing:
                inputs[name] = inputs[name][..., self.done : self.done + count, :]
            begin = time.perf_counter()
            result = self.step.repeat(
                inputs, count, every=self.every, advancing=self.control.advancing, last=last
            )
            self.seconds += time.perf_counter() - begin
            axis = len(self.lead)
            self.state = {
                name: np.ascontiguousarray(result[name] if name in last else np.take(result[name], -1, axis=axis))
                for name in self.start
            }
            self.pieces.append({name: np.asarray(result[name]) for name in self.recorded})
            self.done += count
            self._check_finite()
        return self.trajectory()

    def under_policy(self) -> Trajectory:
        """Step by step, asking the policy before each."""
        axis, since = len(self.lead), 0
        for k in range(self.steps):
            begin = time.perf_counter()
            tau = self._torques(k)
            inputs = {**self.control.inputs, **self.state, "tau": tau, "dt": np.array(self.dt)}
            result = self.step(**inputs)
            self.seconds += time.perf_counter() - begin
            self.state = {name: result[name] for name in self.start}
            self.done, since = k + 1, since + 1
            if since == self.every or self.done == self.steps:
                piece = {name: np.expand_dims(np.asarray(result[name]), axis) for name in self.recorded}
                self.pieces.append(piece)
                since = 0
                self._check_finite()
        return self.trajectory()

    def _torques(self, k: int) -> np.ndarray:
        shape = (*self.lead, self.model.nv)
        t = k * self.dt
        try:
            given = self.control.policy(t, self.state["q"].copy(), self.state["v"].copy())
            tau = np.array(given, dtype=float)
        except Exception as error:
            raise SimulationError(
                f"control failed in step {k} (t = {t:.6g} s): {type(error).__name__}: {error}", self.trajectory()
            ) from error
        if tau.shape not in (shape, shape[-1:]):
            raise SimulationError(
                f"control returned shape {tau.shape} in step {k}; expected {shape} torques", self.trajectory()
            )
        if not np.all(np.isfinite(tau)):
            entry = int(np.argwhere(~np.isfinite(tau))[0][-1])
            raise SimulationError(
                f"control returned {tau.ravel()[~np.isfinite(tau.ravel())][0]} for velocity {entry} in step {k} "
                f"(t = {t:.6g} s)", self.trajectory(),
            )  # fmt: skip
        return np.ascontiguousarray(np.broadcast_to(tau, shape))

    def _check_finite(self) -> None:
        if all(np.all(np.isfinite(self.state[name])) for name in ("q", "v")):
            return
        whole = self.trajectory()
        ok = np.isfinite(whole.q).all(axis=-1) & np.isfinite(whole.v).all(axis=-1)
        first = int(np.argwhere(~ok)[:, -1].min())
        which = f" in {np.sum(~whole.finite)} of {self.lead[0]} samples" if self.lead else ""
        if not self.lead:  # what is not finite is of no use; in a batch other samples may go on
            whole = self.trajectory(first)
        raise SimulationError(
            f"{self.model.name!r}: the state is no longer finite at t = {first * self.every * self.dt:.6g} s{which}. "
            f"Take a smaller dt, or check gains and springs against it; this error's `trajectory` holds the rest",
            whole,
        )

    def trajectory(self, states: int | None = None) -> Trajectory:
        """What was computed so far, or its first `states` states."""
        axis = len(self.lead)
        parts = {
            name: np.concatenate([np.expand_dims(self.start[name], axis), *(p[name] for p in self.pieces)], axis)
            for name in ("q", "v", "work")
        }
        shapes = {spec.name: spec.shape for spec in self.step.outputs}
        extra = {
            name: np.concatenate([np.zeros((*self.lead, 0, *shapes[name])), *(p[name] for p in self.pieces)], axis)
            for name in self.kept
        }
        count = parts["q"].shape[axis] if states is None else states
        at = np.minimum(np.arange(count) * self.every, self.done)
        keep = (slice(None),) * axis
        return Trajectory(
            self.model, self.dt, self.options["integrator"], self.options["solver"], self.options["iterations"],
            at * self.dt, *(parts[name][(*keep, slice(count))] for name in ("q", "v", "work")), self.state["worst"],
            self.state.get("lam", np.zeros((*self.lead, 0))),
            {name: x[(*keep, slice(max(0, count - 1)))] for name, x in extra.items()}, self.done, self.seconds,
        )  # fmt: skip


def _check_numbers(dt, steps, record, start) -> None:
    try:
        fine = np.isfinite(dt) and np.ndim(dt) == 0 and dt > 0
    except TypeError:
        fine = False
    if not fine:
        raise InputError(f"dt is {dt!r}; expected a positive number of seconds")
    for name, value in (("steps", steps), ("record", record)):
        if not isinstance(value, int | np.integer) or isinstance(value, bool) or value < 1:
            raise InputError(f"{name} is {value!r}; expected a positive whole number")
    if start not in _STARTS:
        raise unknown_name("start", start, _STARTS)


def _projected(model: Model, q: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    from ..assembly import project_configuration, project_velocity

    q = project_configuration(model, q)
    return q, project_velocity(model, q, v)


def _hashable(options: dict[str, Any]) -> tuple:
    mu = options["mu"]
    return tuple({**options, "mu": tuple(mu.items()) if isinstance(mu, dict) else mu}.items())


@lru_cache(maxsize=32)
def _compiled(model: Model, kept: tuple[str, ...], options: tuple, lanes, threads, cache: bool) -> CompiledFunction:
    """The step, kept for the process: simulating again costs no look at the disk."""
    chosen = dict(options)
    if isinstance(chosen["mu"], tuple):
        chosen["mu"] = dict(chosen["mu"])
    names = ["q", "v", "work", "worst", *(["lam"] if model.constraints else []), *kept]
    wanted = tuple(dict.fromkeys(names))
    return compile(model, "step", outputs=wanted, lanes=lanes, threads=threads, cache=cache, repeat=True, **chosen)
