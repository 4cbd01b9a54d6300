"""What a policy sees: numbers read from a batch of states, one array (B, n) a sensor.

A sensor says which outputs of the time step it reads, so that nothing is computed that nobody looks at; those of frames
bring a compiled program along. Joints, frames and contacts are named; orders are the model's.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from ..compilation import compile
from ..errors import InputError, unknown_name
from ..model import Model
from .task import Snapshot


@dataclass(frozen=True)
class Sensor:
    """name     in descriptions of observations
    size     numbers per sample
    read     (B, size) of a snapshot
    outputs  of the step that it reads
    """

    name: str
    size: int
    read: Callable[[Snapshot], np.ndarray]
    outputs: tuple[str, ...] = ()


def joint_positions(robot: Model, joints: Sequence[str], *, less: np.ndarray | None = None) -> Sensor:
    """q of joints (rad, m), less those of a configuration."""
    at = _places(robot, robot.iq, joints)
    offset = np.zeros(len(at)) if less is None else np.asarray(less)[at]
    return Sensor("joint positions", len(at), lambda now: now.q[:, at] - offset)


def joint_velocities(robot: Model, joints: Sequence[str], *, scale: float = 1.0) -> Sensor:
    """v of joints (rad/s, m/s), times a scale."""
    at = _places(robot, robot.iv, joints)
    return Sensor("joint velocities", len(at), lambda now: now.v[:, at] * scale)


def joint_angles(robot: Model, joints: Sequence[str]) -> Sensor:
    """Cosines, then sines, of joints that turn round and round."""
    at = _places(robot, robot.iq, joints)
    return Sensor(
        "joint angles", 2 * len(at), lambda now: np.concatenate([np.cos(now.q[:, at]), np.sin(now.q[:, at])], axis=1)
    )


def root_velocity(robot: Model) -> Sensor:
    """[linear; angular] velocity of a floating base in its own axes (m/s, rad/s)."""
    _check_floating(robot)
    return Sensor("root velocity", 6, lambda now: now.v[:, :6])


def gravity_direction(robot: Model) -> Sensor:
    """Which way is down, in the axes of a floating base: (0, 0, -1) when it is upright."""
    _check_floating(robot)
    return Sensor("gravity direction", 3, lambda now: down(now.q))


def down(q: np.ndarray) -> np.ndarray:
    """-R' z of the base's quaternion (x, y, z, w)."""
    x, y, z, w = q[:, 3], q[:, 4], q[:, 5], q[:, 6]
    return -np.stack([2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)], axis=1)


def frame_positions(robot: Model, frames: Sequence[str]) -> Sensor:
    """In the world (m)."""
    program = compile(robot, "forward_kinematics", frames=tuple(frames), outputs="positions")
    return Sensor("frame positions", 3 * len(frames), lambda now: program(now.q).reshape(len(now.q), -1))


def frame_velocities(robot: Model, frames: Sequence[str]) -> Sensor:
    """[linear; angular] in the frames' own axes (m/s, rad/s)."""
    program = compile(robot, "frame_velocities", frames=tuple(frames))
    return Sensor("frame velocities", 6 * len(frames), lambda now: program(now.q, now.v).reshape(len(now.q), -1))


def imu(robot: Model, frame: str) -> Sensor:
    """An accelerometer and a gyroscope in a frame's axes: [specific force (m/s^2); angular velocity (rad/s)]. At rest
    the specific force points up, 9.81."""
    turned = compile(robot, "forward_kinematics", frames=(frame,), outputs="rotations")
    velocity = compile(robot, "frame_velocities", frames=(frame,))
    acceleration = compile(robot, "frame_accelerations", frames=(frame,), classical=True)

    def read(now: Snapshot) -> np.ndarray:
        R = turned(now.q)[:, 0]
        felt = acceleration(now.q, now.v, now["a"])[:, 0, :3] - np.einsum("bji,j->bi", R, robot.gravity)
        return np.concatenate([felt, velocity(now.q, now.v)[:, 0, 3:]], axis=1)

    return Sensor(f"imu {frame}", 6, read, ("a",))


def contact_forces(robot: Model, points: Sequence[str] | None = None) -> Sensor:
    """Normal forces (N) of contact points by name, of all by default."""
    at = _contacts(robot, points)
    return Sensor("contact forces", len(at), lambda now: now["contact_force"][:, at, 0], ("contact_force",))


def frame_forces(robot: Model, frames: Sequence[str]) -> Sensor:
    """Of all that touches the body of a frame: [force (N); torque about the frame's origin (N m)] on the body, in the
    frame's axes."""
    program = compile(robot, "forward_kinematics", frames=tuple(frames))
    shapes = {shape.name: robot.body_of(shape.on) for shape in robot.shapes}
    first, second = (np.array([shapes[getattr(c, end)] for c in robot.contacts], int) for end in ("first", "second"))
    bodies = np.array([robot.body_of(name) for name in frames], int)[:, None]
    sign = (first == bodies).astype(float) - (second == bodies)  # forces are on the first body

    def read(now: Snapshot) -> np.ndarray:
        axes, force = now["contact_frame"], now["contact_force"]  # the contact's axes are rows
        f, t = (np.einsum("bkij,bki->bkj", axes, force[..., part]) for part in (slice(3), slice(3, 6)))
        R, p = program(now.q)
        t = t[:, None] + np.cross(now["contact_point"][:, None] - p[:, :, None], f[:, None])
        wrenches = np.stack([np.einsum("sk,bkj->bsj", sign, f), np.einsum("sk,bskj->bsj", sign, t)], axis=2)
        return np.einsum("bsij,bsci->bscj", R, wrenches).reshape(len(now.q), -1)

    return Sensor("frame forces", 6 * len(frames), read, ("contact_force", "contact_frame", "contact_point"))


def contacts(robot: Model, points: Sequence[str] | None = None) -> Sensor:
    """1 where a point touches, else 0; all points by default."""
    at = _contacts(robot, points)
    return Sensor("contacts", len(at), lambda now: now["active"][:, at], ("active",))


def actuator_forces(robot: Model) -> Sensor:
    """Of all actuators, in their order (N m, N), as cut by their ranges."""
    return Sensor("actuator forces", robot.nu, lambda now: now["actuator_force"], ("actuator_force",))


def _places(robot: Model, ranges, joints: Sequence[str]) -> np.ndarray:
    return np.concatenate([np.r_[ranges[robot.joint_index(name)]] for name in joints])


def _contacts(robot: Model, points: Sequence[str] | None) -> list[int]:
    known = [point.name for point in robot.contacts]
    for name in points or ():
        if name not in known:
            raise unknown_name("contact", name, known)
    return [known.index(name) for name in (known if points is None else points)]


def _check_floating(robot: Model) -> None:
    if not robot.joints[0].moves.is_free:
        raise InputError(f"{robot.name!r} has no floating base; its first joint is {robot.bodies[1].joint.kind}")
