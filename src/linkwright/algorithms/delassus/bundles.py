"""Rows that travel together in PV-OSIMr: those of constraints, or the six that stand for a branching link.

[Sathya2023] Algorithm 3: CEMP and EMP. **Not in the paper**: where an EMP stands for a joint or two, what goes that way
goes joint by joint.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...scalar import Scalar
from ...spatial import Force, Motion
from ..parts.articulation import Articulation
from ..rows.passing_rows import Passing, add_to_delassus
from .propagators import pass_inward, pass_outward, zeros
from .pv_osim import add_at_ground

Row = list[Scalar]
SHORT = 2  # joints: each takes some 30 operations to pass, the product with six rows 66


class Bundle:
    """Rows that travel together: those of constraints (`numbers`), or the six of a branching `link`."""

    def __init__(self, K: Sequence[Force], numbers: Sequence[int] = (), link: int = 0):
        self.K = list(K)  # on the body reached so far: the paper's CEMP or, of a branching link, EMP
        self.Omega = zeros(len(K))  # their inverse inertia if that body is held; lower triangle
        self.numbers, self.link = list(numbers), link
        self.steps: list = []  # (K S, D) of the joints passed
        self.way: list = []  # these joints, each with X from its parent, from the outside inward
        self.half: list[Row] = []  # at the branching link where they end: x' Omega y of two rows is x.half . y.other
        self.other: list[Row] = []

    def join(self, other: Bundle) -> Bundle:
        both = Bundle(self.K + other.K, self.numbers + other.numbers)
        for part, start in ((self, 0), (other, len(self.K))):
            for r, row in enumerate(part.Omega, start):
                both.Omega[r][start : start + len(row)] = row
        return both

    def pass_joint(self, joint: Articulation, X) -> None:
        through, self.K = pass_inward(joint, X, self.K)  # lines 12, 13
        add_to_delassus(self.Omega, through)  # lines 14, 15
        self.steps.append((through.KS, joint.D))
        self.way.append((joint, X))

    @property
    def is_short(self) -> bool:
        """Whether a vector goes joint by joint in fewer operations than through the six rows that stand for the way."""
        return len(self.way) <= SHORT

    def inward(self, row: Force) -> Force:
        """A row on the branching link in the frame where the bundle ends."""
        for joint, X in self.way:
            (row,) = pass_inward(joint, X, [row])[1]
        return row

    def outward(self, motion: Motion) -> Motion:
        """The acceleration of the branching link by that of the link where the bundle ends, without forces between."""
        for joint, X in reversed(self.way):
            motion = pass_outward(joint, X @ motion)
        return motion

    def reach_ground(self, joint: Articulation) -> None:
        """Constraint rows end here: as in PV-OSIM, half of D's solution is enough."""
        add_at_ground(self.Omega, joint, Passing(joint, range(len(self.K)), self.K))
