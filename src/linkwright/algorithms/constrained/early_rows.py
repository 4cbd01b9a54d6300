"""What PV-early keeps between its two sweeps: rows at each body, where they came from, directions eliminated."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from ...scalar import Scalar
from ...spatial import Force, RowVector, Subspace
from ..parts.articulation import Articulation
from ..parts.reflection import Reflection
from ..rows.merged_rows import MergedRows
from .early_schedule import Schedule
from .spare_rows import EliminatedRows, SpareRows


@dataclass
class EliminatedDirection:
    """One direction eliminated (a whole joint where no rows pass), and the rows that went with it."""

    iv: slice
    joint: Articulation
    y: RowVector
    reflection: Reflection | None = None
    pulls: list[Scalar] = field(default_factory=list)  # joint acceleration per multiplier of the spare rows
    eliminated: EliminatedRows | None = None


@dataclass
class Arrival:
    """The rows K a + l = 0 at a body, where they came from, and those put off."""

    K: list[Force] = field(default_factory=list)
    l: list[Scalar] = field(default_factory=list)
    sources: list[tuple] = field(default_factory=list)
    rows: MergedRows = field(default_factory=MergedRows)
    spare: SpareRows = field(default_factory=SpareRows)
    merged: EliminatedRows | None = None
    steps: list[EliminatedDirection] = field(default_factory=list)

    @property
    def constrained(self) -> bool:
        return bool(self.K or self.spare.K)

    def add(self, source: tuple, k: Force, l: Scalar) -> None:
        self.sources.append(source)
        self.K.append(k)
        self.l.append(l)

    def meet(self, step: EliminatedDirection, schedule: Schedule) -> int:
        """The rows meet a joint of one direction. Returns how many of those put off (none in the paper) to leave."""
        S, before = step.joint.S, len(self.spare.K)
        put_off = [S.project(k)[0] for k in self.spare.K]
        ks = [S.project(k)[0] for k in self.K]  # eq. (67)
        if not schedule.acts(step.iv.start, ks, self.K):  # remark 8
            step.pulls = self.spare.pass_joint(step.joint, step.y[0], put_off)
            return before
        U = step.reflection = Reflection(ks)  # eq. (65), remark 7
        K_acted, K_others = U.split(self.K)  # eq. (60), (68)
        l_acted, self.l = U.split(self.l)
        self.K = [_cleared(k, S) for k in K_others]
        self.spare.add([K_acted], [l_acted], [[0.0]])
        step.pulls = self.spare.pass_joint(step.joint, step.y[0], [*put_off, U.alpha])  # eq. (57), (66)
        return max(before, schedule.spare(step.iv.start, len(self.K), U.square))

    def hand_out_spare(self, multipliers: Sequence[Scalar], to: dict[int, list[Scalar]]) -> None:
        """Multipliers of rows put off, to the children that these came from."""
        for source, x in zip(self.spare.sources, multipliers, strict=True):
            to.setdefault(source, []).append(x)


def _cleared(row: Force, S: Subspace) -> Force:
    """A row that the joint does not act on: exactly so along coordinate directions."""
    return Force.of(0.0 if r in S.directions else x for r, x in enumerate(row))


def every_step(arrivals: Sequence[Arrival]) -> list[EliminatedDirection]:
    return [step for arrival in arrivals for step in arrival.steps]


def every_elimination(arrivals: Sequence[Arrival]) -> Iterator[EliminatedRows]:
    found = [step.eliminated for step in every_step(arrivals)] + [arrival.merged for arrival in arrivals]
    return (x for x in found if x is not None)
