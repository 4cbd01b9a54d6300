"""`project_velocity`: the motion nearest to the one given that keeps the loops closed."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from ..errors import InputError, NoConvergence
from ..model import Model
from .arguments import checked, checked_configuration, checked_model, joint_names, same_batch, velocity_indices
from .constraint_functions import constraint_functions
from .residuals import listing, residuals

RANK_TOLERANCE = 1e-8
"""Singular values of J below this fraction of the largest count as zero."""
_MET = 1e-9  # of the speeds involved: what is left of J v counts as rounding below


def project_velocity(
    model: Model, q, v, *, weighted: str | None = "inertia", fixed: str | Iterable[str] | None = None
) -> np.ndarray:
    """The v nearest to the one given with J(q) v = 0; (nv,) or (B, nv).

    weighted   "inertia": nearest in kinetic energy, which is what an impact of the closing loops would leave; None:
               nearest in the sum of squares of radians and metres per second
    fixed      joints that keep the velocities they have in v
    """
    checked_model(model)
    if weighted not in ("inertia", None):
        raise InputError(f"weighted is {weighted!r}; expected 'inertia' or None")
    names = joint_names(model, "fixed", fixed)
    batched, (q, v) = same_batch(q=checked_configuration(model, "q", q), v=checked(model, "v", v, model.nv))
    if not model.nc:
        return v if batched else v[0]
    functions = constraint_functions(model)
    free = np.setdiff1d(np.arange(model.nv), velocity_indices(model, names))
    J = functions.jacobian(q)
    root = _inertia_root(model, functions.inertia(q)[:, free[:, None], free]) if weighted else None
    closed = v.copy()
    for _ in range(2):  # the second time removes what rounding left
        closed[:, free] -= _least(J[:, :, free], np.einsum("bmn,bn->bm", J, closed), root)
    left = np.einsum("bmn,bn->bm", J, closed)
    size = np.abs(J).max(axis=(1, 2), initial=0.0) * np.abs(v).max(axis=1, initial=0.0)
    failed = np.flatnonzero(np.abs(left).max(axis=1, initial=0.0) > _MET * size)
    if len(failed):
        k = failed[0]
        found = residuals(model, left[k])
        raise NoConvergence(
            f"{model.name!r}: the loops do not let {', '.join(names)} move with these velocities. Left of J v:\n"
            f"{listing(model, found, _MET * size[k], '/s')}\nGive them velocities that fit together, or fix fewer.",
            residuals={name: r.largest for name, r in found.items()}, q=q[k],
        )  # fmt: skip
    return closed if batched else closed[0]


def _least(J: np.ndarray, rates: np.ndarray, root: np.ndarray | None) -> np.ndarray:
    """x with J x = rates, least in the norm of R x for `root` = R^-1."""
    if not J.size:
        return np.zeros((len(J), J.shape[2]))
    Y = J if root is None else J @ root
    x = np.einsum("bnm,bm->bn", np.linalg.pinv(Y, rcond=RANK_TOLERANCE), rates)
    return x if root is None else np.einsum("bij,bj->bi", root, x)


def _inertia_root(model: Model, M: np.ndarray) -> np.ndarray:
    """R^-1 with R'R = M."""
    try:
        return np.swapaxes(np.linalg.inv(np.linalg.cholesky(M)), 1, 2)
    except np.linalg.LinAlgError:
        raise InputError(
            f"the inertia matrix of {model.name!r} is not positive definite here (bodies without mass at the end of a "
            f"chain?); use weighted=None, or give every moving body mass or its joint armature"
        ) from None
