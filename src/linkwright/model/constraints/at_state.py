"""What every constraint offers at one state. Nothing is worked out before it is asked for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol

from ...scalar import Scalar
from ...spatial import Force, Motion, Transform, Vector
from .relative_poses import RelativePoses

if TYPE_CHECKING:
    from ..tree import Tree

Terms = list[tuple[int, tuple[Force, ...]]]


class Motions(Protocol):
    """Of frames (body, way from its frame of computation) when the joints do not accelerate (frame_motions.py)."""

    rates: Sequence[Scalar]
    """v of all joints."""

    def velocity(self, frame: tuple[int, Transform], /) -> Motion: ...
    def felt(self, frame: tuple[int, Transform], /) -> Motion: ...
    def gravity(self, frame: tuple[int, Transform], /) -> Vector: ...
    def acceleration(self, frame: tuple[int, Transform], /) -> Motion: ...
    def field(self, body: int, /) -> Any: ...


class ConstraintAtState:
    """A constraint of a tree at coordinates q."""

    def __init__(self, tree: Tree, q: Sequence[Scalar], poses: RelativePoses, constraint):
        self.tree, self.q, self.poses, self.constraint = tree, q, poses, constraint

    def rows(self) -> list[Force]:
        """What a unit multiplier takes from the first frame, in that frame: a wrench per row."""
        raise NotImplementedError

    def terms(self) -> Terms:
        """(body, rows K in its frame of computation): the sum of K times the velocities of the bodies is the rate."""
        raise NotImplementedError

    def motion(self, motions: Motions) -> tuple[list[Scalar], list[Scalar]]:
        """(rate of each row, its drift: the rate of that rate when the joints do not accelerate)."""
        raise NotImplementedError

    def error(self) -> list[Scalar]:
        """How far the constraint is from being met, per row; its derivative is the rate wherever it is met."""
        raise NotImplementedError
