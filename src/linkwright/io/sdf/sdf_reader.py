"""SDF into a `Model`.

An SDF is a graph of links: the first joint that names a link as its child carries it, a further one closes a loop and
becomes a constraint of that joint's name (spanning.py). As drawn, all joints are at zero and all loops closed.

A model that no joint holds to the world floats, as the format says; `floating_base=False` fixes its base where it is
drawn. The base of a floating model has its pose in the world as coordinates; `model.drawn` is the pose in the
file.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np

from ...model import EARTH_GRAVITY, GROUND, Model, ModelBuilder, Pose
from ...model.constraints import Constraint
from ...model.joint import FIXED, free_flyer
from ...model.not_computed import warn
from ...model.passive import GravityCompensation
from ...model.reversal import reversed_joint
from ..ignoring import Ignoring, leave_out
from ..links.collisions import with_sdf_collisions
from ..links.drake import ball_constraint
from ..links.file_closures import check_springless, close_loop, unused
from ..links.mimics import tell_of_mimics
from ..links.placing import add_link
from ..links.spanning import CarriedLink, spanning_tree
from ..links.visuals import with_sdf_looks
from ..text.xml import Element, check_parts, parse_xml
from ..text.xml_values import name_of, text_number, text_numbers
from .sdf_gearboxes import gearboxes
from .sdf_joints import SdfJoint, graph_of_joints
from .sdf_scopes import Scope, read_models
from .sdf_vocabulary import IGNORED_BY, tell

ROOT_JOINT = "root_joint"


def read_sdf(
    data: bytes | str, *, file: object = None, floating_base: bool | None = None, ignore: str | Iterable[str] = ()
) -> Model:
    """A model from the content of an SDF file. `file` is what errors call it."""
    return warn(model_from_sdf(parse_xml(data, file), floating_base=floating_base, ignore=Ignoring(ignore)))


def model_from_sdf(root: Element, *, floating_base: bool | None = None, ignore: Ignoring | None = None) -> Model:
    """A model from a parsed <sdf>."""
    if root.tag != "sdf":
        raise root.error("expected <sdf> as the root element of an SDF")
    with np.errstate(all="ignore"):  # numbers that overflow are caught as not finite, where their name is known
        ignore = Ignoring() if ignore is None else ignore
        model = _Assembly(root, floating_base, ignore).model()
        tell(root, ignore)
        return model.with_not_computed(*ignore.left_out)


class _Assembly:
    def __init__(self, root: Element, floating_base: bool | None, ignore: Ignoring):
        self.root, self.floating_base, self.ignore = root, floating_base, ignore
        leave_out(root, IGNORED_BY, ignore)
        check_parts(root, "link", "joint", "frame", "model")
        self.models, gravity = read_models(root)
        self.scopes = [scope for model in self.models for scope in model.all()]
        self.gravity = EARTH_GRAVITY if gravity is None else text_numbers(gravity, 3)
        self.links = {scope.prefix + name: (scope, part) for scope in self.scopes for name, part in scope.links.items()}
        if not self.links:
            raise root.error("there are no links in the file")
        self.poses: dict[str, Pose] = {GROUND: Pose.identity()}
        for name, (scope, part) in self.links.items():
            with part.element.blamed():
                self.poses[name] = scope.pose(part.name, part.element)
        self.warnings: list[str] = []
        self.drawn: list[float] = []
        self.constraints: list[Constraint] = []

    def model(self) -> Model:
        joints = graph_of_joints(self.scopes)
        still = [name for name, (scope, _) in self.links.items() if scope.static]
        moving = [joint for joint in joints if not {joint.parent, joint.child} <= {GROUND, *still}]
        tree = spanning_tree([*self.links], moving, [GROUND, *still])
        if self.floating_base and not tree.bases:
            raise self.root.error("floating_base=True: but a joint or <static> holds the model to the world")
        self.builder = ModelBuilder(self.models[0].name, self.gravity)
        for name in still:
            self._part_of_ground(name)
        for step in tree.steps:
            if step.joint is None:
                self._add_base(step.link, alone=len(tree.bases) == 1)
            else:
                self._add_link(step, step.joint)
        for joint in tree.closures:
            self._close(joint)
        self.constraints += gearboxes(self.scopes, (step.joint for step in tree.steps if step.joint is not None))
        self._add_names(joints)
        for name, (scope, part) in self.links.items():
            told = f"link {name!r} is weightless"
            if part.weightless and not scope.static and not self.ignore.takes("gravcomp", told):
                self.builder.add_passive(GravityCompensation(name, part.inertia.mass, tuple(part.inertia.com)))
        for joint in moving:
            self._add_mimic(joint, tree.closures)
        with self.root.blamed():
            model = self.builder.build().with_constraints(*self.constraints)
            tell_of_mimics(model, self.ignore)
            model = replace(model, warnings=(*model.warnings, *self.warnings), drawn=np.array(self.drawn))
            elements = {name: part.element for name, (_, part) in self.links.items()}
            model = self._without_self_collisions(with_sdf_collisions(model, elements, self.ignore))
            return with_sdf_looks(model, elements)

    def _without_self_collisions(self, model: Model) -> Model:
        """Links of one model touch each other only where that says so."""
        shapes, excluded = model.shapes, []
        for k, two in enumerate(shapes):
            for one in shapes[:k]:
                scopes = [self.links[shape.on][0].outermost for shape in (one, two) if shape.on in self.links]
                if len(scopes) == 2 and scopes[0] is scopes[1] and not scopes[0].self_collide:
                    excluded.append((one.name, two.name))
        return replace(model, contact_law=replace(model.contact_law, excluded=tuple(excluded)))

    def _part_of_ground(self, name: str) -> None:
        part = self.links[name][1]
        with part.element.blamed():
            self.builder.add_frame(name, GROUND, self.poses[name])
            self.builder.add_inertia(name, part.inertia)

    def _add_base(self, name: str, alone: bool) -> None:
        if self.floating_base is False:
            self._part_of_ground(name)
            return
        part = self.links[name][1]
        with part.element.blamed():
            joint = free_flyer(ROOT_JOINT if alone else f"{name}_{ROOT_JOINT}")
            self.builder.add_body(name, joint, inertia=part.inertia)
        pose = self.poses[name]
        self.drawn += [*pose.translation, *pose.quaternion]

    def _add_link(self, step: CarriedLink[SdfJoint], joint: SdfJoint) -> None:
        part = self.links[step.link][1]
        if not part.element.named("inertial"):
            self.warnings.append(f"link {step.link!r} has no <inertial>; it gets the format's 1 kg and 1 kg m^2")
        ours = joint.joint
        if step.backward:
            ours = reversed_joint(ours)
            self.warnings.append(
                f"joint {ours.name!r} carries its parent {step.link!r} on its child {step.on!r}; nothing else does"
            )
        with joint.element.blamed():
            at = self.poses[step.on].inverse() @ joint.pose
            link = joint.pose.inverse() @ self.poses[step.link]
            add_link(self.builder, step.link, ours, step.on, at, link, part.inertia, avoiding=self.links)
        if np.any(ours.lower > 0) or np.any(ours.upper < 0):
            limits = f"{ours.lower.tolist()} to {ours.upper.tolist()}"
            self.warnings.append(f"joint {ours.name!r} is drawn at 0, outside its limits of {limits}")
        self.drawn += ours.motion().neutral() if ours.kind != FIXED else []

    def _close(self, joint: SdfJoint) -> None:
        check_springless(joint.joint, joint.element, self.ignore)
        left_out = unused(joint.joint)
        if left_out:
            what = f"{', '.join(left_out)} of joint {joint.joint.name!r}"
            self.ignore.leave("limit", what, "it closes a loop, and a closure has no coordinate for them to act on")
        first, second = ((link, self.poses[link].inverse() @ joint.pose) for link in (joint.child, joint.parent))
        self.constraints.append(close_loop(self.builder, joint.joint, first, second, joint.element))

    def _add_names(self, joints: list[SdfJoint]) -> None:
        for scope in self.scopes:
            for frame in scope.frames.values():
                self._add_frame(scope, frame.name, frame.element)
            for element in scope.element.named("drake:ball_constraint"):
                self.constraints.append(ball_constraint(self.builder, element, scope.prefix, self.links))
            for tag in ("plugin", "gripper"):
                for element in scope.element.named(tag):
                    name = element.attributes.get("name", "")
                    self.warnings.append(f"<{tag}> {name!r} (line {element.line}) is left out")
        for joint in joints:
            if joint.joint.kind == FIXED and not self.builder.has_name(joint.joint.name):
                with joint.element.blamed():
                    self.builder.add_frame(
                        joint.joint.name, joint.child, self.poses[joint.child].inverse() @ joint.pose
                    )

    def _add_frame(self, scope: Scope, name: str, element: Element) -> None:
        with element.blamed():
            link = scope.link(name, element)
            self.builder.add_frame(scope.prefix + name, link, self.poses[link].inverse() @ scope.pose(name, element))

    def _add_mimic(self, joint: SdfJoint, closures: tuple[SdfJoint, ...]) -> None:
        """SDF: follower = multiplier * (leader - reference) + offset."""
        for element in joint.mimics:
            leader = joint.prefix + name_of(element, "joint")
            if joint in closures or any(leader == closure.joint.name for closure in closures):
                raise element.error(f"joint {joint.joint.name!r} or {leader!r} closes a loop, so it cannot mimic")
            if joint.joint.nv != 1 or element.attributes.get("axis", "axis") != "axis":
                raise element.error(f"joint {joint.joint.name!r}: only joints with one coordinate can mimic")
            values: dict[str, Any] = {"multiplier": None, "offset": 0.0, "reference": 0.0}
            for child in element:
                if child.tag not in values:
                    raise child.error(f"<{child.tag[:60]}> in <mimic> is not understood; expected {', '.join(values)}")
                values[child.tag] = text_number(child)
            if values["multiplier"] is None:
                raise element.error(f"mimic of joint {joint.joint.name!r} has no <multiplier>")
            with element.blamed():
                offset = values["offset"] - values["multiplier"] * values["reference"]
                self.builder.add_mimic(joint.joint.name, leader, values["multiplier"], offset)
