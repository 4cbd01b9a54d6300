"""Spatial algebra, generic in the scalar: the vocabulary in which the algorithms are written."""

from .acceleration import AccelerationField
from .eigenvectors import eigenvectors
from .factorization import LDL
from .inertia import ArticulatedInertia, RigidInertia
from .matrix import Matrix, Symmetric, dot, sum_of
from .motion import Force, Motion
from .placement import Placement
from .row_vector import RowVector
from .subspace import CoordinateSubspace, DenseSubspace, Subspace
from .transform import Rotate, Shift, Transform, Turn
from .vector import Vector

__all__ = [
    "LDL", "AccelerationField", "ArticulatedInertia", "CoordinateSubspace", "DenseSubspace", "Force", "Matrix",
    "Motion", "Placement", "RigidInertia", "Rotate", "RowVector", "Shift", "Subspace", "Symmetric", "Transform", "Turn",
    "Vector", "dot", "eigenvectors", "sum_of",
]  # fmt: skip
