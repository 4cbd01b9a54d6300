"""`check_state`: is this state closed, how many ways can it move, is it at a singular pose."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from ..errors import InputError, NoConvergence
from ..model import Model
from .arguments import checked, checked_configuration, checked_model
from .constraint_functions import ConstraintFunctions, constraint_functions
from .continuation import tangent
from .correction import corrected
from .residuals import Residual, listing, residuals
from .velocity import RANK_TOLERANCE

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
    singular_values  of J, largest first
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

    @property
    def closed(self) -> bool:
        """Whether every residual, of positions and velocities, is within the tolerance."""
        found = [*self.position.values(), *(self.velocity or {}).values()]
        return all(residual.largest <= self.tolerance for residual in found)

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
                f"{self}\nClose it with project_configuration(model, q) and project_velocity(model, q, v).",
                residuals=every, q=self.q,
            )  # fmt: skip
        return self

    def __str__(self) -> str:
        lines = [f"{self.model.name}: {'closed' if self.closed else 'OPEN'} (tolerance {self.tolerance:.3g})"]
        if self.position:
            lines += ["position", listing(constraint_functions(self.model).placed, self.position, self.tolerance)]
        anywhere = [c.name for c in self.model.constraints if c.name not in self.position]
        if anywhere:
            lines.append(f"met anywhere: {', '.join(anywhere)}")
        if self.velocity is not None:
            lines += ["velocity", listing(self.model, self.velocity, self.tolerance, "/s")]
        lines.append(
            f"{self.rows} rows, rank {self.rank}, {self.redundancy} redundant; mobility {self.mobility} of "
            f"{self.model.nv}"
        )
        if self.singular:
            lines.append(
                f"SINGULAR pose: smallest singular value {self.singularity:.2g} of that nearby, rank {self.rank} where "
                f"{self.usual_rank} is usual"
            )
        return "\n".join(lines)


def check_state(model: Model, q, v=None, *, tolerance: float = 1e-9) -> StateCheck:
    """Residuals of each constraint in position and velocity, rank, redundancy, mobility, singularity; one state."""
    checked_model(model)
    q = checked_configuration(model, "q", q)
    if q.ndim != 1:
        raise InputError(f"q has shape {q.shape}; check_state takes one state of shape ({model.nq},)")
    v = None if v is None else checked(model, "v", v, model.nv)
    if v is not None and v.ndim != 1:
        raise InputError(f"v has shape {v.shape}; check_state takes one state of shape ({model.nv},)")
    functions = constraint_functions(model)
    J = functions.jacobian(q[None])[0]
    values = _singular_values(J)
    with np.errstate(all="ignore"):
        rank, usual, ratio = _singularity(functions, q, values)
    return StateCheck(
        model=model, position=residuals(functions.placed, functions.error(q[None])[0]),
        velocity=None if v is None else residuals(model, J @ v), rows=model.nc, rank=rank, usual_rank=usual,
        singular_values=values, singularity=ratio, tolerance=float(tolerance), q=q,
    )  # fmt: skip


def _singularity(functions: ConstraintFunctions, q: np.ndarray, values: np.ndarray) -> tuple[int, int, float]:
    """(rank, usual rank, smallest singular value of the usual rank beside the largest of its like nearby)."""
    model, rank = functions.model, numerical_rank(values)
    if not len(values) or not model.nv:
        return rank, rank, 1.0
    rng = np.random.default_rng(0)
    start = np.tile(q, (_NEIGHBOURS, 1))
    ease = np.ones(model.nv)
    steps = tangent(functions, start, rng.uniform(-_NEARBY, _NEARBY, (_NEIGHBOURS, model.nv)), ease)
    near, error = corrected(functions, model.integrate(start, steps), ease, 1e-12)
    near = near[np.abs(error).max(axis=1, initial=0.0) <= 1e-12]
    nearby = [_singular_values(J) for J in functions.jacobian(near)] if len(near) else []
    usual = max([rank, *(numerical_rank(x) for x in nearby)])
    if not usual:
        return rank, usual, 1.0
    largest = max((x[usual - 1] for x in nearby), default=values[usual - 1])
    if rank < usual:
        return rank, usual, 0.0
    return rank, usual, float(min(1.0, values[usual - 1] / largest)) if largest > 0 else 1.0


def _singular_values(J: np.ndarray) -> np.ndarray:
    return np.linalg.svd(J, compute_uv=False) if J.size else np.zeros(0)


def numerical_rank(values: np.ndarray) -> int:
    return int(np.sum(values > RANK_TOLERANCE * values[0])) if len(values) and values[0] > 0 else 0
