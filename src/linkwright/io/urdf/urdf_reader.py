"""URDF into a `Model`.

State layout, joint order and merging of fixed joints are Pinocchio's `buildModelFromUrdf`, with two differences: a
continuous joint has one coordinate (its angle), and a planar joint moves in the plane across its axis, as the format
says. The root link belongs to the ground unless `floating_base=True`.

Joint damping from the file is part of the model's dynamics (Pinocchio stores it and ignores it). Loops of several
dialects become constraints (urdf_loops.py). Mimic joints are kept as data, as other readers of the format do;
`model.with_mimics_coupled()` makes constraints of them. What a URDF may contain: urdf_vocabulary.py.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from ...model import GROUND, Model, ModelBuilder, Pose
from ...model.joint import FIXED, free_flyer
from ...model.not_computed import warn
from ..ignoring import Ignoring
from ..links.collisions import with_urdf_collisions
from ..links.mimics import tell_of_mimics
from ..links.visuals import with_urdf_looks
from ..text.xml import Element, check_parts, parse_xml
from ..text.xml_values import name_of, number, vector
from .parallel_robots import Closures
from .urdf_loops import LoopReader, closing_frames
from .urdf_parts import UrdfJoint, UrdfLink, read_joint, read_link
from .urdf_tree import depth_first, find_root, unknown_link
from .urdf_vocabulary import check_vocabulary, leave_out_loops, tell
from .urdf_world import is_ground_of_floating_joints, rename_world

ROOT_JOINT = "root_joint"  # Pinocchio's name for the joint of a floating base


def read_urdf(
    data: bytes | str, *, file: object = None, floating_base: bool = False, ignore: str | Iterable[str] = ()
) -> Model:
    """A model from the content of a URDF file. `file` is what errors call it."""
    return warn(model_from_element(parse_xml(data, file), floating_base=floating_base, ignore=Ignoring(ignore)))


def model_from_element(
    robot: Element, *, floating_base: bool = False, closures: Closures | None = None, ignore: Ignoring | None = None
) -> Model:
    """A model from a parsed <robot>, perhaps with closures from a file beside it."""
    if robot.tag != "robot":
        raise robot.error("expected <robot> as the root element of a URDF")
    with np.errstate(all="ignore"):  # numbers that overflow are caught as not finite, where their name is known
        ignore = Ignoring() if ignore is None else ignore
        leave_out_loops(robot, ignore)
        model = _Assembly(robot, floating_base, closures, ignore).model()
        tell(robot, ignore)
        return model.with_not_computed(*ignore.left_out)


class _Assembly:
    """The links and joints of one file on their way into a builder."""

    def __init__(self, robot: Element, floating_base: bool, closures: Closures | None, ignore: Ignoring):
        check_parts(robot, "link", "joint", "frame")
        check_vocabulary(robot, "robot")
        self.warnings: list[str] = []
        if floating_base and is_ground_of_floating_joints(robot):
            floating_base = False
        renamed = rename_world(robot) if floating_base else None
        if renamed is not None:
            self.warnings.append(
                f"the link {GROUND!r} moves with the floating base and is named {renamed!r}: {GROUND!r} is the ground"
            )
        self.robot, self.floating_base, self.closures, self.ignore = robot, floating_base, closures, ignore
        self.links: dict[str, UrdfLink] = _by_name("link", [read_link(e) for e in robot.named("link")])
        self.joints: dict[str, UrdfJoint] = _by_name("joint", [read_joint(e) for e in robot.named("joint")])
        if not self.links:
            raise robot.error("the robot has no links")
        if closures is not None:
            closures.check_joints(self.joints)
            self.joints = {n: replace(part, joint=closures.replaced(part.joint)) for n, part in self.joints.items()}
        self.builder = ModelBuilder(robot.attributes.get("name", "").strip() or "robot")

    def model(self) -> Model:
        root = find_root(self.robot, self.links, self.joints)
        self._add_root(self.links[root])
        order = list(depth_first(root, self.joints))
        for part in order:
            with part.element.blamed():
                self._add_link(part)
        for part in order:
            self._add_names_and_mimic(part)
        for frame in self.robot.named("frame"):
            with frame.blamed():
                self._add_frame(frame)
        constraints = LoopReader(self.builder, self.links, self.joints).read(self.robot)
        closed, told = closing_frames(self.builder, self.links, (constraint.name for constraint in constraints))
        with self.robot.blamed():
            model = self.builder.build().with_constraints(*constraints, *closed)
        tell_of_mimics(model, self.ignore)
        told += _told_of_ranges(order)
        model = replace(model, warnings=(*model.warnings, *self.warnings, *told), independent=self._independent(order))
        elements = {name: part.element for name, part in self.links.items()}
        model = with_urdf_looks(with_urdf_collisions(model, elements, self.ignore), self.robot, elements)
        return model if self.closures is None else self.closures.applied(model)

    @staticmethod
    def _independent(order: list[UrdfJoint]) -> tuple[str, ...]:
        """URDF+: where one joint says whether it is independent, those that say nothing are."""
        if all(part.independent is None for part in order):
            return ()
        return tuple(part.name for part in order if part.independent is not False and part.joint.nv)

    def _add_root(self, link: UrdfLink) -> None:
        with link.element.blamed():
            if self.floating_base:
                self.builder.add_body(link.name, free_flyer(ROOT_JOINT), inertia=link.inertia)
                return
            if link.name != GROUND:
                self.builder.add_frame(link.name)
            self.builder.add_inertia(GROUND, link.inertia)

    def _add_link(self, part: UrdfJoint) -> None:
        inertia = self.links[part.child].inertia
        if part.joint.kind != FIXED:
            self.builder.add_body(
                part.child, part.joint, parent=part.parent, placement=part.placement, inertia=inertia
            )
            return
        # The builder would also merge this, but at once claim the joint's name, which a later link may have.
        self.builder.add_frame(part.child, part.parent, part.placement)
        self.builder.add_inertia(part.child, inertia)

    def _add_names_and_mimic(self, part: UrdfJoint) -> None:
        self.warnings.extend(part.warnings)
        if part.joint.kind == FIXED and part.name not in self.links and part.name != GROUND:
            with part.element.blamed():
                self.builder.add_frame(part.name, part.child)
        mimic = part.mimic
        if mimic is None:
            return
        leader = name_of(mimic, "joint")
        if leader not in self.joints:
            raise mimic.error(f"joint {part.name!r} mimics joint {leader!r}, which is not in the file")
        if part.joint.kind == FIXED:
            self.warnings.append(f"joint {part.name!r} is fixed, so its <mimic> means nothing and was dropped")
            return
        for joint in (part, self.joints[leader]):
            if joint.joint.nv != 1:
                raise mimic.error(
                    f"joint {joint.name!r} is {joint.joint.kind}; only joints with one coordinate mimic or are mimicked"
                )
        multiplier, offset = number(mimic, "multiplier", 1.0), number(mimic, "offset", 0.0)
        with mimic.blamed():
            self.builder.add_mimic(part.name, leader, multiplier, offset)

    def _add_frame(self, frame: Element) -> None:
        """Drake's extension: <frame name link xyz rpy/>."""
        pose = Pose.from_rpy(vector(frame, "xyz", (0, 0, 0)), vector(frame, "rpy", (0, 0, 0)))
        name, link = name_of(frame), name_of(frame, "link")
        if link not in self.links:
            raise unknown_link(frame, f"link of frame {name!r}", link, self.links)
        self.builder.add_frame(name, link, pose)


def _told_of_ranges(parts: list[UrdfJoint]) -> list[str]:
    names = [repr(part.name) for part in parts if part.has_no_range]
    if not names:
        return []
    listed = ", ".join(names[:5]) + (f", ... ({len(names)} in all)" if len(names) > 5 else "")
    return [f"<limit> has neither lower nor upper, taken as no limit and not as 0 to 0: joint {listed}"]


def _by_name(kind: str, parts: list) -> dict:
    result: dict = {}
    for part in parts:
        if part.name in result:
            first = result[part.name].element.line
            raise part.element.error(f"a second {kind} is named {part.name!r} (the first is on line {first})")
        result[part.name] = part
    return result

