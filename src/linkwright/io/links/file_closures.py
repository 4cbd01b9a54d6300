"""Loop closures as files describe them, between two links and at a place, added to a model that is being built."""

from __future__ import annotations

from ...errors import LoadError
from ...model import Joint, ModelBuilder, Pose
from ...model.constraints import Constraint, close_with
from ...model.reversal import reversed_joint
from ..ignoring import Ignoring, advice
from ..text.xml import Element


def close_loop(
    builder: ModelBuilder, joint: Joint, first: tuple[str, Pose], second: tuple[str, Pose], blame: Element
) -> Constraint:
    """The constraint that lets `first` move relative to `second` as if `joint` carried it there.

    Each place is a link (or frame) and a pose on it. They become frames named after the joint.
    """
    with blame.blamed():
        if builder.body_of(first[0]) == 0:  # what stands still is the second, as far as constraints are concerned
            joint, first, second = reversed_joint(joint), second, first
    names = []
    for (link, pose), ending in ((first, "child"), (second, "parent")):
        name = f"{joint.name}/{ending}"
        with blame.blamed():
            builder.add_frame(name, link, pose)
        names.append(name)
    with blame.blamed():
        bare = Joint(name=joint.name, kind=joint.kind, axis=joint.axis, second_axis=joint.second_axis)
        return close_with(bare, *names)


def unused(joint: Joint) -> list[str]:
    """What a joint says that has no meaning once it closes a loop: a closure has no coordinates."""
    said = []
    for quantity in ("damping", "friction", "armature"):
        if getattr(joint, quantity).any():
            said.append(quantity)
    if (joint.lower > -float("inf")).any() or (joint.upper < float("inf")).any():
        said.append("limits")
    return said


def check_springless(joint: Joint, blame: Element, ignore: Ignoring) -> None:
    what = f"the spring of joint {joint.name!r}, which closes a loop"
    if joint.stiffness.any() and not ignore.takes("spring", what):
        raise refused_spring(joint, blame)


def refused_spring(joint: Joint, blame: Element) -> LoadError:
    return blame.error(
        f"joint {joint.name!r} closes a loop and has a spring; a closure has no coordinates for a spring to act on. "
        "Put this joint before the other one that has the same child, which then closes the loop" + advice("spring")
    )
