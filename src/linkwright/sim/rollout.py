"""One simulation under way: the compiled step, its inputs, and what has been computed so far."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from math import isfinite

import numpy as np

from ..codegen import CompiledFunction
from ..codegen.arguments import real_numbers
from ..errors import InputError, SimulationError
from ..model import Model
from .control import Control
from .given import HOLDING, NO_PARAMETERS
from .prepared import Prepared
from .trajectory import Trajectory

# A call of compiled code does about this many operations (some tenths of a second), so that Ctrl-C gets through.
_OPERATIONS_PER_CALL = 10**9
_LARGEST_RECORD = 2**34  # bytes
_FIRST_SOLUTIONS = 3  # with two iterations each, six in all: to rounding in all but the most singular poses


class Rollout:
    """One simulation: inputs of the step, and the pieces of trajectory computed so far.

    diverging   "raise" where a state is not finite; "keep" goes on with the other samples
    """

    def __init__(self, prepared: Prepared, step: CompiledFunction, *, diverging: str = "raise"):
        self.step, self.diverging = step, diverging
        self.model, self.control, self.given = prepared.model, prepared.control, prepared.given
        self.dt, self.steps, self.every = prepared.dt, prepared.steps, prepared.every
        self.kept, self.options = prepared.kept, prepared.options
        model, control, given, dt = self.model, self.control, self.given, self.dt
        self.inputs, self.advancing = {**control.inputs, **given.arrays}, (*control.advancing, *given.advancing)
        self.base_pushed = "f_ext" in given.arrays or _pushes_base(model, control)
        samples = prepared.samples
        self.lead = () if samples is None else (samples,)
        q, v, act, kept, steps, every = prepared.q, prepared.v, prepared.act, self.kept, self.steps, self.every
        self.session = prepared.session
        self.start = self.session.first_state(self.lead, dt, q=q, v=v, act=act)
        self.recorded = ("q", "v", "work", "lag", *kept)
        self.pieces: list[Mapping[str, np.ndarray]] = []
        self.state, self.done, self.seconds = dict(self.start), 0, 0.0
        row = sum(spec.size for spec in step.outputs if spec.name in self.recorded) * 8
        size = row * int(np.prod(self.lead, dtype=int)) * -(-steps // every)
        if size > _LARGEST_RECORD:
            raise InputError(
                f"keeping every {every}. of {steps} steps would take {size / 2**30:.0f} GB; keep fewer with record=..."
            )

    def _find_warm_start(self) -> None:
        """Start from the multipliers and accelerations of the first state rather than from zero: a few steps taken
        back again. Without torques and commands: steps to come remember these accelerations (`lead`), and are to be
        the same however torques are given, also by a policy or one by one (`Simulator`)."""
        inputs = {**self._inputs_of(0), "tau": np.zeros(self.model.nv), "dt": np.array(self.dt), **self.state}
        inputs |= {"ctrl": np.zeros(self.model.nu)} if "ctrl" in inputs else {}
        found, _ = self.session.with_first_solutions(self.step, inputs, _FIRST_SOLUTIONS)
        self.state |= {name: found[name] for name in self.session.memory}

    def _inputs_of(self, step: int | slice) -> dict[str, np.ndarray]:
        """All inputs but the state, of one step or of a run of steps."""
        inputs, shapes = dict(self.inputs), {spec.name: spec.shape for spec in self.step.inputs}
        for name in self.advancing:
            axis = self.inputs[name].ndim - len(shapes[name]) - 1
            inputs[name] = np.ascontiguousarray(self.inputs[name][(slice(None),) * axis + (step,)])
        return inputs

    def at_once(self) -> Trajectory:
        """All in compiled code; a few calls if it takes long."""
        self._find_warm_start()
        cost = max(1, self.step.operations.total) * int(np.prod(self.lead, dtype=int) or 1)
        share = max(1, _OPERATIONS_PER_CALL // (cost * self.every)) * self.every
        effort = self.session.effort
        wanted = {"q", "v", "work", "lag", *self.kept}  # at every record; of the rest the last
        last = tuple(name for name in self.session.program_outputs if name not in wanted)
        while self.done < self.steps:
            count = min(share, self.steps - self.done)
            inputs = {**self._inputs_of(slice(self.done, self.done + count)), **self.state, "dt": self.dt}
            begin = time.perf_counter()
            result = self.step.repeat(
                inputs, count, every=self.every, advancing=self.advancing, last=last, effort=effort
            )
            self.seconds += time.perf_counter() - begin
            axis = len(self.lead)
            self.state = {
                name: np.array(result[name] if name in last else np.take(result[name], -1, axis=axis), order="C")
                for name in self.start
            }
            self.pieces.append({name: np.asarray(result[name]) for name in self.recorded})
            self.done += count
            self._check_finite()
        return self.trajectory()

    def under_policy(self) -> Trajectory:
        """Step by step, asking the policy before each."""
        self._find_warm_start()
        rows: list[tuple[np.ndarray, ...]] = []  # what is recorded, a row per state
        self.pieces.append(_Rows(self.recorded, rows, len(self.lead)))
        since = 0
        takes = [spec.name for spec in self.step.inputs]
        gives = {spec.name: k for k, spec in enumerate(self.step.outputs)}
        inputs = {**self.inputs, **self.state, "dt": np.array(self.dt)}
        for k in range(self.steps):
            begin = time.perf_counter()
            if self.advancing:
                inputs |= self._inputs_of(k)
            inputs |= {name: self._asked(name, k) for name in self.control.policies}
            result = self.step(*(inputs[name] for name in takes))
            arrays = tuple(result)
            self.state = {name: arrays[gives[name]] for name in self.start}
            inputs |= self.state
            self.done, since = k + 1, since + 1
            if since == self.every or self.done == self.steps:
                rows.append(tuple(arrays[gives[name]] for name in self.recorded))
                since = 0
                self._check_finite()
            self.seconds += time.perf_counter() - begin
        return self.trajectory()

    def _asked(self, name: str, k: int) -> np.ndarray:
        """What a policy gives for step k: torques or commands."""
        word, size = ("control", self.model.nv) if name == "tau" else (name, self.model.nu)
        shape, t = (*self.lead, size), k * self.dt
        try:
            given = self.control.policies[name](t, self.state["q"].copy(), self.state["v"].copy())
            array = real_numbers(given)
        except Exception as error:
            raise SimulationError(
                f"{word} failed in step {k} (t = {t:.6g} s): {type(error).__name__}: {error}", self.trajectory()
            ) from error
        if name == "tau" and array.shape in (shape, shape[-1:]):
            self.base_pushed = self.base_pushed or bool(array[..., : _base_velocities(self.model)].any())
        if array.shape == shape and np.isfinite(array).all():
            return array
        if array.shape not in (shape, shape[-1:]):
            what = "torques" if name == "tau" else "commands"
            raise SimulationError(
                f"{word} returned shape {array.shape} in step {k}; expected {shape} {what}", self.trajectory()
            )
        if not np.all(np.isfinite(array)):
            entry = int(np.argwhere(~np.isfinite(array))[0][-1])
            whose = f"velocity {entry}" if name == "tau" else f"actuator {self.model.actuators[entry].name!r}"
            raise SimulationError(
                f"{word} returned {array.ravel()[~np.isfinite(array.ravel())][0]} for {whose} in step {k} "
                f"(t = {t:.6g} s)", self.trajectory(),
            )  # fmt: skip
        return np.ascontiguousarray(np.broadcast_to(array, shape))

    def _check_finite(self) -> None:
        if self.diverging == "keep" or (isfinite(self.state["q"].sum()) and isfinite(self.state["v"].sum())):
            return
        whole = self.trajectory()
        ok = np.isfinite(whole.q).all(axis=-1) & np.isfinite(whole.v).all(axis=-1)
        if np.all(ok):  # only their sum overflows
            return
        first = int(np.argwhere(~ok)[:, -1].min())
        which = f" in {np.sum(~whole.finite)} of {self.lead[0]} samples" if self.lead else ""
        if not self.lead:  # what is not finite is of no use; in a batch other samples may go on
            whole = self.trajectory(first)
        raise SimulationError(
            f"{self.model.name!r}: the state is no longer finite at t = {first * self.every * self.dt:.6g} s{which}. "
            f"Take a smaller dt, or damped_euler for stiff dampers; this error's `trajectory` holds what came before",
            whole,
        )

    def trajectory(self, states: int | None = None) -> Trajectory:
        """What was computed so far, or its first `states` states."""
        axis = len(self.lead)
        parts = {
            name: np.concatenate([np.expand_dims(self.start[name], axis), *(p[name] for p in self.pieces if p)], axis)
            for name in ("q", "v", "work", "lag")
        }
        shapes = {spec.name: spec.shape for spec in self.step.outputs}
        extra = {
            name: np.concatenate([np.zeros((*self.lead, 0, *shapes[name])), *(p[name] for p in self.pieces if p)], axis)
            for name in self.kept
        }
        count = parts["q"].shape[axis] if states is None else states
        at = np.minimum(np.arange(count) * self.every, self.done)
        stay = not set(self.given.advancing) - set(NO_PARAMETERS)
        parameters = {name: x for name, x in self.given.arrays.items() if stay and name not in NO_PARAMETERS}
        keep = (slice(None),) * axis
        q, v, work, lag = (parts[name][(*keep, slice(count))] for name in ("q", "v", "work", "lag"))
        return Trajectory(
            self.model, self.dt, self.options["integrator"].name, self.options["solver"], self.options["iterations"],
            at * self.dt, q, v, work, lag,
            self.state["worst"], self.state["lam"],
            {name: x[(*keep, slice(max(0, count - 1)))] for name, x in extra.items()},
            int(at[-1]), self.seconds, self.steps, self.options["baumgarte"], self.options["projection"],
            self.base_pushed or bool(parameters), parameters, stay, self.options["contact"],
            self.options["coordinates"],
            self.state.get("act", np.zeros((*self.lead, self.model.na))), self.state.get("clamped"),
            bool(self.options["contact"] or self.options["watch"]), self.state.get("memory"),
            holding=self._holding_at(at), switched=self._is_switched(), limits=self.options["limits"],
        )  # fmt: skip

    def _is_switched(self) -> bool:
        """Whether what holds changes from step to step."""
        return HOLDING in self.given.advancing and bool(np.diff(self.given.arrays[HOLDING], axis=-2).any())

    def _holding_at(self, at: np.ndarray) -> np.ndarray | None:
        """Which constraints held in the steps that led to states after `at` steps, (T, constraints) or with the batch
        in front; of the start, those of the first step."""
        given = self.given.arrays.get(HOLDING)
        if given is None:
            return None
        rows = np.expand_dims(given, -2) if HOLDING not in self.given.advancing else given
        taken = rows[..., np.minimum(np.maximum(at - 1, 0), rows.shape[-2] - 1), :]
        return np.broadcast_to(taken, (*self.lead, len(at), rows.shape[-1]))


def _base_velocities(model: Model) -> int:
    """Of a floating base, which come first; else none."""
    return 6 if model.joints and model.joints[0].moves.is_free else 0


def _pushes_base(model: Model, control: Control) -> bool:
    n = _base_velocities(model)
    driven = n and "ctrl" in control.inputs and any(one.drives[0][0] == model.joints[0].name for one in model.actuators)
    return bool(driven or control.inputs["tau"][..., :n].any()) or any(k < n for k in control.feedback)


class _Rows(Mapping):
    """Rows recorded one by one, as arrays of all of them, by name."""

    def __init__(self, names: Sequence[str], rows: list[tuple[np.ndarray, ...]], axis: int):
        self._names, self._rows, self._axis = tuple(names), rows, axis

    def __getitem__(self, name: str) -> np.ndarray:
        return np.stack([row[self._names.index(name)] for row in self._rows], axis=self._axis)

    def __iter__(self):
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def __bool__(self) -> bool:
        return bool(self._rows)
