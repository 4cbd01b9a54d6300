"""Gyroscopic terms of bodies that fly by themselves, taken at the end of a step: MuJoCo's implicitfast.

Of a free body without joints on it the bias C(w) = (w x (w x h), w x (J w)) is linearised in the angular velocity w,
with h the first moment and J the inertia about its origin: (M + dt (S + dC/dw)) a' = M a. Its six
equations stand alone.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...model import Tree
from ...scalar import Scalar
from ...spatial import Matrix, Vector, sum_of


def lone_bodies(tree: Tree) -> list[int]:
    """Free bodies on the ground that carry nothing."""
    carried = set(tree.parent[1:])
    return [
        i for i in tree.outward()
        if tree.joint[i].is_free and not tree.parent[i] and i not in carried
    ]  # fmt: skip


def tumbled(
    tree: Tree, i: int, v: Sequence[Scalar], rates: Sequence[Scalar], slope: Sequence[Scalar], dt: Scalar
) -> list[Scalar]:  # fmt: skip
    """a' of body i in place of a; both along axes that stand still, as they are now. All six velocities and slopes."""
    inertia, w = tree.inertia_for_user(i), Vector(*v[3:])
    m, h, J = inertia.m, inertia.h, inertia.J
    linear, angular = Vector(*rates[:3]), Vector(*rates[3:])
    force, moment = linear * m - h.cross(angular), h.cross(linear) + J @ angular
    units = [Vector.unit(k) for k in range(3)]
    # columns of what angular accelerations do: to the force, and to the moment
    pushed = [x.cross(w.cross(h)) + w.cross(x.cross(h)) for x in units]
    pushed = [p * dt - h.cross(x) for p, x in zip(pushed, units, strict=True)]
    turned = [
        (x.cross(J @ w) + w.cross(J @ x)) * dt + J @ x + x * (dt * s) for x, s in zip(units, slope[3:], strict=True)
    ]
    mass = Vector(*(1.0 / (m + dt * s) for s in slope[:3]))
    left = [t - h.cross(_times(mass, p)) for t, p in zip(turned, pushed, strict=True)]
    spin = _solved(left, moment - h.cross(_times(mass, force)))
    gone = sum_of(p * x for p, x in zip(pushed, spin, strict=True))
    return [*_times(mass, force - gone), *spin]


def _times(scale: Vector, v: Vector) -> Vector:
    return Vector(scale.x * v.x, scale.y * v.y, scale.z * v.z)


def _solved(columns: Sequence[Vector], b: Vector) -> Vector:
    """x of the matrix with these columns, by Cramer's rule."""
    p, q, r = columns
    rows = Matrix((q.cross(r), r.cross(p), p.cross(q)))
    return (rows @ b) * (1.0 / (p @ q.cross(r)))
