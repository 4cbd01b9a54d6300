"""States in MuJoCo's layout and ours. No need to have MuJoCo installed.

MuJoCo numbers bodies depth first and writes quaternions w first; the position and linear velocity of a free body are
in the world. Its angular velocity, like a ball joint's, is in the body as ours is. Angles and distances are the same.
"""

from __future__ import annotations

import numpy as np

from ...call_errors import names_arguments
from ...errors import InputError, UnsupportedError
from ...model import Model

# Kinds of joints whose coordinates are not those of MuJoCo's joints, one by one.
_OTHERWISE = {"helical": "a screw", "planar": "planar, with velocities in the moving frame"}


@names_arguments
def to_mujoco(model: Model, q, v=None):
    """`qpos`, or `(qpos, qvel)` if v is given; q of shape (nq,) or (B, nq), v (nv,) or (B, nv)."""
    coordinates = MujocoCoordinates(model)
    q = _checked("q", q, model.nq, model.name)
    if v is None:
        return coordinates.to_qpos(q)
    return coordinates.to_qpos(q), coordinates.to_qvel(q, _checked("v", v, model.nv, model.name))


@names_arguments
def from_mujoco(model: Model, qpos, qvel=None):
    """`q`, or `(q, v)` if qvel is given; arrays of shape (n,) or (B, n)."""
    coordinates = MujocoCoordinates(model)
    q = coordinates.from_qpos(_checked("qpos", qpos, model.nq, model.name))
    if qvel is None:
        return q
    return q, coordinates.from_qvel(q, _checked("qvel", qvel, model.nv, model.name))


def _checked(what: str, values, size: int, name: str) -> np.ndarray:
    try:
        array = np.asarray(values, dtype=float)
    except (TypeError, ValueError):
        raise InputError(f"{what} is {values!r}; expected numbers ({size},) or (B, {size})") from None
    if array.ndim not in (1, 2) or array.shape[-1] != size:
        raise InputError(f"{what} has shape {array.shape}; expected ({size},) or (B, {size}) for {name}")
    return array


class MujocoCoordinates:
    """States, accelerations and forces of a model of ours in MuJoCo's coordinates; arrays (n,) or (B, n)."""

    def __init__(self, model: Model) -> None:
        for joint in model.joints:
            if joint.kind in _OTHERWISE:
                raise UnsupportedError(f"joint {joint.name!r} is {_OTHERWISE[joint.kind]}; MuJoCo has no such joint")
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


def _product(p: np.ndarray, q: np.ndarray) -> np.ndarray:
    """Product of quaternions x, y, z, w."""
    vector = p[3] * q[..., :3] + q[..., 3:] * p[:3] + np.cross(p[:3], q[..., :3])
    return np.concatenate([vector, p[3] * q[..., 3:] - (q[..., :3] @ p[:3])[..., None]], axis=-1)


def _rotation(quaternion: np.ndarray) -> np.ndarray:
    """Rotation matrices (..., 3, 3) of unit quaternions x, y, z, w."""
    vector, w = quaternion[..., :3], quaternion[..., 3]
    turned = [axis + 2 * np.cross(vector, w[..., None] * axis + np.cross(vector, axis)) for axis in np.eye(3)]
    return np.stack(turned, axis=-1)
