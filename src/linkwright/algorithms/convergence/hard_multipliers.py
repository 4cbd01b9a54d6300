"""Multipliers of hard constraints from a Delassus matrix, and whether they can be believed."""

from __future__ import annotations

from collections.abc import Sequence

from ...model import Model
from ...scalar import Scalar, where
from ...spatial.partial_factorization import PartialLDL, most_doubtful, weakest_of
from ..rows.row_scales import row_scales


def hard_multipliers(
    model: Model, L: Sequence[Sequence[Scalar]], l: Sequence[Scalar], rows: Sequence[int] | None = None,
    weakest: float | None = None,
) -> tuple[list[Scalar], Scalar, Scalar]:
    """(lam with L lam = l, zero where it is in doubt else one, the weakest pivot over its size), or of some rows only.

    A mechanism is singular at a pose if a row moves much less than it usually does, by itself or by what others leave
    of it. Multipliers would be rounding errors divided by rounding errors. `weakest` is how much less, WEAKEST if None.
    """
    rows = range(len(l)) if rows is None else rows
    usual = row_scales(model)
    sizes = [L[r][r] + float(usual[r]) for r in rows]
    factor = PartialLDL([[L[r][s] for s in rows] for r in rows], sizes, window=2)
    own = factor.scaled(factor.forward([l[r] for r in rows])[0])
    doubt = most_doubtful(factor, own, weakest=weakest)
    return factor.backward(own, []), where(doubt > 0.0, 0.0, 1.0), weakest_of([factor])
