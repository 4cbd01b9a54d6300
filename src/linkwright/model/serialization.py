"""A model as plain data (dictionaries, lists, numbers, strings) and back: the content of our JSON files."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
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
from .not_computed import NotComputed, read_not_computed
from .passive import read_passive
from .pose import Pose, real_array
from .simulation_defaults import SIMULATION_ENTRIES, read_simulation

FORMAT = "linkwright-model"
VERSION = 1
_ENTRIES = (
    "format", "version", "name", "gravity", "ground_inertia", "bodies", "frames", "mimics", "constraints",
    "reference", "configurations", "motors", "independent", "passive", "not_computed", "ignored", *SIMULATION_ENTRIES,
    *CONTACT_ENTRIES, *ACTUATOR_ENTRIES, *KEYFRAME_ENTRIES,
)  # fmt: skip
_JOINT_VECTORS = (
    "armature", "damping", "stiffness", "spring_reference", "friction", "lower", "upper", "velocity_limit",
    "effort_limit",
)  # fmt: skip


def to_dictionary(model: Model) -> dict[str, Any]:
    """Everything that defines the model. Infinite limits are written as null."""
    content = content_of(model, _WRITERS)
    return {entry: content[entry] for entry in _ENTRIES if entry in content}


def content_of(model: Model, sections: Iterable[str]) -> dict[str, Any]:
    """Entries of these sections (`fingerprints.SECTIONS`), and perhaps others: nobody else is asked to write them."""
    writers = dict.fromkeys(write for section in sections for write in _WRITERS[section])
    return {entry: value for write in writers for entry, value in write(model).items()}


def _mechanism(model: Model) -> dict[str, Any]:
    content = {
        "format": FORMAT,
        "version": VERSION,
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
    }
    return {**content, **_told({"passive": [element.to_dictionary() for element in model.passive]})}


def _constraints(model: Model) -> dict[str, Any]:
    written = [
        {"kind": c.kind, "name": c.name, "mu": None if c.mu is None else c.mu.tolist(), **c.to_dictionary()}
        for c in model.constraints
    ]
    notes = {
        "reference": [] if np.array_equal(model.drawn, model.neutral()) else model.drawn.tolist(),
        "configurations": {name: q.tolist() for name, q in model.configurations.items()},
        "motors": list(model.motors),
        "independent": list(model.independent),
    }
    return {"constraints": written, **_told(notes)}


def _simulation(model: Model) -> dict[str, Any]:
    return _told({"simulation": model.simulation.to_dictionary()})


def _drawing(model: Model) -> dict[str, Any]:
    return {"name": model.name, **_told({"not_computed": [entry.to_dictionary() for entry in model.not_computed]})}


def _told(notes: dict[str, Any]) -> dict[str, Any]:
    """What is only told about the mechanism; absent if there is nothing to tell, as of most trees."""
    return {key: value for key, value in notes.items() if value}


# Who writes the entries of each section.
_WRITERS: dict[str, tuple[Callable[[Model], dict[str, Any]], ...]] = {
    "structure": (_mechanism,),
    "inertias": (_mechanism,),
    "constraints": (_constraints,),
    "contacts": (contact_content,),
    "actuators": (actuator_content,),
    "simulation": (_simulation, actuator_content),
    "drawing": (_drawing,),
}


def from_dictionary(data: Mapping[str, Any]) -> Model:
    """Inverse of `to_dictionary`; raises `ModelError` on anything that it did not write."""
    try:
        if data["format"] != FORMAT or data["version"] != VERSION or data["version"] is True:
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
            model, drawn=data.get("reference"),  # type: ignore[arg-type]  # None: neutral
            configurations=dict(data.get("configurations", {})),
            motors=tuple(data.get("motors", ())), independent=tuple(data.get("independent", ())),
            passive=tuple(map(read_passive, data.get("passive", ()))), not_computed=_read_missing(data),
            **_read(data, SIMULATION_ENTRIES, read_simulation), **_read(data, CONTACT_ENTRIES, read_contact_content),
            **_read(data, (*ACTUATOR_ENTRIES, *KEYFRAME_ENTRIES), read_actuator_content),
        )  # fmt: skip
    except LinkwrightError:
        raise
    except KeyError as error:
        raise ModelError(f"the entry {error} is missing") from None
    except (TypeError, ValueError, AttributeError, OverflowError) as error:
        raise ModelError(f"not a model as linkwright writes it: {error}") from None


def _read_missing(data: Mapping[str, Any]) -> tuple[NotComputed, ...]:
    """Also of files from before there was a list of what is not computed: they have lines with the word first."""
    older = [line.partition(": ") for line in data.get("ignored", ())]
    return (
        *map(read_not_computed, data.get("not_computed", ())),
        *(NotComputed(what or word, word=word if what else "", ignored=True) for word, _, what in older),
    )


def _read(data: Mapping[str, Any], entries: tuple[str, ...], read: Callable[[Mapping], dict]) -> dict[str, Any]:
    """What `read` makes of these entries, if there is any."""
    return read(data) if any(entry in data for entry in entries) else {}


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
    return Pose(real_array(data["rotation"]), real_array(data["translation"]))


def _inertia(inertia: Inertia) -> dict[str, Any]:
    return {"mass": inertia.mass, "com": inertia.com.tolist(), "tensor": inertia.tensor.tolist()}


def _read_inertia(data) -> Inertia:
    return Inertia(data["mass"], real_array(data["com"]), real_array(data["tensor"]))
