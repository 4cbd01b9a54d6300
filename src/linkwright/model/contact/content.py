"""Shapes, pairs and the law as plain data and back, for JSON files, pickles and fingerprints."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import TYPE_CHECKING, Any

from ...errors import ModelError
from ..pose import Pose, real_array
from .law import USUAL_LAW, ContactLaw, EqualitySoftness, JointSoftness
from .naming import refused_as_of
from .pair import ContactPair
from .shape import Shape
from .softness import Softness
from .surface import Surface

if TYPE_CHECKING:
    from ..model import Model

CONTACT_ENTRIES = ("shapes", "contacts", "contact_law")


def contact_content(model: Model) -> dict[str, Any]:
    """Entries of a model's dictionary; none where nothing can touch and the law is the usual one."""
    content = {
        "shapes": [_plain(shape) for shape in model.shapes],
        "contacts": [_plain(pair) for pair in model.pairs],
        "contact_law": {} if model.contact_law is USUAL_LAW else _plain(model.contact_law),
    }
    if content["contact_law"] == _plain(USUAL_LAW):
        del content["contact_law"]
    return {key: value for key, value in content.items() if value}


def read_contact_content(data: Mapping[str, Any]) -> dict[str, Any]:
    """Arguments for a model, from its dictionary."""
    return {
        "shapes": tuple(_shape(x) for x in data.get("shapes", ())),
        "pairs": tuple(ContactPair(**_tuples(x, ContactPair)) for x in data.get("contacts", ())),
        "contact_law": _law(data.get("contact_law", {})),
    }


def _plain(value: Any) -> Any:
    """Dataclasses, poses and tuples as dictionaries and lists; what is None is left out."""
    if isinstance(value, Pose):
        return {"rotation": value.rotation.tolist(), "translation": value.translation.tolist()}
    if hasattr(value, "__dataclass_fields__"):
        parts = {f.name: _plain(getattr(value, f.name)) for f in fields(value)}
        return {name: part for name, part in parts.items() if part is not None}
    if isinstance(value, Mapping):
        return {str(name): _plain(part) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(part) for part in value]
    return value


def _tuples(data: Mapping[str, Any], kind: type) -> dict[str, Any]:
    known = [f.name for f in fields(kind)]
    unknown = set(data) - set(known)
    if unknown:
        raise ModelError(f"{kind.__name__} has unknown entries {sorted(unknown)}; known are {known}")
    return {key: tuple(value) if isinstance(value, list) else value for key, value in data.items()}


def _softness(data: Mapping[str, Any]) -> Softness:
    return Softness(**_tuples(data, Softness))


def _shape(data: Mapping[str, Any]) -> Shape:
    given = _tuples(data, Shape)
    with refused_as_of(f"shape {given.get('name')!r}"):
        surface = _tuples(given["surface"], Surface)
        given["surface"] = Surface(**{**surface, "softness": _softness(surface["softness"])})
    pose = given["placement"]
    given["placement"] = Pose(real_array(pose["rotation"]), real_array(pose["translation"]))
    return Shape(**given)


def _law(data: Mapping[str, Any]) -> ContactLaw:
    given = _tuples(data, ContactLaw)
    joints, tendons = (
        {name: _joint_softness(x) for name, x in given.pop(whose, {}).items()} for whose in ("joints", "tendons")
    )
    equalities = {}
    for name, x in given.pop("equalities", {}).items():
        part = _tuples(x, EqualitySoftness)
        equalities[name] = EqualitySoftness(**{**part, "softness": _softness(part["softness"])})
    return ContactLaw(joints=joints, equalities=equalities, tendons=tendons, **given)


def _joint_softness(data: Mapping[str, Any]) -> JointSoftness:
    part = _tuples(data, JointSoftness)
    return JointSoftness(**{**part, "limit": _softness(part["limit"]), "friction": _softness(part["friction"])})
