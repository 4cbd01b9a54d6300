"""Drake's loop closure, in URDF and SDF: a point P on body A and a point Q on body B stay together."""

from __future__ import annotations

from collections.abc import Container
from typing import Any

import numpy as np

from ...model import ModelBuilder, Pose
from ...model.constraints import Constraint, connect
from ..text.xml import Element
from ..text.xml_values import name_of, shortened, text_name, text_numbers, vector

_ENTRY = "drake:ball_constraint_"


def ball_constraint(
    builder: ModelBuilder, element: Element, prefix: str, links: Container[str], name: str | None = None
) -> Constraint:
    """URDF has the values in attributes `name` and `value`, SDF between the tags."""
    known = [f"{_ENTRY}{part}" for part in ("body_A", "body_B", "p_AP", "p_BQ")]
    for child in element:
        if child.tag not in known:
            raise child.error(f"<{shortened(child.tag)}> is not understood here; expected {', '.join(known)}")
    found: list[Any] = [element.only(tag) for tag in known]
    for tag, part in zip(known, found, strict=True):
        if part is None and "body" in tag:
            raise element.error(f"has no <{tag}>")
    frames = []
    label = name or f"ball_constraint_{element.line}"
    for body, point, ending in ((found[0], found[2], "A"), (found[1], found[3], "B")):
        link = prefix + (name_of(body) if "name" in body.attributes else text_name(body))
        if link not in links:
            raise body.error(f"no link is named {shortened(link)!r}")
        if point is None:
            place = [0.0, 0.0, 0.0]
        elif "value" in point.attributes:
            place = vector(point, "value", (0.0, 0.0, 0.0))
        else:
            place = text_numbers(point, 3)
        with element.blamed():
            frames.append(builder.add_frame(f"{label}/{ending}", link, Pose(np.eye(3), np.array(place))))
    with element.blamed():
        return connect(*frames, name=label)
