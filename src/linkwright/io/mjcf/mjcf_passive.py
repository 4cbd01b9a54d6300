"""Tendons and compensated weight, written as MJCF."""

from __future__ import annotations

import math
from xml.etree import ElementTree

import numpy as np

from ...errors import UnsupportedError
from ...fixed_order import product
from ...model import Model
from ...model.passive import GravityCompensation, Tendon
from .mjcf_words import numbers

_FAR = 1e10
_ALIKE = 1e-9  # of a body's mass, and of the distance of its centre of mass from its frame


def add_passive(root: ElementTree.Element, elements: list[ElementTree.Element | None], model: Model) -> None:
    """`elements` are the bodies of the file, in the order of the model's; None where the file has none."""
    _add_compensation(elements, model)
    if model.tendons:
        section = ElementTree.SubElement(root, "tendon")
        taken = {constraint.name for constraint in model.constraints}
        for spring in model.tendons:
            _add_tendon(section, spring, taken)


def _add_tendon(section: ElementTree.Element, spring: Tendon, taken: set[str]) -> None:
    name = spring.name
    while name in taken:
        name += "'"
    taken.add(name)
    lengths = [spring.shortest, spring.longest]
    if lengths == [-1.0, -1.0]:  # MuJoCo's word for "as drawn"
        lengths = [math.nextafter(-1.0, 0.0)] * 2
    tendon = ElementTree.SubElement(
        section, "fixed", name=name, stiffness=numbers([spring.stiffness]), damping=numbers([spring.damping]),
        springlength=numbers(lengths),
    )  # fmt: skip
    if spring.friction:
        tendon.set("frictionloss", numbers([spring.friction]))
    if spring.limited:
        bounds = [max(spring.lower, -_FAR), min(spring.upper, _FAR)]  # MJCF has no limits to one side
        tendon.attrib.update(limited="true", range=numbers(bounds))
    for joint, ratio in spring.ratios:
        ElementTree.SubElement(tendon, "joint", joint=joint, coef=numbers([ratio]))


def _add_compensation(elements: list[ElementTree.Element | None], model: Model) -> None:
    """A body has one share of its whole weight compensated; what acts elsewhere MJCF has no words for."""
    lifted: dict[int, np.ndarray] = {}
    for element in model.passive:
        if isinstance(element, GravityCompensation):
            frame = model.frame(element.frame)
            point = frame.placement.translation + product(frame.placement.rotation, np.array(element.point))
            before = lifted.get(frame.body, np.zeros(4))
            lifted[frame.body] = before + element.mass * np.array([1.0, *point])
    for i, (mass, *moment) in lifted.items():
        body, written = model.bodies[i], elements[i]
        if not i:
            continue
        if not mass and not any(moment):
            continue
        share = mass / body.inertia.mass if body.inertia.mass else math.nan
        away = np.abs(np.array(moment) - mass * body.inertia.com).max()
        if written is None or not away <= _ALIKE * abs(mass) * (1 + np.abs(body.inertia.com).max()):
            raise UnsupportedError(
                f"gravity compensation of body {body.name!r} is not a share of its weight at its centre of mass, which "
                "is all that MJCF has words for; save the model as .json"
            )
        written.set("gravcomp", numbers([share]))
