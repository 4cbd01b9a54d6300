"""Actuators and keyframes of a model: checked, written down, and carried along when models are edited."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from ...errors import InputError, ModelError
from .actuator import Actuator
from .keyframe import Keyframe

if TYPE_CHECKING:
    from ..model import Model

ACTUATOR_ENTRIES, KEYFRAME_ENTRIES = ("actuators",), ("keyframes",)


def check_actuators(model: Model) -> None:
    """Also makes what was given immutable."""
    object.__setattr__(model, "actuators", tuple(model.actuators))
    names: set[str] = set()
    for one in model.actuators:
        if not isinstance(one, Actuator):
            raise InputError(f"{one!r} is not an actuator; expected e.g. linkwright.motor('hip')")
        if one.name in names:
            raise InputError(f"two actuators are named {one.name!r}; names must be unique: give one with name=...")
        names.add(one.name)
        one.check(model)
    keyframes = {}
    for name, frame in model.keyframes.items():
        if not isinstance(frame, Keyframe):
            raise InputError(f"keyframe {name!r} is {frame!r}; expected a linkwright.model.actuators.Keyframe")
        keyframes[str(name)] = frame.checked(model, str(name))
    object.__setattr__(model, "keyframes", MappingProxyType(keyframes))


def actuator_content(model: Model) -> dict[str, Any]:
    """Entries of a model's dictionary; none where there is nothing to tell."""
    content = {
        "actuators": [one.to_dictionary() for one in model.actuators],
        "keyframes": {
            name: {what: getattr(frame, what).tolist() for what in ("q", "v", "act", "ctrl")}
            for name, frame in model.keyframes.items()
        },
    }
    return {key: value for key, value in content.items() if value}


def read_actuator_content(data: Mapping[str, Any]) -> dict[str, Any]:
    """Arguments for a model, from its dictionary."""
    keyframes = {}
    for name, own in data.get("keyframes", {}).items():
        if set(own) != {"q", "v", "act", "ctrl"}:
            raise ModelError(f"keyframe {name!r} has entries {sorted(own)}; expected q, v, act and ctrl")
        keyframes[name] = Keyframe(**own)
    return {"actuators": tuple(map(Actuator.from_dictionary, data.get("actuators", ()))), "keyframes": keyframes}


def driven_after_locking(locked: Model, model: Model, at: Mapping[str, float | None]) -> Model:
    """`locked` with the actuators of `model` that still move something, and keyframes without what is gone."""
    kept = [one.with_locked(at) for one in model.actuators]
    left = [k for k, one in enumerate(kept) if one is not None]
    states = [k for k, one in enumerate(model.actuators) if one.activation]
    act = [n for n, k in enumerate(states) if kept[k] is not None]
    bodies = [i for i in range(1, model.nbodies) if model.bodies[i].joint.name not in at]
    q = [k for i in bodies for k in range(model.nq)[model.iq[i]]]
    v = [k for i in bodies for k in range(model.nv)[model.iv[i]]]
    return replace(
        locked, actuators=tuple(one for one in kept if one is not None),
        keyframes={name: frame.without(q, v, act, left) for name, frame in model.keyframes.items()},
    )  # fmt: skip


def driven_after_sorting(moved: Model, model: Model, order: list[int]) -> Model:
    """`moved` with the actuators and keyframes of `model`, whose bodies it has in another order."""
    q = [k for i in order for k in range(model.nq)[model.iq[i]]]
    v = [k for i in order for k in range(model.nv)[model.iv[i]]]
    act, ctrl = list(range(model.na)), list(range(model.nu))
    return replace(
        moved, actuators=model.actuators,
        keyframes={name: frame.without(q, v, act, ctrl) for name, frame in model.keyframes.items()},
    )  # fmt: skip


def with_actuators(model: Model, actuators: Sequence[Actuator]) -> Model:
    """With further ones. Commands and activations of keyframes are zero for them."""
    bare = {name: Keyframe(frame.q, frame.v) for name, frame in model.keyframes.items()}
    wider = replace(model, actuators=(*model.actuators, *actuators), keyframes=bare)
    keyframes = {}
    for name, frame in model.keyframes.items():
        act, ctrl = np.zeros(wider.na), np.zeros(wider.nu)
        act[: model.na], ctrl[: model.nu] = frame.act, frame.ctrl
        keyframes[name] = Keyframe(frame.q, frame.v, act, ctrl)
    return replace(wider, keyframes=keyframes)


def without_actuators(model: Model) -> Model:
    keyframes = {name: Keyframe(frame.q, frame.v) for name, frame in model.keyframes.items()}
    return replace(model, actuators=(), keyframes=keyframes)
