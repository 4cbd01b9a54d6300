"""Singular poses that a mechanism only passes.

Where a linkage folds flat, for a step or two the constraints do not determine accelerations, or contradict one another
in a direction that does not count, and the solver says so. A mechanism that is on its way goes on: what is undetermined
there changes its velocities by next to nothing before it is past, and its loops and its energy are looked after anyway.
One that rests there, or stays, is another matter: what it does hangs on rounding.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..algorithms.rows.constraint_rows import largest_residual
from ..scalar import Scalar, where
from .status import STATUS_INFEASIBLE, STATUS_SINGULAR

# Of the fastest joint's velocity: what is left undone, and what is done, in one part of a step.
_UNDONE = 1e-3
_DONE = 0.2

COUNTED = ("unmet", "verdict")  # residual and status but for poses that the mechanism only passes


def counted(result: Mapping[str, Any], state: Mapping[str, Any], h: Scalar) -> dict[str, Any]:
    """What counts of a part of h seconds from `state`, and the seconds spent passing singular poses so far."""
    passing = passes(result["status"], result["residual"], result["a"], state["v"], h)
    unmet, verdict = (where(passing, 0.0, result[name]) for name in ("residual", "status"))
    return {"unmet": unmet, "verdict": verdict, "passed": [state["passed"][0] + where(passing, h, 0.0)]}


def passes(code: Scalar, residual: Scalar, a: Sequence[Scalar], v: Sequence[Scalar], h: Scalar) -> Scalar:
    """Whether a status of singular or infeasible is of a pose that the mechanism passes within h seconds."""
    fastest = largest_residual(v)
    singular = (code > STATUS_SINGULAR - 0.5) & (code < STATUS_SINGULAR + 0.5)
    infeasible = (code > STATUS_INFEASIBLE - 0.5) & (code < STATUS_INFEASIBLE + 0.5)
    moving = (residual * h <= fastest * _UNDONE) & (largest_residual(a) * h <= fastest * _DONE)
    return (singular | infeasible) & moving & (fastest > 0.0)
