"""A joint as a loop closure."""

from __future__ import annotations

import numpy as np

from ..errors import UnsupportedError
from .constraint import Constraint
from .joint import FIXED, Joint


def close_by_joint(joint: Joint, frame: str, other: str) -> Constraint:
    C = np.eye(3) if joint.kind == FIXED else joint.alignment()
    held = {
        "fixed": "xyzabc", "revolute": "xyzab", "continuous": "xyzab", "prismatic": "xyabc", "cylindrical": "xyab",
        "spherical": "xyz", "planar": "zab", "translational": "abc",
    }.get(joint.kind)
    if held is None:
        raise UnsupportedError(f"a loop cannot be closed by a {joint.kind} joint yet; cut another one")
    block = np.zeros((6, 6))
    block[:3, :3] = block[3:, 3:] = C.T
    rows = block[["xyzabc".index(x) for x in held]]
    return Constraint(name=joint.name, frame=frame, other=other, rows=rows, point=joint.kind == "spherical")
