"""Hashes that identify a model, or those parts of it that a program reads.

Another friction of a contact, another name or another default time step makes another model, but not another ABA: each
program is identified by the sections it reads (`programs/request.py`), and compiled again only when one of those
changes.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from typing import Any

from .actuators.actuator_arrangement import ACTUATOR_ENTRIES, KEYFRAME_ENTRIES
from .contact.content import CONTACT_ENTRIES
from .simulation_defaults import SIMULATION_ENTRIES

SECTIONS: dict[str, tuple[str, ...]] = {
    "structure": ("format", "version", "gravity", "bodies", "frames", "mimics", "passive"),
    "inertias": ("ground_inertia",),
    "constraints": ("constraints", "reference", "configurations", "motors", "independent"),
    "contacts": CONTACT_ENTRIES,
    "actuators": ACTUATOR_ENTRIES,
    "simulation": (*SIMULATION_ENTRIES, *KEYFRAME_ENTRIES),
    "drawing": ("name", "not_computed", "ignored"),  # the last in older files
}
"""Entries of `serialization.to_dictionary` by section. Inertias of bodies stand in their entries, but count as such."""


def section_hashes(content: Mapping[str, Any], sections: Iterable[str]) -> dict[str, str]:
    """Of these sections, whose entries are all in `content`."""
    parts = {name: {entry: content[entry] for entry in SECTIONS[name] if entry in content} for name in sections}
    bodies = content.get("bodies", ())
    if "structure" in parts:
        parts["structure"]["bodies"] = [{key: x for key, x in body.items() if key != "inertia"} for body in bodies]
    if "inertias" in parts:
        parts["inertias"]["bodies"] = [body["inertia"] for body in bodies]
    return {section: content_hash(part) for section, part in parts.items()}


def content_hash(content: Any) -> str:
    return hashlib.sha256(json.dumps(content, sort_keys=True, separators=(",", ":")).encode()).hexdigest()
