"""MuJoCo as a peer: our model written as MJCF, our state in its coordinates, and `mj_forward` timed.

    peer = MujocoPeer(model.with_constraints(lw.weld("left_foot")))
    seconds, acceleration = peer.time(q, v, tau)       # q: (samples, nq), v and tau: (samples, nv), all ours

The problem is made as equal as MuJoCo allows: no contacts, limits, friction or actuators, constraints without
stabilization. Its constraints stay soft: they are violated by about 1e-4 of the acceleration they prevent.
"""

from __future__ import annotations

import time
import xml.etree.ElementTree as ElementTree
from typing import Any, cast

import numpy as np

from ...errors import InputError, MissingExtraError, UnsupportedError
from ...io import MujocoCoordinates
from ...io.mjcf.mjcf_writer import mjcf_element
from ...model import Model

_OFF = ("contact", "limit", "frictionloss", "actuation", "warmstart")  # a warm start would know the answer already
# As hard as MuJoCo has it, whatever the error; and no stiffness or damping, which is its stabilization.
_HARD = {"solimp": "0.9999 0.9999 0.001 0.5 2", "solref": "0 0"}
_CALLS = 20  # at each state in a row: the clock and the setting of the state are not counted


class MujocoPeer:
    """One robot in MuJoCo with those of its constraints that MJCF has words for."""

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
        """Move the second site of each closure to where the first is: rows depend on how far it is open."""
        if not self.model.neq:
            return
        self._mujoco.mj_kinematics(self.model, self.data)
        for e in range(self.model.neq):
            if self.model.eq_objtype[e] != self._mujoco.mjtObj.mjOBJ_SITE:
                continue
            first, second = self.model.eq_obj1id[e], self.model.eq_obj2id[e]
            body = self.model.site_bodyid[second]
            turn = self.data.xmat[body].reshape(3, 3).T
            self.model.site_sameframe[second] = 0  # it is no longer where its body is
            self.model.site_pos[second] = turn @ (self.data.site_xpos[first] - self.data.xpos[body])
            matrix = (turn @ self.data.site_xmat[first].reshape(3, 3)).ravel()
            self._mujoco.mju_mat2Quat(self.model.site_quat[second], matrix)


def mjcf(model: Model) -> str:
    """The model as MJCF, made as comparable as MuJoCo allows."""
    root = mjcf_element(model)
    ElementTree.SubElement(cast(ElementTree.Element, root.find("option")), "flag", dict.fromkeys(_OFF, "disable"))
    for equality in root.findall("equality/*"):
        equality.attrib.update(_HARD)
    return ElementTree.tostring(root, encoding="unicode")


def _import_mujoco() -> Any:
    try:
        import mujoco
    except ImportError:
        raise MissingExtraError("mujoco", "bench", "timing MuJoCo") from None
    return mujoco
