"""Which of equally coupled links LCABA eliminates first: whatever takes the fewest operations, by counts.

Only elimination and one sweep after it are traced: enough to tell ways apart, and done in a fraction of a second, also
because a large mechanism tries fewer ways (`MOST_TRACED`, the same ones on every machine).
"""

from __future__ import annotations

import functools

from ..algorithms.constrained.elimination_order import TIES, elimination_order
from ..algorithms.constrained.lcaba import EliminatedGraph
from ..algorithms.rows.constrained_problem import ConstrainedProblem
from ..model import Model, tree_of
from ..model.found_once import found_once
from ..scalar import Scalar
from ..trace import CommonBeginning
from .penalties import automatic_penalties

MOST_TRACED = 100_000


@found_once
def cheapest_ties(model: Model) -> str:
    """One of TIES."""
    tree = tree_of(model)
    orders = {name: elimination_order(tree, ties=name) for name in TIES}
    different = [name for k, name in enumerate(TIES) if orders[name] not in list(orders.values())[:k]]
    if len(different) == 1:
        return different[0]
    mu, zeros, still = automatic_penalties(model).tolist(), [0.0] * model.nv, [0.0] * model.nc

    def begin(q, tau):
        return ConstrainedProblem(tree, q, zeros, tau, mu=mu)

    def eliminated(problem: ConstrainedProblem, ties: str) -> list[Scalar]:
        graph = EliminatedGraph(problem.with_ties(ties), still)
        y = list(graph.y)
        for i, dy in graph.change_of_y([1.0] * model.nc).items():
            y[i] = y[i] + dy
        return graph.accelerate(y, None)[0]

    begun = CommonBeginning(begin, {"q": model.nq, "tau": model.nv})
    counted: dict[str, int] = {}
    for name in different:
        if len(counted) > 1 and sum(counted.values()) > MOST_TRACED:
            break
        counted[name] = begun.operations(functools.partial(eliminated, ties=name))
    return min(counted, key=lambda name: counted[name])
