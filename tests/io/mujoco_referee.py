"""MuJoCo's own numbers, in our coordinates: mass matrix, bias, constraint Jacobian, and a hard solve from them."""

from __future__ import annotations

import mujoco
import numpy as np

from linkwright.io.mujoco.mujoco_state import MujocoCoordinates


class MujocoReferee:
    """`source` is a MjModel whose coordinates correspond to those of `model`."""

    def __init__(self, source: mujoco.MjModel, model):
        self.source, self.model, self.data = source, model, mujoco.MjData(source)
        self.coordinates = MujocoCoordinates(model)
        # only equalities make rows
        flags = mujoco.mjtDisableBit
        source.opt.disableflags |= int(flags.mjDSBL_CONTACT | flags.mjDSBL_LIMIT | flags.mjDSBL_FRICTIONLOSS)
        source.opt.disableflags |= int(flags.mjDSBL_ACTUATION)

    def forward(self, q, v) -> None:
        self.data.qpos = self.coordinates.to_qpos(q)
        self.data.qvel = self.coordinates.to_qvel(q, v)
        mujoco.mj_forward(self.source, self.data)

    def basis(self, q) -> np.ndarray:
        """Columns: qvel of our unit velocities."""
        n = self.model.nv
        return self.coordinates.to_qvel(np.broadcast_to(q, (n, self.model.nq)), np.eye(n)).T

    def rows(self, q) -> tuple[np.ndarray, np.ndarray]:
        """The Jacobian of the equalities in our velocities, and their position errors."""
        self.forward(q, np.zeros(self.model.nv))
        count = self.data.nefc
        if not count:
            return np.zeros((0, self.model.nv)), np.zeros(0)
        J = np.zeros((count, self.source.nv))
        if mujoco.mj_isSparse(self.source):
            mujoco.mju_sparse2dense(
                J, self.data.efc_J, self.data.efc_J_rownnz, self.data.efc_J_rowadr, self.data.efc_J_colind
            )
        else:
            J = np.array(self.data.efc_J).reshape(count, self.source.nv)
        return J @ self.basis(q), np.array(self.data.efc_pos)

    def bias_of_rows(self, q, v, h: float = 1e-6) -> np.ndarray:
        """J-dot v by central differences along the motion."""
        ahead, behind = (self.rows(self.model.integrate(q, s * h * v))[0] @ v for s in (1, -1))
        return (ahead - behind) / (2 * h)

    def mass_and_bias(self, q, v) -> tuple[np.ndarray, np.ndarray]:
        self.forward(q, v)
        B, n = self.basis(q), self.model.nv
        M = np.zeros((n, n))
        for k in range(n):
            column = np.zeros(n)
            mujoco.mj_mulM(self.source, self.data, column, np.ascontiguousarray(B[:, k]))
            M[:, k] = B.T @ column
        force = np.zeros(n)
        mujoco.mj_mulM(self.source, self.data, force, self.coordinates.to_qacc(q, v, np.zeros(n)))
        return M, B.T @ (force + self.data.qfrc_bias - self.data.qfrc_passive)

    def closed(self, q, steps: int = 100) -> np.ndarray:
        """Gauss-Newton on MuJoCo's own errors."""
        for _ in range(steps):
            J, error = self.rows(q)
            q = self.model.integrate(q, -np.linalg.pinv(J, rcond=1e-8) @ error)
        return q

    def acceleration(self, q, v, tau) -> np.ndarray:
        """M a + c + J' lam = tau, J a + J-dot v = 0, by least squares where rows are dependent."""
        M, c = self.mass_and_bias(q, v)
        J, gamma = self.rows(q)[0], self.bias_of_rows(q, v)
        L = np.linalg.cholesky(M)
        free = np.linalg.solve(M, tau - c)
        Y = np.linalg.solve(L, J.T)
        lam = np.linalg.lstsq(Y.T @ Y, J @ free + gamma, rcond=1e-11)[0]
        return free - np.linalg.solve(M, J.T @ lam)


def row_space(J: np.ndarray, tolerance: float = 1e-8) -> np.ndarray:
    """The projector onto the rows."""
    _, s, V = np.linalg.svd(J)
    V = V[: int((s > tolerance * s[0]).sum())]
    return V.T @ V
