"""What every constraint offers at one state."""

from __future__ import annotations

from collections.abc import Sequence

from ...model import Tree
from ...scalar import Scalar
from ...spatial import Force
from .frame_motions import FrameMotions
from .relative_poses import RelativePoses

Terms = list[tuple[int, tuple[Force, ...]]]


class Closure:
    def __init__(self, tree: Tree, q: Sequence[Scalar], poses: RelativePoses, constraint):
        self.tree, self.q, self.poses, self.constraint = tree, q, poses, constraint

    def rows(self) -> list[Force]:
        """What a unit multiplier takes from the first frame, in that frame: a wrench per row."""
        raise NotImplementedError

    def terms(self) -> Terms:
        """(body, rows K in its frame of computation): the sum of K times the velocities of the bodies is the rate."""
        raise NotImplementedError

    def motion(self, motions: FrameMotions) -> tuple[list[Scalar], list[Scalar]]:
        """(rate of each row, rate of that rate when the joints do not accelerate)."""
        raise NotImplementedError

    def error(self) -> list[Scalar]:
        """How far the constraint is from being met, per row; its derivative is the rate wherever it is met."""
        raise NotImplementedError
