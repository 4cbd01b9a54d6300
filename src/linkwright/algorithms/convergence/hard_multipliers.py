"""Multipliers of hard constraints from a Delassus matrix, and whether they can be believed."""

from __future__ import annotations

from collections.abc import Sequence

from ...model import Model
from ...scalar import Scalar, minimum, where
from ...spatial.partial_factorization import WEAKEST, PartialLDL, most_doubtful, weakest_of
from ..rows.constrained_problem import NO, PERHAPS
from ..rows.row_scales import row_scales

# Where rows are dependent, a weak direction beside them need not come last, and may hide in a pivot so many times as
# large as those that are called dependent (evidence.py tells). Seen: 500 times its eigenvalue, 3 times the limit.
HIDING = 70.0


def hard_multipliers(
    model: Model, L: Sequence[Sequence[Scalar]], l: Sequence[Scalar], rows: Sequence[int] | None = None,
    weakest: float | None = None,
) -> tuple[list[Scalar], Scalar, Scalar, Scalar]:
    """(lam with L lam = l, zero where it is in doubt else one, the weakest pivot over its size, whether another one
    hides a weaker direction), or of some rows only.

    A mechanism is singular at a pose if a row moves much less than it usually does, by itself or by what others leave
    of it. Multipliers would be rounding errors divided by rounding errors. `weakest` is how much less, WEAKEST if None.
    """
    rows = range(len(l)) if rows is None else rows
    usual = row_scales(model)
    sizes = [L[r][r] + float(usual[r]) for r in rows]
    factor = PartialLDL([[L[r][s] for s in rows] for r in rows], sizes, window=2)
    own = factor.scaled(factor.forward([l[r] for r in rows])[0])
    doubt = most_doubtful(factor, own, weakest=weakest)
    limit = weakest or WEAKEST
    hiding = where(weakest_above(factor, limit) < HIDING * limit, PERHAPS, NO)
    return factor.backward(own, []), where(doubt > 0.0, 0.0, 1.0), weakest_of([factor]), hiding


def weakest_above(factor: PartialLDL, limit: float) -> Scalar:
    """The least pivot over its size of those that are not called dependent, at most 1."""
    least: Scalar = 1.0
    for strength in factor.strengths:
        least = minimum(where(strength > limit, strength, 1.0), least)
    return least
