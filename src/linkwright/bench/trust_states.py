"""The states that `linkwright bench trust` puts to the solvers: nine classes, one function each.

`draw` gives the same states for the same arguments: class, number and sample name a case. What is held out of
tuning has other seeds and, where mechanisms are taken from a list, other mechanisms.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from ..compilation import reference
from ..errors import ModelError, unknown_name
from ..io import load
from ..model import Model, Pose
from ..model.constraints import connect, weld
from ..model.serialization import from_dictionary, to_dictionary
from ..robots import (
    chain,
    four_bar,
    jansen_leg,
    pantograph_leg,
    random_tree,
    ring,
    slider_crank,
    stephenson_six_bar,
    watt_six_bar,
)
from ..robots.random_constraints import FORMS, random_closure, random_ground_constraint
from .trust_poses import States, closed_states, near, open_states
from .trust_toggles import toggle_states

# Names for `load`; those of packages that are not installed are skipped. Held out are other mechanisms, not only other
# numbers.
CATALOGUE = (
    "four_bar", "slider_crank", "five_bar", "watt_six_bar", "jansen_leg", "stewart_platform", "ring:9",
    "geared_chain:6", "chain_of_loops:2,7", "tello_leg", "star:2,4", "digit_like", "mini_cheetah", "jansen_beast:2",
    "two_bipeds_with_box", "two_hands_with_cube", "cassie",
)  # fmt: skip
HELD_OUT_CATALOGUE = (
    "stephenson_six_bar", "pantograph_leg", "delta_robot", "all_coupled:20,6", "belt_chain:6", "biped_with_box",
    "ring:7", "mit_humanoid", "tello", "rotor_humanoid", "chain_of_loops:1,8", "jansen_beast:3",
    "hand_with_cube", "humanoid_with_cube_standing",
)  # fmt: skip
_SMALL = (*CATALOGUE[:7], "star:1,4")
_SMALL_HELD_OUT = ("stephenson_six_bar", "pantograph_leg", "delta_robot", "all_coupled:20,6", "ring:7")
_LINKAGES = (four_bar, slider_crank, watt_six_bar, jansen_leg)
_LINKAGES_HELD_OUT = (pantograph_leg, stephenson_six_bar)
_SPATIAL = ("stewart_platform", "ring:9", "star:1,4", "digit_like")
_SPATIAL_HELD_OUT = ("delta_robot", "all_coupled:20,6", "ring:7", "chain_of_loops:1,8")
_RATIOS = 9  # powers of ten between masses
_ONE_AXIS = ("revolute", "continuous", "prismatic", "helical")
_DIGITS = (4, 5, 6, 7, 8)
_OFF = (1e-3, 1e-5, 1e-2, 1e-4, 1e-6)  # metres or radians by which drawn poses are open
_DRAWN_OFF = ("toggles", "redundant", "rounded", "random graphs", "ground", "catalogue", "mass ratios")


def draw(kind: str, number: int, *, seed: int = 0, held_out: bool = False, count: int = 16) -> States:
    """`count` states of the mechanism with that number; raises ModelError where the draw gives none."""
    if kind not in KINDS:
        raise unknown_name("class of states", kind, KINDS)
    rng = np.random.default_rng([*kind.encode(), number, seed, held_out])
    return KINDS[kind](rng, number, count, held_out)


def _random_graphs(rng, number: int, count: int, held_out: bool) -> States:
    """Trees of 4 to 12 bodies with two to four constraints of every form, of whatever use they are."""
    model, q, is_closed = _random_graph(rng, number)
    if is_closed:
        return closed_states(rng, model.name, model, near(rng, model, q, count))
    return open_states(rng, model.name, model, model.random_configuration(rng, count), desired=number % 4 == 1)


def _redundant(rng, number: int, count: int, held_out: bool) -> States:
    """Constraints given twice, and plane linkages closed by hinges or points where two rows a pin would do."""
    if number % 2:
        build = _of(_LINKAGES_HELD_OUT if held_out else _LINKAGES, number // 2)
        model = build(closure=_of(("revolute", "point"), number // 2))
        if number % 10 == 9:
            model = ring(4 + number % 7, planar=True)
        return closed_states(rng, model.name, model, near(rng, model, model.drawn, count))
    model, q, is_closed = _random_graph(rng, number // 2)
    twice = _repeated(model)
    if is_closed:
        return closed_states(rng, twice.name, twice, near(rng, twice, q, count))
    states = open_states(rng, twice.name, twice, model.random_configuration(rng, count))
    return replace(states, desired=np.tile(rng.normal(size=(count, model.nc)), 2))


def _infeasible(rng, number: int, count: int, held_out: bool) -> States:
    """Constraints given twice, with other desired accelerations the second time."""
    if number % 4 == 3:
        model, q = load(_of(_SMALL_HELD_OUT if held_out else _SMALL, number // 4)), None
    elif number % 4 == 1:
        model, q = _random_tree_on_ground(rng, number), None
    else:
        model, q, _ = _random_graph(rng, number // 2)
    twice = _repeated(model)
    poses = near(rng, twice, model.drawn if q is None else q, count)
    return open_states(rng, twice.name, twice, poses, desired=True)


def _rounded_closures(rng, number: int, count: int, held_out: bool) -> States:
    """Numbers of 4 to 8 digits, as files print them: at the pose as drawn, open by rounding, and near by."""
    digits = _of(_DIGITS, number)
    if number % 3 == 2:
        model, q, _ = _random_graph(rng, 2 * number)  # even ones are closed
    elif number % 3 == 1:
        build = _of(_LINKAGES_HELD_OUT if held_out else _LINKAGES, number // 3)
        model = _turned(build(closure=_of(("revolute", "point"), number // 6)), rng)
        q = model.drawn
    else:
        model = _turned(load(_of(_SPATIAL_HELD_OUT if held_out else _SPATIAL, number // 3)), rng)
        q = model.drawn
    printed = replace(_rounded(model, digits), drawn=q)
    return closed_states(rng, f"{model.name}, {digits} digits", printed, near(rng, printed, q, count))


def _mass_ratios(rng, number: int, count: int, held_out: bool) -> States:
    """Bodies at the tips ten to a billion times as light, or as heavy, as they were."""
    exponent = (1 + number % _RATIOS) * (1 if number // _RATIOS % 2 else -1)
    base, q = number // 3 + number, None
    if base % 4 == 0:
        model, q, _ = _random_graph(rng, 2 * number)
    elif base % 4 == 1:
        model = load(_of(_SMALL_HELD_OUT if held_out else _SMALL, number))
    elif base % 4 == 2:
        n = 2 + number % 6
        model = chain(n, skew=1.1 if held_out else 0.7).with_constraints(_of((connect, weld), number)("tip"))
        q = model.random_configuration(rng)
    else:
        model = _random_tree_on_ground(rng, number)
    weighted = _with_tips(model, 10.0**exponent)
    poses = near(rng, weighted, model.drawn if q is None else q, count)
    states = closed_states(rng, f"{model.name}, tips x 1e{exponent}", weighted, poses)
    return states if number % 2 else replace(states, v=rng.normal(size=states.v.shape))


def _catalogue(rng, number: int, count: int, held_out: bool) -> States:
    """Mechanisms by name: at random poses, or closed."""
    names = HELD_OUT_CATALOGUE if held_out else CATALOGUE
    name = _of(names, number)
    model = load(name)
    if number // len(names) % 2:
        return open_states(rng, f"{name}, random", model, model.random_configuration(rng, count))
    return closed_states(rng, f"{name}, closed", model, near(rng, model, model.drawn, count))


def _ground(rng, number: int, count: int, held_out: bool) -> States:
    """Random trees with one to three constraints to the ground; every third has them twice."""
    model = _random_tree_on_ground(rng, number)
    if number % 3 == 2:
        model = _repeated(model)
    q = model.random_configuration(rng, count)
    if number % 2:
        return closed_states(rng, model.name, model, q)
    states = open_states(rng, model.name, model, q, desired=True)
    if number % 3 == 2 and states.desired is not None:
        half = model.nc // 2
        states.desired[:, half:] = states.desired[:, :half]
    return states


def _drawn_off(rng, number: int, count: int, held_out: bool) -> States:
    """States of the other classes; the pose that the mechanism is drawn in is off a closed one by 1e-6 to 1e-2."""
    states = KINDS[_of(_DRAWN_OFF, number)](rng, number // len(_DRAWN_OFF), count, held_out)
    known = _anchored(states.model, states.q[0])
    placed = tuple(c for c in known.constraints if c.has_position)
    error = reference(replace(known, constraints=placed), "constraint_error")
    if np.abs(error(states.q[0])).max(initial=0.0) < np.abs(error(known.drawn)).max(initial=0.0):
        known = replace(known, drawn=states.q[0])
    off = _of(_OFF, number)
    step, h = rng.normal(size=known.nv), 1e-7
    rate = np.abs(error(known.integrate(known.drawn, h * step)) - error(known.drawn)).max(initial=0.0) / h
    if not rate > 1e-3:
        raise ModelError(f"{known.name!r} cannot be drawn off its constraints")
    drawn = known.integrate(known.drawn, step * (off / rate))
    label = f"{states.label}, drawn off by {off:.0e}"
    return replace(states, label=label, model=replace(known, drawn=drawn), known=known)


def _anchored(model: Model, q: np.ndarray) -> Model:
    """With places on the ground, where they are at q, for frames that are held without one."""
    held = [c for c in model.constraints if c.constant_rows is not None and not c.has_position]
    if not held:
        return model
    placed = reference(model, "forward_kinematics", frames=[c.placed_frames[0][0] for c in held])(q)
    poses = zip(held, placed.positions, placed.rotations, strict=True)
    targets: dict[str, Any] = {
        c.name: replace(c, target=Pose(rotation, position)) for c, position, rotation in poses  # type: ignore[call-arg]
    }
    return replace(model, constraints=tuple(targets.get(c.name, c) for c in model.constraints))


KINDS: dict[str, Callable[[np.random.Generator, int, int, bool], States]] = {
    "random graphs": _random_graphs,
    "redundant": _redundant,
    "infeasible": _infeasible,
    "toggles": toggle_states,
    "rounded": _rounded_closures,
    "mass ratios": _mass_ratios,
    "catalogue": _catalogue,
    "ground": _ground,
    "drawn off": _drawn_off,
}


def _of(values, number: int):
    return values[number % len(values)]


def _random_graph(rng, number: int) -> tuple[Model, np.ndarray, bool]:
    """(model, pose, whether it is closed there); every other one is."""
    is_closed = number % 2 == 0
    half = number // 2
    model = random_tree(
        int(rng.integers(2**31)), 4 + half % 9, branching=0.8, frames=5, floating_base=half % 2 == 0,
        armature=half % 3 == 1, springs=half % 4 == 2, damping=half % 4 == 3,
    )  # fmt: skip
    q, wanted = model.random_configuration(rng), 2 + half % 3
    for k in range(40):
        form = FORMS[int(rng.integers(len(FORMS)))]
        found = random_closure(rng, model, q, f"c{k}", closed=is_closed, form=form)
        if found is not None:
            model = model.with_constraints(found)
        if len(model.constraints) == wanted:
            break
    return model, q, is_closed


def _random_tree_on_ground(rng, number: int) -> Model:
    model = random_tree(
        int(rng.integers(2**31)), 3 + number % 10, branching=(0.2, 0.5, 0.8)[number % 3], floating_base=number % 2 == 0,
        frames=4, armature=number % 4 == 1, damping=number % 5 == 1, springs=number % 5 == 2,
    )  # fmt: skip
    wanted = 1 + int(rng.integers(3))
    return model.with_constraints(*(random_ground_constraint(rng, model, f"c{k}") for k in range(wanted)))


def _repeated(model: Model) -> Model:
    return model.with_constraints(*(replace(c, name=f"{c.name}_again") for c in model.constraints))


def _with_tips(model: Model, ratio: float) -> Model:
    data = to_dictionary(model)
    carriers = {body["parent"] for body in data["bodies"]}
    for body in data["bodies"]:
        if body["name"] not in carriers:
            inertia = body["inertia"]
            inertia["mass"] *= ratio
            inertia["tensor"] = (ratio * np.array(inertia["tensor"])).tolist()
    return from_dictionary(data)


def _turned(model: Model, rng) -> Model:
    """The same mechanism with body frames turned somehow, as exporters leave them: then axes are rounded too."""
    data = to_dictionary(model)
    turns = {body["name"]: Pose.from_quaternion((0, 0, 0), rng.normal(size=4)) for body in data["bodies"]}
    if {name for c in model.constraints for name in (getattr(c, "frame", ""), getattr(c, "other", ""))} & set(turns):
        raise ModelError(f"{model.name!r} holds bodies by their own frames")
    back = {name: turn.inverse() for name, turn in turns.items()}
    identity = Pose.identity()
    for body in data["bodies"]:
        turn, joint = turns[body["name"]], body["joint"]
        _set_pose(body, back.get(body["parent"], identity) @ _pose_of(body) @ turn)
        for axis in ("axis", "second_axis"):
            joint[axis] = (turn.rotation.T @ np.array(joint[axis])).tolist()
        inertia = model.bodies[model.body_index(body["name"])].inertia.moved(turn.inverse())
        body["inertia"] = {"mass": inertia.mass, "com": inertia.com.tolist(), "tensor": inertia.tensor.tolist()}
    for frame in data["frames"]:
        _set_pose(frame, back.get(frame["body"], identity) @ _pose_of(frame))
    return from_dictionary(data)


def _rounded(model: Model, digits: int) -> Model:
    """As written with so many digits and read again: positions, orientations (as quaternions) and axes."""

    def number(x: float) -> float:
        return float(f"{x:.{digits}g}")

    def printed(pose: Pose) -> Pose:
        return Pose.from_quaternion([number(x) for x in pose.translation], [round(x, digits) for x in pose.quaternion])

    data = json.loads(json.dumps(to_dictionary(model)))
    for placed in (*data["bodies"], *data["frames"]):
        _set_pose(placed, printed(_pose_of(placed)))
    for body in data["bodies"]:
        if body["joint"]["kind"] in _ONE_AXIS:
            body["joint"]["axis"] = [round(x, digits) for x in body["joint"]["axis"]]
    for c in data["constraints"]:
        if c["kind"] == "relative" and c["target"] is not None:
            pose = printed(Pose(*(np.array(x) for x in c["target"])))
            c["target"] = [pose.rotation.tolist(), pose.translation.tolist()]
        if c["kind"] == "rod":
            c["length"] = number(c["length"])
    return from_dictionary(data)


def _pose_of(data) -> Pose:
    return Pose(np.array(data["placement"]["rotation"]), np.array(data["placement"]["translation"]))


def _set_pose(data, pose: Pose) -> None:
    data["placement"] = {"rotation": pose.rotation.tolist(), "translation": pose.translation.tolist()}
