"""Mechanisms at toggles and singular poses, and states from 1e-1 to 1e-8 radians away from them."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ..compilation import reference
from ..errors import ModelError
from ..model import Model
from ..model.constraints import connect, couple, weld
from ..robots import chain, five_bar, four_bar, humanoid, quadruped, random_tree, slider_crank, stewart_platform
from ..robots.plane import CLOSURES
from ..robots.random_constraints import FORMS, random_closure, random_ground_constraint
from .trust_poses import States, consistent

DISTANCES = tuple(10.0**-k for k in range(1, 9))  # radians
_WAYS, _BISECTIONS = 8, 55


@dataclass(frozen=True, eq=False)
class Toggle:
    """A mechanism and a pose in which its constraints lose a direction.

    path   closed poses at some distances from it; without one, states are off in random directions, and a little open
    """

    model: Model
    q: np.ndarray
    path: Callable[[float], np.ndarray] | None = None


def toggle_states(rng: np.random.Generator, number: int, count: int, held_out: bool) -> States:
    """Every other state moves as the constraints allow, every fourth is at rest."""
    makers = HELD_OUT if held_out else TOGGLES
    name = list(makers)[number % len(makers)]
    toggle = makers[name](rng)
    model = toggle.model
    distances = np.resize(DISTANCES, count) * rng.uniform(0.5, 2.0, count) * rng.choice((-1.0, 1.0), count)
    along = rng.normal(size=(count, model.nv))
    along /= np.abs(along).max(axis=1, keepdims=True)
    q = model.integrate(np.tile(toggle.q, (count, 1)), along * distances[:, None])
    if toggle.path is not None:
        on_path = np.arange(count) // len(DISTANCES) % 2 == 0
        q[on_path] = [toggle.path(x) for x in distances[on_path]]
    v, tau = rng.normal(size=(count, model.nv)), rng.normal(size=(count, model.nv))
    moving = np.arange(count) // (2 * len(DISTANCES)) % 2 == 0
    v = np.where((moving & (np.arange(count) % 2 == 0))[:, None], consistent(model, q, v), v)
    v[np.arange(count) % 4 == 1] = 0.0
    return States(name, model, q, v, tau)


def _flat_parallelogram(rng) -> Toggle:
    """All links in line, where it may go on as a parallelogram or crossed."""
    angle, length = float(rng.uniform(0.3, 1.2)), float(rng.uniform(0.1, 0.4))
    model = four_bar(0.3, length, 0.3, length, angle=angle, closure=_any_closure(rng))
    turn = np.array([1.0, -1.0, 1.0])
    return Toggle(model, -angle * turn, lambda x: (x - angle) * turn)


def _folded_slider_crank(rng) -> Toggle:
    """A rod as long as its crank, folded back on it: the slider need not move."""
    angle, length = float(rng.uniform(0.3, 1.2)), float(rng.uniform(0.05, 0.4))
    model = slider_crank(length, length, angle=angle, closure=_any_closure(rng))

    def path(x: float) -> np.ndarray:
        turn = math.pi / 2 + x - angle
        return np.array([turn, -2 * turn, 2 * length * (math.cos(angle + turn) - math.cos(angle))])

    return Toggle(model, path(0.0), path)


def _dead_centre(rng) -> Toggle:
    """A slider-crank in line while its slider is held."""
    crank, rod, angle = 0.05, float(rng.uniform(0.1, 0.3)), float(rng.uniform(0.3, 1.2))
    model = slider_crank(crank, rod, angle=angle, closure=_any_closure(rng))
    tilt = -math.asin(crank / rod * math.sin(angle))  # of the rod as drawn
    reach = crank * math.cos(angle) + rod * math.cos(tilt)
    q = np.array([-angle, angle - tilt, crank + rod - reach])
    return Toggle(model.with_constraints(couple("slider_joint", None, [float(q[2])], name="held")), q)


def _stretched_arm(rng) -> Toggle:
    """A chain of links in line whose tip is pinned or welded to the ground."""
    n, skew = int(rng.integers(2, 8)), (0.0, math.pi / 2, 0.7)[int(rng.integers(3))]
    model = chain(n, skew=skew, floating_base=bool(rng.random() < 0.25 and n > 2))
    hold = connect("tip") if rng.random() < 0.5 else weld("tip")
    return Toggle(model.with_constraints(hold), model.neutral())


def _straight_loop(rng) -> Toggle:
    """Two chains in line, side by side, from one base: tip on tip."""
    model = chain(int(rng.integers(4, 8)), skew=0.0)
    n = model.nbodies - 1
    half = n // 2
    q = np.zeros(model.nq)
    q[half] = math.pi  # folded in the middle, back along itself
    hold = connect("tip", "link_1") if n % 2 == 0 else weld("tip", "link_1", directions="x y")
    return Toggle(model.with_constraints(hold), q)


def _stretched_legs(rng) -> Toggle:
    """A quadruped on straight legs, its feet held as points."""
    model = quadruped(floating_base=bool(rng.random() < 0.3))
    feet = ["FL_foot", "FR_foot", "RL_foot", "RR_foot"][: int(rng.integers(1, 5))]
    return Toggle(model.with_constraints(*(connect(foot) for foot in feet)), model.neutral())


def _straight_knees(rng) -> Toggle:
    """A humanoid on straight legs, its feet welded."""
    model = humanoid(floating_base=bool(rng.random() < 0.3))
    return Toggle(model.with_constraints(weld("left_foot"), weld("right_foot")), model.neutral())


def _held_platform(rng) -> Toggle:
    """A Stewart platform turned by a right angle (Fichter's singular pose), its legs held."""
    yaw = math.pi / 2
    model = stewart_platform(rpy=(0.0, 0.0, yaw))
    held = [couple(f"piston{k}_joint", None, [0.0], name=f"held{k}") for k in range(1, 7)]
    return Toggle(model.with_constraints(*held), model.drawn)


def _flat_five_bar(rng) -> Toggle:
    """Forearms in line while both motors are held."""
    lower, ground = float(rng.uniform(0.2, 0.35)), 0.2
    upper = lower - ground / 2 + 0.05
    angle = math.acos(-(lower - 0.01 - ground / 2) / upper)  # as drawn a little bent
    model = five_bar(ground, (upper, lower), (upper, lower), angles=(angle, math.pi - angle), closure=_any_closure(rng))
    straight = math.acos(-(lower - ground / 2) / upper)
    rise = math.acos((lower - 0.01) / lower)  # of the forearms as drawn
    turn = straight - angle
    q = np.array([turn, -turn - rise, -turn, turn + rise])
    motors = ("left_upper_joint", "right_upper_joint")
    held = [couple(m, None, [s * turn], name=f"{m}_held") for m, s in zip(motors, (1.0, -1.0), strict=True)]
    return Toggle(model.with_constraints(*held), q)


def _random_square(rng) -> Toggle:
    """As many rows as joints, at a pose where their determinant changes its sign."""
    return _where_the_determinant_vanishes(rng, loops=True)


def _random_square_to_ground(rng) -> Toggle:
    return _where_the_determinant_vanishes(rng, loops=False)


def _where_the_determinant_vanishes(rng, loops: bool) -> Toggle:
    model = random_tree(int(rng.integers(2**31)), int(rng.integers(3, 6)), frames=4, branching=0.3)
    q = model.random_configuration(rng)
    for k in range(60):
        form = FORMS[int(rng.integers(len(FORMS)))]
        found = (
            random_closure(rng, model, q, f"c{k}", closed=True, form=form)
            if loops
            else random_ground_constraint(rng, model, f"c{k}")
        )
        if found is not None and model.nc + found.size <= model.nv:
            model = model.with_constraints(found)
    if model.nc < model.nv:
        raise ModelError(f"{model.name!r} got {model.nc} rows for its {model.nv} joints")
    jacobian = reference(model, "constraint_jacobian")
    for _ in range(_WAYS):
        poses = model.integrate(np.tile(q, (17, 1)), np.outer(np.linspace(0.0, 1.0, 17), rng.normal(size=model.nv)))
        signs = np.linalg.slogdet(jacobian(poses))[0]
        changes = np.flatnonzero(signs[1:] * signs[:-1] < 0)
        if len(changes):
            return Toggle(model, _bisected(model, jacobian, *poses[changes[0] : changes[0] + 2]))
    raise ModelError(f"{model.name!r}: no singular pose along the ways tried")


def _bisected(model: Model, jacobian, low: np.ndarray, high: np.ndarray) -> np.ndarray:
    sign = np.linalg.slogdet(jacobian(low))[0]
    for _ in range(_BISECTIONS):
        middle = model.integrate(low, model.difference(low, high) / 2)
        low, high = (middle, high) if np.linalg.slogdet(jacobian(middle))[0] == sign else (low, middle)
    return low


def _any_closure(rng) -> str:
    return str(rng.choice(list(CLOSURES)))


TOGGLES: dict[str, Callable[[np.random.Generator], Toggle]] = {
    "flat parallelogram": _flat_parallelogram,
    "dead centre": _dead_centre,
    "stretched arm": _stretched_arm,
    "random square": _random_square,
    "straight loop": _straight_loop,
    "stretched legs": _stretched_legs,
}
HELD_OUT: dict[str, Callable[[np.random.Generator], Toggle]] = {
    "folded slider-crank": _folded_slider_crank,
    "straight knees": _straight_knees,
    "held platform": _held_platform,
    "flat five-bar": _flat_five_bar,
    "random square to ground": _random_square_to_ground,
}
