"""Gearboxes of an SDF: two links that turn in a ratio, both seen from a third.

theta_2 = -ratio * theta_1, where theta_1 is the angle from the reference body to the parent about <axis>, and theta_2
that to the child about <axis2>. Both links must hang on the reference body by hinges along these axes.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from ...errors import LoadError
from ...fixed_order import dot, norm, product
from ...model.constraints import Coupling, transmission
from .sdf_joints import SdfJoint, direction
from .sdf_parts import GEARBOX, JointPart
from .sdf_scopes import Scope

_PARALLEL = 1e-4  # files print angles with four digits


def gearboxes(scopes: list[Scope], carrying: Iterable[SdfJoint]) -> list[Coupling]:
    """The gearboxes as couplings of the joints that carry links."""
    hinges = [joint for joint in carrying if joint.joint.kind in ("revolute", "continuous")]
    parts = [(scope, part) for scope in scopes for part in scope.joints.values() if part.kind == GEARBOX]
    return [_coupling(scope, part, hinges) for scope, part in parts]


def _coupling(scope: Scope, part: JointPart, hinges: list[SdfJoint]) -> Coupling:
    element, (body, ratio) = part.element, part.gear  # type: ignore[misc]  # every gearbox has read its gear
    reference = scope.link(body, element)
    pose = scope.pose(part.name, element)
    weights: dict[str, float] = {}
    for end, axis, weight in ((part.parent, part.axes[0], ratio), (part.child, part.axes[1], 1.0)):
        link = scope.link(end, element)
        found = [hinge for hinge in hinges if {hinge.parent, hinge.child} == {reference, link}]
        if len(found) != 1:
            raise element.error(
                f"gearbox {part.name!r}: link {link!r} does not hang on its reference body {reference!r} by one hinge"
            )
        (hinge,) = found
        along = _cosine(
            product(hinge.pose.rotation, hinge.joint.axis), product(pose.rotation, direction(scope, pose, axis))
        )
        if abs(along) < 1 - _PARALLEL:
            raise _askew(part, hinge)
        seen_from_reference = 1.0 if hinge.parent == reference else -1.0
        weights[hinge.joint.name] = weight * float(np.sign(along)) * seen_from_reference
    with element.blamed():
        return transmission(weights, name=scope.prefix + part.name)


def _cosine(a: np.ndarray, b: np.ndarray) -> float:
    return dot(a, b) / (norm(a) * norm(b))


def _askew(part: JointPart, hinge: SdfJoint) -> LoadError:
    return part.element.error(f"gearbox {part.name!r} has an axis that is not along that of joint {hinge.joint.name!r}")
