"""Theo Jansen's leg, and beasts that walk on many of them with one crank."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any

import numpy as np

from ..errors import InputError, unknown_name
from ..model import GROUND, Inertia, Model
from ..model.contact import sphere
from ..model.joint import free_flyer, planar, revolute
from .checks import count, finite, positive
from .plane import NORMAL, PlaneDrawing, PlanePoint, at_angle, third_corner

# Jansen's numbers. The crank's axis is `a` away from the legs' pivot and `l` above it; `m` is the crank.
HOLY_NUMBERS: Mapping[str, float] = MappingProxyType(
    {"a": 38.0, "b": 41.5, "c": 39.3, "d": 40.1, "e": 55.8, "f": 39.4, "g": 36.7, "h": 65.7, "i": 49.0, "j": 50.0,
     "k": 61.9, "l": 7.8, "m": 15.0}
)  # fmt: skip
METRES_PER_UNIT = 0.01
LEG_SPACING = 0.06  # metres along the crank
WALKING_SPACING = 0.1  # of a beast that must not fall over sideways
BASES = ("ground", "planar", "floating")
FOOT_RADIUS, FOOT_FRICTION = 0.02, 0.8


def jansen_leg(
    *, angle: float = 0.0, scale: float = METRES_PER_UNIT, numbers: Mapping[str, float] = HOLY_NUMBERS,
    closure: str = "planar", **material: float,
) -> Model:  # fmt: skip
    """One leg: 7 joints, three pins, mobility 1. q = 0 is the pose with the crank at `angle`.

    Bodies "crank", "upper_rod" (j), "lower_rod" (k), "hip" (triangle b d e), "rocker" (c), "link" (f) and "foot_link"
    (triangle g h i), with a frame "foot". The crank's axis is the origin; the leg stands on its left. `scale` is
    metres per unit of Jansen's numbers, `numbers` replaces them.
    """
    size = _scaled(numbers, scale)
    drawing = PlaneDrawing("jansen_leg", closure=closure, **material)
    pin = at_angle((0, 0), size["m"], finite("angle", angle))
    drawing.turning("crank", (0, 0), [pin])
    _draw_leg(drawing, "", size, pin, mirrored=False, frame=GROUND, crank="crank")
    return drawing.build()


def jansen_beast(
    legs: int = 12, *, base: str = "ground", angle: float = 0.0, scale: float = METRES_PER_UNIT,
    body_mass: float = 5.0, spacing: float = LEG_SPACING, phases: Sequence[float] | None = None,
    cranks: int = 1, closure: str = "planar", **material: float,
) -> Model:  # fmt: skip
    """A body on many legs, driven by one crankshaft: 1 + 6 legs joints, 3 legs pins, mobility 1.

    Legs come in pairs, left and right of the shaft, on one crank pin each.
    phases   where the pins are, an angle for each pair; spread evenly over the turn unless given
    spacing  metres along the shaft from leg to leg
    cranks   2: the shaft is cut in the middle, and its halves turn by themselves: "right_crank" those legs whose y is
             negative, which is the right side of a beast that walks along x, and "left_crank" the others; mobility 2
    base     "ground": the body is part of the ground; "planar": it moves in the plane of the legs (joint "root_joint",
             three more degrees of freedom); "floating": it moves freely (six more)
    Names as of `jansen_leg` with "leg1_", "leg2_" ... before them; odd legs are on the left.
    """
    count("legs", legs, largest=1000)
    if base not in BASES:
        raise unknown_name("base", base, BASES)
    size = _scaled(HOLY_NUMBERS, scale)
    drawing = PlaneDrawing(f"jansen_beast_{legs}", closure=closure, **material)
    pairs = (legs + 1) // 2
    frame = GROUND
    if base != "ground":
        extent = (2 * size["a"], max(spacing * legs, 0.1), 0.2 * size["a"])
        inertia = Inertia.box(positive("body_mass", body_mass), extent)
        joint = planar("root_joint", NORMAL) if base == "planar" else free_flyer("root_joint")
        frame = drawing.add("body", joint, (0, 0, 0), inertia=inertia)
    phases = [2 * math.pi * k / pairs for k in range(pairs)] if phases is None else list(phases)
    if len(phases) != pairs:
        raise InputError(f"phases are {len(phases)} angles; expected {pairs}, one for each pair of legs")
    pins = [at_angle((0, 0), size["m"], finite("angle", angle) + finite("phase", phase)) for phase in phases]
    depth = [positive("spacing", spacing) * (k - (legs - 1) / 2) for k in range(legs)]
    webs = [((0.0, y, 0.0), (pin[0], y, pin[1])) for y, pin in zip(depth, np.repeat(pins, 2, axis=0), strict=False)]
    for crank, driven in _shafts(legs, cranks).items():
        drawing.add(crank, revolute(f"{crank}_joint", NORMAL), (0, 0, 0), parent=frame, bars=[webs[k] for k in driven])
        for k in driven:
            drawing.y = depth[k]
            _draw_leg(drawing, f"leg{k + 1}_", size, pins[k // 2], mirrored=k % 2 == 1, frame=frame, crank=crank)
    return drawing.build()


def _shafts(legs: int, cranks: int) -> dict[str, range]:
    """Which legs each crank drives, by its name."""
    if cranks == 1:
        return {"crank": range(legs)}
    if cranks != 2 or legs % 4:
        raise InputError(f"{legs} legs are on {cranks!r} cranks; expected 1, or 2 with as many pairs of legs each")
    return {"right_crank": range(legs // 2), "left_crank": range(legs // 2, legs)}


def walking_beast(
    legs: int = 12, *, floating_base: bool = True, friction: float = FOOT_FRICTION, **options: Any
) -> Model:  # fmt: skip
    """A beast that floats, with balls for feet, on a floor that the lowest of them touch as it is drawn.

    Turn "crank_joint" and it walks, forward (along x) if its velocity is negative. Pins are a third of a turn apart and
    in the same places left and right, so that at any time feet stand on both sides: with pins spread evenly it would
    fall over sideways, and so it does with fewer than twelve legs. Without a floating base the body is held, and the
    feet rub over the floor. Options as of `jansen_beast`; with `cranks=2` it turns to the side whose crank is slower.
    """
    from ..compilation import reference  # where the feet are; other mechanisms do without a compiler

    pairs = (count("legs", legs, largest=1000) + 1) // 2
    thirds = [min(k, pairs - 1 - k) % 3 if pairs >= 6 else k % 3 for k in range(pairs)]
    chosen = {"spacing": WALKING_SPACING, "phases": [2 * math.pi * third / 3 for third in thirds], **options}
    beast = jansen_beast(legs, base="floating" if floating_base else "ground", **chosen)
    feet = [sphere(f"leg{k + 1}_foot", FOOT_RADIUS, name=f"foot{k + 1}") for k in range(legs)]
    rotations, positions = reference(beast, "forward_kinematics")(beast.drawn)
    frames = [beast.frame(foot.on) for foot in feet]
    heights = [(rotations[f.body] @ f.placement.translation + positions[f.body])[2] for f in frames]
    floor = (0.0, 0.0, float(min(heights)) - FOOT_RADIUS)
    return replace(beast.with_shapes(*feet).on_ground(friction, at=floor), name=f"walking_beast_{legs}")


def _draw_leg(
    drawing: PlaneDrawing, prefix: str, size: Mapping[str, float], pin: PlanePoint, *, mirrored: bool, frame: str,
    crank: str,
) -> None:  # fmt: skip
    """Solve the leg on the left side, where Jansen draws it, and mirror the points if it is on the right."""
    side = np.array([-1.0 if mirrored else 1.0, 1.0])
    what = f"leg {prefix.rstrip('_') or 'with this crank'}"
    pin = side * pin
    pivot = np.array([-size["a"], -size["l"]])
    top = third_corner(pivot, pin, size["b"], size["j"], left=True, what=what)
    knee = third_corner(pivot, pin, size["c"], size["k"], left=False, what=what)
    hind = third_corner(pivot, top, size["d"], size["e"], left=True, what=what)
    heel = third_corner(hind, knee, size["f"], size["g"], left=False, what=what)
    foot = third_corner(heel, knee, size["h"], size["i"], left=False, what=what)
    pin, pivot, top, knee, hind, heel, foot = (side * p for p in (pin, pivot, top, knee, hind, heel, foot))
    name = prefix.__add__
    drawing.turning(name("upper_rod"), pin, [top], crank)
    drawing.turning(name("lower_rod"), pin, [knee], crank)
    drawing.turning(name("hip"), pivot, [top, hind], frame)
    drawing.turning(name("rocker"), pivot, [knee], frame)
    drawing.turning(name("link"), hind, [heel], name("hip"))
    drawing.turning(name("foot_link"), knee, [heel, foot], name("rocker"))
    drawing.mark(name("foot"), name("foot_link"), drawing.lifted(foot))
    drawing.pin(name("top"), name("upper_rod"), name("hip"), top)
    drawing.pin(name("knee"), name("lower_rod"), name("rocker"), knee)
    drawing.pin(name("heel"), name("link"), name("foot_link"), heel)


def _scaled(numbers: Mapping[str, float], scale: float) -> dict[str, float]:
    if set(numbers) != set(HOLY_NUMBERS):
        raise InputError(f"numbers are given for {sorted(numbers)}; expected {', '.join(HOLY_NUMBERS)}")
    return {key: positive(f"number {key}", value) * positive("scale", scale) for key, value in numbers.items()}
