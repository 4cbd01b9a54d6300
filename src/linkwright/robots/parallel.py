"""Parallel robots: a platform on several legs. Drawn closed: q = neutral is the pose the arguments describe."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from ..errors import InputError
from ..fixed_order import dot, product, unit
from ..model import Inertia, Model, Pose
from ..model.constraints import connect
from ..model.joint import free_flyer, prismatic, revolute, universal
from ..scalar import Numbers
from .checks import finite, positive
from .closed_drawing import ClosedDrawing

UP = np.array([0.0, 0.0, 1.0])


def delta_robot(
    base_radius: float = 0.2, arm: float = 0.235, forearm: float = 0.8, platform_radius: float = 0.045, *,
    angles: Numbers = (0.3, 0.3, 0.3), half_width: float = 0.05, platform_mass: float = 0.3, **material: float,
) -> Model:  # fmt: skip
    """Clavel's delta robot, hanging from the ground: 21 degrees of freedom, 18 rows, mobility 3.

    Three driven arms turn about horizontal axes ("arm1_joint" ..., positive is down; `angles` below the horizontal as
    drawn). Each carries two parallel rods ("rod1a", "rod1b", ...) on universal joints, `half_width` either side of its
    middle, whose lower ends are held on the platform by points. The platform's own joint, "platform_joint", is free:
    its coordinates are relative to the pose as drawn. The defaults have the size of an industrial picking robot.
    """
    for name, value in (("base_radius", base_radius), ("arm", arm), ("forearm", forearm), ("half_width", half_width)):
        positive(name, value)
    positive("platform_radius", platform_radius)
    if len(angles) != 3:
        raise InputError(f"angles are {angles!r}; expected three")
    radial = [np.array([math.cos(x), math.sin(x), 0.0]) for x in (0, 2 * math.pi / 3, 4 * math.pi / 3)]
    tangential = [np.cross(UP, r) for r in radial]
    shoulders = [base_radius * r for r in radial]
    elbows = [
        s + arm * (math.cos(finite("angles", x)) * r - math.sin(x) * UP)
        for s, r, x in zip(shoulders, radial, angles, strict=True)
    ]
    centre = _below_spheres([e - platform_radius * r for e, r in zip(elbows, radial, strict=True)], forearm)
    drawing = ClosedDrawing("delta_robot", **material)
    for k in range(3):
        axis = revolute(f"arm{k + 1}_joint", tangential[k])
        drawing.add(f"arm{k + 1}", axis, shoulders[k], bars=[(shoulders[k], elbows[k])])
    rods = []
    for k in range(3):
        for side, sign in (("a", -1), ("b", 1)):
            shift = sign * half_width * tangential[k]
            top, bottom = elbows[k] + shift, centre + platform_radius * radial[k] + shift
            joint = universal(f"rod{k + 1}{side}_joint", **_across(bottom - top, tangential[k]))
            drawing.add(f"rod{k + 1}{side}", joint, top, parent=f"arm{k + 1}", bars=[(top, bottom)])
            rods.append((f"rod{k + 1}{side}", bottom))
    size = 2 * platform_radius
    plate = Inertia.box(positive("platform_mass", platform_mass), (size, size, 0.02))
    drawing.add("platform", free_flyer("platform_joint"), centre, inertia=plate)
    for rod, bottom in rods:
        drawing.hold(connect(*drawing.marks(f"{rod}_end", rod, "platform", bottom), name=f"{rod}_end"))
    return replace(drawing.build(), motors=tuple(f"arm{k + 1}_joint" for k in range(3)))


def stewart_platform(
    base_radius: float = 0.6, platform_radius: float = 0.35, height: float = 0.7, *, base_gap: float = 0.2,
    platform_gap: float = 0.2, rpy: Numbers = (0.0, 0.0, 0.0), platform_mass: float = 20.0,
    density: float = 4.0, **material: float,
) -> Model:  # fmt: skip
    """Six legs of variable length under a platform: 24 degrees of freedom, 18 rows, mobility 6.

    Leg k is a cylinder on a universal joint on the base ("cylinder1_joint") and a piston that slides in it
    ("piston1_joint": how much longer the leg is than as drawn), whose end is held on the platform by a point. Joints
    come in pairs at every third of a circle, `base_gap` and `platform_gap` (radians) either side of the middle; a leg
    leads to the neighbouring pair. "platform_joint" is free, relative to the pose as drawn: at `height`, turned by
    `rpy`.
    """
    for name, value in (("base_radius", base_radius), ("platform_radius", platform_radius), ("height", height)):
        positive(name, value)
    for name, value in (("base_gap", base_gap), ("platform_gap", platform_gap)):
        if not 0 <= finite(name, value) < math.pi / 3:
            raise InputError(f"{name} is {value}; expected an angle from 0 to less than 60 degrees, in radians")
    top = Pose.from_rpy((0, 0, height), [finite("rpy", x) for x in rpy])
    drawing = ClosedDrawing("stewart_platform", density=density, **material)
    ends = []
    for k in range(6):
        third, sign = 2 * math.pi / 3 * (k // 2), -1 if k % 2 == 0 else 1
        foot = base_radius * _direction(third + sign * base_gap)
        head = platform_radius * _direction(third + sign * (math.pi / 3 - platform_gap))
        ends.append((foot, product(top.rotation, head) + top.translation))
    for k, (foot, head) in enumerate(ends, start=1):
        middle = (foot + head) / 2
        leg = universal(f"cylinder{k}_joint", **_across(head - foot, np.cross(UP, head - foot)))
        drawing.add(f"cylinder{k}", leg, foot, bars=[(foot, middle)])
        drawing.add(
            f"piston{k}", prismatic(f"piston{k}_joint", head - foot), head, parent=f"cylinder{k}", bars=[(middle, head)]
        )
    plate = Inertia.box(positive("platform_mass", platform_mass), (1.5 * platform_radius, 1.5 * platform_radius, 0.04))
    turned = plate.moved(Pose(top.rotation, np.zeros(3)))
    drawing.add("platform", free_flyer("platform_joint"), top.translation, inertia=turned)
    for k, (_, head) in enumerate(ends, start=1):
        drawing.hold(connect(*drawing.marks(f"leg{k}_end", f"piston{k}", "platform", head), name=f"leg{k}_end"))
    return replace(drawing.build(), motors=tuple(f"piston{k + 1}_joint" for k in range(6)))


def _across(along: np.ndarray, near: np.ndarray) -> dict[str, np.ndarray]:
    """Axes of a universal joint across a leg, so that it cannot spin; the first as close to `near` as can be."""
    u = unit(along)
    first = unit(near - dot(near, u) * u)
    return {"axis": first, "second_axis": np.cross(u, first)}


def _direction(angle: float) -> np.ndarray:
    return np.array([math.cos(angle), math.sin(angle), 0.0])


def _below_spheres(centres: list[np.ndarray], radius: float) -> np.ndarray:
    """The lower of the two points at this distance from three centres."""
    a, b, c = centres
    normal = np.cross(b - a, c - a)
    # the centre of the circle through the three, from which the way to either point is along the normal
    u, v = b - a, c - a
    outward = np.cross(normal, u) * dot(v, v) + np.cross(v, normal) * dot(u, u)
    middle = a + outward / (2 * dot(normal, normal))
    reach = radius**2 - dot(middle - a, middle - a)
    if not reach > 0:
        raise InputError(
            f"the delta robot cannot be assembled: forearms of {radius:.6g} do not meet, the elbows being on a circle "
            f"of radius {math.dist(middle, a):.6g} (less the platform's)"
        )
    step = math.sqrt(reach) * unit(normal)
    return middle - step if step[2] > 0 else middle + step
