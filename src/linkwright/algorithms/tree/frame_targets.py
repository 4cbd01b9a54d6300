"""Inverse kinematics: frames brought to where they should be, by Levenberg and Marquardt's method on the manifold.

Every pass evaluates the errors e(q) of frames and closures and their Jacobian J, takes the step

    dq = -J' (J J' + mu 1)^-1 e,

which is that of (J'J + mu 1) in the smaller of the two spaces, and keeps it if the errors became smaller; mu is a
multiple of |e|^2 that adapts, which keeps convergence quadratic. Joints at their limits that would go beyond are left
out of J; the others stop there. A sample leaves when its errors are below the tolerance, or when nothing lowers them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import pi

import numpy as np

from ...model import Tree
from ...model.configuration import integrate
from ...scalar import Scalar, atan2, maximum, minimum, sqrt, until, where
from ...spatial import LDL, Matrix, Vector
from ...spatial.quaternion import rotation_matrix
from ..delassus.propagators import Posture
from ..rows import constraints_at
from ..rows.constraint_jacobian import terms_jacobian
from .frames import frame_placements
from .jacobians import frame_jacobian

MOST_PASSES, EXPECTED_PASSES = 100, 12.0
FIRST, LEAST, LARGEST, DOWN, UP = 1e-2, 1e-6, 1e10, 0.2, 8.0
LONGEST_STEP = 0.5  # of any joint, radians or metres
HARDLY = 1.0 - 1e-3  # a step that leaves this share of the errors is hardly one
PATIENCE = 8.0  # so many of them in a row are enough
_SMALL = 1e-9


@dataclass(frozen=True)
class Reaching:
    """positions, orientations   names of frames that have such a target
    held                      velocities that do not move
    limits                    whether joint limits hold
    """

    tree: Tree
    positions: tuple[str, ...]
    orientations: tuple[str, ...]
    held: frozenset[int] = frozenset()
    limits: bool = True

    def solve(
        self, q: Sequence[Scalar], places: Sequence, turns: Sequence, weights: Sequence[Scalar], tolerance: Scalar
    ) -> tuple[list[Scalar], list[Scalar], list[Scalar], Scalar]:
        """(q, errors of frames, errors of closures, passes).

        places    (positions, 3); turns (orientations, 4), unit quaternions; weights one for each target
        """
        n = self.tree.nq
        start = self.within(q)

        def one_pass(state):
            q, (mu, slow, count) = state[:n], state[n : n + 3]
            e, J = self.errors(q, places, turns, weights), self.jacobian(q, weights)
            size = _dot(e, e)
            step = self.step(q, e, J, mu * size + 1e-30)
            tried = self.within(integrate(self.tree.model, q, step))
            left = self.errors(tried, places, turns, weights)
            size_left = _dot(left, left)
            better = size_left < size
            q = [where(better, new, old) for new, old in zip(tried, q, strict=True)]
            mu = where(better, maximum(mu * DOWN, LEAST), mu * UP)
            hardly = where(size_left < size * (HARDLY * HARDLY), 0.0, slow + 1.0)
            largest = where(better, _largest(left), _largest(e))
            done = (largest < tolerance) | (mu > LARGEST) | (hardly > PATIENCE)
            return [*q, mu, hardly, count + 1.0], done

        reached = _largest(self.errors(start, places, turns, weights)) < tolerance
        found = until(
            one_pass, [*start, FIRST, 0.0, 0.0], limit=MOST_PASSES, expected=EXPECTED_PASSES, done=reached
        )  # fmt: skip
        q = found[:n]
        ones = [1.0] * len(weights)
        errors = self.errors(q, places, turns, ones)
        frames = 3 * (len(self.positions) + len(self.orientations))
        return q, errors[:frames], errors[frames:], found[n + 2]

    def errors(self, q, places, turns, weights) -> list[Scalar]:
        """Of positions in the world, of orientations as rotation vectors, of closures; each times its weight."""
        e: list[Scalar] = []
        weight = iter(weights)
        for pose, target in zip(frame_placements(self.tree, self.positions, q), places, strict=True):
            own = next(weight)
            e += [own * x for x in pose.position - Vector(*target)]
        for pose, target in zip(frame_placements(self.tree, self.orientations, q), turns, strict=True):
            own = next(weight)
            e += [own * x for x in rotation_vector(rotation_matrix(target).T @ pose.rotation)]
        if self.tree.constraints:
            for constraint in constraints_at(self.tree, q, Posture(self.tree, q).X):
                e += constraint.error()
        return e

    def jacobian(self, q, weights) -> list[list[Scalar]]:
        J: list[list[Scalar]] = []
        weight = iter(weights)
        for name in self.positions:
            own = next(weight)
            rows = frame_jacobian(self.tree, name, q, seen_from="local_world_aligned")[:3]
            J += [[own * x for x in row] for row in rows]
        for name in self.orientations:
            own = next(weight)
            J += [[own * x for x in row] for row in frame_jacobian(self.tree, name, q, seen_from="local")[3:]]
        if self.tree.constraints:
            posture = Posture(self.tree, q)
            for constraint in constraints_at(self.tree, q, posture.X):
                J += terms_jacobian(self.tree, posture, constraint.terms())
        return [[0.0 if k in self.held else x for k, x in enumerate(row)] for row in J]

    def step(self, q, e, J, damping: Scalar) -> list[Scalar]:
        """Bounded, and along limits where it would cross them."""
        J = self._free(q, e, J)
        columns = [list(column) for column in zip(*J, strict=True)]
        if len(J) <= len(columns):
            x = LDL(_damped_products(J, damping)).solve(e)
            step = [-_dot(column, x) for column in columns]
        else:
            step = [-x for x in LDL(_damped_products(columns, damping)).solve([_dot(column, e) for column in columns])]
        shrink = minimum(1.0, LONGEST_STEP / maximum(_largest(step), _SMALL))
        return [x * shrink for x in step]

    def _free(self, q, e, J):
        """J without joints that are at a limit and would go beyond it."""
        bounds = self.bounds()
        if not bounds:
            return J
        kept: list[Scalar] = [1.0] * self.tree.nv
        for n, k, lower, upper in bounds:
            downhill = -_dot([row[k] for row in J], e)
            outward = ((q[n] <= lower) & (downhill < 0.0)) | ((q[n] >= upper) & (downhill > 0.0))
            kept[k] = where(outward, 0.0, 1.0)
        return [[x if _is_zero(x) else x * share for x, share in zip(row, kept, strict=True)] for row in J]

    def within(self, q) -> list[Scalar]:
        q = list(q)
        for n, _, lower, upper in self.bounds():
            q[n] = minimum(maximum(q[n], lower), upper)
        return q

    def bounds(self) -> list[tuple[int, int, float, float]]:
        """(coordinate, velocity, lower, upper) of joints with limits whose velocities are rates of coordinates."""
        found = []
        model = self.tree.model
        for i in self.tree.outward() if self.limits else ():
            joint = model.bodies[i].joint
            if not joint.motion().velocity_is_rate:
                continue
            for r in range(joint.nq):
                lower, upper = float(joint.lower[r]), float(joint.upper[r])
                k = model.iv[i].start + r
                if (np.isfinite(lower) or np.isfinite(upper)) and k not in self.held:
                    found.append((model.iq[i].start + r, k, lower, upper))
        return found


def rotation_vector(R: Matrix) -> list[Scalar]:
    """Of a rotation matrix, up to half a turn."""
    s = [(R[2, 1] - R[1, 2]) * 0.5, (R[0, 2] - R[2, 0]) * 0.5, (R[1, 0] - R[0, 1]) * 0.5]
    sine = sqrt(_dot(s, s))
    cosine = (R[0, 0] + R[1, 1] + R[2, 2] - 1.0) * 0.5
    small = sine < _SMALL
    factor = where(small, 1.0, atan2(sine, cosine) / where(small, 1.0, sine))
    # at half a turn the sines vanish too: there the axis shows on the diagonal, up to signs
    opposite = small & (cosine < 0.0)
    along = [pi * sqrt(maximum((R[k, k] + 1.0) * 0.5, 0.0)) for k in range(3)]
    return [where(opposite, turn, x * factor) for turn, x in zip(along, s, strict=True)]


def _damped_products(vectors, damping: Scalar) -> list[list[Scalar]]:
    """Lower half of the matrix of all products, with the damping on its diagonal."""
    return [
        [_dot(x, y) + (damping if r == c else 0.0) for c, y in enumerate(vectors[: r + 1])]
        for r, x in enumerate(vectors)
    ]  # fmt: skip


def _dot(xs, ys) -> Scalar:
    total: Scalar = 0.0
    for x, y in zip(xs, ys, strict=True):
        if not _is_zero(x) and not _is_zero(y):
            total = total + x * y
    return total


def _is_zero(x) -> bool:
    return isinstance(x, float | int) and x == 0


def _largest(xs) -> Scalar:
    largest: Scalar = 0.0
    for x in xs:
        largest = maximum(largest, abs(x))
    return largest
