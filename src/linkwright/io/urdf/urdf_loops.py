"""Loops and couplings in dialects of URDF.

    <loop>, <coupling>         URDF+: a closing joint; joints on two branches that turn in a ratio
    <loop_joint>               Isaac: a closing joint
    <drake:ball_constraint>    Drake: two points that stay together (drake.py)
    closing_X_1, closing_X_2   onshape-to-robot: two links whose frames mark where a loop was cut
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from ...errors import unknown_name
from ...model import Joint, ModelBuilder, Pose
from ...model.constraints import Constraint, connect, transmission
from ..links.drake import ball_constraint
from ..links.file_closures import close_loop
from ..text.xml import Element
from ..text.xml_values import name_of, number, required, shortened, vector
from .urdf_parts import KINDS, UrdfJoint, UrdfLink, read_origin
from .urdf_tree import unknown_link

BALL_CONSTRAINT = "drake:ball_constraint"
ELEMENTS = ("loop", "coupling", "loop_joint", BALL_CONSTRAINT)
_CLOSING_KINDS = {**KINDS, "spherical": "spherical", "ball": "spherical"}
_CLOSING_KINDS.pop("floating")  # which would close nothing


class LoopReader:
    """Reads the loops of one <robot> whose links are in the builder already."""

    def __init__(self, builder: ModelBuilder, links: Mapping[str, UrdfLink], joints: Mapping[str, UrdfJoint]):
        self.builder, self.links = builder, links
        self.carrier = {joint.child: joint for joint in joints.values()}

    def read(self, robot: Element) -> list[Constraint]:
        """In the order of the file."""
        readers: dict[str, Callable[[Element], Constraint]] = {
            "loop": self._loop, "coupling": self._coupling, "loop_joint": self._loop_joint, BALL_CONSTRAINT: self._ball,
        }  # fmt: skip
        return [readers[element.tag](element) for element in robot if element.tag in readers]

    def _loop(self, element: Element) -> Constraint:
        name = name_of(element)
        _only(element, "predecessor", "successor", "axis")
        places = []
        for tag in ("successor", "predecessor"):
            end = element.only(tag)
            if end is None:
                raise element.error(f"loop {name!r} has no <{tag} link=.../>")
            _only(end, "origin")
            places.append((self._link(end, f"{tag} of loop {name!r}"), read_origin(end)))
        first, second = places
        return close_loop(self.builder, _closing_joint(element, name), first, second, element)

    def _loop_joint(self, element: Element) -> Constraint:
        name = name_of(element)
        _only(element, "link1", "link2", "axis")
        places = []
        for tag in ("link1", "link2"):
            end = element.only(tag)
            if end is None:
                raise element.error(f"loop joint {name!r} has no <{tag} link=... xyz=... rpy=.../>")
            with end.blamed():
                pose = Pose.from_rpy(vector(end, "xyz", (0, 0, 0)), vector(end, "rpy", (0, 0, 0)))
            places.append((self._link(end, f"{tag} of loop joint {name!r}"), pose))
        first, second = places
        return close_loop(self.builder, _closing_joint(element, name), first, second, element)

    def _ball(self, element: Element) -> Constraint:
        return ball_constraint(self.builder, element, "", self.links, element.attributes.get("name") or None)

    def _coupling(self, element: Element) -> Constraint:
        """ratio times the turn of the predecessor is that of the successor, both seen from their common ancestor."""
        name = name_of(element)
        _only(element, "predecessor", "successor", "ratio")
        ends = []
        for tag in ("predecessor", "successor"):
            end = element.only(tag)
            if end is None:
                raise element.error(f"coupling {name!r} has no <{tag} link=.../>")
            ends.append(self._chain(self._link(end, f"{tag} of coupling {name!r}")))
        ratio = element.only("ratio")
        if ratio is None:
            raise element.error(f"coupling {name!r} has no <ratio value=.../>")
        weight = number(ratio, "value")
        first, second = ends
        while first and second and first[-1] is second[-1]:  # what both hang on turns both
            first, second = first[:-1], second[:-1]
        weights = {}
        for chain, factor in ((first, weight), (second, -1.0)):
            for joint in chain:
                if joint.joint.nv > 1:
                    raise element.error(
                        f"coupling {name!r} is across joint {joint.name!r}, which is {joint.joint.kind}; only joints "
                        "with one coordinate turn in a ratio"
                    )
                if joint.joint.nv:
                    weights[joint.name] = factor
        if not weights:
            raise element.error(f"coupling {name!r} is between links that do not move relative to each other")
        with element.blamed():
            return transmission(weights, name=name)

    def _chain(self, link: str) -> list[UrdfJoint]:
        """The joints from a link down to the root."""
        chain = []
        while link in self.carrier:
            chain.append(self.carrier[link])
            link = self.carrier[link].parent
        return chain

    def _link(self, element: Element, what: str) -> str:
        link = name_of(element, "link")
        if link not in self.links:
            raise unknown_link(element, what, link, self.links)
        return link


def closing_frames(
    builder: ModelBuilder, names: Iterable[str], name_taken: Iterable[str]
) -> tuple[list[Constraint], list[str]]:
    """onshape-to-robot: points that stay together, and a warning, because the kind of mate is not in the file."""
    names, taken = set(names), set(name_taken)
    loops = sorted(name[len("closing_") : -2] for name in names if name.startswith("closing_") and name.endswith("_1"))
    found = [loop for loop in loops if f"closing_{loop}_2" in names]
    constraints: list[Constraint] = []
    for loop in found:
        frames = sorted((f"closing_{loop}_{k}" for k in (1, 2)), key=lambda name: builder.body_of(name) == 0)
        constraints.append(connect(*frames, name=f"closing_{loop}" if loop in taken or not loop else loop))
    warnings = [
        f"the origins of 'closing_{loop}_1' and 'closing_{loop}_2' are held together; whether the mate also held axes "
        "is not in the file"
        for loop in found
    ]
    return constraints, warnings


def _closing_joint(element: Element, name: str) -> Joint:
    given = required(element, "type")
    if given not in _CLOSING_KINDS:
        raise element.error(f"loop {name!r}: {unknown_name('joint type', shortened(given), _CLOSING_KINDS)}")
    axis = element.only("axis")
    direction = vector(axis, "xyz", (1.0, 0.0, 0.0))
    if axis is not None and not any(direction):
        raise axis.error(f"axis of loop {name!r} is {direction}, which has no direction")
    with element.blamed():
        return Joint(name=name, kind=_CLOSING_KINDS[given], axis=direction, second_axis="y")


def _only(element: Element, *known: str) -> None:
    for child in element:
        if child.tag not in known:
            listed = ", ".join(known)
            raise child.error(f"<{shortened(child.tag)}> in <{element.tag}> is not understood; expected {listed}")
