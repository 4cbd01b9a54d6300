"""The referee: constrained dynamics by the most pedestrian means, to check everything else against.

Shares no dynamics code with the algorithms: 6x6 matrices, Rodrigues' formula, sums over bodies, one dense system,
straight from the model's numbers. It runs on NumPy's long doubles or, with mpmath, on numbers of 50 digits. Spatial
vectors are angular first inside, [linear; angular] where users see them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .errors import InputError, MissingExtraError, UnsupportedError
from .model import Model
from .model.constraint import Constraint

# Rows of J M^(-1/2) count as dependent where a singular value is below this fraction of the largest. A model's numbers
# are doubles, so what was meant to be dependent is so to about 1e-15 only, however many digits are used after that.
RANK_TOLERANCE = 1e-10
# A residual counts as rounding below this fraction of what the rows ask for.
FEASIBILITY_TOLERANCE = 1e-8
DIGITS = 50


@dataclass(frozen=True)
class Arithmetic:
    """What numbers are made of: a NumPy dtype, how to make one number, and three functions of numbers."""

    dtype: Any
    number: Callable
    sin: Callable
    cos: Callable
    sqrt: Callable

    def array(self, values) -> np.ndarray:
        values = np.asarray(values)
        if self.dtype is not object:
            return values.astype(self.dtype)
        result = np.empty(values.shape, dtype=self.dtype)
        for index in np.ndindex(*values.shape):
            result[index] = self.number(values[index])
        return result

    def zeros(self, *shape: int) -> np.ndarray:
        return self.array(np.zeros(shape))

    def eye(self, n: int) -> np.ndarray:
        return self.array(np.eye(n))


LONG = Arithmetic(np.longdouble, np.longdouble, np.sin, np.cos, np.sqrt)


def extended_arithmetic() -> Arithmetic:
    """mpmath's numbers; to be used within `mpmath.workdps(DIGITS)`."""
    mp = _mpmath().mp
    return Arithmetic(object, lambda x: mp.mpf(float(x)) if isinstance(x, float | int | np.number) else +x,
                      mp.sin, mp.cos, mp.sqrt)  # fmt: skip


def _mpmath():
    try:
        import mpmath
    except ImportError:
        raise MissingExtraError("mpmath", "test", "the referee with precision='extended'") from None
    return mpmath


class DenseDynamics:
    """M, bias torques and, per body, pose and 6 x nv Jacobian with its drift (dJ/dt v), in body frames."""

    def __init__(self, model: Model, q, v, arithmetic: Arithmetic = LONG):
        self.model, self.arithmetic = model, arithmetic
        A, n, nv = arithmetic, model.nbodies, model.nv
        q, v = A.array(q), A.array(v)
        self.v = v
        self.R, self.p = [A.eye(3)] * n, [A.zeros(3)] * n
        self.J, self.drift, self.velocity = [A.zeros(6, nv)] * n, [A.zeros(6)] * n, [A.zeros(6)] * n
        # the ground accelerates against gravity
        acceleration = [np.concatenate([A.zeros(3), A.array(-model.gravity)])] * n
        self.M, self.bias = A.zeros(nv, nv), A.zeros(nv)
        for i in range(1, n):
            body, iv = model.bodies[i], model.iv[i]
            k = body.parent
            R, p, S, dS = joint_motion(A, body.joint, q[model.iq[i]], v[iv])
            outer, at = A.array(body.placement.rotation), A.array(body.placement.translation)
            X = motion_transform(A, R, p) @ motion_transform(A, outer, at)
            self.R[i], self.p[i] = self.R[k] @ outer @ R, self.p[k] + self.R[k] @ (at + outer @ p)
            self.J[i] = J = X @ self.J[k]
            J[:, iv] += S
            self.velocity[i] = velocity = J @ v
            own = cross_motion(A, velocity) @ (S @ v[iv]) + dS @ v[iv]
            self.drift[i] = X @ self.drift[k] + own
            acceleration[i] = X @ acceleration[k] + own
            I = spatial_inertia(A, body.inertia)
            self.M += J.T @ I @ J
            self.bias += J.T @ (I @ acceleration[i] - cross_motion(A, velocity).T @ (I @ velocity))
        for k in range(nv):
            self.M[k, k] += A.number(model.stacked("armature")[k])
        self.bias += A.array(model.stacked("damping")) * v
        for i in range(1, n):
            joint = model.bodies[i].joint
            if joint.may_have_springs:
                stretch = q[model.iq[i]] - A.array(joint.spring_reference)
                self.bias[model.iv[i]] += A.array(joint.stiffness) * stretch

    def torque_of_forces(self, f_ext) -> np.ndarray:
        """Joint torques of external forces given [linear; angular] in body frames."""
        f = self.arithmetic.array(f_ext)
        return sum(J.T @ np.concatenate([row[3:], row[:3]]) for J, row in zip(self.J, f, strict=True))

    def constraint_rows(self, constraints: Sequence[Constraint] | None = None) -> tuple[np.ndarray, np.ndarray]:
        """(J, J-dot v) of the model's constraints or of the given ones, one after the other."""
        A = self.arithmetic
        rows, drifts = [A.zeros(0, self.model.nv)], [A.zeros(0)]
        for c in self.model.constraints if constraints is None else constraints:
            K = A.array(np.hstack([c.rows[:, 3:], c.rows[:, :3]]))
            J, drift = self._relative_motion(c)
            rows.append(K @ J)
            drifts.append(K @ drift)
        return np.concatenate(rows), np.concatenate(drifts)

    def _relative_motion(self, c: Constraint) -> tuple[np.ndarray, np.ndarray]:
        """(J, J-dot v) of the first frame's motion relative to the second, in the first one's coordinates.

        Both are found from velocities: J1 - X12 J2, where of a point only the origins count, and its rate along v.
        """
        A = self.arithmetic
        (J1, d1, R1, p1), (J2, d2, R2, p2) = (self._frame(name) for name in (c.frame, c.other))
        v1, v2 = J1 @ self.v, J2 @ self.v
        R = R1.T @ R2  # second frame's coordinates to the first's
        if not c.point:
            X = motion_transform(A, R.T, R2.T @ (p1 - p2))  # from the second frame to the first
            seen = X @ v2
            return J1 - X @ J2, d1 - X @ d2 + cross_motion(A, v1) @ seen
        zero = A.zeros(6, self.model.nv)
        zero[3:] = J1[3:] - R @ J2[3:]
        # derivatives of R1' p1dot and of R1' p2dot, by the product rule
        rate1 = d1[3:]
        rate2 = R @ (d2[3:] + skew(A, v2[:3]) @ v2[3:]) - skew(A, v1[:3]) @ (R @ v2[3:])
        drift = A.zeros(6)
        drift[3:] = rate1 - rate2
        return zero, drift

    def _frame(self, name: str):
        """(Jacobian, its rate times v, rotation, position) of a named frame."""
        A, frame = self.arithmetic, self.model.frame(name)
        Rf, pf = A.array(frame.placement.rotation), A.array(frame.placement.translation)
        X = motion_transform(A, Rf, pf)
        R, p = self.R[frame.body], self.p[frame.body]
        return X @ self.J[frame.body], X @ self.drift[frame.body], R @ Rf, p + R @ pf


@dataclass(frozen=True)
class KKTSolution:
    """M a + c + J' lam = tau, J a = e.

    forces    by name of constraint: the wrench on its frame, [linear; angular] in the frame's coordinates
    rank      of J, out of `rows`
    residual  the largest |J a - e|
    feasible  whether that is rounding; if not, `a` makes ||J a - e|| least and obeys Gauss among those that do
    """

    a: np.ndarray
    lam: np.ndarray
    forces: dict[str, np.ndarray]
    rank: int
    rows: int
    residual: float
    feasible: bool
    singular_values: np.ndarray  # of J M^(-1/2), largest first


def solve_kkt(
    model: Model, q, v, tau, *, desired=None, f_ext=None, precision: str = "double"
) -> KKTSolution:
    """Constrained forward dynamics at one state, dense. Multipliers are those of least norm where not unique.

    desired     acceleration of every constraint row, zero if None
    f_ext       (nbodies, 6), [linear; angular] in body frames
    precision   "double" (kinematics in long double, then NumPy's SVD) or "extended" (50 digits throughout, mpmath)
    """
    _check(model, q, v, tau, desired, f_ext)
    if precision == "double":
        return _solve(model, q, v, tau, desired, f_ext, LONG, _svd_double)
    if precision == "extended":
        with _mpmath().workdps(DIGITS):
            return _solve(model, q, v, tau, desired, f_ext, extended_arithmetic(), _svd_extended)
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


def _solve(model, q, v, tau, desired, f_ext, A: Arithmetic, svd) -> KKTSolution:
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
    U, sigma = svd(Y)
    rank = int(sum(s > RANK_TOLERANCE * sigma[0] for s in sigma)) if len(sigma) and sigma[0] > 0 else 0
    U, sigma = U[:, :rank], sigma[:rank]
    lam = -(U @ ((U.T @ r) / (sigma * sigma)))
    a = backward_substitution(C, z - Y.T @ lam)
    asked = max((float(abs(x)) for x in [*e, *(Y @ z)]), default=0.0)
    residual = max((float(abs(x)) for x in J @ a - e), default=0.0)
    return KKTSolution(
        a.astype(float), lam.astype(float), _forces(model, lam.astype(float)), rank, model.nc, residual,
        residual <= FEASIBILITY_TOLERANCE * asked, np.array([float(s) for s in sigma]),
    )  # fmt: skip


def _forces(model: Model, lam: np.ndarray) -> dict[str, np.ndarray]:
    forces, start = {}, 0
    for c in model.constraints:
        forces[c.name] = -c.rows.T @ lam[start : start + c.size]
        start += c.size
    return forces


def _svd_double(Y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    U, sigma, _ = np.linalg.svd(Y.astype(float), full_matrices=False)
    return U, sigma


def _svd_extended(Y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """From the eigenvalues of Y Y': squaring halves the digits, and half of fifty is plenty."""
    if not len(Y):
        return Y[:, :0], np.zeros(0)
    mp = _mpmath().mp
    values, vectors = mp.eigsy(mp.matrix((Y @ Y.T).tolist()))
    order = sorted(range(len(Y)), key=lambda k: -values[k])
    U = np.array([[vectors[r, k] for k in order] for r in range(len(Y))], dtype=object)
    return U, np.array([mp.sqrt(max(values[k], mp.mpf(0))) for k in order], dtype=object)


# Linear algebra that works on any numbers (NumPy's own is for doubles only)


def cholesky(A: Arithmetic, matrix: np.ndarray) -> np.ndarray:
    """Lower triangular C with C C' = matrix."""
    C = A.zeros(*matrix.shape)
    for c in range(len(C)):
        C[c, c] = A.sqrt(matrix[c, c] - C[c, :c] @ C[c, :c]) if c else A.sqrt(matrix[c, c])
        if c + 1 < len(C):
            C[c + 1 :, c] = (matrix[c + 1 :, c] - C[c + 1 :, :c] @ C[c, :c] if c else matrix[c + 1 :, c]) / C[c, c]
    return C


def forward_substitution(C: np.ndarray, b: np.ndarray) -> np.ndarray:
    """C^-1 b, for a vector or a matrix."""
    x = b.copy()
    for r in range(len(C)):
        x[r] = ((x[r] - C[r, :r] @ x[:r]) if r else x[r]) / C[r, r]
    return x


def backward_substitution(C: np.ndarray, b: np.ndarray) -> np.ndarray:
    """C'^-1 b."""
    x = b.copy()
    for r in reversed(range(len(C))):
        x[r] = ((x[r] - C[r + 1 :, r] @ x[r + 1 :]) if r + 1 < len(C) else x[r]) / C[r, r]
    return x


# Kinematics


def skew(A: Arithmetic, v) -> np.ndarray:
    zero = A.number(0.0)
    return np.array([[zero, -v[2], v[1]], [v[2], zero, -v[0]], [-v[1], v[0], zero]], dtype=A.dtype)


def rotation_about(A: Arithmetic, axis: np.ndarray, angle) -> np.ndarray:
    """Rodrigues' formula."""
    K = skew(A, axis)
    return A.eye(3) + K * A.sin(angle) + (K @ K) * (1 - A.cos(angle))


def rotation_of_quaternion(A: Arithmetic, q) -> np.ndarray:
    v, w = q[:3], q[3]
    return A.eye(3) * (w * w - v @ v) + np.outer(v, v) * 2 + skew(A, v) * (2 * w)


def motion_transform(A: Arithmetic, R: np.ndarray, p: np.ndarray) -> np.ndarray:
    """6x6 matrix from a parent to a child at rotation R (child to parent) and position p."""
    X = A.zeros(6, 6)
    X[:3, :3] = X[3:, 3:] = R.T
    X[3:, :3] = -(R.T @ skew(A, p))
    return X


def cross_motion(A: Arithmetic, v: np.ndarray) -> np.ndarray:
    m = A.zeros(6, 6)
    m[:3, :3] = m[3:, 3:] = skew(A, v[:3])
    m[3:, :3] = skew(A, v[3:])
    return m


def spatial_inertia(A: Arithmetic, inertia) -> np.ndarray:
    m, c, I = A.number(inertia.mass), skew(A, A.array(inertia.com)), A.zeros(6, 6)
    I[:3, :3] = A.array(inertia.tensor) - (c @ c) * m
    I[:3, 3:], I[3:, :3], I[3:, 3:] = c * m, -c * m, A.eye(3) * m
    return I


def joint_motion(A: Arithmetic, joint, q, v) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """(rotation, position, S, dS/dt) of the child relative to the joint's frame; S in the child's frame."""
    a, b = A.array(joint.axis), A.array(joint.second_axis)
    R, p, S, dS = A.eye(3), A.zeros(3), A.zeros(6, joint.nv), A.zeros(6, joint.nv)
    kind = joint.kind
    if kind in ("revolute", "continuous", "helical", "cylindrical"):
        R, S[:3, 0] = rotation_about(A, a, q[0]), a
        if kind == "helical":
            pitch = A.number(joint.pitch)
            p, S[3:, 0] = a * (q[0] * pitch), a * pitch
        if kind == "cylindrical":
            p, S[3:, 1] = a * q[1], a
    elif kind == "prismatic":
        p, S[3:, 0] = a * q[0], a
    elif kind == "universal":
        second = rotation_about(A, b, q[1])
        R = rotation_about(A, a, q[0]) @ second
        S[:3, 0], S[:3, 1] = second.T @ a, b
        dS[:3, 0] = -(skew(A, b) @ (second.T @ a)) * v[1]
    elif kind == "spherical":
        R, S[:3] = rotation_of_quaternion(A, q), A.eye(3)
    elif kind == "planar":
        C = A.array(joint.alignment())  # in-plane directions are a convention of the model
        R = C @ rotation_about(A, A.eye(3)[2], q[2]) @ C.T
        p = C[:, 0] * q[0] + C[:, 1] * q[1]
        S[3:, 0], S[3:, 1], S[:3, 2] = C[:, 0], C[:, 1], C[:, 2]
    elif kind == "translational":
        p, S[3:] = q, A.eye(3)
    elif kind == "free_flyer":
        R, p = rotation_of_quaternion(A, q[3:]), q[:3]
        S[3:, :3], S[:3, 3:] = A.eye(3), A.eye(3)
    else:
        raise UnsupportedError(f"the referee does not know joint kind {kind!r} of joint {joint.name!r}; lock the joint")
    return R, p, S, dS
