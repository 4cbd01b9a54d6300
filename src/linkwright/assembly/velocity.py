"""`project_velocity`: the motion nearest to the one given that keeps the loops closed."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from ..call_errors import names_arguments
from ..errors import InputError, NoConvergence
from ..model import Model
from .checked_arguments import checked, checked_configuration, checked_model, joint_names, same_batch, velocity_indices
from .constraint_functions import constraint_functions
from .independent_rows import IndependentRows, independent_rows
from .residuals import listing, residuals

RANK_TOLERANCE = 1e-8
"""Singular values of motors' Jacobians below this fraction of the largest count as zero."""
_ROUNDING = 1e-13  # of the largest singular value
_MET = 1e-9  # of the speeds involved: what is left of J v counts as rounding below


@names_arguments
def project_velocity(
    model: Model, q, v, *, weighted: str | None = "inertia", fixed: str | Iterable[str] | None = None
) -> np.ndarray:
    """The v nearest to the one given with J(q) v = 0 at a configuration q; (nv,) or (B, nv).

    weighted   "inertia": nearest in kinetic energy, which is what an impact of the closing loops would leave; None:
               nearest in the sum of squares of radians and metres per second
    fixed      joints that keep the velocities they have in v

    J v = 0 holds along the directions that count (docs/assembly.md): a file with rounded closures may leave some 1e-9
    of the speeds along directions that depend on the others, where no motion could do better.
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
    J, M = functions.jacobian(q), functions.inertia(q)
    if weighted:
        _check_inertia(model, M[:, free[:, None], free])
    rows = independent_rows(model, J[:, :, free], M[:, free[:, None], free])
    closed = v.copy()
    for _ in range(2):  # the second time removes what rounding left
        rates = np.einsum("bmn,bn->bm", J, closed)
        closed[:, free] += rows.removing(rates) if weighted else _least_squares(rows, J[:, :, free], rates)
    # what is left along directions that all joints together could not change either is the file's own rounding
    left = independent_rows(model, J, M).closable(np.einsum("bmn,bn->bm", J, closed))
    size = np.abs(J).max(axis=(1, 2), initial=0.0) * np.abs(v).max(axis=1, initial=0.0)
    failed = np.flatnonzero(~(np.abs(left).max(axis=1, initial=0.0) <= _MET * size))
    if len(failed):
        k = failed[0]
        found = residuals(model, left[k])
        what = f"do not let {', '.join(names)} move with these velocities" if names else "cannot be kept closed here"
        raise NoConvergence(
            f"{model.name!r}: the loops {what}. Left of J v:\n"
            f"{listing(model, found, _MET * size[k], '/s')}\nGive velocities that fit together, or fix fewer.",
            residuals={name: r.largest for name, r in found.items()}, q=q[k],
        )  # fmt: skip
    return closed if batched else closed[0]


def _least_squares(rows: IndependentRows, J: np.ndarray, rates: np.ndarray) -> np.ndarray:
    """The least x, as a sum of squares, that takes `rates` from the rows as far as they count."""
    if not rows.values.size:
        return np.zeros((len(J), J.shape[2]))
    chosen = np.swapaxes(rows.U * rows.counts[:, None, :], 1, 2) / rows.scale
    wanted = np.einsum("bkm,bm->bk", chosen, rates)
    return -np.einsum("bnk,bk->bn", np.linalg.pinv(chosen @ J, rcond=_ROUNDING), wanted)


def _check_inertia(model: Model, M: np.ndarray) -> None:
    try:
        np.linalg.cholesky(M)
    except np.linalg.LinAlgError:
        raise InputError(
            f"the inertia matrix of {model.name!r} is not positive definite here (bodies without mass at the end of a "
            f"chain?); use weighted=None, or give every moving body mass or its joint armature"
        ) from None
