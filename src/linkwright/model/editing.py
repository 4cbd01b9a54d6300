"""New models from old ones: locking joints, attaching one mechanism to another."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

import numpy as np

from ..call_errors import names_arguments
from ..errors import InputError, ModelError
from .actuators.actuator_arrangement import driven_after_locking, driven_after_sorting
from .builder import ModelBuilder
from .contact.arrangement import joined, kept_after_locking
from .joint import fixed
from .model import GROUND, Model
from .not_computed import kept_after_locking as without_locked
from .pose import PoseLike


@names_arguments
def lock_joints(model: Model, joints: Iterable[str] | Mapping[str, object]) -> Model:
    """`model` with the named joints rigid, at the coordinates given or at neutral. Their bodies merge into parents."""
    if isinstance(joints, str):
        joints = [joints]
    at = dict(joints) if isinstance(joints, Mapping) else dict.fromkeys(joints)
    locked = {model.joint_index(name): value for name, value in at.items()}
    for mimic in model.mimics:
        if mimic.joint in at or mimic.leader in at:
            raise InputError(
                f"joint {mimic.joint!r} mimics {mimic.leader!r}; locking one of them would break the coupling"
            )
    builder = ModelBuilder(model.name, model.gravity)
    builder.add_inertia(GROUND, model.bodies[0].inertia)
    for i, body in enumerate(model.bodies[1:], start=1):
        joint, placement = body.joint, body.placement
        if i in locked:
            q = joint.motion().neutral() if locked[i] is None else np.atleast_1d(np.asarray(locked[i], dtype=float))
            if np.shape(q) != (joint.nq,) or not np.all(np.isfinite(q)):
                raise InputError(f"joint {joint.name!r} was to be locked at {locked[i]!r}; expected {joint.nq} numbers")
            joint, placement = fixed(joint.name), placement @ joint.displacement(q)
        builder.add_body(
            body.name, joint, parent=model.bodies[body.parent].name, placement=placement, inertia=body.inertia
        )
    _copy_frames(model, builder, prefix="")
    fixed_at = {}
    for i, value in locked.items():
        joint = model.bodies[i].joint
        if joint.nq == 1:
            fixed_at[joint.name] = 0.0 if value is None else float(np.ravel(value)[0])
    kept = [constraint.with_locked(fixed_at) for constraint in model.constraints]
    acting = [element.with_locked(fixed_at) for element in model.passive]
    left = [k for i in range(1, model.nbodies) if i not in locked for k in range(model.nq)[model.iq[i]]]
    locked_model = replace(
        builder.build().with_constraints(*(constraint for constraint in kept if constraint is not None)),
        drawn=model.drawn[left],
        configurations={name: q[left] for name, q in model.configurations.items()},
        motors=tuple(name for name in model.motors if name not in at),
        independent=tuple(name for name in model.independent if name not in at),
        passive=tuple(element for element in acting if element is not None),
        not_computed=without_locked(model.not_computed, at),
        simulation=model.simulation,
        looks=model.looks,
    )
    held = {name: fixed_at.get(name) for name in at}
    return driven_after_locking(kept_after_locking(locked_model, model), model, held)


@names_arguments
def attach(
    model: Model, other: Model, *, at: str = GROUND, placement: PoseLike = None, prefix: str = ""
) -> Model:
    """`other` mounted on frame `at` of `model`, its world frame at `placement` there.

    `prefix` is put before every name of `other`. The coordinates of `model` come first. Gravity and how to simulate are
    `model`'s. Named configurations and keyframes are not taken over: they are of one of the two only.
    """
    builder = ModelBuilder.from_model(model)
    mount = f"{prefix}{other.name}_mount"
    model.frame(at)  # an error that lists the frames there are
    try:
        builder.add_frame(mount, at, placement)
        builder.add_inertia(mount, other.bodies[0].inertia)
        for body in other.bodies[1:]:
            parent = prefix + other.bodies[body.parent].name if body.parent else mount
            builder.add_body(
                prefix + body.name, body.joint.renamed(prefix + body.joint.name), parent=parent,
                placement=body.placement, inertia=body.inertia,
            )  # fmt: skip
        _copy_frames(other, builder, prefix=prefix, ground=mount)
    except ModelError as error:
        raise ModelError(f"attaching {other.name!r} to {model.name!r}: {error} (give a prefix?)") from None
    attached = replace(
        builder.build().with_constraints(*(c.renamed(prefix, mount) for c in other.constraints)),
        drawn=np.concatenate([model.drawn, other.drawn]),
        motors=(*model.motors, *(prefix + name for name in other.motors)),
        independent=(*model.independent, *(prefix + name for name in other.independent)),
        passive=(*model.passive, *(element.renamed(prefix, mount) for element in other.passive)),
        not_computed=(*model.not_computed, *(entry.renamed(prefix, other.name) for entry in other.not_computed)),
        actuators=(*model.actuators, *(one.renamed(prefix) for one in other.actuators)),
        looks=(*model.looks, *(look.renamed(prefix, mount, GROUND) for look in other.looks)),
    )
    return joined(attached, model, other, prefix, mount)


def depth_first(model: Model) -> Model:
    """`model` with each body's descendants numbered right after it, as files are read; bodies keep their order else."""
    order = depth_first_order(model)
    if order == sorted(order):
        return model
    builder = ModelBuilder(model.name, model.gravity)
    builder.add_inertia(GROUND, model.bodies[0].inertia)
    for i in order[1:]:
        body = model.bodies[i]
        builder.add_body(
            body.name, body.joint, parent=model.bodies[body.parent].name, placement=body.placement, inertia=body.inertia
        )
    _copy_frames(model, builder, prefix="")
    moved = [k for i in order for k in range(model.nq)[model.iq[i]]]
    sorted_model = replace(
        builder.build().with_constraints(*model.constraints),
        drawn=model.drawn[moved],
        configurations={name: q[moved] for name, q in model.configurations.items()},
        motors=model.motors,
        independent=model.independent,
        passive=model.passive,
        not_computed=model.not_computed,
        shapes=model.shapes,
        pairs=model.pairs,
        contact_law=model.contact_law,
        simulation=model.simulation,
        looks=model.looks,
    )
    return driven_after_sorting(sorted_model, model, order)


def depth_first_order(model: Model) -> list[int]:
    """The bodies, each with its descendants right after it."""
    order, waiting = [], [0]
    while waiting:
        i = waiting.pop()
        order.append(i)
        waiting.extend(reversed(model.graph.children[i]))
    return order


def _copy_frames(model: Model, builder: ModelBuilder, *, prefix: str, ground: str = GROUND) -> None:
    for frame in model.frames.values():
        if not builder.has_name(prefix + frame.name):  # a locked joint has become a frame of that name already
            body = prefix + model.bodies[frame.body].name if frame.body else ground
            builder.add_frame(prefix + frame.name, body, frame.placement)
    for mimic in model.mimics:
        builder.add_mimic(prefix + mimic.joint, prefix + mimic.leader, mimic.multiplier, mimic.offset)
