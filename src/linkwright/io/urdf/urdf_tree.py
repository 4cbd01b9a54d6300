"""How the links of a URDF hang together: one root, every other link carried by exactly one joint, no cycles."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ...errors import LoadError, unknown_name
from ..text.xml import Element
from ..text.xml_values import shortened
from .urdf_parts import UrdfJoint, UrdfLink

_CHARACTERS_TO_COMPARE = 20_000


def find_root(robot: Element, links: Mapping[str, UrdfLink], joints: Mapping[str, UrdfJoint]) -> str:
    """The name of the one link that no joint carries. Raises if the links and joints do not form a tree."""
    carrier: dict[str, UrdfJoint] = {}
    for joint in joints.values():
        for tag, link in (("parent", joint.parent), ("child", joint.child)):
            if link not in links:
                raise unknown_link(joint.element, f"{tag} of joint {joint.name!r}", link, links)
        if joint.child in carrier:
            other = carrier[joint.child]
            raise joint.element.error(
                f"link {joint.child!r} is the child of two joints, {other.name!r} (line {other.element.line}) and "
                f"{joint.name!r}; a URDF is a tree, in which every link has one parent"
            )
        carrier[joint.child] = joint
    roots = [name for name in links if name not in carrier]
    if not roots:
        cycle = _cycle(next(iter(links)), carrier)
        raise robot.error(f"no link is the root: the joints form a cycle through {_listed(cycle)}")
    if len(roots) > 1:
        raise robot.error(
            f"{len(roots)} links have no parent, so the robot is in parts that nothing connects: {_listed(roots)}. "
            "Expected one root; connect them with fixed or floating joints"
        )
    reached = {roots[0], *(joint.child for joint in depth_first(roots[0], joints))}
    lost = [name for name in links if name not in reached]
    if lost:
        cycle = _cycle(lost[0], carrier)
        raise carrier[cycle[0]].element.error(
            f"links {_listed(cycle)} carry each other in a cycle and are not connected to the root {roots[0]!r}"
        )
    return roots[0]


def depth_first(root: str, joints: Mapping[str, UrdfJoint]) -> Iterator[UrdfJoint]:
    """Joints from the root outward, in the order in which their coordinates appear in the state.

    It is Pinocchio's (that of urdfdom): depth first, and among the joints of one link by the name of the joint.
    """
    of_link: dict[str, list[UrdfJoint]] = {}
    for name in sorted(joints, reverse=True):  # a stack hands out the last first
        of_link.setdefault(joints[name].parent, []).append(joints[name])
    waiting = list(of_link.get(root, ()))
    while waiting:
        joint = waiting.pop()
        yield joint
        waiting.extend(of_link.get(joint.child, ()))


def unknown_link(element: Element, what: str, link: str, links: Mapping[str, UrdfLink]) -> LoadError:
    """The error for a link that is not in the file; names similar ones unless comparing with all would take long."""
    if sum(map(len, links)) > _CHARACTERS_TO_COMPARE:
        return element.error(f"{what}: no link named {link!r}")
    return element.error(f"{what}: {unknown_name('link', link, links)}")


def _cycle(start: str, carrier: Mapping[str, UrdfJoint]) -> list[str]:
    """Following parents from a link that has no root above it: the links that come round again."""
    seen: dict[str, int] = {}
    link = start
    while link not in seen:
        seen[link] = len(seen)
        link = carrier[link].parent
    return list(seen)[seen[link] :]


def _listed(names: list[str]) -> str:
    shown = ", ".join(repr(shortened(name)) for name in names[:10])
    return shown if len(names) <= 10 else f"{shown}, ... ({len(names)} in all)"
