"""Links whose frame is not where their joint is.

Our bodies have their frame at the joint. Where a file puts a link's frame elsewhere, the body is named after the joint
and the link's name is a frame on it; where the motion does not depend on the difference, there is none.
"""

from __future__ import annotations

from collections.abc import Container
from dataclasses import replace
from typing import Any

import numpy as np

from ...fixed_order import dot, product
from ...model import Inertia, Joint, ModelBuilder, Pose
from ...model.joint import FIXED
from ...model.pose import SNAP

_TURNED = ("axis", "second_axis")


def add_link(
    builder: ModelBuilder,
    link: str,
    joint: Joint,
    on: str,
    at: Pose,
    offset: Pose,
    inertia: Inertia,
    avoiding: Container[str] = (),
) -> str:
    """Hang `link` on the link or frame `on`. Returns the name of its body.

    at        the joint's frame on `on`
    offset    the link's frame in the joint's, at neutral
    inertia   in the link's frame
    avoiding  names that are yet to come
    """
    if joint.kind == FIXED:
        builder.add_frame(link, on, at @ offset)
        builder.add_inertia(link, inertia)
        return link
    if _moves_alike(joint, offset):
        back = offset.snapped().rotation.T
        turned: dict[str, Any] = {name: product(back, getattr(joint, name)) for name in _TURNED}
        builder.add_body(link, replace(joint, **turned), parent=on, placement=at @ offset, inertia=inertia)
        return link
    body = joint.name
    while builder.has_name(body) or body in avoiding:
        body += "/body"
    builder.add_body(body, joint, parent=on, placement=at, inertia=inertia.moved(offset))
    builder.add_frame(link, body, offset)
    return body


def _moves_alike(joint: Joint, offset: Pose) -> bool:
    """Whether the joint moves a frame at `offset` as it moves its own."""
    if joint.kind in ("planar", "translational", "free_flyer") and np.abs(offset.rotation - np.eye(3)).max() > SNAP:
        return False  # their coordinates are along the frame's axes
    away = offset.translation
    if joint.kind in ("prismatic", "translational"):
        away = np.zeros(3)
    elif joint.kind in ("revolute", "continuous", "helical", "cylindrical"):
        away = away - joint.axis * dot(joint.axis, away)
    return bool(np.abs(away).max() < SNAP)
