"""How many ways a mechanism can move: by counting, and by the rank of its constraints at a pose."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..assembly.independent_rows import independent_rows
from ..call_errors import names_arguments
from ..codegen.arguments import real_numbers
from ..compilation import reference
from ..errors import InputError
from ..model import Model
from ..printable import printable

# A row takes part in a dependency if its coefficient in it is larger than this.
_PART_TOLERANCE = 1e-6


@dataclass(frozen=True)
class Mobility:
    """Of a mechanism at one pose.

    dof         velocities of the tree (nv), and `rows` of constraints on them
    grubler     dof - rows: the mobility if all rows were independent
    rank        of the constraint rows at the pose, by the one rank tolerance of the library (docs/assembly.md)
    mobility    dof - rank: the independent motions there are at the pose
    redundancy  rows - rank: rows that repeat others, at the pose
    redundant   names of the constraints that take part in these repetitions
    """

    dof: int
    rows: int
    rank: int
    redundant: tuple[str, ...]
    q: np.ndarray

    @property
    def grubler(self) -> int:
        return self.dof - self.rows

    @property
    def mobility(self) -> int:
        return self.dof - self.rank

    @property
    def redundancy(self) -> int:
        return self.rows - self.rank

    def __str__(self) -> str:
        text = f"{self.dof} dof - {self.rows} rows = {self.grubler} (Grubler); "
        text += f"rank {self.rank}, mobility {self.mobility}"
        if self.redundancy:
            text += f"; {self.redundancy} redundant rows, among {', '.join(self.redundant)}"
        return printable(text)


@names_arguments
def mobility(model: Model, q=None) -> Mobility:
    """Mobility and redundancy at q (nq,), by default as the mechanism is drawn (`model.drawn`).

    At special poses, drawn ones among them, the rank may be lower than elsewhere nearby.
    """
    try:
        q = model.drawn if q is None else real_numbers(q)
    except (TypeError, ValueError):
        raise InputError(f"q is {q!r}; expected {model.nq} numbers: one configuration of {model.name!r}") from None
    if q.shape != (model.nq,) or not np.all(np.isfinite(q)):
        raise InputError(f"q is {q}; expected {model.nq} finite numbers: one configuration of {model.name!r}")
    if not model.nc:
        return Mobility(model.nv, 0, 0, (), q)
    J, M = reference(model, "constraint_jacobian")(q), reference(model, "crba")(q)
    rows = independent_rows(model, J[None], M[None])
    rank = int(rows.rank[0])
    part = np.abs(rows.dependent()).max(axis=1, initial=0.0) > _PART_TOLERANCE
    names, start = [], 0
    for constraint in model.constraints:
        if part[start : start + constraint.size].any():
            names.append(constraint.name)
        start += constraint.size
    return Mobility(model.nv, model.nc, rank, tuple(names), q)
