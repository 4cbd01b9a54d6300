"""What a solver says that is no reason to doubt a simulation.

Singular poses that a mechanism only passes: where a linkage folds flat, for a step or two the constraints do not
determine accelerations, or contradict one another in a direction that does not count, and the solver says so. A
mechanism that is on its way goes on: what is undetermined there changes its velocities by next to nothing before it is
past, and its loops and its energy are looked after anyway. One that rests there, or stays, is another matter: what it
does hangs on rounding.

Digits that a solver may have lost: it does not promise its answer then. Where the rows are met nevertheless, the books
of a simulation, which no single answer has, say whether anything was wrong; but not of what is light beside the rest,
so that goes for a step now and then, and the time is counted.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple, Protocol

from ..programs.status import STATUS_INFEASIBLE, STATUS_NOT_CONVERGED, STATUS_SINGULAR
from ..scalar import Scalar, where

# Of the fastest joint's velocity: what is left undone, and what is done, in one part of a step.
_UNDONE = 1e-3
_DONE = 0.2
_AT_REST = 1.0  # rad/s^2, m/s^2: digits of smaller accelerations are nobody's; residuals are relative to no less
_MET = 1e-6  # of a part's accelerations is left undone where lost digits did no harm


class Solved(Protocol):
    """What is judged of a part: accelerations (nv,), the solver's status, and what it left unmet (m/s^2, rad/s^2)."""

    @property
    def a(self) -> Sequence[Scalar]: ...

    @property
    def status(self) -> Scalar: ...

    @property
    def unmet(self) -> Scalar: ...


class Counted(NamedTuple):
    """What is unmet and the solver's status, but not of poses that are only passed; and the seconds so far that were
    spent passing such poses, and with digits perhaps lost."""

    unmet: Scalar
    verdict: Scalar
    passed: list[Scalar]


def counted(
    part: Solved, v: Sequence[Scalar], passed: Sequence[Scalar], pace: Callable[[Sequence[Scalar]], Scalar], h: Scalar
) -> Counted:
    """What counts of a part of h seconds that began with velocities v (nv,); `passed` are the seconds before it, and
    `pace` the largest of velocities, or of accelerations, that matters."""
    code, residual, acceleration = part.status, part.unmet, pace(part.a)
    passing = passes(code, residual, acceleration, pace(v), h)
    met = _says(code, STATUS_NOT_CONVERGED) & (residual <= (acceleration + 1.0) * _MET)
    unmet, verdict = where(passing, 0.0, residual), where(passing | met, 0.0, code)
    in_doubt = met & (acceleration > _AT_REST)
    spent = [x + where(now, h, 0.0) for x, now in zip(passed, (passing, in_doubt), strict=True)]
    return Counted(unmet, verdict, spent)


def passes(code: Scalar, residual: Scalar, acceleration: Scalar, fastest: Scalar, h: Scalar) -> Scalar:
    """Whether a status of singular or infeasible is of a pose that the mechanism passes within h seconds."""
    moving = (residual * h <= fastest * _UNDONE) & (acceleration * h <= fastest * _DONE)
    return (_says(code, STATUS_SINGULAR) | _says(code, STATUS_INFEASIBLE)) & moving & (fastest > 0.0)


def _says(code: Scalar, meaning: float) -> Scalar:
    return (code > meaning - 0.5) & (code < meaning + 0.5)
