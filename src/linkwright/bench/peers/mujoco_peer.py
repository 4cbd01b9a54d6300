"""MuJoCo as a peer: our model written as MJCF, our state in its coordinates, and `mj_forward` timed.

    peer = MujocoPeer(model.with_constraints(lw.weld("left_foot")))
    seconds, acceleration = peer.time(q, v, tau)       # q: (samples, nq), v and tau: (samples, nv), all ours

The problem is made as equal as MuJoCo allows: no contacts, limits, friction or actuators, constraints without
stabilization. Its constraints stay soft: they are violated by about 1e-4 of the acceleration they prevent.
"""

from __future__ import annotations

import time
import xml.etree.ElementTree as ElementTree
from typing import TYPE_CHECKING, Any

import numpy as np

from ...errors import InputError, MissingExtraError, UnsupportedError
from ...model import Joint, Model, Pose

if TYPE_CHECKING:
    from ...model.constraints import Constraint
    from ...model.model import Body

# Each kind of joint as the joints of one MuJoCo body, in order; axes are fields of ours, or coordinate axes.
_JOINTS: dict[str, list[tuple[str, str | np.ndarray | None]]] = {
    "revolute": [("hinge", "axis")],
    "continuous": [("hinge", "axis")],
    "prismatic": [("slide", "axis")],
    "cylindrical": [("hinge", "axis"), ("slide", "axis")],
    "universal": [("hinge", "axis"), ("hinge", "second_axis")],
    "translational": [("slide", axis) for axis in np.eye(3)],
    "spherical": [("ball", None)],
    "free_flyer": [("free", None)],
}
_OFF = ("contact", "limit", "frictionloss", "actuation", "warmstart")  # a warm start would know the answer already
# As hard as MuJoCo has it, whatever the error; and no stiffness or damping, which is its stabilization.
_HARD = {"solimp": "0.9999 0.9999 0.001 0.5 2", "solref": "0 0"}
_CALLS = 20  # at each state in a row: the clock and the setting of the state are not counted


class MujocoPeer:
    """One robot in MuJoCo with its constraints to the ground, which must be welds or points."""

    def __init__(self, model: Model) -> None:
        self._mujoco = mujoco = _import_mujoco()
        self.source, self.mjcf, self.version = model, mjcf(model), mujoco.__version__
        self.coordinates = MujocoCoordinates(model)
        try:
            self.model = mujoco.MjModel.from_xml_string(self.mjcf)
        except ValueError as error:
            raise UnsupportedError(f"MuJoCo refuses {model.name!r}: {error}") from error
        self.data = mujoco.MjData(self.model)

    def set_state(self, q: np.ndarray, v: np.ndarray, tau: np.ndarray) -> None:
        """Set one state, given in our coordinates, and close the constraints at it."""
        self.data.qpos = self.coordinates.to_qpos(q)
        self.data.qvel = self.coordinates.to_qvel(q, v)
        self.data.qfrc_applied = self.coordinates.to_force(q, tau)
        self._close_constraints()

    def mass_matrix(self, q: np.ndarray) -> np.ndarray:
        """M at one q, in our coordinates."""
        zero, n = np.zeros(self.source.nv), self.source.nv
        self.set_state(q, zero, zero)
        self._mujoco.mj_forward(self.model, self.data)
        units = self.coordinates.to_qvel(np.broadcast_to(q, (n, self.source.nq)), np.eye(n))  # rows: qvel of v = e_i
        columns = np.zeros((n, n))
        for unit, column in zip(units, columns, strict=True):
            self._mujoco.mj_mulM(self.model, self.data, column, unit)  # mj_fullM's arguments change with the version
        return units @ columns.T

    def bias(self, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        """The force at which nothing accelerates, in our coordinates: RNEA at a = 0, with damping and springs."""
        zero, n = np.zeros(self.source.nv), self.source.nv
        self.set_state(q, v, zero)
        self._mujoco.mj_forward(self.model, self.data)
        force = np.zeros(n)
        # our coordinates at rest are not MuJoCo's at rest: the linear velocity of the base turns with it
        self._mujoco.mj_mulM(self.model, self.data, force, self.coordinates.to_qacc(q, v, zero))
        return self.coordinates.from_force(q, force + self.data.qfrc_bias - self.data.qfrc_passive)

    def time(self, q: np.ndarray, v: np.ndarray, tau: np.ndarray, *, repeats: int = 20) -> tuple[float, np.ndarray]:
        """Return seconds per `mj_forward` (the best of `repeats` passes over all rows) and each row's acceleration.

        The overhead of calling it from Python is measured beside it and subtracted.
        """
        states = [np.atleast_2d(np.asarray(x, dtype=float)) for x in (q, v, tau)]
        if len({len(rows) for rows in states}) != 1:
            raise InputError(f"q, v and tau have {', '.join(str(len(rows)) for rows in states)} rows; expected as many")
        rows = list(zip(*states, strict=True))
        out, forward = np.empty_like(states[1]), self._mujoco.mj_forward
        for i, state in enumerate(rows):
            self.set_state(*state)
            forward(self.model, self.data)
            out[i] = self.coordinates.from_qacc(state[0], state[1], self.data.qacc)
        best = np.inf
        for _ in range(repeats):
            total = 0.0
            for state in rows:
                self.set_state(*state)
                total += self._clock(forward)
            best = min(best, total / len(rows))
        return best - self.call_overhead(), out

    def call_overhead(self, repeats: int = 200) -> float:
        """Seconds that a call from Python takes besides the work: of a function that finds nothing to do."""
        return min(self._clock(self._mujoco.mj_sensorAcc) for _ in range(repeats))  # there are no sensors

    def _clock(self, function: Any) -> float:
        model, data = self.model, self.data
        start = time.perf_counter()
        for _ in range(_CALLS):
            function(model, data)
        return (time.perf_counter() - start) / _CALLS

    def _close_constraints(self) -> None:
        """Move the targets to where the frames are: the rows of a weld depend on how far it is open."""
        if not self.model.neq:
            return
        self._mujoco.mj_kinematics(self.model, self.data)
        for i, constraint in enumerate(self.source.constraints):
            frame, target = self.source.frame(constraint.frame), self.model.eq_data[i]
            body = self.data.body(self.source.bodies[frame.body].name)
            position = body.xpos + body.xmat.reshape(3, 3) @ frame.placement.translation
            if constraint.size == 3:
                target[3:6] = position
            else:
                target[:3], target[6:10] = position, body.xquat * [1, -1, -1, -1]


class MujocoCoordinates:
    """States of a model of ours in the coordinates of `mjcf(model)`; arrays (n,) or (B, n). Needs no MuJoCo.

    MuJoCo numbers bodies depth first and writes quaternions w first; the position and linear velocity of a free body
    are in the world. Its angular velocity, like a ball joint's, is in the body as ours is.
    """

    def __init__(self, model: Model) -> None:
        bodies = depth_first(model)
        self._q = np.array([k for i in bodies for k in range(model.nq)[model.iq[i]]], dtype=int)
        self._v = np.array([k for i in bodies for k in range(model.nv)[model.iv[i]]], dtype=int)
        kinds = ["", *(joint.kind for joint in model.joints)]
        placed = [i for i in bodies if kinds[i] == "free_flyer"]
        self._bases = [(model.bodies[i].placement, model.iq[i], model.iv[i]) for i in placed]
        quaternions = [model.iq[i] for i in bodies if kinds[i] in ("free_flyer", "spherical")]
        self._quaternions = [slice(where.stop - 4, where.stop) for where in quaternions]

    def to_qpos(self, q: np.ndarray) -> np.ndarray:
        q = np.array(q, dtype=float)
        for placement, iq, _ in self._bases:
            where, turn = slice(iq.start, iq.start + 3), slice(iq.start + 3, iq.stop)
            q[..., where] = q[..., where] @ placement.rotation.T + placement.translation
            q[..., turn] = _product(placement.quaternion, q[..., turn])
        for where in self._quaternions:
            q[..., where] = np.roll(q[..., where], 1, axis=-1)
        return q[..., self._q]

    def from_qpos(self, qpos: np.ndarray) -> np.ndarray:
        q = np.empty_like(qpos, dtype=float)
        q[..., self._q] = qpos
        for where in self._quaternions:
            q[..., where] = np.roll(q[..., where], -1, axis=-1)
        for placement, iq, _ in self._bases:
            back = placement.inverse()
            where, turn = slice(iq.start, iq.start + 3), slice(iq.start + 3, iq.stop)
            q[..., where] = q[..., where] @ back.rotation.T + back.translation
            q[..., turn] = _product(back.quaternion, q[..., turn])
        return q

    def to_qvel(self, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        return self._turned(q, v)[..., self._v]

    def from_qvel(self, q: np.ndarray, qvel: np.ndarray) -> np.ndarray:
        return self._turned(q, self._ours(qvel), back=True)

    def to_qacc(self, q: np.ndarray, v: np.ndarray, a: np.ndarray) -> np.ndarray:
        return self._turned(q, a + self._drift(v))[..., self._v]

    def from_qacc(self, q: np.ndarray, v: np.ndarray, qacc: np.ndarray) -> np.ndarray:
        return self._turned(q, self._ours(qacc), back=True) - self._drift(v)

    def to_force(self, q: np.ndarray, tau: np.ndarray) -> np.ndarray:
        return self.to_qvel(q, tau)  # a rotation: forces change as velocities do

    def from_force(self, q: np.ndarray, force: np.ndarray) -> np.ndarray:
        return self.from_qvel(q, force)

    def _ours(self, x: np.ndarray) -> np.ndarray:
        ordered = np.empty_like(x, dtype=float)
        ordered[..., self._v] = x
        return ordered

    def _turned(self, q: np.ndarray, x: np.ndarray, *, back: bool = False) -> np.ndarray:
        """Turn the linear part at each free body from the body to the world."""
        q, x = np.asarray(q, dtype=float), np.array(x, dtype=float)
        for placement, iq, iv in self._bases:
            where = slice(iv.start, iv.start + 3)
            rotation = placement.rotation @ _rotation(q[..., iq.stop - 4 : iq.stop])
            if back:
                rotation = np.swapaxes(rotation, -1, -2)
            x[..., where] = np.einsum("...ij,...j->...i", rotation, x[..., where])
        return x

    def _drift(self, v: np.ndarray) -> np.ndarray:
        """What the rate of our linear velocity, taken in the turning body, misses of that in the world."""
        drift = np.zeros_like(v, dtype=float)
        for _, _, iv in self._bases:
            linear, angular = v[..., iv.start : iv.start + 3], v[..., iv.start + 3 : iv.stop]
            drift[..., iv.start : iv.start + 3] = np.cross(angular, linear)
        return drift


def depth_first(model: Model) -> list[int]:
    """Bodies in the order in which MuJoCo numbers them, without the ground."""
    order, waiting = [], [0]
    while waiting:
        i = waiting.pop()
        order.append(i)
        waiting += reversed(model.graph.children[i])
    return order[1:]


def mjcf(model: Model) -> str:
    """The model as MJCF: bodies, joints and inertias, and its constraints as equalities to the world."""
    root = ElementTree.Element("mujoco", model=model.name)
    ElementTree.SubElement(root, "compiler", angle="radian", autolimits="false", inertiafromgeom="false")
    option = ElementTree.SubElement(root, "option", gravity=_text(model.gravity))
    ElementTree.SubElement(option, "flag", dict.fromkeys(_OFF, "disable"))
    elements = [ElementTree.SubElement(root, "worldbody")]
    for body, joint in zip(model.bodies[1:], model.joints, strict=True):
        elements.append(_add_body(elements[body.parent], body, joint))
    if model.constraints:
        equality = ElementTree.SubElement(root, "equality")
        for constraint in model.constraints:
            _add_constraint(equality, model, constraint)
    return ElementTree.tostring(root, encoding="unicode")


def _add_body(parent: ElementTree.Element, body: Body, joint: Joint) -> ElementTree.Element:
    inertia = body.inertia
    element = ElementTree.SubElement(parent, "body", {"name": body.name, **_placed(body.placement)})
    (xx, xy, xz), (_, yy, yz), (_, _, zz) = inertia.tensor
    full = _text([xx, yy, zz, xy, xz, yz])
    ElementTree.SubElement(element, "inertial", pos=_text(inertia.com), mass=_text([inertia.mass]), fullinertia=full)
    if joint.kind not in _JOINTS:
        raise UnsupportedError(f"joint {joint.name!r} is {joint.kind}; MuJoCo has {', '.join(_JOINTS)}")
    if joint.kind == "free_flyer" and parent.tag != "worldbody":
        raise UnsupportedError(f"free-flyer {joint.name!r} is carried by a body; MuJoCo has them on the ground only")
    if joint.kind == "free_flyer" and np.any(joint.armature):
        # it resists the rate of velocities that MuJoCo takes in the world and we in the body
        raise UnsupportedError(f"free-flyer {joint.name!r} has an armature, which means something else in MuJoCo")
    parts = _JOINTS[joint.kind]
    for k, (kind, axis) in enumerate(parts):
        name = joint.name if len(parts) == 1 else f"{joint.name}/{k}"
        attributes = {"name": name, "type": kind}
        if axis is not None:
            attributes["axis"] = _text(getattr(joint, axis) if isinstance(axis, str) else axis)
            if joint.stiffness[k]:
                attributes["stiffness"] = _text([joint.stiffness[k]])
                attributes["springref"] = _text([joint.spring_reference[k]])
        for quantity in ("armature", "damping"):
            values = getattr(joint, quantity) if len(parts) == 1 else getattr(joint, quantity)[k : k + 1]
            if np.ptp(values):
                raise UnsupportedError(f"{quantity} of joint {joint.name!r} differs by direction; MuJoCo has one value")
            attributes[quantity] = _text(values[:1])
        ElementTree.SubElement(element, "joint", attributes)
    return element


def _add_constraint(equality: ElementTree.Element, model: Model, constraint: Constraint) -> None:
    frame = model.frame(constraint.frame)
    attributes = {"name": constraint.name, "body1": model.bodies[frame.body].name, **_HARD}
    where = frame.placement.translation
    if np.array_equal(constraint.rows, np.eye(6)[:3]):
        ElementTree.SubElement(equality, "connect", attributes, anchor=_text(where))
    elif np.array_equal(constraint.rows, np.eye(6)):
        # the target is set with each state; the frame's orientation makes no difference to a weld
        relpose = _text([*where, 1.0, 0.0, 0.0, 0.0])
        ElementTree.SubElement(equality, "weld", attributes, relpose=relpose, anchor="0 0 0")
    else:
        raise UnsupportedError(f"constraint {constraint.name!r} is neither a weld nor a point, which is all MuJoCo has")


def _placed(pose: Pose) -> dict[str, str]:
    return {"pos": _text(pose.translation), "quat": _text(np.roll(pose.quaternion, 1))}


def _text(numbers: Any) -> str:
    return " ".join(repr(float(number)) for number in numbers)


def _product(p: np.ndarray, q: np.ndarray) -> np.ndarray:
    """Product of quaternions x, y, z, w."""
    vector = p[3] * q[..., :3] + q[..., 3:] * p[:3] + np.cross(p[:3], q[..., :3])
    return np.concatenate([vector, p[3] * q[..., 3:] - (q[..., :3] @ p[:3])[..., None]], axis=-1)


def _rotation(quaternion: np.ndarray) -> np.ndarray:
    """Rotation matrices (..., 3, 3) of unit quaternions x, y, z, w."""
    vector, w = quaternion[..., :3], quaternion[..., 3]
    turned = [axis + 2 * np.cross(vector, w[..., None] * axis + np.cross(vector, axis)) for axis in np.eye(3)]
    return np.stack(turned, axis=-1)


def _import_mujoco() -> Any:
    try:
        import mujoco
    except ImportError:
        raise MissingExtraError("mujoco", "bench", "timing MuJoCo") from None
    return mujoco
