"""`check_state`: is this state closed, how many ways can it move, is it at a singular pose."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from ..call_errors import names_arguments
from ..errors import InputError, NoConvergence
from ..model import Model
from ..printable import printable
from .checked_arguments import checked, checked_configuration, checked_model, checked_tolerance
from .closing import closed_enough
from .constraint_functions import ConstraintFunctions, constraint_functions
from .continuation import tangent
from .correction import corrected
from .independent_rows import IndependentRows, independent_rows
from .residuals import Residual, listing, residuals

# Rank and singular values are compared with those of closed poses this far away (radians, metres).
_NEARBY, _NEIGHBOURS = 0.05, 4
# Nearer to zero than this beside a neighbour's: the mechanism is at, or within about 1e-4 rad of, a singular pose.
_SINGULAR_RATIO = 2e-3


@dataclass(frozen=True)
class StateCheck:
    """What `check_state` found; print it.

    position         residual of each constraint that says where things should be, by name
    velocity         of J v, by name; None if no velocity was given
    rows, rank       number of constraint rows, and how many of them are independent at this pose
    usual_rank       the same at closed poses nearby
    singular_values  of the scaled rows (docs/assembly.md), largest first
    allowed          what the file's own digits leave open at this pose (metres, radians) beyond the tolerance, along
                     directions in which no motion could close it; 0 where there is nothing to allow for
    allowed_rate     the same of velocities
    singularity      the smallest nonzero singular value beside its like at poses nearby; zero where rank is lost
    """

    model: Model = field(repr=False)
    position: dict[str, Residual]
    velocity: dict[str, Residual] | None
    rows: int
    rank: int
    usual_rank: int
    singular_values: np.ndarray
    singularity: float
    tolerance: float
    q: np.ndarray = field(repr=False)
    allowed: float = 0.0
    allowed_rate: float = 0.0

    @property
    def closed(self) -> bool:
        """Whether every residual, of positions and velocities, is within the tolerance or what the file allows."""
        return all(r.largest <= max(self.tolerance, self.allowed) for r in self.position.values()) and all(
            r.largest <= max(self.tolerance, self.allowed_rate) for r in (self.velocity or {}).values()
        )

    @property
    def redundancy(self) -> int:
        """Rows that follow from the others: their forces are not determined."""
        return self.rows - self.rank

    @property
    def mobility(self) -> int:
        """Independent velocities at this pose."""
        return self.model.nv - self.rank

    @property
    def singular(self) -> bool:
        """At a toggle, dead-centre or branching pose: it has more mobility than poses nearby, or nearly so."""
        return self.singularity < _SINGULAR_RATIO

    def raise_if_open(self) -> StateCheck:
        """NoConvergence, with each residual, unless closed; returns itself."""
        if not self.closed:
            every = {name: r.largest for name, r in self.position.items()}
            for name, residual in (self.velocity or {}).items():
                every[name] = max(every.get(name, 0.0), residual.largest)
            raise NoConvergence(
                f"{self}\nClose it with project_configuration(model, q) and project_velocity(model, q, v).".replace(
                    "\n", "\n  "
                ),
                residuals=every, q=self.q,
            )  # fmt: skip
        return self

    def __str__(self) -> str:
        name = printable(self.model.name)
        lines = [f"{name}: {'closed' if self.closed else 'OPEN'} (tolerance {self.tolerance:.3g})"]
        allowed, rate = max(self.tolerance, self.allowed), max(self.tolerance, self.allowed_rate)
        if self.position:
            lines += ["position", listing(constraint_functions(self.model).placed, self.position, allowed)]
        anywhere = [c.name for c in self.model.constraints if c.name not in self.position]
        if anywhere:
            lines.append(printable(f"met anywhere: {', '.join(anywhere)}"))
        if self.velocity is not None:
            lines += ["velocity", listing(self.model, self.velocity, rate, "/s")]
        lines.append(
            f"{self.rows} rows, rank {self.rank}, {self.redundancy} redundant; mobility {self.mobility} of "
            f"{self.model.nv}"
        )
        if self.allowed:
            lines.append(
                f"the file's own digits leave {self.allowed:.2g} m or rad open here, along directions in which rows "
                f"follow from one another and no motion closes them further"
            )
        if self.singular:
            lines.append(
                f"SINGULAR pose: smallest singular value {self.singularity:.2g} of that nearby, rank {self.rank} where "
                f"{self.usual_rank} is usual"
            )
        return "\n".join(lines)


@names_arguments
def check_state(model: Model, q, v=None, *, tolerance: float = 1e-9) -> StateCheck:
    """Residuals of each constraint in position and velocity, rank, redundancy, mobility, singularity.

    Of one state, q (nq,) and v (nv,); residuals in m and rad, or per second.
    """
    checked_model(model)
    tolerance = checked_tolerance(tolerance)
    q = checked_configuration(model, "q", q)
    if q.ndim != 1:
        raise InputError(f"q has shape {q.shape}; check_state takes one state of shape ({model.nq},)")
    v = None if v is None else checked(model, "v", v, model.nv)
    if v is not None and v.ndim != 1:
        raise InputError(f"v has shape {v.shape}; check_state takes one state of shape ({model.nv},)")
    functions = constraint_functions(model)
    J, error = functions.jacobian(q[None])[0], functions.error(q[None])
    rows = _rows(functions, q[None])
    with np.errstate(all="ignore"):
        rank, usual, ratio = _singularity(functions, q, rows)
        own = float(np.abs(error).max(initial=0.0))
        beyond = own > tolerance and bool(closed_enough(functions, q[None], error, tolerance)[0])
    rate = 0.0
    if v is not None and np.abs(rows.closable((J @ v)[None])).max(initial=0.0) <= tolerance:
        rate = float(np.abs(J @ v).max(initial=0.0))
    return StateCheck(
        model=model, position=residuals(functions.placed, error[0]),
        velocity=None if v is None else residuals(model, J @ v), rows=model.nc, rank=rank, usual_rank=usual,
        singular_values=rows.values[0], singularity=ratio, tolerance=tolerance, q=q,
        allowed=own if beyond else 0.0, allowed_rate=rate if rate > tolerance else 0.0,
    )  # fmt: skip


def _singularity(functions: ConstraintFunctions, q: np.ndarray, rows: IndependentRows) -> tuple[int, int, float]:
    """(rank, usual rank, smallest singular value of the usual rank beside the largest of its like nearby)."""
    model, rank, values = functions.model, int(rows.rank[0]), rows.values[0]
    if not len(values) or not model.nv:
        return rank, rank, 1.0
    rng = np.random.default_rng(0)
    start = np.tile(q, (_NEIGHBOURS, 1))
    ease = np.ones(model.nv)
    steps = tangent(functions, start, rng.uniform(-_NEARBY, _NEARBY, (_NEIGHBOURS, model.nv)), ease)
    near, error = corrected(functions, model.integrate(start, steps), ease, 1e-12)
    near = near[closed_enough(functions, near, error, 1e-12)]
    nearby = _rows(functions, near) if len(near) else None
    usual = max([rank, *(nearby.rank.tolist() if nearby is not None else ())])
    if not usual:
        return rank, usual, 1.0
    largest = float(values[usual - 1] if nearby is None else nearby.values[:, usual - 1].max())
    if rank < usual:
        return rank, usual, 0.0
    return rank, usual, float(min(1.0, values[usual - 1] / largest)) if largest > 0 else 1.0


def _rows(functions: ConstraintFunctions, q: np.ndarray) -> IndependentRows:
    return independent_rows(functions.model, functions.jacobian(q), functions.inertia(q))
