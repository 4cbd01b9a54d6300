"""All loops of one cluster, resolved: positions, G, g, K and k from the independent coordinates."""

from __future__ import annotations

from collections.abc import Sequence

from ....scalar import Scalar, is_zero
from ....spatial import sum_of
from ..embedding import Embedding
from .resolving_step import ResolvingStep, Row


class Resolution:
    """velocities   of the cluster, indices into v in increasing order
    independent  those that are given
    steps        that find the others, each from what is known before it
    """

    def __init__(self, velocities: Sequence[int], independent: Sequence[int], steps: Sequence[ResolvingStep] = ()):
        self.velocities, self.independent, self.steps = tuple(velocities), tuple(independent), tuple(steps)

    def solve_positions(self, q: list[Scalar]) -> None:
        """Fill in the dependent coordinates of q."""
        for step in self.steps:
            step.solve_positions(q)

    def errors(self, q: Sequence[Scalar], *, given: bool, solved: bool = False) -> list[Scalar]:
        """By how much coordinates do not meet the constraints.

        given    the coordinates are given and not found, so that no constraint is met by itself
        solved   without rows that follow from others
        """
        steps = [step for step in self.steps if given or not step.exact]
        return [x for step in steps for x in (step.solved_errors(q) if solved else step.errors(q))]

    def embedding(self, q: Sequence[Scalar], yd: Sequence[Scalar] | None = None) -> Embedding:
        """G, and for velocities yd of the independent coordinates g; K and k with them."""
        n = len(self.independent)
        G: dict[int, list[Scalar]] = {
            u: [1.0 if r == c else 0.0 for c in range(n)] for r, u in enumerate(self.independent)
        }
        slopes = []
        for step in self.steps:
            slopes.append(rows := step.slopes(q))
            for u, row in zip(step.unknown, rows, strict=True):
                G[u] = [_weighted(row, {k: G[k][c] for k in row}) for c in range(n)]
        if yd is None:
            return Embedding([G[u] for u in self.velocities], [0.0] * len(self.velocities))
        v: list[Scalar] = [0.0] * (max(self.velocities, default=-1) + 1)
        for u in self.velocities:
            v[u] = sum_of([x * y for x, y in zip(G[u], yd, strict=True) if not is_zero(x)] or [0.0])
        g: dict[int, Scalar] = dict.fromkeys(self.independent, 0.0)
        K: list[list[Scalar]] = []
        k: list[Scalar] = []
        for step, rows in zip(self.steps, slopes, strict=True):
            for u, row, bias in zip(step.unknown, rows, step.bias(q, v), strict=True):
                g[u] = bias + _weighted(row, g)
            own, right = step.constraint_rows(q, v)
            K += [[row.get(u, 0.0) for u in self.velocities] for row in own]
            k += right
        return Embedding([G[u] for u in self.velocities], [g[u] for u in self.velocities], K, k)

    def margins(self, q: Sequence[Scalar]) -> list[Scalar]:
        """Positive unless the pose is close to one where other coordinates should be the independent ones."""
        return [margin for step in self.steps for margin in step.margins(q)]

    def branches(self, q: Sequence[Scalar]) -> list[Scalar]:
        """Positive where the pose found is on the branch asked for."""
        return [side for step in self.steps for side in step.branches(q)]


def _weighted(row: Row, values) -> Scalar:
    terms = [x * values[k] for k, x in row.items() if not (is_zero(x) or is_zero(values[k]))]
    return sum_of(terms) if terms else 0.0
