"""Planar linkages of textbooks. Drawn closed: q = 0 is the pose the arguments describe, each q the turn since then.

Angles are counter-clockwise in the vertical plane, x to the right and z up. Lengths are in metres; bars weigh 1 kg per
metre unless told otherwise (`density`, `thickness`). `closure` says how pins are written, see `PlaneDrawing`.
"""

from __future__ import annotations

import math

import numpy as np

from ..errors import InputError
from ..model import Inertia, Model
from .checks import finite, positive
from .plane import PlaneDrawing, PlanePoint, at_angle, beside, third_corner

Pair = tuple[float, float]


def slider_crank(
    crank: float = 0.05, rod: float = 0.15, *, offset: float = 0.0, angle: float = math.pi / 3,
    slider_mass: float = 0.3, closure: str = "planar", **material: float,
) -> Model:  # fmt: skip
    """A crank at the origin, a rod, and a slider along x at height `offset`: 3 joints, mobility 1.

    Joints "crank_joint", "rod_joint", "slider_joint"; the rod's end is pinned to the slider by constraint "wrist".
    """
    _lengths(crank=crank, rod=rod)
    end = at_angle((0, 0), crank, finite("angle", angle))
    reach = rod**2 - (end[1] - finite("offset", offset)) ** 2
    if reach <= 0:
        third_corner(end, (end[0], offset), rod, 0.0, left=True, what="the slider-crank")  # says why not
    wrist = (end[0] + math.sqrt(reach), offset)
    drawing = PlaneDrawing("slider_crank", closure=closure, **material)
    drawing.turning("crank", (0, 0), [end])
    drawing.turning("rod", end, [wrist], "crank")
    drawing.sliding("slider", wrist, "x", Inertia.box(positive("slider_mass", slider_mass), (0.04, 0.03, 0.03)))
    drawing.pin("wrist", "rod", "slider", wrist)
    return drawing.build()


def four_bar(
    ground: float = 0.4, crank: float = 0.1, coupler: float = 0.35, rocker: float = 0.25, *, angle: float = math.pi / 3,
    crossed: bool = False, closure: str = "planar", **material: float,
) -> Model:  # fmt: skip
    """A crank at the origin, a coupler, and a rocker whose pivot is at x = `ground`: 3 joints, mobility 1.

    Joints "crank_joint", "coupler_joint", "rocker_joint"; constraint "coupler_pin" between coupler and rocker.
    """
    drawing = PlaneDrawing("four_bar", closure=closure, **material)
    _draw_four_bar(drawing, (0, 0), (ground, 0), crank, coupler, rocker, angle, crossed)
    return drawing.build()


def five_bar(
    ground: float = 0.2, left: Pair = (0.2, 0.3), right: Pair = (0.2, 0.3), *, angles: Pair = (2.2, 0.9),
    closure: str = "planar", **material: float,
) -> Model:  # fmt: skip
    """Two arms of two bars whose pivots are at x = -ground / 2 and ground / 2, meeting at the top: mobility 2.

    Joints "left_upper_joint", "left_lower_joint", "right_upper_joint", "right_lower_joint"; constraint "tip_pin" holds
    the arms' ends together, and a frame "tip" is there.
    """
    _lengths(ground=ground, left=left, right=right)
    pivots = {"left": (-ground / 2, 0.0), "right": (ground / 2, 0.0)}
    elbows = {
        side: at_angle(pivots[side], lengths[0], finite("angles", angle))
        for side, lengths, angle in zip(pivots, (left, right), angles, strict=True)
    }
    tip = third_corner(elbows["left"], elbows["right"], left[1], right[1], left=True, what="the five-bar")
    drawing = PlaneDrawing("five_bar", closure=closure, **material)
    for side, pivot in pivots.items():
        drawing.turning(f"{side}_upper", pivot, [elbows[side]])
        drawing.turning(f"{side}_lower", elbows[side], [tip], f"{side}_upper")
    drawing.mark("tip", "left_lower", drawing.lifted(tip))
    drawing.pin("tip_pin", "left_lower", "right_lower", tip)
    return drawing.build()


def watt_six_bar(
    ground: float = 0.4, crank: float = 0.12, coupler: float = 0.35, rocker: float = 0.3, *,
    coupler_point: Pair = (0.2, 0.2), rocker_point: Pair = (0.35, -0.15), second_coupler: float = 0.4,
    second_rocker: float = 0.4, angle: float = math.pi / 3, closure: str = "planar", **material: float,
) -> Model:  # fmt: skip
    """Watt's six-bar (I): a four-bar whose coupler and rocker are triangles that carry two more bars. Mobility 1.

    `coupler_point` is on the coupler, along and left of the way from the crank to the rocker; `rocker_point` on the
    rocker, along and left of the way from its pivot to the coupler. Bodies "second_coupler" and "second_rocker" hang
    on these points and are pinned together.
    """
    _lengths(second_coupler=second_coupler, second_rocker=second_rocker)
    drawing = PlaneDrawing("watt_six_bar", closure=closure, **material)
    on_coupler, on_rocker = _draw_four_bar(
        drawing, (0, 0), (ground, 0), crank, coupler, rocker, angle, False, coupler_point, rocker_point
    )
    tip = third_corner(on_coupler, on_rocker, second_coupler, second_rocker, left=True, what="Watt's six-bar")
    drawing.turning("second_coupler", on_coupler, [tip], "coupler")
    drawing.turning("second_rocker", on_rocker, [tip], "rocker")
    drawing.pin("second_pin", "second_coupler", "second_rocker", tip)
    return drawing.build()


def stephenson_six_bar(
    ground: float = 0.4, crank: float = 0.12, coupler: float = 0.35, rocker: float = 0.3, *,
    coupler_point: Pair = (0.2, 0.2), pivot: Pair = (0.7, 0.2), second_coupler: float = 0.4,
    second_rocker: float = 0.35, angle: float = math.pi / 3, closure: str = "planar", **material: float,
) -> Model:  # fmt: skip
    """Stephenson's six-bar (III): a four-bar whose coupler carries a bar to a second rocker at `pivot`. Mobility 1.

    `coupler_point` is on the coupler, along and left of the way from the crank to the rocker; `pivot` is on the
    ground.
    """
    _lengths(second_coupler=second_coupler, second_rocker=second_rocker)
    drawing = PlaneDrawing("stephenson_six_bar", closure=closure, **material)
    on_coupler, _ = _draw_four_bar(drawing, (0, 0), (ground, 0), crank, coupler, rocker, angle, False, coupler_point)
    what = "Stephenson's six-bar"
    tip = third_corner(on_coupler, pivot, second_coupler, second_rocker, left=True, what=what)
    drawing.turning("second_coupler", on_coupler, [tip], "coupler")
    drawing.turning("second_rocker", pivot, [tip])
    drawing.pin("second_pin", "second_coupler", "second_rocker", tip)
    return drawing.build()


def pantograph_leg(
    ratio: float = 3.0, upper: float = 0.36, lower: float = 0.42, *, driver: Pair = (0.04, -0.2),
    slider_mass: float = 0.3, closure: str = "planar", **material: float,
) -> Model:  # fmt: skip
    """A leg that magnifies the motion of two slides, as on Hirose's walking machines: mobility 2.

    The hip pivot rides on a slide along z ("hip_slider_joint"), the driven point on one along x
    ("drive_slider_joint"). The foot (frame "foot") is hip + ratio (driven point - hip): it moves `ratio` times as far
    as the drive slide, and ratio - 1 times as far as the hip slide, backwards. `upper` and `lower` are the leg's
    segments, `driver` is the driven point (x, z) relative to the hip.
    """
    if positive("ratio", ratio) <= 1:
        raise InputError(f"ratio is {ratio}; a pantograph magnifies, so expected more than 1")
    _lengths(upper=upper, lower=lower)
    hip, driven = (0.0, 0.0), (finite("driver", driver[0]), finite("driver", driver[1]))
    short_upper, short_lower = upper / ratio, lower / ratio
    elbow = third_corner(hip, driven, short_upper, short_lower, left=True, what="the pantograph")
    knee = ratio * elbow
    joint = knee + (driven - elbow)  # the parallelogram elbow - knee - joint - driven point
    foot = ratio * np.array(driven)
    drawing = PlaneDrawing("pantograph_leg", closure=closure, **material)
    block = Inertia.box(positive("slider_mass", slider_mass), (0.05, 0.04, 0.05))
    drawing.sliding("hip_slider", hip, "z", block)
    drawing.turning("upper", hip, [knee], "hip_slider")
    drawing.turning("lower", knee, [foot], "upper")
    drawing.turning("short_lower", elbow, [driven], "upper")
    drawing.turning("short_upper", joint, [driven], "lower")
    drawing.sliding("drive_slider", driven, "x", block)
    drawing.mark("foot", "lower", drawing.lifted(foot))
    drawing.pin("first_pin", "short_lower", "drive_slider", driven)
    drawing.pin("second_pin", "short_upper", "drive_slider", driven)
    return drawing.build()


def _draw_four_bar(
    drawing: PlaneDrawing, pivot: PlanePoint, far_pivot: PlanePoint, crank: float, coupler: float, rocker: float,
    angle: float, crossed: bool, coupler_point: Pair | None = None, rocker_point: Pair | None = None,
):  # fmt: skip
    """Add crank, coupler and rocker; the points asked for on the coupler and on the rocker."""
    _lengths(crank=crank, coupler=coupler, rocker=rocker, ground=math.dist(pivot, far_pivot))
    end = at_angle(pivot, crank, finite("angle", angle))
    top = third_corner(end, far_pivot, coupler, rocker, left=not crossed, what="the four-bar")
    on_coupler = None if coupler_point is None else beside(end, top, *coupler_point)
    on_rocker = None if rocker_point is None else beside(far_pivot, top, *rocker_point)
    drawing.turning("crank", pivot, [end])
    drawing.turning("coupler", end, [top] if on_coupler is None else [top, on_coupler], "crank")
    drawing.turning("rocker", far_pivot, [top] if on_rocker is None else [top, on_rocker])
    drawing.pin("coupler_pin", "coupler", "rocker", top)
    return on_coupler, on_rocker


def _lengths(**lengths: float | Pair) -> None:
    for name, value in lengths.items():
        for length in value if isinstance(value, tuple | list) else (value,):
            positive(name, length)
