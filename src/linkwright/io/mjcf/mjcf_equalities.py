"""Constraints of a `Model` as MJCF's equalities, between sites and joints.

A hinge that closes a loop becomes two points on its axis: MuJoCo has no closer word, and the rows span the same space.
"""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree

import numpy as np

from ...errors import UnsupportedError
from ...fixed_order import norm, rank
from ...model import Model, Pose
from ...model.constraints import Constraint, Coupling, RelativeConstraint, Rod
from .mjcf_words import numbers, placed

LEVER = 0.1  # metres between the two points that stand for a hinge
MAX_DEGREE = 4  # of the polynomials in a <joint> equality
_WHAT_MJCF_HAS = "MJCF has points, welds, hinges (as two points), rods, and couplings of joints"


def add_equalities(root: ElementTree.Element, elements: list[ElementTree.Element | None], model: Model) -> None:
    """`elements` are the bodies of the file, in the order of the model's; None where the file has none."""
    if model.constraints or model.mimics:
        _Equalities(root, elements, model).add()


class _Equalities:
    def __init__(self, root: ElementTree.Element, elements: list[ElementTree.Element | None], model: Model):
        self.root, self.elements, self.model = root, elements, model
        self.sites = set(model.frames)
        self.tendons: ElementTree.Element | None = None

    def add(self) -> None:
        found = ElementTree.Element("equality")
        for constraint in self.model.constraints:
            if isinstance(constraint, RelativeConstraint):
                self._add_relative(found, constraint)
            elif isinstance(constraint, Coupling):
                self._add_coupling(found, constraint)
            elif isinstance(constraint, Rod):
                self._add_rod(found, constraint)
            else:
                raise _refused(constraint)
        for mimic in self.model.mimics:  # data, not yet a constraint
            polynomial = numbers([mimic.offset, mimic.multiplier, 0, 0, 0])
            ElementTree.SubElement(
                found, "joint", name=f"{mimic.joint}/mimic", joint1=mimic.joint, joint2=mimic.leader,
                polycoef=polynomial, active="false",
            )  # fmt: skip
        self.root.append(found)

    def _add_relative(self, found: ElementTree.Element, constraint: RelativeConstraint) -> None:
        rows, turning = constraint.rows, constraint.turning_axis
        if constraint.crossed is not None:
            raise _refused(constraint)
        if np.array_equal(rows, np.eye(6)[:3]):
            self._add_between(found, "connect", constraint, constraint.name)
        elif np.array_equal(rows, np.eye(6)):
            self._add_between(found, "weld", constraint, constraint.name)
        elif len(rows) == 5 and turning is not None and rank(rows[:, :3], 1e-12) == 3:
            for k, along in enumerate((0.0, LEVER)):
                point = Pose.of(turning * along)
                self._add_between(found, "connect", constraint, f"{constraint.name}/point{k}", point)
        else:
            raise _refused(constraint)

    def _add_between(
        self, found: ElementTree.Element, tag: str, constraint: RelativeConstraint, name: str,
        offset: Pose | None = None,
    ) -> None:  # fmt: skip
        """Two sites that are to coincide. `offset` is on the first frame."""
        offset = Pose.identity() if offset is None else offset
        frame, other = self.model.frame(constraint.frame), self.model.frame(constraint.other)
        target = constraint.target
        if target is None:  # held wherever it is; a file needs a place, and the neutral one is as good as any
            world = _neutral_poses(self.model)
            target = (world[other.body] @ other.placement).inverse() @ world[frame.body] @ frame.placement
        first = self._site(f"{name}/1", frame.body, frame.placement @ offset, constraint.frame)
        second = self._site(f"{name}/2", other.body, other.placement @ target @ offset, constraint.other)
        ElementTree.SubElement(found, tag, name=name, site1=first, site2=second)

    def _site(self, name: str, body: int, pose: Pose, existing: str) -> str:
        """A site at that pose; the frame of the constraint itself if it is there."""
        element = self.elements[body]
        if element is None:
            name = self.model.bodies[body].name
            raise UnsupportedError(f"frame {existing!r} is on {name!r}, which has no mass: MJCF has no place for it")
        there = self.model.frames.get(existing)
        if there is not None and there.body == body and there.placement.is_close(pose, 1e-15):
            return existing
        while name in self.sites:
            name += "'"
        self.sites.add(name)
        ElementTree.SubElement(element, "site", {"name": name, **placed(pose)})
        return name

    def _add_coupling(self, found: ElementTree.Element, constraint: Coupling) -> None:
        terms = [(joint, np.trim_zeros(np.array(c), "b")) for joint, c in constraint.terms]
        if all(len(c) == 2 for _, c in terms) and len(terms) > 2:
            self._add_transmission(found, constraint)
            return
        terms.sort(key=lambda term: len(term[1]))  # the one that is linear first: it is what the other gives
        if len(terms) > 2 or len(terms[0][1]) != 2 or len(terms[-1][1]) > MAX_DEGREE + 1:
            raise _refused(constraint)
        (joint, (constant, slope)), *others = terms
        polynomial = np.zeros(MAX_DEGREE + 1)
        attributes = {"name": constraint.name, "joint1": joint}
        for other, coefficients in others:
            polynomial[: len(coefficients)] = -coefficients / slope
            attributes["joint2"] = other
        polynomial[0] -= constant / slope
        ElementTree.SubElement(found, "joint", attributes, polycoef=numbers(polynomial))

    def _add_transmission(self, found: ElementTree.Element, constraint: Coupling) -> None:
        tendon = self._tendon("fixed", constraint.name)
        for joint, (_, ratio) in constraint.terms:
            ElementTree.SubElement(tendon, "joint", joint=joint, coef=numbers([ratio]))
        offset = -sum(constant for _, (constant, _) in constraint.terms)
        polynomial = numbers([offset, 0, 0, 0, 0])
        ElementTree.SubElement(found, "tendon", name=constraint.name, tendon1=constraint.name, polycoef=polynomial)

    def _add_rod(self, found: ElementTree.Element, constraint: Rod) -> None:
        """A tendon whose length differs from that at the neutral configuration by a constant."""
        tendon, world, ends = self._tendon("spatial", constraint.name), _neutral_poses(self.model), []
        for k, name in ((1, constraint.frame), (2, constraint.other)):
            frame = self.model.frame(name)
            site = self._site(f"{constraint.name}/{k}", frame.body, frame.placement, name)
            ElementTree.SubElement(tendon, "site", site=site)
            ends.append((world[frame.body] @ frame.placement).translation)
        longer = constraint.length - norm(ends[0] - ends[1])
        polynomial = numbers([longer, 0, 0, 0, 0])
        ElementTree.SubElement(found, "tendon", name=constraint.name, tendon1=constraint.name, polycoef=polynomial)

    def _tendon(self, tag: str, name: str) -> ElementTree.Element:
        if self.tendons is None:
            self.tendons = ElementTree.SubElement(self.root, "tendon")
        return ElementTree.SubElement(self.tendons, tag, name=name)


def _neutral_poses(model: Model) -> list[Pose]:
    poses = [Pose.identity()]
    for body in model.bodies[1:]:
        poses.append(poses[body.parent] @ body.placement)
    return poses


def _refused(constraint: Constraint) -> UnsupportedError:
    return UnsupportedError(f"constraint {constraint.name!r} cannot be written: {_WHAT_MJCF_HAS}")
