"""Rotors on the joints of a robot, and chains of links driven by gears and by parallel belts."""

from __future__ import annotations

import numpy as np

from ..errors import InputError
from ..model import GROUND, Inertia, Model, ModelBuilder
from ..model.constraints import Constraint
from ..model.joint import continuous, revolute
from ..model.transmissions import gear, parallel_belts

# [Chignoli2023]'s chains: each link is 1 m long and weighs 1 kg, with Izz = 1 kg m^2 about its middle.
CHAIN_GEAR, CHAIN_BELT = 2.0, 3.0
CHAIN_LINK = Inertia(1.0, np.array([0.5, 0.0, 0.0]), np.diag([0.0, 1.0, 1.0]))
CHAIN_ROTOR = Inertia(0.05, np.zeros(3), np.diag([5e-5, 5e-5, 1e-4]))  # Izz is the paper's, the rest ours
_FALLING_SIDEWAYS = (0.0, -9.81, 0.0)  # in the plane of the chain


def spinning(mass: float, across: float, along: float, axis) -> Inertia:
    """A rotor's inertia: `along` the axis it spins about, `across` it."""
    direction = np.asarray(axis, dtype=float)
    outer = np.outer(direction, direction)
    return Inertia(mass, np.zeros(3), across * (np.eye(3) - outer) + along * outer)


def add_rotor(builder: ModelBuilder, name: str, *, parent: str, placement, axis, inertia: Inertia) -> str:
    """A rotor `name` on joint `name`_joint; the joint's name."""
    builder.add_body(name, continuous(f"{name}_joint", axis), parent=parent, placement=placement, inertia=inertia)
    return f"{name}_joint"


def with_rotors(model: Model, ratio: float, *, mass: float, across: float, along: float) -> Model:
    """`model` with a rotor beside every revolute joint, on the same axis and parent, geared `ratio` to 1."""
    builder = ModelBuilder(f"{model.name}_with_rotors", model.gravity)
    builder.add_inertia(GROUND, model.bodies[0].inertia)
    gears: list[Constraint] = []
    for body in model.bodies[1:]:
        parent = model.bodies[body.parent].name
        builder.add_body(body.name, body.joint, parent=parent, placement=body.placement, inertia=body.inertia)
        if body.joint.moves.turns:
            rotor = add_rotor(
                builder, f"{body.name}_rotor", parent=parent, placement=body.placement, axis=body.joint.axis,
                inertia=spinning(mass, across, along, body.joint.axis),
            )  # fmt: skip
            gears.append(gear(rotor, body.joint.name, ratio))
    for frame in model.frames.values():
        builder.add_frame(frame.name, model.bodies[frame.body].name, frame.placement)
    return builder.build().with_constraints(*model.constraints, *gears)


def geared_chain(n: int = 12, *, floating_base: bool = False) -> Model:
    """n links in a plane, each with a rotor on the body before, geared 2 to 1. Bodies "link_1", "rotor_1", ...

    Link and rotor inertias about the axis are [Chignoli2023]'s (1 and 1e-4); the rotor's mass, 0.05 kg, is ours.
    """
    _refuse_floating(floating_base, "geared_chain")
    _check_length(n, "n", even=False)
    builder = ModelBuilder(f"geared_chain_{n}", _FALLING_SIDEWAYS)
    gears = []
    for k in range(1, n + 1):
        parent, at = (f"link_{k - 1}", (1.0, 0.0, 0.0)) if k > 1 else (GROUND, None)
        _add_link(builder, k, parent, at)
        rotor = add_rotor(builder, f"rotor_{k}", parent=parent, placement=at, axis="z", inertia=CHAIN_ROTOR)
        gears.append(gear(rotor, f"link_{k}_joint", CHAIN_GEAR))
    builder.add_frame("tip", f"link_{n}", (1.0, 0.0, 0.0))
    return builder.build().with_constraints(*gears)


def belt_chain(n: int = 12, *, floating_base: bool = False) -> Model:
    """n links in a plane, driven in pairs by parallel belts: both rotors of a pair sit on the body before it.

    Gears 2 to 1; the first rotor of a pair has a belt of 3 to 1, the second one of 3 to 1 to each link.
    """
    _refuse_floating(floating_base, "belt_chain")
    _check_length(n, "n", even=True)
    builder = ModelBuilder(f"belt_chain_{n}", _FALLING_SIDEWAYS)
    belts: list[Constraint] = []
    for k in range(1, n + 1, 2):
        parent, at = (f"link_{k - 1}", (1.0, 0.0, 0.0)) if k > 1 else (GROUND, None)
        _add_link(builder, k, parent, at)
        rotors = [
            add_rotor(builder, f"rotor_{j}", parent=parent, placement=at, axis="z", inertia=CHAIN_ROTOR)
            for j in (k, k + 1)
        ]
        _add_link(builder, k + 1, f"link_{k}", (1.0, 0.0, 0.0))
        links = (f"link_{k}_joint", f"link_{k + 1}_joint")
        belts += parallel_belts(links, rotors, (CHAIN_GEAR,) * 2, ((CHAIN_BELT,), (CHAIN_BELT, CHAIN_BELT)))
    builder.add_frame("tip", f"link_{n}", (1.0, 0.0, 0.0))
    return builder.build().with_constraints(*belts)


def _add_link(builder: ModelBuilder, k: int, parent: str, at) -> None:
    builder.add_body(f"link_{k}", revolute(f"link_{k}_joint", "z"), parent=parent, placement=at, inertia=CHAIN_LINK)


def _check_length(n: int, name: str, *, even: bool) -> None:
    if not isinstance(n, int) or not 1 <= n <= 1000 or (even and n % 2):
        raise InputError(f"{name} is {n!r}; expected {'an even' if even else 'a'} whole number from 1 to 1000")


def _refuse_floating(floating_base: bool, name: str) -> None:
    if floating_base:
        raise InputError(f"{name} hangs on the ground; it has no floating base")
