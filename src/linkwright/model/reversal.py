"""A joint seen from its other side: what its child was becomes its parent."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..errors import ModelError
from .joint import FIXED, Joint

_PER_VELOCITY = ("armature", "damping", "stiffness", "friction", "velocity_limit", "effort_limit")
_PER_COORDINATE = ("lower", "upper", "spring_reference")


def reversed_joint(joint: Joint) -> Joint:
    """The joint with parent and child exchanged, in the same frame.

    Coordinates keep their meaning where they can: an angle stays the angle of the old child relative to the old parent.
    Those of a universal joint change places, those of a translational one their sign, and a spherical joint's
    quaternion is conjugated.
    """
    if joint.kind == FIXED:
        return joint
    way = joint.moves.turned_round
    if way == "axis":  # that inverts the motion and leaves the coordinates what they were
        return replace(joint, axis=-joint.axis)
    if way == "both_axes":
        turned = {name: getattr(joint, name)[::-1] for name in (*_PER_VELOCITY, *_PER_COORDINATE)}
        return replace(joint, axis=-joint.second_axis, second_axis=-joint.axis, **turned)
    if way == "sign":
        return replace(
            joint, lower=-joint.upper, upper=-joint.lower, spring_reference=-joint.spring_reference,
        )  # fmt: skip
    uniform = way == "uniform"  # velocities are the same ones in other axes; elsewhere they are other ones
    for name in (*_PER_VELOCITY, "lower", "upper"):
        values = getattr(joint, name)
        plain = np.inf if name.endswith(("limit", "upper")) else -np.inf if name == "lower" else 0.0
        if np.any(values != plain) and not (uniform and len(values) == joint.nv and np.ptp(values) == 0):
            raise ModelError(
                f"{joint.kind} joint {joint.name!r} would have to be turned round, and its {name} {values.tolist()} "
                f"mean something else then; give its two bodies the other way round, or choose another cut or root"
            )
    return joint
