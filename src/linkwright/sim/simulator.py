"""A simulation that is driven from outside, a step or a few at a time: for control loops and environments."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import isfinite
from pathlib import Path
from typing import Any

import numpy as np

from ..call_errors import names_arguments
from ..codegen.arguments import real_numbers
from ..errors import InputError, unknown_name
from ..io import load
from ..model import Model
from ..physics import Integrator
from ..physics.options import given_options
from .commands import as_activations, as_commands, check_actuated, keyframe_of
from .given import FORCES, HOLDING, NO_PARAMETERS, as_given
from .prepared import check_numbers, check_outputs, chosen_scheme
from .session import Session
from .start import as_state, check_start

_FIRST_SOLUTIONS = 2
_FLOAT, _ARRAY = np.dtype(float), np.ndarray  # looked up in every step
_ONE = 1  # as it is given; True is another
_FEW = 24  # commands up to which a sum of floats is quicker than a product of arrays


@names_arguments
class Simulator:
    """The state of one robot, or of a batch of them, advanced by `step`.

    simulator = Simulator(robot, dt=1e-3, batch=None)
    simulator.reset(q0, v0)
    q, v = simulator.step(tau)           # torques (nv,) or (B, nv) for n steps of dt
    Simulator(robot, actuators=True).step(ctrl=u)   # commands (nu,) or (B, nu) of the robot's actuators

    `f_ext`, `parameters`, `active` and the options are those of `simulate`; arrays may have one row per sample. `q`,
    `v`, `status` and what `outputs` names (`simulator["a"]`) are those of the last step; they are not to be written to.
    `reset_samples` begins again with some samples of a batch.
    """

    def __init__(
        self, robot: Model | str | Path, *, dt: float | None = None, batch: int | None = None, f_ext: Any = None,
        parameters: Any = None, active: Any = None, outputs: Sequence[str] = (),
        integrator: str | Integrator | None = None, accuracy: float | None = None, coordinates: str = "spanning",
        solver: str | None = None,
        iterations: int | None = None, mu: Any = None, baumgarte: float | str | None = "auto",
        projection: bool = False, friction: bool = True, limits: bool = True, effort_limits: bool = True,
        velocity_limits: bool = True, actuators: bool = False,
        contact: str | None = "auto", cone: str | None = None, equality: str = "hard", tolerance: float | None = None,
        improvement: float | None = None,
        lanes: int | str = "auto", threads: int | str = 1, cache: bool = True,
    ):  # fmt: skip
        options = given_options(locals())
        self.model = robot if isinstance(robot, Model) else load(robot)
        dt = self.model.simulation.chosen_dt(dt)
        scheme, law, watch = chosen_scheme(self.model, integrator, contact, accuracy)
        check_numbers(dt, 1, 1, "check")
        if batch is not None and (not isinstance(batch, int) or isinstance(batch, bool) or batch < 1):
            raise InputError(f"batch is {batch!r}; expected a positive whole number, or None for one robot")
        if actuators:
            check_actuated(self.model)
        self.dt, self.batch, self.actuators = float(dt), batch, bool(actuators)
        options = {
            **options, "integrator": scheme, "contact": law, "actuators": "input" if actuators else None,
            "feedback": (), "warm_start": "input", "books": "input", "watch": watch,
            "active": None if active is None else "input",
        }  # fmt: skip
        given = as_given(self.model, f_ext, parameters, 0, batch, active)
        if given.samples - {batch}:
            raise InputError(f"f_ext, parameters and active hold {sorted(given.samples)} samples; batch is {batch}")
        names, arrays = tuple(x for x in given.arrays if x not in NO_PARAMETERS), dict(given.arrays)
        if HOLDING in arrays:
            arrays[HOLDING] = np.array(np.broadcast_to(arrays[HOLDING], self._shape(len(self.model.constraints))))
        self._extra = tuple(dict.fromkeys(name for name in outputs if name not in ("q", "v", "status")))
        check_outputs(self._extra, coordinates)
        self.session = Session(self.model, options, self._extra, names, FORCES in given.arrays)
        self._names = self.session.state  # as the step gives it, and, but for tau, dt, ..., takes it
        self._told = tuple(self.session.program_outputs.index(name) for name in self._extra)
        self._step = self.session.compiled(lanes, threads, cache)
        rest = {"dt": np.array(self.dt), **arrays}
        order = [spec.name for spec in self._step.inputs]
        self._inputs = _written_out(lambda *inputs: inputs, order, self._names, rest)
        self._one_step = _written_out(self._step, order, self._names, rest)
        self.parameters, self.f_ext = {name: rest[name] for name in names}, rest.get("f_ext")
        """Those given, by name, and external forces: what is written to them acts from the next step on."""
        self.active = rest.get(HOLDING)
        """(constraints,) or (B, constraints), if `active` was given: write 1 for those that shall hold from the next
        step on, 0 for those that shall not."""
        self._own = len(self._names)
        self._torque_shape = self._shape(self.model.nv)
        self._no_torque = np.zeros(self._torque_shape)
        self._command_shape = self._shape(self.model.nu) if self.actuators else None
        self._few = self.model.nu if self.actuators and batch is None and self.model.nu <= _FEW else 0
        self.reset()

    def _shape(self, n: int) -> tuple[int, ...]:
        return (n,) if self.batch is None else (self.batch, n)

    def reset(
        self, q0: Any = None, v0: Any = None, *, act0: Any = None, keyframe: str | None = None, start: str = "check"
    ) -> tuple[np.ndarray, np.ndarray]:
        """Begin again from q0 (nq,) and v0 (nv,), by default as drawn and at rest, or from a keyframe of the robot's
        file, whose commands then hold until others are given; "as given" accepts what violates constraints."""
        check_numbers(self.dt, 1, 1, start)
        self._commands = np.zeros(self._shape(self.model.nu))
        if keyframe is not None:
            frame = keyframe_of(self.model, keyframe, q0=q0, v0=v0, act0=act0)
            q0, v0, act0 = frame.q, frame.v, frame.act
            self._commands[...] = frame.ctrl
        q, v = as_state(self.model, q0, v0)
        if start == "project":
            from ..assembly import project_configuration, project_velocity

            q = project_configuration(self.model, q)
            v = project_velocity(self.model, q, v)
        elif start == "check" and (q0 is not None or v0 is not None):
            check_start(self.model, q, v, self.active)
        lead = self._shape(0)[:-1]
        given = {"q": q, "v": v, "act": as_activations(self.model, act0)}
        for name, array in given.items():
            if array.ndim == 2 and array.shape[0] != self.batch:
                raise InputError(f"{name}0 holds {len(array)} samples; this simulator has {self.batch or 'no batch'}")
        first = tuple(self.session.first_state(lead, self.dt, **given).values())
        everyone = self._inputs(first, self._no_torque, self._commands)
        self._state = self._first_solutions(everyone)
        if self._commands is not None and np.any(self._commands):  # which steps to come do not remember (rollout.py)
            quiet = self._inputs(first, self._no_torque, np.zeros_like(self._commands))
            self._state = (*self._first_solutions(quiet)[: self._own], *self._state[self._own :])
        self.steps = 0
        return self.q, self.v

    def _first_solutions(self, inputs: tuple[np.ndarray, ...]) -> tuple[np.ndarray, ...]:
        """What a step gives, but the state as it was, with multipliers and accelerations to start from: of steps that
        are taken back again; the status is ok."""
        names = [spec.name for spec in self._step.inputs]
        given = dict(zip(names, inputs, strict=True))
        found, result = self.session.with_first_solutions(self._step, given, _FIRST_SOLUTIONS)
        told = tuple(result)[self._own :]
        return (*(found[name] for name in self._names), np.zeros_like(told[0]), *told[1:])

    def reset_samples(self, samples: Any, q0: Any, v0: Any, *, ctrl: Any = None) -> None:
        """Begin again with some samples of a batch, by number or mask, from q0 (rows, nq) and v0 (rows, nv), as given;
        the others do not notice. Activations are zero; outputs are those that commands `ctrl` (nu,), zero by default,
        would have there."""
        if self.batch is None:
            raise InputError("reset_samples is for batches; this simulator has one robot: reset(q0, v0)")
        try:
            chosen = np.arange(self.batch)[np.asarray(samples)]
        except (IndexError, TypeError):
            raise InputError(
                f"samples is {samples!r}; expected numbers below {self.batch}, or a mask of {self.batch} truth values"
            ) from None
        if not len(chosen):
            return
        q, v = as_state(self.model, q0, v0)
        for name, array in (("q0", q), ("v0", v)):
            if array.ndim > 1 and len(array) != len(chosen):
                raise InputError(f"{name} has {len(array)} rows; expected {len(chosen)}, one for each sample to reset")
        lag = self.session.integrator.first_lag(self.dt)
        commands = 0.0 if ctrl is None else as_commands(self.model, ctrl)
        fresh = {"q": q, "v": v, "lag": lag, "ctrl": commands}
        everyone = self._inputs(self._state, self._no_torque, self._commands)
        rows = []
        for spec, array in zip(self._step.inputs, everyone, strict=True):
            own = array[chosen] if np.ndim(array) > len(spec.shape) else array
            if spec.name in self._names or spec.name in fresh:
                own[...] = fresh.get(spec.name, 0.0)
            rows.append(own)
        fresh_state = self._first_solutions(tuple(rows))
        self._state = tuple(_with_rows(old, chosen, new) for old, new in zip(self._state, fresh_state, strict=True))

    def __getitem__(self, name: str) -> np.ndarray:
        """What `outputs` asked for, of the last step."""
        if name not in self._extra:
            raise unknown_name("output of this simulator", name, self._extra)
        return self._state[self._told[self._extra.index(name)]]

    def step(self, tau: Any = None, n: int = 1, *, ctrl: Any = None) -> tuple[np.ndarray, np.ndarray]:
        """(q, v) after n steps with these torques, and these commands of actuators: by default those of the keyframe
        that was reset to, else zero."""
        state = self._state
        if tau is None:
            tau = self._no_torque
        elif type(tau) is not _ARRAY or tau.shape != self._torque_shape or tau.dtype is not _FLOAT:
            tau = self._torques(tau)
        if ctrl is None:
            ctrl = self._commands
        elif self._few:
            try:
                usual = len(ctrl) == self._few and isfinite(sum(ctrl.tolist()))
            except (AttributeError, TypeError):  # no array, or no row of numbers
                usual = False
            if not usual:
                ctrl = self._checked_commands(ctrl)
        elif (
            type(ctrl) is not _ARRAY or ctrl.shape != self._command_shape or ctrl.dtype is not _FLOAT
            or not isfinite((flat := ctrl.ravel()).dot(flat))
        ):  # fmt: skip
            ctrl = self._checked_commands(ctrl)
        if n is _ONE:
            result = self._one_step(state, tau, ctrl)
        else:
            if not isinstance(n, int | np.integer) or isinstance(n, bool) or n < 1:
                raise InputError(f"n is {n!r}; expected a positive whole number of steps")
            names, last = ([spec.name for spec in x] for x in (self._step.inputs, self._step.outputs))
            given = dict(zip(names, self._inputs(state, tau, ctrl), strict=True))
            result = tuple(self._step.repeat(given, int(n), every=int(n), last=last, effort=self.session.effort))
        # what is not finite shows in the status: then it is said where, and nothing has been taken over yet
        if tau is not self._no_torque:
            status = result[self._own]
            if status if self.batch is None else status.any():
                self._torques(tau)
        self._state = result
        self.steps += n
        return result[0], result[1]

    def _torques(self, tau: Any) -> np.ndarray:
        shape = self._no_torque.shape
        try:
            array = np.array(np.broadcast_to(real_numbers(tau), shape))
        except (TypeError, ValueError):
            raise InputError(f"tau is {tau!r}; expected torques of shape {shape}") from None
        bad = np.argwhere(~np.isfinite(array))
        if len(bad):
            where = tuple(int(k) for k in bad[0])
            raise InputError(f"tau is {array[where]} at {where}; must be finite")
        return array

    def _checked_commands(self, ctrl: Any) -> np.ndarray:
        if not self.actuators:
            raise InputError("ctrl was given, and this simulator has no actuators: Simulator(robot, actuators=True)")
        rows = () if self.batch is None else ((self.batch,),)
        return np.array(np.broadcast_to(as_commands(self.model, ctrl, *rows), self._shape(self.model.nu)))

    @property
    def act(self) -> np.ndarray:
        """Activations of actuators."""
        return self._state[self._names.index("act")] if self.actuators else np.zeros(self._shape(self.model.na))

    @property
    def clamped(self) -> np.ndarray:
        """In how many steps each command was cut to its range, since the last reset."""
        return self._state[self._names.index("clamped")] if self.actuators else np.zeros(self._shape(self.model.nu))

    @property
    def q(self) -> np.ndarray:
        """Coordinates, (nq,) or (B, nq)."""
        return self._state[0]

    @property
    def v(self) -> np.ndarray:
        """Velocities, (nv,) or (B, nv)."""
        return self._state[1]

    @property
    def t(self) -> float:
        """Seconds since the last reset."""
        return self.steps * self.dt

    @property
    def status(self) -> np.ndarray:
        """Of the last step, per sample, as of the solvers; 3 where the state is not finite."""
        finite = np.isfinite(self.q).all(axis=-1) & np.isfinite(self.v).all(axis=-1)
        return np.where(finite, self._state[self._own], 3.0)

    def save(self) -> dict[str, Any]:
        """Everything that `restore` needs to go on from here, to the last bit."""
        state = {name: np.array(x) for name, x in zip(self._names, self._state, strict=False)}
        outputs = {name: np.array(self[name]) for name in self._extra}
        return {**state, "steps": self.steps, "status": np.array(self._state[self._own]), "outputs": outputs}

    def restore(self, saved: dict[str, Any]) -> None:
        """Go on from what `save` returned, of a simulator of the same robot and batch."""
        if not isinstance(saved, Mapping):
            raise InputError(f"saved is a {type(saved).__name__}; expected what `save` returned")
        missing = [name for name in (*self._names, "steps", "status") if name not in saved]
        if missing:
            raise InputError(f"saved lacks {', '.join(missing)}; expected what `save` returned")
        arrays = []
        for name, own in zip(self._names, self._state, strict=False):
            array = real_numbers(saved[name])
            if array.shape != np.shape(own):
                raise InputError(
                    f"saved {name} has shape {array.shape}; expected {np.shape(own)}: it is of another robot or batch"
                )
            arrays.append(array)
        told = dict(zip(self._told, self._extra, strict=True))
        kept = saved.get("outputs", {})
        rest = [kept.get(told.get(k), x) for k, x in enumerate(self._state)][self._own + 1 :]
        self._state = (*arrays, np.array(saved["status"]), *(np.array(x) for x in rest))
        self.steps = saved["steps"]


def _written_out(
    function: Callable[..., Any], inputs: Sequence[str], state: Sequence[str], fixed: Mapping[str, np.ndarray]
) -> Callable[[tuple[np.ndarray, ...], np.ndarray, np.ndarray], tuple[np.ndarray, ...]]:
    """A function of (arrays of the state, torques, commands) that calls `function` with every input at its place and
    gives a plain tuple. Written out as text: gathering arguments in tuples, and looking results up by name, would cost
    as much as everything else between Python and compiled code."""
    places = {**{name: f"state[{k}]" for k, name in enumerate(state)}, "tau": "tau", "ctrl": "ctrl"}
    arguments = ", ".join(places.get(name, name) for name in inputs)
    return eval(f"lambda state, tau, ctrl: tuple(function({arguments}))", {**fixed, "function": function})


def _with_rows(array: np.ndarray, rows: np.ndarray, values: np.ndarray | float) -> np.ndarray:
    """A copy: who holds the array of an earlier step keeps it."""
    changed = np.array(array)
    changed[rows] = values
    return changed
