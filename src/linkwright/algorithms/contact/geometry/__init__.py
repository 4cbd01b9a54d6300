"""Where two shapes touch: gap, point and frame of every candidate, as expressions of their poses. One file per family.

All is written in the frame of one moving body, so that what is fixed to it stays constant.
"""

from __future__ import annotations

from ....model.contact import Shape
from ....spatial import Placement
from .capsule_box import touches_of_capsule_and_box
from .planes import Floor, touches_with_plane
from .round_shapes import touches_of_round_shapes
from .sphere_box import touches_of_sphere_and_box
from .touch import Place, Touch, View


def touches(first: Shape, first_pose: Placement, second: Shape, second_pose: Placement, view: View) -> list[Touch]:
    """Candidates of a pair in their order; poses in the frame of `view`, but that of a plane in the world."""
    if second.kind == "plane":
        return touches_with_plane(Floor(second_pose, view), first, first_pose)
    if first.kind == "box" and second.kind == "capsule":
        return touches_of_capsule_and_box(first, first_pose, second, second_pose, view)
    if first.kind == "box":
        return touches_of_sphere_and_box(first, first_pose, second, second_pose, view)
    return touches_of_round_shapes(first, first_pose, second, second_pose, view)


__all__ = ["Place", "Touch", "View", "touches"]
