"""The joint torque regressor: inverse dynamics as a matrix times the inertial parameters of all bodies.

[AtkesonAnHollerbach1986]: the wrench that moves a body is linear in its ten parameters

    pi_i = [m, m c (3), Ixx, Ixy, Iyy, Ixz, Iyz, Izz], about the origin of its own frame,

so tau = Y(q, v, a) pi + rest. Column by column, Y is RNEA for one parameter of one body: its wrench, and what joints on
the way to the ground have to do about it.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...model import Tree
from ...scalar import Scalar
from ...spatial import RigidInertia, Symmetric, Vector
from ..parts.motion_sweep import MotionSweep
from ..parts.passive_torques import passive_torques

PARAMETERS_OF_A_BODY = 10


def joint_torque_regressor(
    tree: Tree, q: Sequence[Scalar], v: Sequence[Scalar], a: Sequence[Scalar]
) -> list[list[Scalar]]:
    """Y, (nv, 10 (nbodies - 1)): the parameters of bodies 1, 2, ..., ten each."""
    sweep = MotionSweep(tree, q, v, a)
    columns: list[list[Scalar]] = []
    for i in tree.outward():
        for k in range(PARAMETERS_OF_A_BODY):
            column: list[Scalar] = [0.0] * tree.nv
            f, j = tree.body_frame[i].congruence(_unit(k)).wrench(sweep.field[i]), i
            while j:
                column[tree.iv[j]] = sweep.S[j].project(f)
                f, j = sweep.X[j].T @ f, tree.parent[j]
            columns.append(column)
    return [[column[r] for column in columns] for r in range(tree.nv)]


def torques_without_bodies(tree: Tree, q, v, a) -> list[Scalar]:
    """What of tau is not due to bodies: rotors, springs, dampers."""
    passive = passive_torques(tree, q, v)
    rest: list[Scalar] = [-x for x in passive]
    for i in tree.outward():
        for k, R in zip(range(tree.nv)[tree.iv[i]], tree.armature[i], strict=True):
            rest[k] = rest[k] + R * a[k]
    return rest


def _unit(k: int) -> RigidInertia:
    """Inertia whose k-th parameter is one, and all others zero."""
    m, hx, hy, hz, xx, xy, yy, xz, yz, zz = (float(n == k) for n in range(PARAMETERS_OF_A_BODY))
    return RigidInertia(m, Vector(hx, hy, hz), Symmetric(xx, xy, xz, yy, yz, zz))
