"""Hashes that identify a model, or those parts of it that a program reads.

Another friction of a contact, another name or another default time step makes another model, but not another ABA: each
program is identified by the sections it reads (`programs/request.py`), and compiled again only when one of those
changes.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from .actuators.arrangement import ACTUATOR_ENTRIES, KEYFRAME_ENTRIES
from .contact.content import CONTACT_ENTRIES
from .simulation_defaults import SIMULATION_ENTRIES

SECTIONS: dict[str, tuple[str, ...]] = {
    "structure": ("format", "version", "gravity", "bodies", "frames", "mimics", "passive"),
    "inertias": ("ground_inertia",),
    "constraints": ("constraints", "reference", "configurations", "motors", "independent"),
    "contacts": CONTACT_ENTRIES,
    "actuators": ACTUATOR_ENTRIES,
    "simulation": (*SIMULATION_ENTRIES, *KEYFRAME_ENTRIES),
    "drawing": ("name", "ignored"),
}
"""Entries of `serialization.to_dictionary` by section. Inertias of bodies stand in their entries, but count as such."""


def section_hashes(content: Mapping[str, Any]) -> dict[str, str]:
    """By section. Entries that nobody has put into one belong to the structure, which every program reads."""
    known = {entry: section for section, entries in SECTIONS.items() for entry in entries}
    parts: dict[str, dict[str, Any]] = {section: {} for section in SECTIONS}
    for entry, value in content.items():
        parts[known.get(entry, "structure")][entry] = value
    bodies = content["bodies"]
    parts["structure"]["bodies"] = [{key: x for key, x in body.items() if key != "inertia"} for body in bodies]
    parts["inertias"]["bodies"] = [body["inertia"] for body in bodies]
    return {section: content_hash(part) for section, part in parts.items()}


def content_hash(content: Any) -> str:
    return hashlib.sha256(json.dumps(content, sort_keys=True, separators=(",", ":")).encode()).hexdigest()
