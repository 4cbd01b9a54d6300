"""Joint torques over time: what of them compiled code can work out itself, and what only Python can."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..call_errors import names_arguments
from ..codegen.arguments import real_numbers
from ..errors import InputError
from ..model import Model
from .commands import as_commands, check_actuated

Policy = Callable[[float, np.ndarray, np.ndarray], Any]


@names_arguments
@dataclass(frozen=True)
class PD:
    """Proportional-derivative control: tau + kp (q_ref - q) + kd (v_ref - v), joint by joint, in compiled code.

    kp, kd   one number for all joints but free-flyers, one per velocity (nv,), or numbers by joint name
    q, v     references: (nq,) or (nv,), per step (steps, n), or per sample and step (B, steps, n). By default the
             start, and zero
    tau      torques added to it, likewise

    On joints with quaternions q_ref - q is the rotation vector (or screw) that leads there, in the child's frame.
    """

    kp: Any
    kd: Any = 0.0
    q: Any = None
    v: Any = None
    tau: Any = None


@dataclass(frozen=True)
class Control:
    """Inputs of the compiled step: which stay or advance with the steps, by name; and the policies, by what they give:
    torques "tau", commands "ctrl"."""

    inputs: dict[str, np.ndarray] = field(default_factory=dict)
    advancing: tuple[str, ...] = ()
    feedback: tuple[int, ...] = ()
    policies: dict[str, Policy] = field(default_factory=dict)

    @property
    def batch(self) -> int | None:
        """Number of samples in arrays that have one row per sample and step."""
        sizes = {len(x) for name, x in self.inputs.items() if x.ndim == (3 if name in self.advancing else 2)}
        if len(sizes) > 1:
            raise InputError(f"control arrays hold {sorted(sizes)} samples; expected the same number in all")
        return sizes.pop() if sizes else None


def as_control(model: Model, control: Any, q0: np.ndarray, steps: int, ctrl: Any = None) -> Control:
    """What `simulate` takes as control and as commands, checked against the model and the number of steps."""
    torques = _as_torques(model, control, q0, steps)
    if ctrl is None:
        return torques
    if callable(ctrl):
        check_actuated(model)
        inputs, policies = {**torques.inputs, "ctrl": np.zeros(model.nu)}, {**torques.policies, "ctrl": ctrl}
        return Control(inputs, torques.advancing, torques.feedback, policies)
    commands = as_commands(model, ctrl, (steps,), ("B", steps))
    advancing = (*torques.advancing, "ctrl") if commands.ndim > 1 else torques.advancing
    return Control({**torques.inputs, "ctrl": commands}, advancing, torques.feedback, torques.policies)


def _as_torques(model: Model, control: Any, q0: np.ndarray, steps: int) -> Control:
    if callable(control) and not isinstance(control, PD):
        return Control({"tau": np.zeros(model.nv)}, policies={"tau": control})
    feedback: tuple[int, ...] = ()
    given: dict[str, tuple[Any, int]] = {"tau": (control, model.nv)}
    fixed: dict[str, np.ndarray] = {}
    if isinstance(control, PD):
        gains = {name: _gains(model, name, getattr(control, name)) for name in ("kp", "kd")}
        feedback = tuple(int(k) for k in np.flatnonzero(gains["kp"] + gains["kd"]))
        given = {"tau": (control.tau, model.nv)}
        if feedback:
            fixed = gains
            given |= {"q_ref": (control.q, model.nq), "v_ref": (control.v, model.nv)}
            if control.q is None:
                fixed["q_ref"] = np.array(q0, dtype=float)
                del given["q_ref"]
    inputs, advancing = dict(fixed), []
    for name, (value, size) in given.items():
        inputs[name], advances = _rows(name, value, size, steps)
        if advances:
            advancing.append(name)
    return Control(inputs, tuple(advancing), feedback)


def _rows(name: str, value: Any, size: int, steps: int) -> tuple[np.ndarray, bool]:
    """(size,), (steps, size) or (B, steps, size), and whether it has one row per step."""
    if value is None:
        return np.zeros(size), False
    what = {"tau": "control", "q_ref": "reference q of PD", "v_ref": "reference v of PD"}[name]
    expected = f"({size},), ({steps}, {size}) with one row per step, or (B, {steps}, {size})"
    try:
        array = real_numbers(value)
    except (TypeError, ValueError):
        raise InputError(f"{what} is {value!r}; expected numbers {expected}, PD gains or a function") from None
    if array.shape != (size,) and (array.ndim not in (2, 3) or array.shape[-2:] != (steps, size)):
        raise InputError(f"{what} has shape {array.shape}; expected {expected}")
    if not np.all(np.isfinite(array)):
        *where, joint = (int(k) for k in np.argwhere(~np.isfinite(array))[0])
        raise InputError(f"{what} is {array[(*where, joint)]} at entry {joint}{_row_text(where)}; must be finite")
    return array, array.ndim > 1


def _row_text(where: list[int]) -> str:
    if not where:
        return ""
    sample = f" of sample {where[0]}" if len(where) == 2 else ""
    return f" in step {where[-1]}{sample}"


def _gains(model: Model, name: str, value: Any) -> np.ndarray:
    gains = np.zeros(model.nv)
    if isinstance(value, Mapping):
        for joint, number in value.items():
            gains[model.iv[model.joint_index(joint)]] = _gain(name, number)
        return gains
    array = np.asarray(value)
    if array.ndim == 0:
        for i, joint in enumerate(model.joints, start=1):
            if not joint.moves.is_free:
                gains[model.iv[i]] = _gain(name, value)
        return gains
    if array.shape != (model.nv,):
        raise InputError(f"{name} of PD has shape {array.shape}; expected a number, ({model.nv},) or numbers by joint")
    return np.array([_gain(name, x) for x in array.tolist()])


def _gain(name: str, value: Any) -> float:
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = np.nan
    if not np.isfinite(number) or number < 0:
        raise InputError(f"{name} of PD is {value!r}; gains must be finite numbers that are not negative")
    return number
