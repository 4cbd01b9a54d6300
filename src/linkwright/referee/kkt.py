"""One dense system for accelerations and multipliers, solved by singular values."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np

from ..call_errors import names_arguments
from ..errors import InputError
from ..model import Model
from ..scalar import Numbers
from .arithmetic import (
    DIGITS,
    LONG,
    Arithmetic,
    backward_substitution,
    cholesky,
    extended_arithmetic,
    forward_substitution,
    mpmath_module,
)
from .dense_dynamics import DenseDynamics
from .dense_rows import rows_of_constraint

# Rows of J M^(-1/2) count as dependent where a singular value is below this fraction of the largest. A model's numbers
# are doubles, so what was meant to be dependent is so to about 1e-15 only, however many digits are used after that.
RANK_TOLERANCE = 1e-10
# A residual counts as rounding below this fraction of what the rows ask for.
FEASIBILITY_TOLERANCE = 1e-8


@dataclass(frozen=True)
class KKTSolution:
    """M a + c + J' lam = tau, J a = e.

    forces    by name of constraint: the wrench on its frame, [linear; angular] in the frame's coordinates
    rank      of J, out of `rows`
    residual  the largest |J a - e|, and `asked` the largest |e| or |J a| without constraints
    moving    the most that joints add to a row, were they not to cancel: the largest |J| |a|
    feasible  whether that is rounding; if not, `a` makes ||J a - e|| least and obeys Gauss among those that do
    """

    a: np.ndarray
    lam: np.ndarray
    forces: dict[str, np.ndarray]
    rank: int
    rows: int
    residual: float
    feasible: bool
    asked: float
    moving: float
    singular_values: np.ndarray  # of J M^(-1/2), rows scaled if scales were given, largest first


@names_arguments
def solve_kkt(
    model: Model, q, v, tau, *, desired=None, f_ext=None, precision: str = "double",
    rank_tolerance: float | None = None, scales: Numbers | None = None,
) -> KKTSolution:  # fmt: skip
    """Constrained forward dynamics at one state, dense: q (nq,), v and tau (nv,). Multipliers are those of least
    norm where not unique.

    desired     acceleration of every constraint row, zero if None
    f_ext       (nbodies, 6), [linear; angular] in body frames
    precision   "double" (kinematics in long double, then NumPy's SVD) or "extended" (50 digits throughout, mpmath)
    rank_tolerance   with `scales` (d of every row): directions of the rows divided by sqrt(d) whose singular value is
                     smaller are dependent, as for the solvers; by default rows are taken as they are, and only those
                     dependent but for rounding count as such
    """
    _check(model, q, v, tau, desired, f_ext)
    _check_rank_tolerance(model, rank_tolerance, scales)
    if precision == "double":
        return _solve(model, q, v, tau, desired, f_ext, LONG, _svd_double, rank_tolerance, scales)
    if precision == "extended":
        with mpmath_module().workdps(DIGITS):
            arithmetic = extended_arithmetic()
            return _solve(model, q, v, tau, desired, f_ext, arithmetic, _svd_extended, rank_tolerance, scales)
    raise InputError(f"precision is {precision!r}; expected 'double' or 'extended'")


def _check(model: Model, q, v, tau, desired, f_ext) -> None:
    expected: dict[str, tuple[Any, tuple[int, ...]]] = {
        "q": (q, (model.nq,)), "v": (v, (model.nv,)), "tau": (tau, (model.nv,)),
    }  # fmt: skip
    if desired is not None:
        expected["desired"] = (desired, (model.nc,))
    if f_ext is not None:
        expected["f_ext"] = (f_ext, (model.nbodies, 6))
    for name, (value, shape) in expected.items():
        if np.shape(value) != shape:
            raise InputError(f"{name} has shape {np.shape(value)}; expected {shape}: the referee takes one state")


def _check_rank_tolerance(model: Model, tolerance, scales) -> None:
    if tolerance is not None:
        number = isinstance(tolerance, Real) and not isinstance(tolerance, bool) and np.isfinite(float(tolerance))
        if not (number and tolerance >= 0):
            raise InputError(
                f"rank_tolerance is {tolerance!r}; expected a finite number that is not negative, or None for the "
                f"rounding of the rows"
            )
    if scales is not None:
        d = np.asarray(scales, dtype=float)
        if d.shape != (model.nc,) or not (np.isfinite(d) & (d > 0)).all():
            raise InputError(f"scales is {scales!r}; expected {model.nc} positive numbers, one of each constraint row")


def _solve(model, q, v, tau, desired, f_ext, A: Arithmetic, svd, rank_tolerance, scales) -> KKTSolution:
    """With M = C C' and x = C'(a - a_free), the constraints are Y x = r for Y = J C^-T, and x = -Y' lam.

    The least x that makes ||Y x - r|| least, and the least lam that gives it, follow from the singular values of Y.
    """
    dynamics = DenseDynamics(model, q, v, A)
    free = A.array(tau) - dynamics.bias
    if f_ext is not None:
        free = free + dynamics.torque_of_forces(f_ext)
    J, drift = dynamics.constraint_rows()
    e = (A.zeros(model.nc) if desired is None else A.array(desired)) - drift
    C = cholesky(A, dynamics.M)
    z = forward_substitution(C, free)  # C' a_free
    Y = forward_substitution(C, J.T).T
    r = e - Y @ z
    weight = A.array(np.ones(model.nc) if scales is None else 1.0 / np.sqrt(np.asarray(scales)))
    U, sigma = svd(Y * weight[:, None])
    limit = 0.0
    if rank_tolerance is not None:
        limit = rank_tolerance
    elif len(sigma):
        limit = RANK_TOLERANCE * sigma[0]
    rank = int(sum(s > limit for s in sigma))
    every, U, sigma = sigma, U[:, :rank], sigma[:rank]
    lam = -weight * (U @ ((U.T @ (weight * r)) / (sigma * sigma)))
    a = backward_substitution(C, z - Y.T @ lam)
    asked = max((float(abs(x)) for x in [*e, *(Y @ z)]), default=0.0)
    residual = max((float(abs(x)) for x in J @ a - e), default=0.0)
    moving = max((float(x) for x in abs(J) @ abs(a)), default=0.0)
    return KKTSolution(
        a.astype(float), lam.astype(float), _forces(dynamics, lam.astype(float)), rank, model.nc, residual,
        residual <= FEASIBILITY_TOLERANCE * asked, asked, moving, np.array([float(s) for s in every]),
    )  # fmt: skip


def _forces(dynamics: DenseDynamics, lam: np.ndarray) -> dict[str, np.ndarray]:
    forces, start = {}, 0
    for c in dynamics.model.constraints:
        rows = rows_of_constraint(dynamics, c)[2].astype(float)
        forces[c.name] = -rows.T @ lam[start : start + c.size]
        start += c.size
    return forces


def _svd_double(Y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    U, sigma, _ = np.linalg.svd(Y.astype(float), full_matrices=False)
    return U, sigma


def _svd_extended(Y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """From the eigenvalues of Y Y': squaring halves the digits, and half of fifty is plenty."""
    if not len(Y):
        return Y[:, :0], np.zeros(0)
    mp = mpmath_module().mp
    values, vectors = mp.eigsy(mp.matrix((Y @ Y.T).tolist()))
    order = sorted(range(len(Y)), key=lambda k: -values[k])
    U = np.array([[vectors[r, k] for k in order] for r in range(len(Y))], dtype=object)
    return U, np.array([mp.sqrt(max(values[k], mp.mpf(0))) for k in order], dtype=object)
