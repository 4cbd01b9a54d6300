"""Corrections (refinement.py) where multipliers come from a Delassus matrix."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ..scalar import Scalar

Rows = Sequence[Scalar]
# torques -> (what they alone make the rows do, accelerations with multipliers as well)
FreeMotion = Callable[[Sequence[Scalar]], tuple[list[Scalar], Callable[[Rows], list[Scalar]]]]


def dual_correction(free: FreeMotion, solve: Callable[[Rows], list[Scalar]]):
    """`solve` finds multipliers from what is left of the rows."""

    def correct(torques: Sequence[Scalar], rows: Rows) -> tuple[list[Scalar], list[Scalar]]:
        moved, accelerate = free(torques)
        lam = solve([x - r for x, r in zip(moved, rows, strict=True)])
        return accelerate(lam), lam

    return correct
