"""Exact operation counts of a program."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, fields

from .ops import Op
from .program import Program

_KIND = {
    Op.ADD: "additions", Op.SUB: "additions", Op.MUL: "multiplications", Op.DIV: "divisions", Op.NEG: "negations",
    Op.SQRT: "square_roots", Op.SIN: "sines_and_cosines", Op.COS: "sines_and_cosines",
}  # fmt: skip


@dataclass(frozen=True)
class Operations:
    """How many operations of each kind one evaluation takes. Subtractions count as additions."""

    additions: int = 0
    multiplications: int = 0
    divisions: int = 0
    negations: int = 0
    square_roots: int = 0
    sines_and_cosines: int = 0
    others: int = 0  # comparisons, selections, minima, exponentials, ...

    @property
    def total(self) -> int:
        return sum(getattr(self, f.name) for f in fields(self))

    def __str__(self) -> str:
        parts = [f"{getattr(self, f.name)} {f.name.replace('_', ' ')}" for f in fields(self) if getattr(self, f.name)]
        return f"{self.total} operations ({', '.join(parts) or 'none'})"


def count_operations(program: Program) -> Operations:
    """Count the nodes of a simplified program (dead nodes would be counted too, so simplify first)."""
    counts = Counter(
        _KIND.get(node[0], "others") for node in program.nodes if node[0] not in (Op.INPUT, Op.CONST)
    )
    return Operations(**counts)
