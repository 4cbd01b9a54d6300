"""Kinetic and potential energy."""

from __future__ import annotations

from collections.abc import Sequence

from ...model import Tree
from ...scalar import Scalar
from ..parts.passive_torques import passive_energy
from .kinematics import placements, velocities


def kinetic_energy(tree: Tree, q: Sequence[Scalar], v: Sequence[Scalar]) -> Scalar:
    """Of bodies and rotors: v' M v / 2."""
    doubled: Scalar = 0.0
    for i, velocity in enumerate(velocities(tree, q, v)):
        doubled = doubled + velocity.dot(tree.inertia[i] @ velocity)
        for R, rate in zip(tree.armature[i], v[tree.iv[i]], strict=True):
            doubled = doubled + R * (rate * rate)
    return doubled * 0.5


def potential_energy(tree: Tree, q: Sequence[Scalar]) -> Scalar:
    """Of weight, zero at the world's origin, and of springs, zero where they rest."""
    energy: Scalar = 0.0
    poses = placements(tree, q)
    for i in tree.outward():
        inertia = tree.inertia[i]
        moment = poses[i].position * inertia.m + poses[i].rotation @ inertia.h
        energy = energy - tree.gravity @ moment
    return energy + passive_energy(tree, q, poses)
