"""A model as plain data (dictionaries, lists, numbers, strings) and back: the content of our JSON files."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from ..errors import LinkwrightError, ModelError, unknown_name
from .actuators.actuator_arrangement import ACTUATOR_ENTRIES, KEYFRAME_ENTRIES, actuator_content, read_actuator_content
from .body_inertia import Inertia
from .builder import ModelBuilder
from .constraints import CONSTRAINT_KINDS, Constraint
from .contact.content import CONTACT_ENTRIES, contact_content, read_contact_content
from .joint import Joint
from .model import GROUND, Model
from .passive import read_passive
from .pose import Pose
from .simulation_defaults import SIMULATION_ENTRIES, SimulationDefaults

FORMAT = "linkwright-model"
VERSION = 1
_ENTRIES = (
    "format", "version", "name", "gravity", "ground_inertia", "bodies", "frames", "mimics", "constraints",
    "reference", "configurations", "motors", "independent", "passive", "ignored", *SIMULATION_ENTRIES,
    *CONTACT_ENTRIES, *ACTUATOR_ENTRIES, *KEYFRAME_ENTRIES,
)  # fmt: skip
_JOINT_VECTORS = (
    "armature", "damping", "stiffness", "spring_reference", "friction", "lower", "upper", "velocity_limit",
    "effort_limit",
)  # fmt: skip


def to_dictionary(model: Model) -> dict[str, Any]:
    """Everything that defines the model. Infinite limits are written as null."""
    return {
        "format": FORMAT,
        "version": VERSION,
        "name": model.name,
        "gravity": model.gravity.tolist(),
        "ground_inertia": _inertia(model.bodies[0].inertia),
        "bodies": [
            {
                "name": body.name,
                "parent": model.bodies[body.parent].name,
                "placement": _pose(body.placement),
                "inertia": _inertia(body.inertia),
                "joint": {
                    "name": body.joint.name,
                    "kind": body.joint.kind,
                    "axis": body.joint.axis.tolist(),
                    "second_axis": body.joint.second_axis.tolist(),
                    "pitch": float(body.joint.pitch),
                    **{key: [_finite_or_none(x) for x in getattr(body.joint, key)] for key in _JOINT_VECTORS},
                },
            }
            for body in model.bodies[1:]
        ],
        "frames": [
            {"name": f.name, "body": model.bodies[f.body].name, "placement": _pose(f.placement)}
            for f in model.frames.values()
        ],
        "mimics": [
            {"joint": m.joint, "leader": m.leader, "multiplier": m.multiplier, "offset": m.offset}
            for m in model.mimics
        ],
        "constraints": [
            {"kind": c.kind, "name": c.name, "mu": None if c.mu is None else c.mu.tolist(), **c.to_dictionary()}
            for c in model.constraints
        ],
        **_notes(model),
        **contact_content(model),
        **actuator_content(model),
    }


def _notes(model: Model) -> dict[str, Any]:
    """What is only told about the mechanism; absent if there is nothing to tell, as of most trees."""
    notes = {
        "reference": [] if np.array_equal(model.reference, model.neutral()) else model.reference.tolist(),
        "configurations": {name: q.tolist() for name, q in model.configurations.items()},
        "motors": list(model.motors),
        "independent": list(model.independent),
        "passive": [element.to_dictionary() for element in model.passive],
        "ignored": list(model.ignored),
        "simulation": model.simulation.to_dictionary(),
    }
    return {key: value for key, value in notes.items() if value}


def from_dictionary(data: Mapping[str, Any]) -> Model:
    """Inverse of `to_dictionary`; raises `ModelError` on anything that it did not write."""
    try:
        if data["format"] != FORMAT or data["version"] != VERSION:
            raise ModelError(
                f"format is {data['format']!r} version {data['version']!r}; expected {FORMAT!r} version {VERSION}"
            )
        _only(data, _ENTRIES, "model")
        builder = ModelBuilder(data["name"], data["gravity"])
        builder.add_inertia(GROUND, _read_inertia(data["ground_inertia"]))
        for body in data["bodies"]:
            _only(body, ("name", "parent", "placement", "inertia", "joint"), "body")
            spec = dict(body["joint"])
            _only(spec, ("name", "kind", "axis", "second_axis", "pitch", *_JOINT_VECTORS), "joint")
            for key in _JOINT_VECTORS:
                unlimited = -math.inf if key == "lower" else math.inf
                spec[key] = [unlimited if x is None else x for x in spec[key]]
            builder.add_body(
                body["name"], Joint(**spec), parent=body["parent"], placement=_read_pose(body["placement"]),
                inertia=_read_inertia(body["inertia"]),
            )  # fmt: skip
        for frame in data["frames"]:
            builder.add_frame(frame["name"], frame["body"], _read_pose(frame["placement"]))
        for mimic in data["mimics"]:
            builder.add_mimic(**mimic)
        model = builder.build().with_constraints(*map(_read_constraint, data["constraints"]))
        return replace(
            model, reference=data.get("reference"),  # type: ignore[arg-type]  # None: neutral
            configurations=dict(data.get("configurations", {})),
            motors=tuple(data.get("motors", ())), independent=tuple(data.get("independent", ())),
            passive=tuple(map(read_passive, data.get("passive", ()))), ignored=tuple(data.get("ignored", ())),
            simulation=SimulationDefaults.from_dictionary(data.get("simulation", {})), **read_contact_content(data),
            **read_actuator_content(data),
        )  # fmt: skip
    except LinkwrightError:
        raise
    except KeyError as error:
        raise ModelError(f"the entry {error} is missing") from None
    except (TypeError, ValueError, AttributeError, OverflowError) as error:
        raise ModelError(f"not a model as linkwright writes it: {error}") from None


def _read_constraint(data) -> Constraint:
    data = dict(data)
    kind = data.pop("kind")
    if kind not in CONSTRAINT_KINDS:
        known = unknown_name("kind of constraint", kind, CONSTRAINT_KINDS)
        raise ModelError(f"constraint {data.get('name')!r}: {known}")
    return CONSTRAINT_KINDS[kind].from_dictionary(data)


def _only(data: Mapping, known: tuple[str, ...], what: str) -> None:
    unknown = set(data) - set(known)
    if unknown:
        raise ModelError(f"{what} has unknown entries {sorted(unknown)}; known are {list(known)}")


def _finite_or_none(x: float) -> float | None:
    return float(x) if math.isfinite(x) else None


def _pose(pose: Pose) -> dict[str, Any]:
    return {"rotation": pose.rotation.tolist(), "translation": pose.translation.tolist()}


def _read_pose(data) -> Pose:
    return Pose(np.array(data["rotation"], dtype=float), np.array(data["translation"], dtype=float))


def _inertia(inertia: Inertia) -> dict[str, Any]:
    return {"mass": inertia.mass, "com": inertia.com.tolist(), "tensor": inertia.tensor.tolist()}


def _read_inertia(data) -> Inertia:
    return Inertia(data["mass"], np.array(data["com"], dtype=float), np.array(data["tensor"], dtype=float))
