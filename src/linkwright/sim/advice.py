"""What would help a simulation that cannot be believed: only what `simulate` takes with the rest of the call."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ..errors import InputError
from ..physics.options import check_options, defaults, settled_options
from ..programs.status import STATUS_INFEASIBLE, STATUS_NOT_CONVERGED, STATUS_OTHER_BRANCH, STATUS_SINGULAR

if TYPE_CHECKING:
    from .trajectory import Trajectory

_MORE_PASSES = 10  # times as many: Newton's method takes a handful where it converges


@dataclass(frozen=True)
class Advice:
    """`text` says what to do; `options` are those that the same call is then given, as far as they are named."""

    text: str
    options: Mapping[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        return self.text


def takes(tr: Trajectory, **changed: Any) -> bool:
    """Whether the same call may be given these options instead of its own."""
    own = {
        "integrator": tr.integrator, "solver": tr.solver_asked_for, "iterations": tr.iterations,
        "baumgarte": tr.baumgarte, "projection": tr.projection, "contact": tr.contact, "coordinates": tr.coordinates,
    }  # fmt: skip
    try:
        check_options(tr.model, settled_options(tr.model, {**defaults(), **own, **changed}))
    except InputError:
        return False
    return True


def shorter(tr: Trajectory) -> Advice:
    """Where the steps are too long."""
    if tr.integrator != "rk4" and takes(tr, integrator="rk4"):
        return Advice("take a smaller dt or rk4", {"integrator": "rk4"})
    return Advice(f"take a smaller dt than {tr.dt:g}")


def closer(tr: Trajectory) -> Advice:
    """Where loops come apart."""
    if tr.baumgarte is None:
        return Advice("leave baumgarte=None out", {"baumgarte": "auto"})
    if not tr.projection and takes(tr, projection=True):
        return Advice("take a smaller dt or projection=True", {"projection": True})
    return Advice(f"take a smaller dt than {tr.dt:g}")


def more_passes(tr: Trajectory) -> Advice | None:
    """Where passes were counted, and were too few."""
    if tr.iterations is None:
        return None
    if tr.contact:  # left out, it would be the number that the file names
        more = min(_MORE_PASSES * tr.iterations, 1000)
        return Advice(f"raise iterations={tr.iterations}, for example to {more}", {"iterations": more})
    return Advice(f"leave iterations={tr.iterations} out", {"iterations": None})


def more_digits(tr: Trajectory) -> Advice:
    """Where a solution did not converge, or lost digits."""
    passes = more_passes(tr)
    if passes is not None:
        return passes
    if tr.contact:
        return Advice("take a smaller dt, or contacts and constraints of more alike softness (solref, solimp)")
    if tr.solver != "prox_ltl" and takes(tr, solver="prox_ltl"):
        return Advice("solver='prox_ltl' has the most digits", {"solver": "prox_ltl"})
    return Advice(f"take a smaller dt than {tr.dt:g}")


def about_status(tr: Trajectory, code: int) -> Advice | None:
    """What helps where the solver gave this status."""
    if code == STATUS_NOT_CONVERGED:
        return more_digits(tr)
    if code == STATUS_SINGULAR:
        return Advice(
            "near a singular pose the motion hangs on rounding; start it elsewhere, or with a velocity that takes it "
            "past"
        )
    if code == STATUS_OTHER_BRANCH:
        if takes(tr, coordinates="spanning"):
            text = "take coordinates='spanning', or other independent joints (robot.with_independent)"
            return Advice(text, {"coordinates": "spanning"})
        return Advice("take other independent joints (robot.with_independent)")
    if code == STATUS_INFEASIBLE:
        return Advice(
            "see linkwright.check_state for the constraints that cannot be met together; if there are none, it rests "
            "near a singular pose: start it elsewhere, or with a velocity that takes it past"
        )
    return None
