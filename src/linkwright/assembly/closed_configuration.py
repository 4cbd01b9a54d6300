"""`project_configuration`: a closed pose near the one given."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Literal, overload

import numpy as np

from ..call_errors import names_arguments
from ..errors import NoConvergence
from ..model import Model
from ..printable import printable
from .checked_arguments import (
    checked_configuration,
    checked_model,
    checked_tolerance,
    configuration_indices,
    joint_names,
    same_batch,
    velocity_indices,
)
from .closing import closed_enough, file_accuracy
from .constraint_functions import ConstraintFunctions, constraint_functions
from .continuation import followed
from .correction import assembled, corrected
from .residuals import listing, residuals

# A pose that closes without moving any joint further (radians or metres) than this is taken as it comes.
_NEAR = 0.15
_REACHED = 1e-6
_GIVE_WAY, _ALMOST = 1e-2, 0.02  # ease of joints that will be held at the end, and how far from it they may be then


@overload
def project_configuration(
    model: Model, q, *, fixed: str | Iterable[str] | None = None, tolerance: float = 1e-12, start=None,
    details: Literal[False] = False,
) -> np.ndarray: ...  # fmt: skip


@overload
def project_configuration(
    model: Model, q, *, fixed: str | Iterable[str] | None = None, tolerance: float = 1e-12, start=None,
    details: Literal[True],
) -> ClosedConfiguration: ...  # fmt: skip


@names_arguments
def project_configuration(
    model: Model, q, *, fixed: str | Iterable[str] | None = None, tolerance: float = 1e-12, start=None,
    details: bool = False,
) -> np.ndarray | ClosedConfiguration:  # fmt: skip
    """A configuration near q in which every loop is closed to `tolerance` (metres, radians); (nq,) or (B, nq).

    Where a file's own digits do not let all of its dependent rows hold to that, every direction that counts is closed
    to `tolerance`, and what is left along the others is what the file allows.

    fixed   joints that keep the coordinates they have in q, e.g. a driven crank
    start   a pose on the assembly branch wanted, by default the as-drawn one, `model.drawn`. If q is far from
            closed, or if `start` is given, the mechanism is moved from there towards q in small steps with its loops
            closed: fixed joints to their coordinates, the others as near to q as the loops let them
    details return a `ClosedConfiguration`, which says how closely the loops are closed and what the file allows

    Raises NoConvergence, which lists every loop with its residual, where that cannot be done. Joint limits are not
    looked at. Constraints that do not say where things should be, such as `weld("foot")`, are met anywhere.
    """
    checked_model(model)
    tolerance = checked_tolerance(tolerance)
    target = checked_configuration(model, "q", q)
    first = None if start is None else checked_configuration(model, "start", start)
    names = joint_names(model, "fixed", fixed)
    batched, arrays = same_batch(q=target, **({} if first is None else {"start": first}))
    with np.errstate(all="ignore"):  # what overflows does not lower the error, and is not taken
        found = _Projection(constraint_functions(model), names, tolerance).of(*arrays)
    if details:
        functions = constraint_functions(model)
        return ClosedConfiguration(
            functions.placed, found if batched else found[0], functions.error(found), float(tolerance),
            file_accuracy(model),
        )  # fmt: skip
    return found if batched else found[0]


@dataclass(frozen=True)
class ClosedConfiguration:
    """What `project_configuration(..., details=True)` found; print it.

    q          the configuration, (nq,) or (B, nq)
    error      (B, rows) what is left of every row (metres, radians) of constraints that say where things should be
    tolerance  what was asked for
    accuracy   how far open the loops of this model stay at best around its as-drawn pose, for what its numbers allow
    """

    model: Model = field(repr=False)
    q: np.ndarray
    error: np.ndarray = field(repr=False)
    tolerance: float
    accuracy: float

    @property
    def left(self) -> float:
        """The largest error of any loop, of any sample."""
        return float(np.abs(self.error).max(initial=0.0))

    @property
    def limited_by_file(self) -> bool:
        """Whether the numbers of the file, not the search, keep it from the tolerance."""
        return self.left > self.tolerance

    def __str__(self) -> str:
        name = printable(self.model.name)
        if not self.limited_by_file:
            return f"{name}: closed to {self.left:.2g} m or rad"
        worst = residuals(self.model, self.error[int(np.argmax(np.abs(self.error).max(axis=1)))])
        listed = "\n".join(f"  {held!r}: {r}" for held, r in worst.items() if r.largest > self.tolerance)
        return (
            f"{name}: closed to {self.left:.2g} m or rad, which is what the numbers of the file allow "
            f"(around its as-drawn pose {self.accuracy:.2g}); every direction that counts is closed to "
            f"{self.tolerance:.2g}, and rows that follow from the others but for its digits are left with\n{listed}"
        )


class _Projection:
    """What all samples of a batch have in common."""

    def __init__(self, functions: ConstraintFunctions, fixed: tuple[str, ...], tolerance: float):
        self.functions, self.model, self.tolerance, self.fixed = functions, functions.model, tolerance, fixed
        self.held = velocity_indices(self.model, fixed)
        self.ease = np.ones(self.model.nv)
        self.ease[self.held] = 0.0

    def of(self, q: np.ndarray, start: np.ndarray | None = None) -> np.ndarray:
        if start is not None:
            found = q.copy()
            far = ~self.closed(q, self.functions.error(q))
        else:
            found, error = assembled(self.functions, q, self.ease, self.tolerance)
            moved = np.abs(self.model.difference(q, found)).max(axis=1, initial=0.0)
            far = ~self.closed(found, error) | (moved > _NEAR)
        if far.any():
            first = np.tile(self.model.drawn, (far.sum(), 1)) if start is None else start[far]
            names = [f" (sample {k} of {len(q)})" if len(q) > 1 else "" for k in np.flatnonzero(far)]
            found[far] = self.from_start(q[far], first, found[far], names, given=start is not None)
        return found

    def from_start(self, q: np.ndarray, start: np.ndarray, direct: np.ndarray, names: list[str], given: bool):
        first, error = assembled(self.functions, start, np.ones(self.model.nv), self.tolerance)
        usable = self.closed(first, error)
        if given and not usable.all():
            k = int(np.argmin(usable))
            what = f"start{names[k]} cannot be closed: the loops stay open"
            raise self.failure(first[k], error[k], what, "another start=")
        found = direct.copy()  # where not even the as-drawn pose can be closed, there is no branch to keep to
        if usable.any():
            found[usable] = self.moved(first[usable], q[usable], [names[k] for k in np.flatnonzero(usable)])
        error = self.functions.error(found)
        closed = self.closed(found, error)
        if not closed.all():
            k = int(np.argmin(closed))
            what = f"the loops{names[k]} cannot be closed"
            raise self.failure(found[k], error[k], what, "another q, or start= a closed pose")
        return found

    def moved(self, start: np.ndarray, q: np.ndarray, names: list[str]) -> np.ndarray:
        reached, short = followed(self.functions, start, q, self.held, self.ease)
        astray = short > _REACHED
        if astray.any():  # several fixed joints may not all go straight: let them give way until they are there
            give_way = np.where(self.ease > 0, 1.0, _GIVE_WAY)
            reached[astray], short[astray] = followed(self.functions, start[astray], q[astray], self.held, give_way)
        self.put_fixed(reached, q)
        found, error = corrected(self.functions, reached, self.ease, self.tolerance)
        stopped = np.flatnonzero(~self.closed(found, error) | (short > _ALMOST))
        if len(stopped):
            k = stopped[0]
            driven = f"{', '.join(self.fixed)} " if self.fixed else ""
            what = (
                f"moving {driven}from the start{names[k]}, the loops do not stay closed all the way "
                f"({short[k]:.3g} rad or m before the end)"
            )
            remedy = "fewer fixed joints, other coordinates for them, or a start= nearer to q"
            raise self.failure(found[k], error[k], what, remedy)
        return found

    def put_fixed(self, q: np.ndarray, target: np.ndarray) -> None:
        """Exactly, not to rounding."""
        indices = configuration_indices(self.model, self.fixed)
        q[:, indices] = target[:, indices]

    def closed(self, q: np.ndarray, error: np.ndarray) -> np.ndarray:
        return closed_enough(self.functions, q, error, self.tolerance)

    def failure(self, q: np.ndarray, error: np.ndarray, what: str, remedy: str) -> NoConvergence:
        placed = self.functions.placed
        found = residuals(placed, error)
        held = f" with {', '.join(self.fixed)} fixed" if self.fixed else ""
        text = (
            f"{self.model.name!r}{held}: {what}. Residuals:\n{listing(placed, found, self.tolerance)}\n"
            f"Check lengths and frames of the open ones, or try {remedy}."
        )
        return NoConvergence(text, residuals={name: r.largest for name, r in found.items()}, q=q)
