"""Models of Pinocchio into ours and back. State converters: pinocchio_state.py.

Joint order and velocity layout are the same in both libraries. Pinocchio stores damping and friction without using them
in its dynamics; ours include damping (not friction).
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ...errors import MissingExtraError, UnsupportedError
from ...model import GROUND, Inertia, Joint, Model, ModelBuilder, Pose
from ...model.editing import depth_first
from .pinocchio_joints import SimpleJoint, joint_model, pose_of, simple_joints
from .pinocchio_state import from_pinocchio, pinocchio_nq, to_pinocchio

__all__ = [
    "from_pinocchio", "from_pinocchio_model", "is_pinocchio_model", "pinocchio_model", "pinocchio_nq", "to_pinocchio",
]  # fmt: skip

# Pinocchio writes "no limit" as infinity or as the largest double.
_NO_LIMIT = 1e300


def is_pinocchio_model(source: object) -> bool:
    """Whether `source` is a pinocchio.Model, without importing Pinocchio."""
    return type(source).__name__ == "Model" and type(source).__module__.split(".")[0] == "pinocchio"


def from_pinocchio_model(pin_model) -> Model:
    """Our model of a `pinocchio.Model`: joints, inertias, armature, damping, friction, limits, gravity, frames.

    A body is called like the first body frame at its joint's origin, as Pinocchio's URDF reader makes them, else like
    the joint. Composite and Euler-angle (SphericalZYX) joints become chains of simple joints, named "joint/1",
    "joint/2" ..., with massless bodies in between: same coordinates, same motion.
    """
    builder = ModelBuilder(pin_model.name or "robot", np.array(pin_model.gravity.linear))
    body_names = _body_names(pin_model)
    for i in range(1, pin_model.njoints):
        name = pin_model.names[i]
        parts = simple_joints(pin_model.joints[i], name)
        parent = body_names[pin_model.parents[i]]
        placement = pose_of(pin_model.jointPlacements[i])
        iq, iv = pin_model.idx_qs[i], pin_model.idx_vs[i]
        for k, part in enumerate(parts, start=1):
            last = k == len(parts)
            joint = _joint(pin_model, part, name if len(parts) == 1 else f"{name}/{k}", iq, iv)
            body = body_names[i] if last else f"{body_names[i]}/{k}"
            parent = builder.add_body(
                body, joint, parent=parent, placement=placement @ part.placement,
                inertia=_inertia(pin_model.inertias[i]) if last else None,
            )  # fmt: skip
            placement = Pose.identity()
            iq, iv = iq + joint.nq + (joint.kind in ("continuous", "planar")), iv + joint.nv
    builder.add_inertia(GROUND, _inertia(pin_model.inertias[0]))
    _add_frames(builder, pin_model, body_names)
    return builder.build()


def pinocchio_model(model: Model):
    """A `pinocchio.Model` of ours. Bodies and frames become frames of the same names.

    Bodies on skew continuous joints and on planar joints about other axes than z have their frame turned in
    Pinocchio, which has these joints about coordinate axes only; the frame with the body's name is where ours is.

    Joints are numbered depth first, as in models read from files: Pinocchio's CRBA, and all that builds on it, is right
    only so. Where our bodies are numbered otherwise, `to_pinocchio(model, q, v, ...)` brings vectors into its order.
    """
    pin = _import_pinocchio()
    model = depth_first(model)
    if np.any(model.stacked("stiffness")):
        raise UnsupportedError("the model has joint springs, which Pinocchio does not; set their stiffness to 0 first")
    if model.passive:
        raise UnsupportedError(
            "the model has tendons or compensated weight, which Pinocchio does not; take them off first "
            "with dataclasses.replace(model, passive=())"
        )
    result = pin.Model()
    result.name = model.name
    result.gravity.linear = np.array(model.gravity)
    turned = [Pose.identity()]  # frame of each body in Pinocchio, in the frame of ours
    for i, body in enumerate(model.bodies[1:], start=1):
        motion, turn = joint_model(pin, body.joint)
        turned.append(turn)
        placement = turned[body.parent].inverse() @ body.placement @ turn
        index = result.addJoint(body.parent, motion, _se3(pin, placement), body.joint.name)
        if index != i:
            raise UnsupportedError(f"Pinocchio numbered joint {body.joint.name!r} {index} instead of {i}")
        result.addJointFrame(index)
    for i, body in enumerate(model.bodies):
        result.appendBodyToJoint(i, _pin_inertia(pin, body.inertia.moved(turned[i].inverse())), pin.SE3.Identity())
        if i:
            result.addBodyFrame(body.name, i, _se3(pin, turned[i].inverse()), -1)
    for frame in model.frames.values():
        placement = _se3(pin, turned[frame.body].inverse() @ frame.placement)
        result.addFrame(pin.Frame(frame.name, frame.body, 0, placement, pin.FrameType.OP_FRAME))
    _set_quantities(result, model)
    return result


def _set_quantities(result, model: Model) -> None:
    result.armature = model.stacked("armature")
    result.damping = model.stacked("damping")
    friction = model.stacked("friction")
    result.lowerDryFrictionLimit, result.upperDryFrictionLimit = -friction, friction
    effort, velocity = model.stacked("effort_limit"), model.stacked("velocity_limit")
    result.lowerEffortLimit, result.upperEffortLimit = -effort, effort
    result.lowerVelocityLimit, result.upperVelocityLimit = -velocity, velocity
    for bound, sign in (("lower", -1.0), ("upper", 1.0)):
        values: list[float] = []
        for joint in model.joints:
            limits = getattr(joint, bound).tolist()
            if joint.kind in ("continuous", "planar"):  # cosine and sine of the angle, with Pinocchio's own margin
                limits = [*limits[:-1], sign * 1.01, sign * 1.01]
            values += limits
        setattr(result, f"{bound}PositionLimit", np.array(values))


def _joint(pin_model, part: SimpleJoint, name: str, iq: int, iv: int) -> Joint:
    probe = Joint(name=name, kind=part.kind, axis=part.axis, second_axis=part.second_axis, pitch=part.pitch)
    v = slice(iv, iv + probe.nv)
    lower, upper = np.full(probe.nq, -np.inf), np.full(probe.nq, np.inf)
    # limits on angles stored as cosine and sine, and on quaternions, say nothing
    plain = {"continuous": 0, "spherical": 0, "planar": 2, "free_flyer": 3}.get(part.kind, probe.nq)
    lower[:plain] = _limit(pin_model.lowerPositionLimit[iq : iq + plain])
    upper[:plain] = _limit(pin_model.upperPositionLimit[iq : iq + plain])
    return replace(
        probe, armature=pin_model.armature[v], damping=pin_model.damping[v],
        friction=pin_model.upperDryFrictionLimit[v], lower=lower, upper=upper,
        velocity_limit=_limit(pin_model.upperVelocityLimit[v]), effort_limit=_limit(pin_model.upperEffortLimit[v]),
    )  # fmt: skip


def _body_names(pin_model) -> list[str]:
    names = [GROUND, *([""] * (pin_model.njoints - 1))]
    for frame in pin_model.frames:
        i = frame.parentJoint
        at_origin = pose_of(frame.placement).is_close(Pose.identity(), 1e-12)
        if i and not names[i] and str(frame.type) == "BODY" and at_origin:
            names[i] = frame.name
    taken = set(names)
    for i in range(1, pin_model.njoints):
        if not names[i]:
            names[i] = pin_model.names[i] if pin_model.names[i] not in taken else f"{pin_model.names[i]}_body"
            taken.add(names[i])
    return names


def _add_frames(builder: ModelBuilder, pin_model, body_names: list[str]) -> None:
    """Every frame that is not a body or a joint already. Links win where a fixed joint has the name of a link."""
    taken = {*body_names, *pin_model.names}
    frames = [frame for frame in pin_model.frames if str(frame.type) != "JOINT" and frame.name not in taken]
    for frame in sorted(frames, key=lambda frame: str(frame.type) != "BODY"):
        if frame.name not in taken:
            taken.add(frame.name)
            builder.add_frame(frame.name, body_names[frame.parentJoint], pose_of(frame.placement))


def _limit(values) -> np.ndarray:
    values = np.array(values, dtype=float)
    values[np.abs(values) > _NO_LIMIT] *= np.inf
    return values


def _inertia(inertia) -> Inertia:
    return Inertia(float(inertia.mass), np.array(inertia.lever), np.array(inertia.inertia))


def _pin_inertia(pin, inertia: Inertia):
    """Set field by field: Pinocchio's constructor refuses the impossible inertias that real files hold."""
    result = pin.Inertia.Zero()
    result.mass, result.lever, result.inertia = inertia.mass, np.array(inertia.com), np.array(inertia.tensor)
    return result


def _se3(pin, pose: Pose):
    return pin.SE3(np.array(pose.rotation), np.array(pose.translation))


def _import_pinocchio():
    try:
        import pinocchio
    except ImportError:
        raise MissingExtraError("pin", "bench", "converting to a Pinocchio model") from None
    return pinocchio
