"""A simulation ready to run: everything checked and in arrays, the step not compiled yet."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from ..codegen import CompiledFunction
from ..errors import InputError, unknown_name
from ..io import load
from ..model import Model
from ..model.parameters import parameter_shapes
from ..physics import Integrator
from ..physics.options import settled_options
from ..programs.recipe import CONTACT_OUTPUTS
from .commands import as_activations, keyframe_of
from .control import Control, as_control
from .given import FORCES, HOLDING, NO_PARAMETERS, Given, as_given
from .session import Session, hashable
from .start import as_state, check_start

_EXTRA_OUTPUTS = ("a", "torque", "lam", "forces", "residual", "drift", "status", "iterations", *CONTACT_OUTPUTS,
                  "act", "actuator_force")  # fmt: skip
_MOST_STEPS = 2**62
_STARTS = ("check", "project", "as given")


@dataclass(frozen=True)
class Prepared:
    """`options` are those of the compiled step; `every` is how often states are kept."""

    model: Model
    q: np.ndarray
    v: np.ndarray
    act: np.ndarray
    control: Control
    given: Given
    dt: float
    steps: int
    every: int
    kept: tuple[str, ...]
    options: Mapping[str, Any]

    def step(self, lanes: int | str = "auto", threads: int | str = 1, cache: bool = True) -> CompiledFunction:
        """The compiled step."""
        return self.session.compiled(lanes, threads, cache)

    @property
    def session(self) -> Session:
        """Whom to ask for the step."""
        return Session(self.model, self.options, self.kept, self._parameters, FORCES in self.given.arrays)

    @property
    def samples(self) -> int | None:
        """How many there are; None is one robot without a batch axis."""
        sizes = {len(x) for x in (self.q, self.v, self.act) if x.ndim == 2} | self.given.samples
        if self.control.batch is not None:
            sizes.add(self.control.batch)
        if len(sizes) > 1:
            raise InputError(
                f"q0, v0, act0, control, ctrl, f_ext and parameters hold {sorted(sizes)} samples; expected one number"
            )
        return sizes.pop() if sizes else None

    def part(self, samples: slice) -> Prepared:
        """The same for some of the samples."""
        axes = {name: len(shape) for name, shape in parameter_shapes(self.model, self._parameters).items()}
        axes |= {FORCES: 2, HOLDING: 1, **dict.fromkeys(self.control.inputs, 1)}

        def cut(arrays: Mapping[str, np.ndarray], advancing: Sequence[str]) -> dict[str, np.ndarray]:
            return {
                name: array[samples] if array.ndim - axes[name] - (name in advancing) == 1 else array
                for name, array in arrays.items()
            }

        given = Given(
            cut(self.given.arrays, self.given.advancing), self.given.advancing,
            frozenset({len(range(*samples.indices(n))) for n in self.given.samples}),
        )  # fmt: skip
        control = replace(self.control, inputs=cut(self.control.inputs, self.control.advancing))
        q, v, act = (x[samples] if x.ndim == 2 else x for x in (self.q, self.v, self.act))
        return replace(self, q=q, v=v, act=act, control=control, given=given)

    @property
    def _parameters(self) -> tuple[str, ...]:
        return tuple(name for name in self.given.arrays if name not in NO_PARAMETERS)


def prepare(
    robot: Model | str | Path, q0: Any, v0: Any, *, dt: float | None, steps: int, control: Any, ctrl: Any, act0: Any,
    f_ext: Any, parameters: Any, record: int, outputs: str | Sequence[str], start: str, options: Mapping[str, Any],
    active: Any = None,
) -> Prepared:  # fmt: skip
    """What `simulate` takes, checked; `options` are those of the step that have a name there."""
    model = robot if isinstance(robot, Model) else load(robot)
    dt = model.simulation.chosen_dt(dt)
    asked = options["integrator"], options["contact"], options["accuracy"]
    integrator, law, watch = chosen_scheme(model, *asked)
    if start not in _STARTS and model.keyframes:
        frame = keyframe_of(model, start, q0=q0, v0=v0, act0=act0)
        q0, v0, act0, start = frame.q, frame.v, frame.act, "check"
        ctrl = frame.ctrl if model.nu and ctrl is None and control is None else ctrl
    check_numbers(dt, steps, record, start)
    kept = (outputs,) if isinstance(outputs, str) else tuple(outputs)
    check_outputs(kept, options["coordinates"])
    q, v = as_state(model, q0, v0)
    if start == "project":
        q, v = _projected(model, q, v)
    bound = as_control(model, control, q, steps, ctrl)
    act = np.zeros(model.na) if act0 is None else as_activations(model, act0)
    given = Given()
    if f_ext is not None or parameters is not None or active is not None:
        batch = len(q) if q.ndim == 2 else len(v) if v.ndim == 2 else None
        given = as_given(model, f_ext, parameters, steps, batch, active)
    if active is not None and start == "project":
        raise InputError("start='project' closes every constraint; with active= give a start that closes what holds")
    if start == "check":
        check_start(model, q, v, None if active is None else given.at_start(HOLDING))
    chosen = {
        **options, "integrator": integrator, "contact": law, "watch": watch,
        "actuators": None if ctrl is None else "input", "active": None if active is None else "input",
        "feedback": bound.feedback, "warm_start": "input", "books": "input",
    }  # fmt: skip
    hashable(chosen)  # refuses what mu cannot be
    every = min(int(record), int(steps))
    return Prepared(model, q, v, act, bound, given, float(dt), int(steps), every, kept, chosen)


def check_outputs(kept: Sequence[str], coordinates: str) -> None:
    """Refuse what a step does not give."""
    for name in kept:
        if name not in _EXTRA_OUTPUTS:
            raise unknown_name("output of simulate", name, _EXTRA_OUTPUTS)
    unknown = [name for name in ("lam", "forces") if name in kept and coordinates == "independent"]
    if unknown:
        raise InputError(f"outputs {unknown} are not found with coordinates='independent'; 'spanning' finds them")


def chosen_scheme(
    model: Model, integrator: Any, contact: str | None, accuracy: Any = None
) -> tuple[Integrator, str | None, bool]:
    """The integrator and the law of contacts: those given, else those of the model; and whether contacts that are not
    computed are watched without one."""
    settled = settled_options(model, {"integrator": integrator, "contact": contact, "accuracy": accuracy})
    return settled["integrator"], settled["contact"], settled["watch"]


def check_numbers(dt, steps, record, start) -> None:
    try:
        fine = not isinstance(dt, bool | np.bool_) and np.isfinite(dt) and np.ndim(dt) == 0 and dt > 0
    except TypeError:
        fine = False
    if not fine:
        raise InputError(f"dt is {dt!r}; expected a positive number of seconds")
    for name, value in (("steps", steps), ("record", record)):
        if not isinstance(value, int | np.integer) or isinstance(value, bool) or value < 1:
            raise InputError(f"{name} is {value!r}; expected a positive whole number")
    if steps > _MOST_STEPS:
        raise InputError(f"steps is {steps}; expected at most {_MOST_STEPS}: there is not that much time")
    if start not in _STARTS:
        raise unknown_name("start", start, _STARTS)


def _projected(model: Model, q: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    from ..assembly import project_configuration, project_velocity

    q = project_configuration(model, q)
    return q, project_velocity(model, q, v)
