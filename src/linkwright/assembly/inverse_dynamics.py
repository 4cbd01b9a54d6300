"""`inverse_dynamics`: what the motors of a closed mechanism must exert for a motion, and what its loops then carry."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from ..call_errors import names_arguments
from ..codegen.arguments import real_numbers
from ..errors import InputError, NoConvergence
from ..model import Model
from .checked_arguments import checked, checked_configuration, checked_model, joint_names, same_batch, velocity_indices
from .constraint_functions import ConstraintFunctions, constraint_functions
from .independent_rows import IndependentRows, independent_rows
from .motion_of_motors import joints_moving
from .residuals import listing, residuals
from .velocity import RANK_TOLERANCE

_MET = 1e-7  # beside the accelerations or torques involved: what is left over counts as rounding below


@dataclass(frozen=True)
class MotorTorques:
    """M a + c + J' lam = S' tau.

    tau      of the motors, in the order they were named
    forces   by name of constraint: the wrench on its first frame, [linear; angular] in that frame
    lam      multipliers of all rows, those of least norm where rows are redundant
    """

    motors: tuple[str, ...]
    tau: np.ndarray
    forces: dict[str, np.ndarray]
    lam: np.ndarray


@names_arguments
def inverse_dynamics(model: Model, q, v, a, motors: str | Iterable[str], *, f_ext=None) -> MotorTorques:
    """Motor torques (N m, N) and constraint forces for a motion q, v, a that keeps the loops closed: q (nq,), v and a
    (nv,), or (B, ...).

    Where there are more motors than ways to move, the torques of least norm. Raises InputError where a motion needs
    torque in a direction that no motor reaches, NoConvergence where `a` would open the loops (take it from
    `MotorMap.acceleration`, or from forward dynamics). For speed there is
    `compile(model, "closed_loop_inverse_dynamics", motors=[...])`.
    """
    checked_model(model)
    names = joint_names(model, "motors", motors)
    if not names:
        raise InputError(f"motors is empty; expected names of driven joints of {model.name!r}")
    batched, (q, v, a) = same_batch(
        q=checked_configuration(model, "q", q), v=checked(model, "v", v, model.nv), a=checked(model, "a", a, model.nv)
    )
    functions = constraint_functions(model)
    J = functions.jacobian(q)
    rows = independent_rows(model, J, functions.inertia(q))
    _check_acceleration(functions, J, rows, q, v, a)
    b = functions.torques(q, v, a, _checked_forces(model, f_ext, len(q) if batched else None))
    driven = velocity_indices(model, names)
    solved = [_one(model, J[k], int(rows.rank[k]), b[k], driven, names) for k in range(len(q))]
    tau, lam = (np.array(x).reshape(len(q), -1) for x in zip(*solved, strict=True))
    wrenches = functions.forces(q, lam)
    forces = {c.name: wrenches[:, k] if batched else wrenches[0, k] for k, c in enumerate(model.constraints)}
    return MotorTorques(names, tau if batched else tau[0], forces, lam if batched else lam[0])


def _one(
    model: Model, J: np.ndarray, rank: int, b: np.ndarray, driven: np.ndarray, names
) -> tuple[np.ndarray, np.ndarray]:
    """Torques by virtual power in the motions T that J leaves, T'S' u = T' b; then J' lam = S' u - b."""
    U, values, Vt = np.linalg.svd(J) if J.size else (np.zeros((0, 0)), np.zeros(0), np.eye(model.nv))
    T = Vt[rank:].T
    reach = T[driven].T
    u = np.linalg.pinv(reach, rcond=RANK_TOLERANCE) @ (T.T @ b)
    missing = T @ (T.T @ b - reach @ u)
    if np.abs(missing).max(initial=0.0) > _MET * max(1.0, np.abs(b).max(initial=0.0)):
        loose = joints_moving(model, np.arange(model.nv), np.abs(missing))
        freedoms = T.shape[1] - np.linalg.matrix_rank(reach, tol=RANK_TOLERANCE)
        raise InputError(
            f"{model.name!r} is under-actuated: {freedoms} of its {T.shape[1]} ways to move are out of reach of motors "
            f"{', '.join(names)}, and this motion needs up to {np.abs(missing).max():.3g} N m or N there, at joints "
            f"{', '.join(loose)}; name more motors, or ask for a motion that forward dynamics gives"
        )
    torques = np.zeros(model.nv)
    torques[driven] = u
    lam = U[:, :rank] @ ((Vt[:rank] @ (torques - b)) / values[:rank])
    return u, lam


def _check_acceleration(functions: ConstraintFunctions, J, rows: IndependentRows, q, v, a) -> None:
    drift = functions.bias(q, v)
    left = rows.closable(np.einsum("bmn,bn->bm", J, a) + drift)
    size = np.abs(J).max(axis=(1, 2), initial=0.0) * np.abs(a).max(axis=1, initial=0.0)
    size = np.maximum(1.0, np.maximum(size, np.abs(drift).max(axis=1, initial=0.0)))
    wrong = np.flatnonzero(np.abs(left).max(axis=1, initial=0.0) > _MET * size)
    if len(wrong):
        k = wrong[0]
        found = residuals(functions.model, left[k])
        raise NoConvergence(
            f"{functions.model.name!r}: this acceleration opens the loops. J a + dJ/dt v is\n"
            f"{listing(functions.model, found, _MET * size[k], '/s^2')}\nTake a from MotorMap.acceleration or from "
            f"forward dynamics.",
            residuals={name: r.largest for name, r in found.items()}, q=q[k],
        )  # fmt: skip


def _checked_forces(model: Model, f_ext, count: int | None) -> np.ndarray | None:
    if f_ext is None:
        return None
    shape = (model.nbodies, 6)
    try:
        array = real_numbers(f_ext)
    except (TypeError, ValueError):
        raise InputError(f"f_ext is {f_ext!r}; expected finite numbers {shape}, one row per body") from None
    if array.shape not in (shape, *([(count, *shape)] if count is not None else [])) or not np.all(np.isfinite(array)):
        raise InputError(f"f_ext has shape {array.shape}; expected finite numbers {shape}, one row per body")
    return np.broadcast_to(array, (count or 1, *shape))
